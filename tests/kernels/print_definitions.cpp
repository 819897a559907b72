// SPDX-License-Identifier: MIT
// Prints what the kernels are compiled for in the shapes that the library chooses: lines "FILE BITS -DNAME=value ...".
//   print_definitions       one for each file and width of keys on a graphics card, sorts in columns:
//   amd_compile.sh print_definitions all   for every call, kind of device and kind of key, and for awkward shapes:
//   lint.sh
//   print_definitions arguments   the same as "FILE -DNAME=value ... : KERNEL(TYPE,TYPE..) ...", by the kernel table:
//   arguments.sh
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lanesort/options.hpp>

#include "core/described_device.hpp"
#include "core/planner.hpp"
#include "devices_made_up.hpp"
#include "ops/move/iota.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

/// A kernel and the types of its arguments, as the kernel table has them. Integers in one argument are behind the
/// arrays.
std::string signature(const inside::KernelRow& kernel, const inside::KernelParameters& parameters, bool in_one) {
    std::string types, integers;
    const auto add = [&](std::string_view type, bool is_integer) {
        (is_integer && in_one ? integers : types) += fmt::format(",{}", type);
    };
    for (const inside::ArgumentType type : argument_types(kernel, parameters)) {
        add(name(type), !is_array(type));
        if (is_array(type)) add("ulong", true);
    }
    return fmt::format("{}({})", kernel.name, std::string_view(types += integers).substr(1));
}

/// Prints each line once.
class Printer {
public:
    explicit Printer(bool with_arguments = false) : with_arguments_(with_arguments) {}
    void print(const DeviceInfo& device, const Request& request, const std::optional<Shape>& shape = {}) {
        inside::DescribedDevice described(device);
        inside::Planner planner(described, {.shape = shape, .use_tuned = false});
        for (const auto& program : planner.plan(request)->programs) print(program->parameters);
    }
    /// Of an argsort in parts, which no request plans.
    void print_iota(const DeviceInfo& device, std::size_t bytes) {
        inside::DescribedDevice described(device);
        inside::Planner planner(described, {.use_tuned = false});
        inside::Work work;
        work.arrays[inside::Slot::values] = {100, bytes};
        inside::add_iota(planner, work, inside::Slot::values, 0);
        print(work.programs.front()->parameters);
    }

private:
    void print(const inside::KernelParameters& parameters) {
        const std::string all = fmt::format("-D{}", fmt::join(definitions(parameters), " -D"));
        if (!with_arguments_)
            return print(fmt::format("{} {} {}", kernel_file(parameters), parameters.bytes.key * 8, all));
        const auto kernels = kernels_of(parameters);
        const bool has_passes = std::ranges::any_of(kernels, &inside::KernelRow::is_pass);
        for (const bool in_one : {false, true}) {
            if (in_one && !has_passes) continue;
            std::string line = fmt::format("{} {} -DINTEGERS_IN_ONE={:d} :", kernel_file(parameters), all, in_one);
            for (const inside::KernelRow* const kernel : kernels)
                line += fmt::format(" {}", signature(*kernel, parameters, in_one && kernel->is_pass));
            print(line);
        }
    }
    void print(const std::string& line) {
        if (printed_.insert(line).second) std::printf("%s\n", line.c_str());
    }

    bool with_arguments_;
    std::set<std::string> printed_;
};

/// What no test device lacks, but the addresses of 2^32 records.
DeviceInfo large(DeviceInfo device) {
    device.max_allocation_bytes = std::uint64_t{1} << 60;
    return device;
}

DeviceInfo card() {
    DeviceInfo device = large(graphics_card());
    device.local_bytes = 65536;
    return device;
}

/// Work-groups of 32 work-items with 4 KB of local memory.
DeviceInfo poor_card() {
    DeviceInfo device = large(graphics_card());
    device.max_work_items = 32;
    device.local_bytes = 4096;
    return device;
}

