// SPDX-License-Identifier: MIT
#include <lanesort/sorter.hpp>

#include <algorithm>

#include <lanesort/calls.hpp>
#include <lanesort/error.hpp>

#include "api/host_ranges.hpp"
#include "core/integers.hpp"
#include "core/memory_check.hpp"
#include "core/require.hpp"
#include "core/sorter_core.hpp"
#include "ops/sort/sort.hpp"

namespace lanesort::inline v0_1 {

using detail::elements_of;
using detail::range_of;
using detail::require;

Sorter::Sorter(const Device& device, SorterOptions options)
    : core_(std::make_unique<detail::SorterCore>(device.handle().open(), std::move(options))) {}
Sorter::Sorter(std::unique_ptr<detail::SorterCore> core) noexcept : core_(std::move(core)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

namespace {

/// Throws Error(invalid_argument) and Error(out_of_range) for segments that cannot be; gives the most keys of one.
template <class Offset>
std::uint64_t longest_of(const AnyCall& call) {
    detail::check_end({call.request.segments + 1, sizeof(Offset), detail::Access::read, "offsets of segments"},
                      {call.segments.memory, call.segments.offset});
    const auto* const offsets = static_cast<const Offset*>(call.segments.memory) + call.segments.offset;
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < call.request.segments; ++i) {
        require(offsets[i] <= offsets[i + 1], ErrorCode::invalid_argument,
                "segment {} begins at key {} but ends at key {}", i, offsets[i], offsets[i + 1]);
        longest = std::max<std::uint64_t>(longest, offsets[i + 1] - offsets[i]);
    }
    const std::uint64_t end = offsets[call.request.segments];
    require(end <= call.request.count, ErrorCode::out_of_range, "the last segment ends at key {}, but there are {}",
            end, call.request.count);
    return longest;
}

/// The offsets of segments say how long they are.
void measure_segments(AnyCall& call) {
    Request& request = call.request;
    const bool has_width = request.offset_bytes == 4 || request.offset_bytes == 8;
    // What cannot be offsets is not read: the planner refuses it.
    if (!call.segments.memory || !has_width || request.segments == most_in_64_bits) return;
    const std::uint64_t longest =
        request.offset_bytes == 4 ? longest_of<std::uint32_t>(call) : longest_of<std::uint64_t>(call);
    // A scan goes alike however long its segments are, and so needs one plan for all.
    const bool scans = request.operation == Operation::inclusive_scan || request.operation == Operation::exclusive_scan;
    request.longest = scans ? request.count : longest;
}

/// Where keys that are found go.
DistinctIn<void*> found_in(const Results& results) {
    return {.memory = results.data(), .bytes = results.bytes(), .count = results.size(), .type = results.type()};
}

/// Where the best keys go, and their indices, if there are any.
SelectedIn<void*> selected_in(const Results& best, const ValueRangeIn<void*>& indices = {}) {
    return {
        .memory = best.data(), .indices = indices, .bytes = best.bytes(), .count = best.size(), .type = best.type()};
}

/// How many of each row `best` has room for.
std::size_t k_of(const KeyRangeIn<void*>& keys, const Results& best) {
    const std::size_t rows = keys.segments.memory  ? keys.segments.count
                             : keys.row_length > 0 ? keys.count / keys.row_length
                                                   : 1;
    require(rows > 0 || best.size() == 0, ErrorCode::invalid_argument,
            "{} keys cannot be selected: there are no rows or segments", best.size());
    require(rows == 0 || best.size() % rows == 0, ErrorCode::invalid_argument,
            "{} keys cannot be selected from {} rows: each row gives as many, so it must be a multiple of {}",
            best.size(), rows, rows);
    return rows > 0 ? best.size() / rows : 0;
}

/// Runs it, and gives how many results there are.
std::size_t number_found(Sorter& sorter, CallIn<void*> call) {
    std::uint64_t number = 0;
    call.answers = {&number};
    sorter.run(call);
    return number;
}

}  // namespace

SortReport Sorter::run(CallIn<void*> call) {
    Request& request = call.request;
    request.in_host_memory = true;
    measure_segments(call);
    const SortReport report = core_->run(request, detail::bindings_of(call));
    // Of no keys, no kernel tells anything: none of them is out of order, and none is distinct.
    if (request.count == 0 && call.answers.memory)
        std::fill_n(static_cast<std::uint64_t*>(call.answers.memory) + call.answers.offset, request.row_count(),
                    request.operation == Operation::is_sorted);
    return report;
}

SortReport Sorter::sort(Keys keys, const SortOptions& options) { return run(lanesort::sort(range_of(keys, options))); }

SortReport Sorter::sort(Keys keys, Order order) { return sort(keys, {.order = order}); }

SortReport Sorter::sort(ConstKeys keys, Results sorted, const SortOptions& options) {
    return run(lanesort::sort(range_of(keys, options), elements_of(sorted)));
}

SortReport Sorter::partial_sort(Keys keys, std::size_t first, SortOptions options) {
    return run(lanesort::partial_sort(range_of(keys, options), first));
}

SortReport Sorter::nth_element(Keys keys, std::size_t n, const SortOptions& options) {
    CallIn<void*> call = lanesort::sort(range_of(keys, options));
    measure_segments(call);
    call.request.first = detail::first_with(n, call.request);
    return run(call);
}

SortReport Sorter::sort_by_key(Keys keys, Values values, const SortOptions& options) {
    return run(lanesort::sort_by_key(range_of(keys, options), elements_of(values)));
}

SortReport Sorter::sort_by_key(ConstKeys keys, ConstValues values, Results sorted, Values sorted_values,
                               const SortOptions& options) {
    return run(lanesort::sort_by_key(range_of(keys, options), elements_of(values), elements_of(sorted),
                                     elements_of(sorted_values)));
}

SortReport Sorter::merge(Keys keys, std::size_t middle, const SortOptions& options) {
    return run(lanesort::merge(range_of(keys, options), middle));
}

SortReport Sorter::merge_by_key(Keys keys, Values values, std::size_t middle, const SortOptions& options) {
    return run(lanesort::merge_by_key(range_of(keys, options), elements_of(values), middle));
}

SortReport Sorter::merge(ConstKeys first, ConstKeys second, Results merged, const SortOptions& options) {
    return run(lanesort::merge(range_of(first, options), range_of(second, options), elements_of(merged)));
}

SortReport Sorter::merge_by_key(ConstKeys first, ConstValues first_values, ConstKeys second, ConstValues second_values,
                                Results merged, Values merged_values, const SortOptions& options) {
    return run(lanesort::merge_by_key(range_of(first, options), elements_of(first_values), range_of(second, options),
                                      elements_of(second_values), elements_of(merged), elements_of(merged_values)));
}

SortReport Sorter::argsort(ConstKeys keys, Indices indices, const SortOptions& options) {
    return run(lanesort::argsort(range_of(keys, options), elements_of(indices)));
}

SortReport Sorter::top_k(ConstKeys keys, Results best, const TopKOptions& options) {
    const KeyRangeIn<void*> range = range_of(keys, options);
    return run(lanesort::top_k(range, k_of(range, best), selected_in(best)));
}

SortReport Sorter::top_k(ConstKeys keys, std::size_t k, Results best, const TopKOptions& options) {
    return run(lanesort::top_k(range_of(keys, options), k, selected_in(best)));
}

SortReport Sorter::top_k(ConstKeys keys, Results best, Indices indices, const TopKOptions& options) {
    const KeyRangeIn<void*> range = range_of(keys, options);
    return run(lanesort::top_k(range, k_of(range, best), selected_in(best, elements_of(indices))));
}

SortReport Sorter::top_k_by_key(ConstKeys keys, ConstValues values, Results best, Values best_values,
                                const TopKOptions& options) {
    const KeyRangeIn<void*> range = range_of(keys, options);
    return run(lanesort::top_k_by_key(range, elements_of(values), k_of(range, best), selected_in(best),
                                      elements_of(best_values)));
}

void Sorter::is_sorted_until(ConstKeys keys, std::span<std::uint64_t> in_order, const SortOptions& options) {
    run(lanesort::is_sorted_until(range_of(keys, options), elements_of(Results(in_order))));
}

std::size_t Sorter::is_sorted_until(ConstKeys keys, const SortOptions& options) {
    require(options.row_length == 0, ErrorCode::invalid_argument,
            "rows have a number of keys in order each, not one in all");
    return number_found(*this, lanesort::is_sorted_until(range_of(keys, options), {}));
}

bool Sorter::is_sorted(ConstKeys keys, const SortOptions& options) {
    CallIn<void*> call = lanesort::is_sorted(range_of(keys, options), {});
    std::vector<std::uint64_t> sorted(call.request.row_count());
    call.answers = {sorted.data()};
    run(call);
    return std::ranges::count(sorted, 0u) == 0;
}

std::size_t Sorter::unique(ConstKeys keys, Results distinct, const SortOptions& options) {
    return number_found(*this, lanesort::unique(range_of(keys, options), found_in(distinct)));
}

std::size_t Sorter::unique(Keys keys, const SortOptions& options) {
    return number_found(*this, lanesort::unique(range_of(keys, options), ValueRangeIn<void*>{}));
}

std::size_t Sorter::unique_by_key(ConstKeys keys, ConstValues values, Results distinct, Values kept,
                                  const SortOptions& options) {
    return number_found(*this, lanesort::unique_by_key(range_of(keys, options), elements_of(values), found_in(distinct),
                                                       elements_of(kept)));
}

std::size_t Sorter::unique_by_key(Keys keys, Values values, const SortOptions& options) {
    return number_found(*this, lanesort::unique_by_key(range_of(keys, options), elements_of(values), {}));
}

std::size_t Sorter::run_lengths(ConstKeys keys, Results distinct, Indices lengths, const SortOptions& options) {
    return number_found(*this,
                        lanesort::run_lengths(range_of(keys, options), found_in(distinct), elements_of(lengths)));
}

std::size_t Sorter::reduce_by_key(ConstKeys keys, ConstKeys values, Reduction reduction, Results distinct,
                                  Results reduced, const SortOptions& options) {
    return number_found(*this, lanesort::reduce_by_key(range_of(keys, options), range_of(values), reduction,
                                                       found_in(distinct), elements_of(reduced)));
}

std::size_t Sorter::group_by(Keys keys, Keys values, Reduction reduction, Results distinct, Results reduced,
                             const SortOptions& options) {
    return number_found(*this, lanesort::group_by(range_of(keys, options), range_of(values), reduction,
                                                  found_in(distinct), elements_of(reduced)));
}

SortReport Sorter::reduce(ConstKeys keys, Reduction reduction, Results results, const ReduceOptions& options) {
    return run(lanesort::reduce(range_of(keys, options), reduction, elements_of(results)));
}

SortReport Sorter::reduce(ConstKeys elements, Results results, const ReduceOptions& options) {
    return run(lanesort::reduce(range_of(elements, options), elements_of(results)));
}

SortReport Sorter::transform_reduce(ConstKeys keys, ConstKeys others, Results results, const ReduceOptions& options) {
    return run(lanesort::transform_reduce(range_of(keys, options), range_of(others, options), elements_of(results)));
}

SortReport Sorter::inclusive_scan(ConstKeys keys, Results results, const ScanOptions& options) {
    return run(lanesort::inclusive_scan(range_of(keys, options), elements_of(results), options.reduction));
}

SortReport Sorter::inclusive_scan(Keys keys, const ScanOptions& options) {
    return run(lanesort::inclusive_scan(range_of(keys, options), options.reduction));
}

SortReport Sorter::exclusive_scan(ConstKeys keys, Results results, const ScanOptions& options) {
    return run(lanesort::exclusive_scan(range_of(keys, options), elements_of(results), options.reduction));
}

SortReport Sorter::exclusive_scan(Keys keys, const ScanOptions& options) {
    return run(lanesort::exclusive_scan(range_of(keys, options), options.reduction));
}

SortReport Sorter::inclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results, Reduction reduction) {
    return run(lanesort::inclusive_scan_by_key(range_of(keys), range_of(values), elements_of(results), reduction));
}

