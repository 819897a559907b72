#include "sorter_core.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "fit.hpp"
#include "memory_check.hpp"

namespace lanesort::detail {
namespace {

/// Counts from here on need 64-bit indices in the kernels.
constexpr std::uint64_t wide_count = std::uint64_t{1} << 31;

/// Work-groups of one launch: the limit of CUDA, and enough for any shape that is worth running.
constexpr std::uint64_t most_groups = (std::uint64_t{1} << 31) - 1;

template <class Bits>
bool is_sorted(const std::vector<std::byte>& keys, KeyCoding coding) {
    const std::span<const Bits> bits(reinterpret_cast<const Bits*>(keys.data()), keys.size() / sizeof(Bits));
    return std::ranges::is_sorted(bits, {}, [&](Bits key) { return encode(key, coding); });
}

bool is_sorted(const std::vector<std::byte>& keys, std::size_t bytes, KeyCoding coding) {
    switch (bytes) {
        case 1: return is_sorted<std::uint8_t>(keys, coding);
        case 2: return is_sorted<std::uint16_t>(keys, coding);
        case 4: return is_sorted<std::uint32_t>(keys, coding);
        default: return is_sorted<std::uint64_t>(keys, coding);
    }
}

/// Small tiles share a work-group, of no more work-items than allowed, where each has work-items of its own.
unsigned tiles_per_group(const KernelParameters& parameters, const DeviceInfo& device, unsigned allowed) {
    constexpr unsigned usual_work_items = 256;
    if (parameters.shape.walks_in_cache() || !parameters.shape.local_sync) return 1;
    unsigned tiles = std::max(std::min(usual_work_items, allowed) / parameters.shape.work_items, 1u);
    const std::size_t bytes = parameters.shape.local_bytes(parameters.bytes);
    while (tiles > 1 && tiles * bytes > device.local_bytes) tiles /= 2;
    return std::bit_floor(tiles);
}

/// Why a device's limit is what it is, to end a sentence.
const char* why_limited(const DeviceInfo& device) {
    return device.platform == "Portable Computing Language"
               ? "; PoCL's limit goes by the memory that is free when it starts, and by POCL_MEMORY_LIMIT (in GiB)"
               : "";
}

Plan plan_of(const Extent& extent, const KernelParameters& parameters) {
    const std::uint64_t length = extent.length();
    if (extent.middle) return make_merge_plan(length, *extent.middle, parameters.shape);
    if (extent.in_rows())
        return make_row_plan(extent.rows(), length, parameters.shape, parameters.tiles_per_group, extent.first,
                             parameters.layout == Layout::short_rows);
    return make_plan(length, parameters.shape, extent.first);
}

/// The same of as many keys as narrow indices can count.
Extent many(Extent extent) {
    const std::uint64_t row = std::max<std::uint64_t>(extent.row_length, 1);
    extent.count = (wide_count - 1) / row * row;
    if (extent.offset_bytes > 0) extent.segments = std::max(extent.segments, extent.count / extent.longest);
    if (extent.middle) extent.middle = 1;
    return extent;
}

}  // namespace

SortReport report_of(const Plan& plan) {
    SortReport report;
    report.launches = plan.passes.size();
    for (const Pass& pass : plan.passes) {
        report.hand_overs += pass.hand_overs;
        report.barriers += pass.barriers;
    }
    return report;
}

SorterCore::SorterCore(std::unique_ptr<Backend> backend, SorterOptions options)
    : backend_(std::move(backend)), options_(std::move(options)) {
    const DeviceInfo& device = backend_->info();
    if (options_.shape) {
        check(*options_.shape);
        require_fit(*options_.shape, 1, device);
    } else if (!options_.shape_file.empty()) {
        shapes_ = read_shape_file(options_.shape_file, device);
    } else if (options_.use_tuned) {
        TunedShapes tuned = find_tuned(device);
        shapes_ = std::move(tuned.table);
        note_ = std::move(tuned.note);
    }
}

std::optional<Shape> SorterCore::wanted_shape(std::uint64_t count, const ElementType& type) const {
    // Files have shapes for plain keys only.
    const ElementBytes bytes = type.bytes();
    if (options_.shape || bytes.all() > bytes.key) return options_.shape;
    return shapes_.find(bytes.key, count);
}

SorterCore::Prepared SorterCore::prepare(const Extent& extent, const ElementType& type, bool count_sync) {
    check(type.key);
    const ElementBytes bytes = type.bytes();
    // Many rows fill the device, however short they are: then large tiles are of use, unless they exceed a row.
    constexpr std::uint64_t long_row = 4096;
    const std::uint64_t count = extent.length() <= long_row ? extent.length() : extent.count;
    if (const std::optional<Shape> wanted = wanted_shape(count, type)) {
        try {
            require_fit(*wanted, bytes, backend_->info());
            return prepare_with(*wanted, false, extent, type, count_sync);
        } catch (const Error& error) {
            const bool tuned = !options_.shape && options_.shape_file.empty();
            const bool refused = error.code() == ErrorCode::unsupported || error.code() == ErrorCode::build_failed;
            if (!tuned || !refused) throw;
            note_ = fmt::format("tuned shapes are not used: {}", error.what());
            shapes_.rows.clear();
        }
    }
    return prepare_with(choose_shape(backend_->info(), bytes, count), true, extent, type, count_sync);
}

SorterCore::Prepared SorterCore::prepare_with(Shape shape, bool adapt, const Extent& extent, const ElementType& type,
                                              bool count_sync) {
    const DeviceInfo& device = backend_->info();
    const std::uint64_t length = extent.length();
    const unsigned resident_items = shape.resident_groups * shape.work_items;
    if (extent.in_rows()) shape = fit_row(shape, length, extent.offset_bytes == 0);
    KernelParameters parameters{.bytes = type.bytes(),
                                .count_sync = count_sync,
                                .unroll_rounds = device.kind == DeviceKind::gpu,
                                .shape = shape,
                                .offset_bytes = extent.offset_bytes};
    if (type.key.comparator()) parameters.comparator = *type.key.comparator();
    // The compiler's register use may allow smaller work-groups than the device does; fewer tiles or smaller shapes
    // need fewer.
    DeviceInfo limited = device;
    for (;;) {
        const bool short_rows = extent.row_length > 0 && std::has_single_bit(length) &&
                                parameters.shape.tile_keys() > length &&
                                parameters.shape.register_vectors * parameters.shape.lanes <= length;
        parameters.layout = short_rows ? Layout::short_rows : extent.in_rows() ? Layout::rows : Layout::range;
        parameters.operation = extent.middle                                           ? Operation::merge
                               : head_bits(length, parameters.shape, extent.first) > 0 ? Operation::sort_first
                                                                                       : Operation::sort;
        // With what is made up in front and behind, or in a tile of heads, indices reach four times as far.
        parameters.wide_index = (short_rows ? extent.count : length) >=
                                (parameters.operation == Operation::sort ? wide_count : wide_count / 4);
        if (parameters.layout == Layout::rows) {
            parameters.tiles_per_group = tiles_per_group(parameters, device, limited.max_work_items);
            parameters.shape.resident_groups = std::clamp(resident_items / parameters.work_items(), 1u, 32u);
        }
        limited.max_work_items = backend_->prepare(parameters);
        if (parameters.work_items() <= limited.max_work_items) break;
        if (parameters.tiles_per_group > 1) continue;
        const Shape smaller = fit(parameters.shape, parameters.bytes, limited);
        if (!adapt || smaller == parameters.shape)
            throw Error(ErrorCode::unsupported,
                        fmt::format("the kernels of shape {} run in work-groups of at most {} work-items on {}",
                                    to_string(parameters.shape), limited.max_work_items, device.name));
        parameters.shape = smaller;
    }
    Prepared ready{plan_of(extent, parameters), std::move(parameters)};
    for (const Pass& pass : ready.plan.passes)
        if (pass.groups > most_groups)
            throw Error(ErrorCode::unsupported,
                        fmt::format("{} keys in shape {} need {} work-groups in one launch; {} are possible",
                                    extent.count, to_string(ready.plan.shape), pass.groups, most_groups));
    backend_->rehearse(ready.parameters, extent.count > 0 ? ready.plan : plan_of(many(extent), ready.parameters));
    return ready;
}

void SorterCore::check_size(std::uint64_t count, const ElementType& type) const {
    const DeviceInfo& device = backend_->info();
    const auto require = [&](std::size_t bytes, const std::string& what) {
        if (bytes > 0 && count > device.max_allocation_bytes / bytes)
            throw Error(ErrorCode::too_large,
                        fmt::format("{} {} exceed the {} bytes that {} can allocate at once{}", count, what,
                                    device.max_allocation_bytes, device.name, why_limited(device)));
    };
    require(type.key.bytes(), fmt::format("keys of {}", type.key.name()));
    require(type.value_bytes, fmt::format("values of {} bytes", type.value_bytes));
    require(type.number_bytes, fmt::format("indices of {} bytes", type.number_bytes));
}

SortReport SorterCore::sort_host(const HostArrays& arrays, const Extent& extent, const ElementType& type, Order order) {
    check(extent);
    check(type.key);
    check(order);
    check_size(extent.count, type);
    std::vector<MemoryUse> uses{
        used("keys", arrays.keys_stay ? Access::read : Access::change, arrays.keys, extent.count * type.key.bytes())};
    if (type.value_bytes > 0)
        uses.push_back(used("values", Access::change, arrays.values, extent.count * type.value_bytes));
    if (arrays.keys_stay)
        uses.push_back(used("indices", Access::change, arrays.numbers, extent.count * type.number_bytes));
    if (extent.offset_bytes > 0)
        uses.push_back(
            used("offsets of segments", Access::read, arrays.offsets, (extent.segments + 1) * extent.offset_bytes));
    check(uses);
    if (extent.is_sorted()) {
        if (arrays.numbers && extent.count > 0) std::memset(arrays.numbers, 0, extent.count * type.number_bytes);
        return {};
    }
    const Prepared ready = prepare(extent, type);
    return backend_->sort_host(arrays, extent.count, ready.plan, ready.parameters, coding_of(type.key, order),
                               options_.progress);
}

std::optional<SorterCore::PreparedSelection> SorterCore::prepare_selection(const Extent& extent,
                                                                           const ElementType& type, std::uint64_t k) {
    check(extent);
    check(type.key);
    if (extent.offset_bytes > 0)
        throw Error(ErrorCode::invalid_argument,
                    "the first keys of segments cannot be selected, but those of rows can");
    const std::uint64_t count = extent.length();
    if (k > count)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the first {} keys were asked for, but there are {}", k, count));
    // A shape of the caller's is one for sorts.
    DeviceInfo device = backend_->info();
    const std::uint64_t rows = extent.row_count();
    if (k == 0 || extent.count == 0 || k == count) return std::nullopt;
    while (k <= most_selected(device, type.bytes())) {
        Selection selection = make_selection(device, type.bytes(), rows, count, k);
        for (const SelectionPass& pass : selection.passes)
            if (rows * pass.parts > most_groups)
                throw Error(ErrorCode::unsupported,
                            fmt::format("{} keys in {} rows take too many work-groups for one launch; {} are possible",
                                        extent.count, rows, most_groups));
        KernelParameters parameters{.operation = Operation::select,
                                    .bytes = selection.bytes,
                                    .wide_index = count >= wide_count,
                                    .shape = selection.shape};
        if (type.key.comparator()) parameters.comparator = *type.key.comparator();
        const unsigned allowed = backend_->prepare(parameters);
        if (allowed >= parameters.work_items()) {
            backend_->rehearse(parameters, selection);
            return PreparedSelection{std::move(selection), std::move(parameters)};
        }
        if (allowed == 0) break;
        device.max_work_items = allowed;
    }
    return std::nullopt;
}

SorterCore::PreparedTopK SorterCore::prepare_top_k(const Extent& extent, const ElementType& type, std::uint64_t k) {
    PreparedTopK ready{prepare_selection(extent, type, k), std::nullopt};
    Extent firsts = extent;
    firsts.first = k;
    if (!ready.selection && k > 0 && !firsts.is_sorted()) ready.sort = prepare(firsts, type);
    return ready;
}

SortReport SorterCore::select_host(const void* keys, const HostArrays& selected, const Extent& extent,
                                   const ElementType& type, std::uint64_t k, Order order) {
    check(extent);
    check(type.key);
    check(order);
    check_size(extent.count, {type.key});
    const std::uint64_t results = extent.row_count() * k;
    std::vector<MemoryUse> uses{used("keys", Access::read, keys, extent.count * type.key.bytes()),
                                used("selected keys", Access::write, selected.keys, results * type.key.bytes())};
    if (selected.numbers) uses.push_back(used("indices", Access::write, selected.numbers, results * type.number_bytes));
    check(uses);
    const std::optional<PreparedSelection> ready = prepare_selection(extent, type, k);
    if (ready)
        return backend_->select_host(keys, selected, ready->selection, ready->parameters, coding_of(type.key, order));
    // Too many to be selected: a copy is sorted.
    if (k == 0 || extent.count == 0) return {};

    Extent whole = extent;
    whole.first = k;
    const std::size_t key_bytes = type.key.bytes();
    const auto* const first = static_cast<const std::byte*>(keys);
    std::vector<std::byte> copy(first, first + extent.count * key_bytes);
    std::vector<std::byte> numbers(extent.count * type.number_bytes);
    const SortReport report =
        sort_host({.keys = copy.data(), .numbers = numbers.empty() ? nullptr : numbers.data()}, whole, type, order);
    const auto take = [&](void* to, const std::vector<std::byte>& from, std::size_t bytes) {
        for (std::uint64_t row = 0; row * extent.length() < extent.count; ++row)
            std::memcpy(static_cast<std::byte*>(to) + row * k * bytes, from.data() + row * extent.length() * bytes,
                        k * bytes);
    };
    take(selected.keys, copy, key_bytes);
    if (selected.numbers) take(selected.numbers, numbers, type.number_bytes);
    return report;
}

SorterCore::PreparedRuns SorterCore::prepare_runs(const Extent& extent, const KeyKind& type, RunsTask task,
                                                  std::size_t length_bytes) {
    check(extent);
    check(type);
    const bool tests_order = task == RunsTask::is_sorted || task == RunsTask::is_sorted_until;
    if (extent.offset_bytes > 0 || (extent.in_rows() && !tests_order))
        throw Error(ErrorCode::invalid_argument,
                    tests_order ? "the order of segments cannot be told, but that of rows can"
                                : "the distinct keys of rows or segments cannot be told, but those of a range can");
    // A shape of the caller's is one for sorts.
    DeviceInfo device = backend_->info();
    const std::uint64_t rows = extent.row_count(), count = extent.length();
    for (;;) {
        RunsSchedule schedule = make_runs_schedule(device, type.bytes(), task, rows, count);
        if (rows * schedule.parts > most_groups)
            throw Error(ErrorCode::unsupported,
                        fmt::format("{} rows are too many for one launch; {} are possible", rows, most_groups));
        KernelParameters parameters{.operation = Operation::runs,
                                    .bytes = {type.bytes(), length_bytes, 0, type.comparator() != nullptr},
                                    .wide_index = count >= wide_count,
                                    .shape = schedule.shape};
        if (type.comparator()) parameters.comparator = *type.comparator();
        const unsigned allowed = backend_->prepare(parameters);
        if (parameters.work_items() <= allowed) {
            if (extent.count > 0) backend_->rehearse(parameters, schedule);
            return {schedule, std::move(parameters)};
        }
        device.max_work_items = allowed;
    }
}

void SorterCore::runs_host(const void* keys, const HostRuns& found, const Extent& extent, const KeyKind& type,
                           RunsTask task, std::size_t length_bytes, Order order) {
    check(extent);
    check(type);
    check(order);
    if (task == RunsTask::run_lengths) check_lengths(extent, length_bytes);
    check_size(extent.count, {type, length_bytes});
    const std::uint64_t key_bytes = extent.count * type.bytes();
    std::vector<MemoryUse> uses{
        used("keys", Access::read, keys, key_bytes),
        used("results", Access::write, found.result, extent.row_count() * sizeof(std::uint64_t))};
    if (task == RunsTask::unique || task == RunsTask::run_lengths)
        uses.push_back(used("distinct keys", Access::write, found.distinct, key_bytes));
    if (task == RunsTask::run_lengths)
        uses.push_back(used("lengths", Access::write, found.lengths, extent.count * length_bytes));
    check(uses);
    const PreparedRuns ready = prepare_runs(extent, type, task, length_bytes);
    if (extent.count == 0) {
        if (!extent.in_rows()) *found.result = task == RunsTask::is_sorted;
        return;
    }
    backend_->runs_host(keys, found, ready.schedule, ready.parameters, coding_of(type, order));
}

SyncCounts SorterCore::measure(std::uint64_t count, KeyType type) {
    check(KeyKind(type));
    check_size(count, {type});
    const Prepared ready = prepare({count}, {type}, true);
    if (ready.plan.passes.empty()) return {};
    const std::size_t bytes = key_bytes(type);
    std::vector<std::byte> keys(count * bytes);
    std::mt19937_64 random(count);
    std::ranges::generate(keys, [&] { return static_cast<std::byte>(random()); });
    const KeyCoding coding = key_coding(type, Order::ascending);
    const SyncCounts counts = backend_->count_host(keys.data(), ready.plan, ready.parameters, coding);
    if (!is_sorted(keys, bytes, coding))
        throw Error(ErrorCode::device_failed,
                    fmt::format("{} returned {} keys of type {} unsorted", backend_->info().name, count, name(type)));
    return counts;
}

}  // namespace lanesort::detail
