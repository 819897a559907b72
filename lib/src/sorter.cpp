#include <lanesort/sorter.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "element_type.hpp"
#include "integers.hpp"
#include "sorter_core.hpp"

namespace lanesort {

Sorter::Sorter(const Device& device, SorterOptions options)
    : core_(std::make_unique<detail::SorterCore>(device.handle().open(), std::move(options))) {}
Sorter::Sorter(std::unique_ptr<detail::SorterCore> core) noexcept : core_(std::move(core)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

namespace {

/// Throws Error(invalid_argument) and Error(out_of_range) for segments that cannot be.
detail::Extent extent_of(std::size_t count, const SortOptions& options) {
    detail::Extent extent{count, options.row_length};
    extent.first = options.first;
    const std::span<const std::uint64_t> offsets = options.segments;
    if (offsets.empty()) return extent;
    extent.offset_bytes = sizeof offsets[0];
    extent.segments = offsets.size() - 1;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        if (offsets[i + 1] < offsets[i])
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("segment {} begins at key {} but ends at key {}", i, offsets[i], offsets[i + 1]));
        extent.longest = std::max(extent.longest, offsets[i + 1] - offsets[i]);
    }
    if (offsets.back() > count)
        throw Error(ErrorCode::out_of_range,
                    fmt::format("the last segment ends at key {}, but there are {}", offsets.back(), count));
    return extent;
}

/// Where segments begin, or null where there are none.
const std::uint64_t* offsets_of(const SortOptions& options) {
    return options.segments.empty() ? nullptr : options.segments.data();
}

}  // namespace

SortReport Sorter::sort(void* keys, std::size_t count, const KeyKind& type, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, options);
    return core_->sort_host({.keys = keys, .offsets = offsets_of(options)}, extent,
                            element_of(type, 0, extent, options.stable), options.order);
}

SortReport Sorter::partial_sort(void* keys, std::size_t count, std::size_t first, const KeyKind& type,
                                SortOptions options) {
    options.first = first;
    return sort(keys, count, type, options);
}

SortReport Sorter::nth_element(void* keys, std::size_t count, std::size_t n, const KeyKind& type,
                               const SortOptions& options) {
    const std::uint64_t length = extent_of(count, options).length();
    if (n >= length) throw Error(ErrorCode::invalid_argument, fmt::format("there is no key {} among {}", n, length));
    return partial_sort(keys, count, n + 1, type, options);
}

SortReport Sorter::sort_by_key(void* keys, void* values, std::size_t count, const KeyKind& type,
                               std::size_t value_bytes, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, options);
    detail::check_values(value_bytes);
    return core_->sort_host({.keys = keys, .values = values, .offsets = offsets_of(options)}, extent,
                            element_of(type, value_bytes, extent, options.stable), options.order);
}

namespace {

/// The extent of a merge.
detail::Extent extent_of(std::size_t count, std::size_t middle, const SortOptions& options) {
    detail::Extent extent = extent_of(count, options);
    extent.middle = middle;
    return extent;
}

}  // namespace

SortReport Sorter::merge(void* keys, std::size_t count, std::size_t middle, const KeyKind& type,
                         const SortOptions& options) {
    const detail::Extent extent = extent_of(count, middle, options);
    return core_->sort_host({.keys = keys}, extent, element_of(type, 0, extent, options.stable), options.order);
}

SortReport Sorter::merge_by_key(void* keys, void* values, std::size_t count, std::size_t middle, const KeyKind& type,
                                std::size_t value_bytes, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, middle, options);
    detail::check_values(value_bytes);
    return core_->sort_host({.keys = keys, .values = values}, extent,
                            element_of(type, value_bytes, extent, options.stable), options.order);
}

SortReport Sorter::argsort(const void* keys, void* indices, std::size_t count, const KeyKind& type,
                           std::size_t index_bytes, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, options);
    detail::check_index(extent, index_bytes);
    return core_->sort_host(
        {.keys = const_cast<void*>(keys), .numbers = indices, .keys_stay = true, .offsets = offsets_of(options)},
        extent, {type, 0, index_bytes}, options.order);
}

SortReport Sorter::top_k(const void* keys, std::size_t count, const KeyKind& type, void* best, std::size_t selected,
                         void* indices, std::size_t index_bytes, const TopKOptions& options) {
    const detail::Extent extent{count, options.row_length};
    detail::check(extent);
    const std::uint64_t rows = extent.row_count();
    if (rows == 0 ? selected > 0 : selected % rows != 0)
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format(
                "{} keys cannot be selected from {} rows: each row gives as many, so it must be a multiple of {}",
                selected, rows, rows));
    if (indices) detail::check_index(extent, index_bytes);
    const detail::ElementType element{type, 0, detail::selected_number_bytes(extent, type, indices ? index_bytes : 0)};
    return core_->select_host(keys, {.keys = best, .numbers = indices}, extent, element, rows > 0 ? selected / rows : 0,
                              options.order);
}