SortReport Sorter::inclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction) {
    return run(lanesort::inclusive_scan_by_key(range_of(keys), range_of(values), reduction));
}

SortReport Sorter::exclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results, Reduction reduction) {
    return run(lanesort::exclusive_scan_by_key(range_of(keys), range_of(values), elements_of(results), reduction));
}

SortReport Sorter::exclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction) {
    return run(lanesort::exclusive_scan_by_key(range_of(keys), range_of(values), reduction));
}

namespace {

FlagRangeIn<void*> flags_in(std::span<const std::uint8_t> flags, bool inverted) {
    return {const_cast<std::uint8_t*>(flags.data()), 0, inverted, flags.size()};
}

}  // namespace

std::size_t Sorter::select(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted) {
    return number_found(*this, lanesort::select(range_of(keys), flags_in(flags, inverted), found_in(results)));
}

std::size_t Sorter::select_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags,
                                  Results results, Values kept, bool inverted) {
    return number_found(*this, lanesort::select_by_key(range_of(keys), elements_of(values), flags_in(flags, inverted),
                                                       found_in(results), elements_of(kept)));
}

std::size_t Sorter::select(ConstKeys keys, Results results) {
    return number_found(*this, lanesort::select(range_of(keys), found_in(results)));
}

std::size_t Sorter::select_by_key(ConstKeys keys, ConstValues values, Results results, Values kept) {
    return number_found(
        *this, lanesort::select_by_key(range_of(keys), elements_of(values), found_in(results), elements_of(kept)));
}

