// SPDX-License-Identifier: MIT
// The kernels that are compiled with the library are those of the shapes that it chooses, whatever the processor.
#include <doctest/doctest.h>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

#include "core/described_device.hpp"
#include "core/planner.hpp"
#include "host/cpu/host.hpp"
#include "host/cpu/table.hpp"

namespace lanesort::test {
namespace {

using cpu::Instructions;

/// The built-in device on a processor with such instructions. It looks kernels up, but runs none.
class LooksUp final : public detail::DescribedDevice {
public:
    explicit LooksUp(Instructions instructions)
        : DescribedDevice(cpu::describe({instructions, 4})), instructions_(instructions) {}
    std::shared_ptr<const detail::Program> compile(const detail::KernelParameters& parameters) override {
        return std::make_shared<const cpu::Program>(parameters, instructions_);
    }

private:
    Instructions instructions_;
};

constexpr KeyType types_of_all_widths[] = {KeyType::u8, KeyType::i16, KeyType::f32, KeyType::u64};
constexpr std::uint64_t counts[] = {2, 1000, 1 << 20, std::uint64_t{1} << 33};

/// Every request of these, with rows and segments too.
template <class Each>
void for_each_request(Request request, const Each& each) {
    for (const KeyType type : types_of_all_widths)
        for (const std::uint64_t count : counts) {
            request.key = type;
            request.count = count;
            request.in_host_memory = true;
            if (request.operation == Operation::merge) request.middle = count / 3;
            each(request);
            if (request.operation != Operation::sort && request.operation != Operation::argsort) continue;
            Request rows = request;
            for (const std::uint64_t length : {2, 500, 1000, 1024}) {
                rows.row_length = length;
                rows.count = count / length * length;
                if (rows.count > 0 && count <= 1 << 20) each(rows);
            }
            Request segments = request;
            for (const std::size_t bytes : {4, 8}) {
                segments.segments = 7;
                segments.longest = count;
                segments.offset_bytes = bytes;
                each(segments);
            }
        }
}

TEST_CASE("the built-in device has kernels for every operation on every element, for all instructions") {
    for (const Instructions instructions : cpu::compiled_instructions()) {
        LooksUp device(instructions);
        detail::Planner planner(device, {.use_tuned = false});
        const auto has_kernels = [&](const Request& request) {
            CAPTURE(device.info().name);
            CAPTURE(name(request.operation));
            CAPTURE(request.key.bytes());
            CAPTURE(request.count);
            CAPTURE(request.value_bytes);
            CAPTURE(request.index_bytes);
            CHECK_NOTHROW(planner.plan(request));
        };
        for (const std::size_t value_bytes : {0, 1, 2, 4, 8, 16})
            for (const bool stable : {false, true})
                for (const Operation operation : {Operation::sort, Operation::merge})
                    for_each_request({.operation = operation, .stable = stable, .value_bytes = value_bytes},
                                     has_kernels);
        for (const std::size_t index_bytes : {4, 8})
            for_each_request({.operation = Operation::argsort, .index_bytes = index_bytes},
                             [&](const Request& request) {
                                 if (index_bytes == 8 || request.length() < detail::most_narrow_indices)
                                     has_kernels(request);
                             });
        for (const std::size_t index_bytes : {0, 4, 8})
            for (const std::uint64_t k : {1, 9, 64, 100, 300, 5000})
                for_each_request({.operation = Operation::top_k, .first = k, .index_bytes = index_bytes},
                                 [&](const Request& request) {
                                     if (k <= request.count && (index_bytes == 8 || request.count >> 32 == 0))
                                         has_kernels(request);
                                 });
        for_each_request({.operation = Operation::sort, .first = 10}, has_kernels);
        for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until, Operation::unique})
            for_each_request({.operation = operation}, has_kernels);
        for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
            for_each_request({.operation = Operation::unique, .value_bytes = value_bytes}, has_kernels);
        for (const std::size_t value_bytes : {0, 1, 2, 4, 8, 16})
            for (const Operation operation : {Operation::select, Operation::partition})
                for_each_request({.operation = operation, .value_bytes = value_bytes}, has_kernels);
        for (const std::size_t length_bytes : {4, 8})
            for_each_request({.operation = Operation::run_lengths, .length_bytes = length_bytes},
                             [&](const Request& request) {
                                 if (length_bytes == 8 || request.count >> 32 == 0) has_kernels(request);
                             });
        for (const std::size_t bytes : {4, 8}) {
            const auto fits = [&](const Request& request) { return bytes == 8 || request.count >> 31 == 0; };
            for_each_request({.operation = Operation::equal_range, .index_bytes = bytes, .second_count = 1000},
                             [&](const Request& request) {
                                 if (fits(request) && !request.in_rows()) has_kernels(request);
                             });
            for_each_request({.operation = Operation::histogram, .length_bytes = bytes, .bins = 9, .bounded = true},
                             [&](const Request& request) {
                                 if (fits(request) && !request.in_rows()) has_kernels(request);
                             });
            for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
                has_kernels(
                    {.operation = Operation::permute, .count = 1000, .value_bytes = value_bytes, .index_bytes = bytes});
        }
    }
}

TEST_CASE("every kernel that was compiled with the library has its names") {
    CHECK(cpu::all_compiled().size() > 0);
    for (const cpu::CompiledFile* const file : cpu::all_compiled())
        for (std::size_t program = 0; program < file->count; ++program) {
            CHECK(file->programs[program]->file != nullptr);
            for (std::size_t kernel = 0; kernel < std::size(file->programs[program]->kernels); ++kernel) {
                const detail::NamedKernel& named = file->programs[program]->kernels[kernel];
                CHECK((named.name == nullptr) == (named.run == nullptr));
                CHECK((named.name != nullptr || kernel > 0));
            }
        }
}

TEST_CASE("the built-in device's name says which instructions it uses, and on how many threads") {
#ifdef __x86_64__
    CHECK(cpu::describe({Instructions::avx512, 1}).name == "built-in, AVX-512, 1 thread");
    CHECK(cpu::describe({Instructions::baseline, 4}).name == "built-in, SSE2, 4 threads");
#elif defined(__aarch64__)
    CHECK(cpu::describe({Instructions::baseline, 4}).name == "built-in, NEON, 4 threads");
#endif
}

TEST_CASE("the built-in device refuses shapes and comparators that it has no kernels for") {
    Shape odd;
    odd.lanes = 2;
    odd.vectors = 8;
    odd.work_items = 1;
    odd.register_vectors = 4;
    odd.steps_per_pass = 2;
    std::vector<unsigned> keys = {3, 1, 2};
    Sorter sorter(built_in_device(), {.shape = odd});
    try {
        sorter.sort(keys);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::unsupported);
    }
    CHECK(keys == std::vector<unsigned>{3, 1, 2});
}

}  // namespace
}  // namespace lanesort::test