Request call(Operation operation, const KeyKind& key, std::uint64_t count = 100 << 17) {
    Request request{.operation = operation, .count = count, .key = key};
    if (operation == Operation::merge) request.middle = count / 3;
    if (operation == Operation::top_k) request.first = 16;
    if (operation == Operation::argsort) request.index_bytes = 4;
    if (operation == Operation::run_lengths) request.length_bytes = 4;
    if (operation >= Operation::lower_bound && operation <= Operation::equal_range)
        request.index_bytes = 4, request.second_count = count;
    return request;
}

/// Of so many bytes. Their order is not printed: kernels/common/comparator.h has one.
KeyKind records(std::size_t bytes) {
    static std::map<std::size_t, Comparator> all;
    return all.try_emplace(bytes, Comparator{.type = "record", .bytes = bytes, .before = "a < b"}).first->second;
}

/// A sort that a device does not choose by itself.
Request distribution(const KeyKind& key) {
    Request request = call(Operation::sort, key);
    request.schedule = Schedule::distribution;
    return request;
}

/// By an operator.
void print_reductions(Printer& printer, const DeviceInfo& device, std::size_t bytes, const char* transform) {
    const BinaryOperator combining{
        .type = "element", .bytes = bytes, .combine = "a", .identity = "0", .transform = transform};
    Request request = call(*transform ? Operation::transform_reduce : Operation::reduce, KeyKind(combining));
    printer.print(device, request);
    request.segments = 1000, request.longest = 3000, request.offset_bytes = 4;
    printer.print(device, request);
}

void print_for_amd() {
    Printer printer;
    printer.print_iota(card(), 4);
    for (const KeyType key : {KeyType::u8, KeyType::u32, KeyType::u64}) {
        printer.print(card(), distribution(key));
        Shape shape = choose_shape(card(), key_bytes(key));
        shape.columns = true;
        printer.print(card(), call(Operation::sort, key), shape);
        Request selection = call(Operation::top_k, key);
        selection.index_bytes = 4;
        printer.print(card(), selection);
        selection.first = 500;
        printer.print(card(), selection);
        selection.value_bytes = key_bytes(key);
        printer.print(card(), selection);
        printer.print(card(), call(Operation::run_lengths, key));
        printer.print(card(), call(Operation::equal_range, key));
        printer.print(card(), call(Operation::reduce, key));
        print_reductions(printer, card(), key_bytes(key), "");
        Request bins = call(Operation::histogram, key);
        bins.length_bytes = 4, bins.bins = 1024, bins.upper = 200;
        printer.print(card(), bins);
    }
}

/// Whether records and all types have it.
bool takes_any_keys(Operation operation) {
    return operation < Operation::reduce || (operation > Operation::exclusive_scan && operation < Operation::gather);
}