std::size_t Sorter::partition(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted) {
    return number_found(*this, lanesort::partition(range_of(keys), flags_in(flags, inverted), found_in(results)));
}

std::size_t Sorter::partition_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags,
                                     Results results, Values kept, bool inverted) {
    return number_found(*this,
                        lanesort::partition_by_key(range_of(keys), elements_of(values), flags_in(flags, inverted),
                                                   found_in(results), elements_of(kept)));
}

std::size_t Sorter::partition(ConstKeys keys, Results results) {
    return number_found(*this, lanesort::partition(range_of(keys), found_in(results)));
}

std::size_t Sorter::partition_by_key(ConstKeys keys, ConstValues values, Results results, Values kept) {
    return number_found(
        *this, lanesort::partition_by_key(range_of(keys), elements_of(values), found_in(results), elements_of(kept)));
}

SortReport Sorter::lower_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(lanesort::lower_bound(range_of(keys, options), range_of(needles, options), elements_of(indices)));
}

SortReport Sorter::upper_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(lanesort::upper_bound(range_of(keys, options), range_of(needles, options), elements_of(indices)));
}

SortReport Sorter::equal_range(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(lanesort::equal_range(range_of(keys, options), range_of(needles, options), elements_of(indices)));
}

SortReport Sorter::gather(ConstValues values, ConstIndices indices, Values results) {
    return run(lanesort::gather(elements_of(values), values.size(), elements_of(indices), indices.size(),
                                elements_of(results)));
}