void Sorter::is_sorted_until(const void* keys, std::size_t count, const KeyKind& type,
                             std::span<std::uint64_t> in_order, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, options);
    detail::check(extent);
    const std::uint64_t results = extent.row_count();
    if (in_order.size() != results)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("there is room for {} results, but there are {}", in_order.size(), results));
    core_->runs_host(keys, {.result = in_order.data()}, extent, type, detail::RunsTask::is_sorted_until, 0,
                     options.order);
}

std::size_t Sorter::one_in_order(const void* keys, std::size_t count, const KeyKind& type, const SortOptions& options) {
    if (options.row_length > 0)
        throw Error(ErrorCode::invalid_argument, "rows have a number of keys in order each, not one in all");
    std::uint64_t in_order = 0;
    is_sorted_until(keys, count, type, {&in_order, 1}, options);
    return in_order;
}

bool Sorter::is_sorted(const void* keys, std::size_t count, const KeyKind& type, const SortOptions& options) {
    const detail::Extent extent = extent_of(count, options);
    detail::check(extent);
    std::vector<std::uint64_t> sorted(extent.row_count());
    core_->runs_host(keys, {.result = sorted.data()}, extent, type, detail::RunsTask::is_sorted, 0, options.order);
    return std::ranges::count(sorted, 0u) == 0;
}

std::size_t Sorter::unique(const void* keys, std::size_t count, const KeyKind& type, void* distinct,
                           const SortOptions& options) {
    std::uint64_t number = 0;
    core_->runs_host(keys, {.result = &number, .distinct = distinct}, extent_of(count, options), type,
                     detail::RunsTask::unique, 0, options.order);
    return number;
}

std::size_t Sorter::run_lengths(const void* keys, std::size_t count, const KeyKind& type, void* distinct, void* lengths,
                                std::size_t length_bytes, const SortOptions& options) {
    std::uint64_t number = 0;
    core_->runs_host(keys, {.result = &number, .distinct = distinct, .lengths = lengths}, extent_of(count, options),
                     type, detail::RunsTask::run_lengths, length_bytes, options.order);
    return number;
}

void Sorter::prepare(const KeyKind& type, std::uint64_t count, std::uint64_t row_length) {
    core_->prepare({count, row_length}, {type});
}

void Sorter::prepare(const KeyKind& type, const Preparation& preparation) {
    using enum Preparation::Call;
    detail::Extent extent{preparation.count, preparation.row_length};
    if (preparation.longest_segment > 0) {
        detail::check_offsets(preparation.offset_bytes);
        extent.offset_bytes = preparation.offset_bytes;
        extent.segments = preparation.segments;
        if (extent.segments == 0) extent.segments = ceil_div(preparation.count, preparation.longest_segment);
        extent.longest = preparation.longest_segment;
        if (preparation.count > 0) extent.longest = std::min<std::uint64_t>(extent.longest, preparation.count);
    }
    const std::size_t value_bytes = preparation.value_bytes, index_bytes = preparation.index_bytes;
    if (value_bytes > 0) detail::check_values(value_bytes);
    if (preparation.call != run_lengths && index_bytes > 0) detail::check_index(extent, index_bytes);
    switch (preparation.call) {
        // No other pair of ranges has more passes.
        case merge: extent.middle = std::min<std::uint64_t>(extent.count, 1); [[fallthrough]];
        case sort: {
            extent.first = preparation.first;
            check(extent);
            if (extent.row_length == 1) return;
            detail::ElementType element = element_of(type, value_bytes, extent, preparation.stable);
            if (index_bytes > 0) element.number_bytes = index_bytes;
            core_->prepare(extent, element);
            return;
        }
        case top_k: {
            const detail::ElementType element{type, 0, detail::selected_number_bytes(extent, type, index_bytes)};
            core_->prepare_top_k(extent, element, preparation.first);
            return;
        }
        case is_sorted: core_->prepare_runs(extent, type, detail::RunsTask::is_sorted, 0); return;
        case unique: core_->prepare_runs(extent, type, detail::RunsTask::unique, 0); return;
        case run_lengths:
            detail::check_lengths(extent, index_bytes);
            core_->prepare_runs(extent, type, detail::RunsTask::run_lengths, index_bytes);
            return;
    }
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no call {}", static_cast<unsigned>(preparation.call)));
}

void Sorter::release() { core_->backend().release(); }

Shape Sorter::shape(KeyType type, std::uint64_t count) { return core_->prepare({count}, {type}).plan.shape; }

Plan Sorter::plan(std::uint64_t count, KeyType type) { return core_->prepare({count}, {type}).plan; }

SyncCounts Sorter::measure(std::uint64_t count, KeyType type) { return core_->measure(count, type); }

const std::string& Sorter::note() const noexcept { return core_->note(); }

const DeviceInfo& Sorter::device() const noexcept { return core_->backend().info(); }

}  // namespace lanesort