void print_for_numbers(Printer& printer, const DeviceInfo& device, const KeyKind& key) {
    for (const Reduction reduction : {Reduction::sum, Reduction::min, Reduction::arg_min}) {
        Request request = call(Operation::reduce, key);
        request.reduction = reduction;
        printer.print(device, request);
        request.segments = 1000, request.longest = 3000, request.offset_bytes = 8;
        printer.print(device, request);
    }
    for (const Reduction reduction : {Reduction::sum, Reduction::min}) {
        Request request = call(Operation::reduce_by_key, key);
        request.reduction = reduction;
        request.value_type = key.type();
        request.value_bytes = key.bytes();
        printer.print(device, request);
    }
    printer.print(device, call(Operation::transform_reduce, key));
    for (const Reduction reduction : {Reduction::sum, Reduction::min}) {
        Request request = call(Operation::inclusive_scan, key);
        request.reduction = reduction;
        printer.print(device, request);
        request.offset_bytes = 4, request.segments = 1000, request.longest = request.count;
        printer.print(device, request);
    }
    for (const std::uint64_t bins : {100, 20'000, 1'000'000}) {
        Request request = call(Operation::histogram, key);
        request.length_bytes = 4;
        request.bins = bins;
        request.bounded = true;
        printer.print(device, request);
        request.bounded = false;
        const bool is_floating = key.type() >= KeyType::f16;
        request.upper = !is_floating                 ? 100
                        : key.type() == KeyType::f64 ? 0x3ff0000000000000
                        : key.type() == KeyType::f32 ? 0x3f800000
                                                     : 0x3c00;
        printer.print(device, request);
    }
    Request moved = call(Operation::scatter, key);
    moved.second_count = moved.count;
    moved.value_bytes = key.bytes();
    moved.index_bytes = 8;
    printer.print(device, moved);
}

/// Every operation, and what can be said of a sort besides.
void print_calls(Printer& printer, const DeviceInfo& device, const KeyKind& key) {
    for (const Operation operation : all_operations)
        if (takes_any_keys(operation)) printer.print(device, call(operation, key));
    if (!key.is_record()) print_for_numbers(printer, device, key);
    const Request sort = call(Operation::sort, key);
    const auto print = [&](auto change) {
        Request request = sort;
        change(request);
        printer.print(device, request);
    };
    print([](Request& r) { r.value_bytes = 8; });
    print([](Request& r) { r.operation = Operation::select; });
    print([](Request& r) { r.operation = Operation::partition, r.value_bytes = 16; });
    print([](Request& r) { r.stable = true, r.value_bytes = 4; });
    print([](Request& r) { r.first = 10; });
    print([](Request& r) { r.row_length = 64; });
    print([](Request& r) { r.row_length = 100, r.value_bytes = 2; });
    print([](Request& r) { r.segments = 1000, r.longest = 3000, r.offset_bytes = 8; });
    print([](Request& r) { r.operation = Operation::merge, r.middle = 5, r.value_bytes = 16; });
    if (!key.is_record())
        for (const std::size_t value_bytes : {0, 1, 4, 16})
            print([&](Request& r) {
                r.operation = Operation::merge, r.part = MergePart::first_step, r.value_bytes = value_bytes;
            });
    print([](Request& r) { r.operation = Operation::argsort, r.index_bytes = 4, r.row_length = 64; });
    print([](Request& r) { r.operation = Operation::unique, r.value_bytes = 16; });
    print([](Request& r) { r.operation = Operation::top_k, r.first = 16, r.index_bytes = 8; });
    print([](Request& r) { r.operation = Operation::top_k, r.first = 500, r.index_bytes = 8; });
    print([](Request& r) { r.operation = Operation::top_k, r.row_length = 1 << 15, r.first = 16; });
    print([](Request& r) { r.operation = Operation::top_k, r.first = 16, r.value_bytes = 2; });
    if (!key.is_record()) print([](Request& r) { r.operation = Operation::top_k, r.first = 16, r.nan_last = true; });
    print([](Request& r) { r.operation = Operation::top_k, r.first = 16, r.limited = true, r.value_bytes = 16; });
    print([](Request& r) {
        r.operation = Operation::top_k, r.first = 16, r.segments = 1000, r.longest = 3000, r.offset_bytes = 4;
    });
}

/// Of processors with vectors of both widths that can be parted.
void print_quicksorts(Printer& printer) {
    DeviceInfo device = large(processor());
    device.parts_vectors = true;
    for (const unsigned vector_bytes : {32, 64}) {
        device.native_vector_bytes = vector_bytes;
        for (const KeyType key : {KeyType::u32, KeyType::f32, KeyType::f64})
            printer.print(device, call(Operation::sort, key));
        Request pairs = call(Operation::sort, KeyType::f32);
        pairs.value_bytes = 4;
        printer.print(device, pairs);
        printer.print(device, call(Operation::argsort, KeyType::u32));
    }
}

void print_all(bool with_arguments) {
    Printer printer(with_arguments);
    print_quicksorts(printer);
    const DeviceInfo devices[] = {card(), poor_card(), large(processor())};
    for (const DeviceInfo& device : devices) {
        for (const KeyKind& key : {KeyKind(KeyType::u8), KeyKind(KeyType::u32), KeyKind(KeyType::u64), records(12)})
            print_calls(printer, device, key);
        // The words of a record are of 1, 2, 4 or 8 bytes. Kernels order halves as they do any integers of 16 bits.
        for (const KeyKind& key : {KeyKind(KeyType::f16), records(3), records(6), records(8), records(64)})
            for (const Operation operation : all_operations)
                if (takes_any_keys(operation)) printer.print(device, call(operation, key));
        for (const KeyType key : {KeyType::f16, KeyType::f32, KeyType::f64}) print_for_numbers(printer, device, key);
        for (const std::size_t bytes : {1, 4, 12}) {
            const Predicate predicate{.type = "element", .bytes = bytes, .holds = "1"};
            printer.print(device, call(Operation::select, KeyKind(predicate)));
            Request parted = call(Operation::partition, KeyKind(predicate));
            parted.value_bytes = 2;
            printer.print(device, parted);
        }
        for (const std::size_t bytes : {1, 3, 8, 64}) {
            const BinaryOperator combining{.type = "element", .bytes = bytes, .combine = "a", .identity = "0"};
            printer.print(device, call(Operation::inclusive_scan, KeyKind(combining)));
            Request by_key = call(Operation::exclusive_scan_by_key, records(12));
            by_key.value_type = KeyKind(combining);
            by_key.value_bytes = bytes;
            printer.print(device, by_key);
        }
        for (const std::size_t bytes : {1, 3, 4, 12, 64})
            for (const char* const transform : {"", "a"}) print_reductions(printer, device, bytes, transform);
        for (const std::size_t bytes : {4, 8}) printer.print_iota(device, bytes);
        // Positions of 64 bits.
        for (const KeyKind& key : {KeyKind(KeyType::u8), records(12)})
            for (const Operation operation : {Operation::sort, Operation::merge, Operation::top_k, Operation::unique})
                printer.print(device, call(operation, key, std::uint64_t{1} << 33));
        // Smaller shapes where there are fewer keys.
        for (const std::uint64_t count : {1000, 100'000, 1'000'000})
            printer.print(device, call(Operation::sort, KeyType::u32, count));
    }
    for (const KeyKind& key : {KeyKind(KeyType::u8), KeyKind(KeyType::u32), KeyKind(KeyType::u64), records(12)}) {
        Request request = distribution(key);
        printer.print(card(), request);
        request.value_bytes = 4;
        printer.print(card(), request);
        request.stable = true;
        printer.print(card(), request);
        request.value_bytes = 16;
        printer.print(card(), request);
    }
    // Where kernels are compiled ahead, values follow the indices of stable sorts.
    DeviceInfo compiled_ahead = large(processor());
    compiled_ahead.compiles = false;
    for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
        for (const std::uint64_t count : {100ul, 1ul << 33}) {
            Request request = call(Operation::merge, KeyType::u32, count);
            request.stable = true;
            request.value_bytes = value_bytes;
            printer.print(compiled_ahead, request);
        }
    Request large_sort = distribution(KeyType::u32);
    large_sort.count = std::uint64_t{1} << 33;
    large_sort.extra_bytes = std::uint64_t{1} << 31;
    printer.print(card(), large_sort);
    // Shapes that nobody chooses but a caller.
    Request counting = call(Operation::sort, KeyType::u64);
    counting.counts_syncs = true;
    for (const auto& shapes : {tiny_shapes(), small_shapes(), column_shapes()})
        for (const Shape& shape : shapes) {
            printer.print(devices[2], call(Operation::sort, KeyType::u8), shape);
            printer.print(devices[2], counting, shape);
        }
}

}  // namespace
}  // namespace lanesort::test

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what.empty()) lanesort::test::print_for_amd();
    else lanesort::test::print_all(what == "arguments");
}