SortReport Sorter::scatter(ConstValues values, ConstIndices indices, Values results) {
    return run(lanesort::scatter(elements_of(values), elements_of(indices), values.size(), elements_of(results),
                                 results.size()));
}

SortReport Sorter::permute(Values values, ConstIndices indices) {
    return run(lanesort::permute(elements_of(values), values.size(), elements_of(indices)));
}

namespace {

CountsIn<void*> counts_in(const Indices& counts) { return {counts.data(), 0, counts.size(), counts.bytes()}; }

}  // namespace

SortReport Sorter::histogram(ConstKeys keys, const EvenBins& bins, Indices counts) {
    return run(lanesort::histogram(range_of(keys), bins, counts_in(counts)));
}

SortReport Sorter::histogram(ConstKeys keys, ConstKeys bounds, Indices counts) {
    return run(lanesort::histogram(range_of(keys), range_of(bounds), counts_in(counts)));
}

const SortReport& Sorter::last_report() const noexcept { return core_->last_report(); }

namespace {

/// Many keys, but fewer than 2^31, in whole rows.
std::uint64_t many_keys(std::uint64_t row_length) {
    constexpr std::uint64_t most = wide_count - 1;
    return row_length > 0 ? most / row_length * row_length : most;
}

detail::Network network_of(detail::Planner& planner, KeyType type, std::uint64_t count) {
    const Request request{.count = count, .key = type};
    detail::check(request);
    return detail::make_network(planner, request, detail::element_bytes(request, 0));
}

}  // namespace

void Sorter::prepare(const KeyKind& type, std::uint64_t count, std::uint64_t row_length) {
    prepare({.count = count > 0 ? count : many_keys(row_length), .row_length = row_length, .key = type});
}

void Sorter::prepare(Request request) {
    // What does not change the kernels need not be said.
    if (request.operation == Operation::merge && request.middle == 0)
        request.middle = std::min<std::uint64_t>(request.count, 1);  // no other pair of ranges has more passes
    if (request.has_segments()) {
        request.longest = request.longest > 0 ? std::min(request.longest, request.count) : request.count;
        if (request.segments == 0 && request.count > 0) request.segments = ceil_div(request.count, request.longest);
    }
    core_->planner().plan(request);
}

void Sorter::release() { core_->release(); }

Shape Sorter::shape(KeyType type, std::uint64_t count) { return network_of(core_->planner(), type, count).plan.shape; }

Plan Sorter::plan(KeyType type, std::uint64_t count) { return network_of(core_->planner(), type, count).plan; }

SyncCounts Sorter::measure(KeyType type, std::uint64_t count) { return core_->measure(type, count); }

const std::string& Sorter::note() const noexcept { return core_->planner().note(); }

const DeviceInfo& Sorter::device() const noexcept { return core_->backend().info(); }

}  // namespace lanesort::inline v0_1
