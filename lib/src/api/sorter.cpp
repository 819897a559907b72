// SPDX-License-Identifier: MIT
#include <lanesort/sorter.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include <lanesort/calls.hpp>
#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "core/memory_check.hpp"
#include "core/require.hpp"
#include "core/sorter_core.hpp"
#include "ops/sort/sort.hpp"

namespace lanesort::inline v0_1 {

using detail::require;

Sorter::Sorter(const Device& device, SorterOptions options)
    : core_(std::make_unique<detail::SorterCore>(device.handle().open(), std::move(options))) {}
Sorter::Sorter(std::unique_ptr<detail::SorterCore> core) noexcept : core_(std::move(core)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

namespace {

using HostCall = CallIn<void*>;

/// A call on keys, which are changed only where the operation says so.
HostCall call_on(Operation operation, const ConstKeys& keys, const SortOptions& options) {
    HostCall call;
    call.request = {.operation = operation,
                    .count = keys.size(),
                    .order = options.order,
                    .stable = options.stable,
                    .in_host_memory = true,
                    .row_length = options.row_length,
                    .first = options.first,
                    .schedule = options.schedule,
                    .data_independent = options.data_independent,
                    .extra_bytes = options.extra_bytes,
                    .key = keys.kind()};
    call.keys = {const_cast<void*>(keys.data())};
    if (options.segments.empty()) return call;
    call.segments = {const_cast<std::uint64_t*>(options.segments.data())};
    call.request.segments = options.segments.size() - 1;
    call.request.offset_bytes = sizeof options.segments[0];
    return call;
}

/// Of so many keys, one for each.
void add_values(HostCall& call, const ConstValues& values, std::size_t keys) {
    if (values.size() != keys) detail::throw_sizes_differ(keys, values.size());
    call.values = {const_cast<void*>(values.data())};
    call.request.value_bytes = detail::width_of("values", values.bytes());
}

/// Throws Error(invalid_argument) for too little of it.
void check_room(const Request& merge, std::size_t room) {
    require(room >= merge.count, ErrorCode::invalid_argument,
            "the two ranges have {} keys, but there is room for only {}", merge.count, room);
}

/// There must be room for all keys.
void add_results(HostCall& call, const Results& results) {
    detail::check(call.request);
    const std::size_t bytes = call.request.key.bytes();
    require(results.bytes() == bytes, ErrorCode::invalid_argument, "results have {} bytes, but the keys have {}",
            results.bytes(), bytes);
    call.results = {results.data()};
}

bool scans(Operation operation) {
    return operation == Operation::inclusive_scan || operation == Operation::exclusive_scan;
}

/// Throws Error(invalid_argument) and Error(out_of_range) for segments that cannot be; gives the most keys of one.
template <class Offset>
std::uint64_t longest_of(const HostCall& call) {
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

}  // namespace

SortReport Sorter::run(CallIn<void*> call) {
    Request& request = call.request;
    request.in_host_memory = true;
    detail::check(request);
    if (request.has_segments() && call.segments.memory) {
        const std::uint64_t longest =
            request.offset_bytes == 4 ? longest_of<std::uint32_t>(call) : longest_of<std::uint64_t>(call);
        // A scan goes alike however long its segments are, and so needs one plan for all.
        request.longest = scans(request.operation) ? request.count : longest;
    }
    const SortReport report = core_->run(request, detail::bindings_of(call));
    // Of no keys, no kernel tells anything: none of them is out of order, and none is distinct.
    if (request.count == 0 && call.answers.memory)
        std::fill_n(static_cast<std::uint64_t*>(call.answers.memory) + call.answers.offset, request.row_count(),
                    request.operation == Operation::is_sorted);
    return report;
}

SortReport Sorter::sort(Keys keys, const SortOptions& options) { return run(call_on(Operation::sort, keys, options)); }

namespace {

HostCall sort_to(const Results& sorted, HostCall call) {
    require(sorted.size() == call.request.count, ErrorCode::invalid_argument,
            "there is room for {} results, but there are {}", sorted.size(), call.request.count);
    add_results(call, sorted);
    detail::write_results(call);
    return call;
}

}  // namespace

SortReport Sorter::sort(ConstKeys keys, Results sorted, const SortOptions& options) {
    return run(sort_to(sorted, call_on(Operation::sort, keys, options)));
}

SortReport Sorter::partial_sort(Keys keys, std::size_t first, SortOptions options) {
    options.first = first;
    return sort(keys, options);
}

SortReport Sorter::nth_element(Keys keys, std::size_t n, const SortOptions& options) {
    HostCall call = call_on(Operation::sort, keys, options);
    detail::check(call.request);
    if (call.request.has_segments()) call.request.longest = longest_of<std::uint64_t>(call);
    call.request.first = detail::first_with(n, call.request);
    return run(call);
}

SortReport Sorter::sort_by_key(Keys keys, Values values, const SortOptions& options) {
    HostCall call = call_on(Operation::sort, keys, options);
    add_values(call, values, keys.size());
    return run(call);
}

SortReport Sorter::sort_by_key(ConstKeys keys, ConstValues values, Results sorted, Values sorted_values,
                               const SortOptions& options) {
    HostCall call = call_on(Operation::sort, keys, options);
    add_values(call, values, keys.size());
    if (sorted_values.size() != keys.size()) detail::throw_sizes_differ(keys.size(), sorted_values.size());
    detail::check_same_width(values.bytes(), sorted_values.bytes());
    call.result_values = {sorted_values.data()};
    return run(sort_to(sorted, std::move(call)));
}

SortReport Sorter::merge(Keys keys, std::size_t middle, const SortOptions& options) {
    HostCall call = call_on(Operation::merge, keys, options);
    call.request.middle = middle;
    return run(call);
}

SortReport Sorter::merge_by_key(Keys keys, Values values, std::size_t middle, const SortOptions& options) {
    HostCall call = call_on(Operation::merge, keys, options);
    call.request.middle = middle;
    add_values(call, values, keys.size());
    return run(call);
}

namespace {

HostCall merge_of(const ConstKeys& first, const ConstKeys& second, const Results& merged, const SortOptions& options) {
    HostCall call = call_on(Operation::merge, first, options);
    Request& request = call.request;
    detail::check_second(request, call_on(Operation::merge, second, options).request);
    request.apart = true;
    request.middle = first.size();
    request.count = detail::count_of_both(first.size(), second.size());
    check_room(request, merged.size());
    add_results(call, merged);
    call.second_keys = {const_cast<void*>(second.data())};
    return call;
}

}  // namespace

SortReport Sorter::merge(ConstKeys first, ConstKeys second, Results merged, const SortOptions& options) {
    return run(merge_of(first, second, merged, options));
}

SortReport Sorter::merge_by_key(ConstKeys first, ConstValues first_values, ConstKeys second, ConstValues second_values,
                                Results merged, Values merged_values, const SortOptions& options) {
    HostCall call = merge_of(first, second, merged, options);
    check_room(call.request, merged_values.size());
    add_values(call, first_values, first.size());
    if (second_values.size() != second.size()) detail::throw_sizes_differ(second.size(), second_values.size());
    detail::check_same_width(first_values.bytes(), second_values.bytes());
    detail::check_same_width(first_values.bytes(), merged_values.bytes());
    call.second_values = {const_cast<void*>(second_values.data())};
    call.result_values = {merged_values.data()};
    return run(call);
}

SortReport Sorter::argsort(ConstKeys keys, Indices indices, const SortOptions& options) {
    if (indices.size() != keys.size()) detail::throw_sizes_differ(keys.size(), indices.size());
    HostCall call = call_on(Operation::argsort, keys, options);
    call.indices = {indices.data()};
    call.request.index_bytes = detail::width_of("indices", indices.bytes());
    return run(call);
}

namespace {

HostCall selection(const ConstKeys& keys, const Results& best, const TopKOptions& options) {
    HostCall call = call_on(Operation::top_k, keys,
                            {.order = options.order,
                             .row_length = options.row_length,
                             .segments = options.segments,
                             .data_independent = options.data_independent});
    call.request.nan_last = options.nan_last;
    add_results(call, best);
    const std::uint64_t rows = call.request.ranges();
    require(rows > 0 || best.size() == 0, ErrorCode::invalid_argument,
            "{} keys cannot be selected: there are no rows or segments", best.size());
    require(rows == 0 || best.size() % rows == 0, ErrorCode::invalid_argument,
            "{} keys cannot be selected from {} rows: each row gives as many, so it must be a multiple of {}",
            best.size(), rows, rows);
    call.request.first = rows > 0 ? best.size() / rows : 0;
    return call;
}

}  // namespace

SortReport Sorter::top_k(ConstKeys keys, Results best, const TopKOptions& options) {
    return run(selection(keys, best, options));
}

SortReport Sorter::top_k(ConstKeys keys, Results best, Indices indices, const TopKOptions& options) {
    if (best.size() != indices.size()) detail::throw_sizes_differ(best.size(), indices.size());
    HostCall call = selection(keys, best, options);
    call.indices = {indices.data()};
    call.request.index_bytes = detail::width_of("indices", indices.bytes());
    return run(call);
}

SortReport Sorter::top_k_by_key(ConstKeys keys, ConstValues values, Results best, Values best_values,
                                const TopKOptions& options) {
    if (best.size() != best_values.size()) detail::throw_sizes_differ(best.size(), best_values.size());
    HostCall call = selection(keys, best, options);
    add_values(call, values, keys.size());
    detail::check_same_width(values.bytes(), best_values.bytes());
    call.result_values = {best_values.data()};
    return run(call);
}

void Sorter::is_sorted_until(ConstKeys keys, std::span<std::uint64_t> in_order, const SortOptions& options) {
    HostCall call = call_on(Operation::is_sorted_until, keys, options);
    core_->planner().arrays(call.request);
    const std::uint64_t results = call.request.row_count();
    require(in_order.size() == results, ErrorCode::invalid_argument, "there is room for {} results, but there are {}",
            in_order.size(), results);
    call.answers = {in_order.data()};
    run(call);
}

std::size_t Sorter::is_sorted_until(ConstKeys keys, const SortOptions& options) {
    require(options.row_length == 0, ErrorCode::invalid_argument,
            "rows have a number of keys in order each, not one in all");
    std::uint64_t in_order = 0;
    is_sorted_until(keys, {&in_order, 1}, options);
    return in_order;
}

bool Sorter::is_sorted(ConstKeys keys, const SortOptions& options) {
    HostCall call = call_on(Operation::is_sorted, keys, options);
    core_->planner().arrays(call.request);
    std::vector<std::uint64_t> sorted(call.request.row_count());
    call.answers = {sorted.data()};
    run(call);
    return std::ranges::count(sorted, 0u) == 0;
}

namespace {

HostCall runs_of(Operation operation, const ConstKeys& keys, const Results& distinct, const SortOptions& options) {
    if (distinct.size() < keys.size()) detail::throw_too_few(keys.size(), distinct.size());
    HostCall call = call_on(operation, keys, options);
    add_results(call, distinct);
    return call;
}

/// Runs it, and gives how many results there are.
std::size_t number_found(Sorter& sorter, HostCall call) {
    std::uint64_t number = 0;
    call.answers = {&number};
    sorter.run(call);
    return number;
}

}  // namespace

std::size_t Sorter::unique(ConstKeys keys, Results distinct, const SortOptions& options) {
    return number_found(*this, runs_of(Operation::unique, keys, distinct, options));
}

std::size_t Sorter::unique(Keys keys, const SortOptions& options) {
    HostCall call = call_on(Operation::unique, keys, options);
    call.request.in_place = true;
    return number_found(*this, call);
}

std::size_t Sorter::unique_by_key(ConstKeys keys, ConstValues values, Results distinct, Values kept,
                                  const SortOptions& options) {
    if (kept.size() < keys.size()) detail::throw_too_few(keys.size(), kept.size());
    HostCall call = runs_of(Operation::unique, keys, distinct, options);
    add_values(call, values, keys.size());
    detail::check_same_width(values.bytes(), kept.bytes());
    call.result_values = {kept.data()};
    return number_found(*this, call);
}

std::size_t Sorter::unique_by_key(Keys keys, Values values, const SortOptions& options) {
    HostCall call = call_on(Operation::unique, keys, options);
    call.request.in_place = true;
    add_values(call, values, keys.size());
    return number_found(*this, call);
}

std::size_t Sorter::run_lengths(ConstKeys keys, Results distinct, Indices lengths, const SortOptions& options) {
    if (lengths.size() < keys.size()) detail::throw_too_few(keys.size(), lengths.size());
    HostCall call = runs_of(Operation::run_lengths, keys, distinct, options);
    call.lengths = {lengths.data()};
    call.request.length_bytes = detail::width_of("lengths", lengths.bytes());
    return number_found(*this, call);
}

namespace {

/// Of the places of both, to which the caller adds those of the keys and their values.
HostCall reduced_runs_of(detail::Planner& planner, Operation operation, const ConstKeys& keys, const ConstKeys& values,
                         Reduction reduction, const Results& distinct, const Results& reduced,
                         const SortOptions& options) {
    if (reduced.size() < keys.size()) detail::throw_too_few(keys.size(), reduced.size());
    HostCall call = runs_of(operation, keys, distinct, options);
    Request& request = call.request;
    request.reduction = reduction;
    detail::check_values(keys.size(), values.size(), values.kind(), false);
    request.value_type = values.kind();
    request.value_bytes = request.value_type.bytes();
    const std::size_t wanted = planner.arrays(request)[detail::Slot::result_values].bytes;
    require(reduced.bytes() == wanted, ErrorCode::invalid_argument,
            "results have {} bytes, but those of this reduction have {}", reduced.bytes(), wanted);
    call.values = {const_cast<void*>(values.data())};
    call.result_values = {reduced.data()};
    return call;
}

}  // namespace

std::size_t Sorter::reduce_by_key(ConstKeys keys, ConstKeys values, Reduction reduction, Results distinct,
                                  Results reduced, const SortOptions& options) {
    return number_found(*this, reduced_runs_of(core_->planner(), Operation::reduce_by_key, keys, values, reduction,
                                               distinct, reduced, options));
}

std::size_t Sorter::group_by(Keys keys, Keys values, Reduction reduction, Results distinct, Results reduced,
                             const SortOptions& options) {
    return number_found(*this, reduced_runs_of(core_->planner(), Operation::group_by, keys, values, reduction, distinct,
                                               reduced, options));
}

namespace {

/// There must be as many as the reduction gives.
void add_reduced(HostCall& call, detail::Planner& planner, const Results& results) {
    const detail::Array& wanted = planner.arrays(call.request)[detail::Slot::results];
    require(results.bytes() == wanted.bytes, ErrorCode::invalid_argument,
            "results have {} bytes, but those of this reduction have {}", results.bytes(), wanted.bytes);
    require(results.size() == wanted.count, ErrorCode::invalid_argument,
            "there is room for {} results, but there are {}", results.size(), wanted.count);
    call.results = {results.data()};
}

HostCall reduction_of(Operation operation, const ConstKeys& keys, const ReduceOptions& options) {
    return call_on(operation, keys, {.row_length = options.row_length, .segments = options.segments});
}

}  // namespace

SortReport Sorter::reduce(ConstKeys keys, Reduction reduction, Results results, const ReduceOptions& options) {
    HostCall call = reduction_of(Operation::reduce, keys, options);
    call.request.reduction = reduction;
    add_reduced(call, core_->planner(), results);
    return run(call);
}

SortReport Sorter::reduce(ConstKeys elements, Results results, const ReduceOptions& options) {
    detail::check_operator(elements.kind());
    return reduce(elements, Reduction::sum, results, options);
}

SortReport Sorter::transform_reduce(ConstKeys keys, ConstKeys others, Results results, const ReduceOptions& options) {
    HostCall call = reduction_of(Operation::transform_reduce, keys, options);
    detail::check_pairs(call, reduction_of(Operation::transform_reduce, others, options));
    call.second_keys = {const_cast<void*>(others.data())};
    add_reduced(call, core_->planner(), results);
    return run(call);
}

namespace {

HostCall scan_in_place(Operation operation, const ConstKeys& keys, const ScanOptions& options) {
    HostCall call = call_on(operation, keys, {.row_length = options.row_length, .segments = options.segments});
    call.request.reduction = options.reduction;
    call.request.in_place = true;
    return call;
}

HostCall scan_of(Operation operation, const ConstKeys& keys, const Results& results, const ScanOptions& options) {
    HostCall call = scan_in_place(operation, keys, options);
    call.request.in_place = false;
    require(results.size() == keys.size(), ErrorCode::invalid_argument,
            "there is room for {} results, but there are {}", results.size(), keys.size());
    add_results(call, results);
    return call;
}

HostCall scan_values_in_place(Operation operation, const ConstKeys& keys, const ConstKeys& values,
                              Reduction reduction) {
    HostCall call = scan_in_place(operation, keys, {.reduction = reduction});
    detail::check_values(keys.size(), values.size(), values.kind(), true);
    call.request.value_type = values.kind();
    call.request.value_bytes = call.request.value_type.bytes();
    call.values = {const_cast<void*>(values.data())};
    return call;
}

HostCall scan_values(Operation operation, const ConstKeys& keys, const ConstKeys& values, const Results& results,
                     Reduction reduction) {
    HostCall call = scan_values_in_place(operation, keys, values, reduction);
    call.request.in_place = false;
    require(results.size() == keys.size(), ErrorCode::invalid_argument,
            "there is room for {} results, but there are {}", results.size(), keys.size());
    require(results.bytes() == call.request.value_bytes, ErrorCode::invalid_argument,
            "results have {} bytes, but the values have {}", results.bytes(), call.request.value_bytes);
    call.result_values = {results.data()};
    return call;
}

void check_number(std::size_t found, std::size_t wanted, const char* what) {
    require(found == wanted, ErrorCode::invalid_argument, "there are {} {}, but there must be {}", found, what, wanted);
}

HostCall search(Operation operation, const ConstKeys& keys, const ConstKeys& needles, const Indices& indices,
                const SortOptions& options) {
    HostCall call = call_on(operation, keys, options);
    detail::check_second(call.request, call_on(operation, needles, options).request);
    const std::size_t places = operation == Operation::equal_range ? 2 : 1;
    check_number(indices.size(), places * needles.size(), "indices");
    call.request.second_count = needles.size();
    call.request.index_bytes = detail::width_of("indices", indices.bytes());
    call.second_keys = {const_cast<void*>(needles.data())};
    call.indices = {indices.data()};
    return call;
}

/// With so many values where indices tell.
HostCall move(Operation operation, std::size_t count, const ConstValues& values, const ConstIndices& indices) {
    HostCall call;
    call.request.operation = operation;
    call.request.count = count;
    call.request.value_bytes = detail::width_of("values", values.bytes());
    call.request.index_bytes = detail::width_of("indices", indices.bytes());
    if (operation != Operation::permute) call.request.second_count = indices.size();
    call.values = {const_cast<void*>(values.data())};
    call.indices = {const_cast<void*>(indices.data())};
    return call;
}

HostCall count(const ConstKeys& keys, const Indices& counts) {
    HostCall call = call_on(Operation::histogram, keys, {});
    call.request.bins = counts.size();
    call.request.length_bytes = detail::width_of("counts", counts.bytes());
    call.lengths = {counts.data()};
    return call;
}

}  // namespace

SortReport Sorter::inclusive_scan(ConstKeys keys, Results results, const ScanOptions& options) {
    return run(scan_of(Operation::inclusive_scan, keys, results, options));
}

SortReport Sorter::inclusive_scan(Keys keys, const ScanOptions& options) {
    return run(scan_in_place(Operation::inclusive_scan, keys, options));
}

SortReport Sorter::exclusive_scan(ConstKeys keys, Results results, const ScanOptions& options) {
    return run(scan_of(Operation::exclusive_scan, keys, results, options));
}

SortReport Sorter::exclusive_scan(Keys keys, const ScanOptions& options) {
    return run(scan_in_place(Operation::exclusive_scan, keys, options));
}

SortReport Sorter::inclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results, Reduction reduction) {
    return run(scan_values(Operation::inclusive_scan_by_key, keys, values, results, reduction));
}

SortReport Sorter::inclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction) {
    return run(scan_values_in_place(Operation::inclusive_scan_by_key, keys, values, reduction));
}

SortReport Sorter::exclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results, Reduction reduction) {
    return run(scan_values(Operation::exclusive_scan_by_key, keys, values, results, reduction));
}

SortReport Sorter::exclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction) {
    return run(scan_values_in_place(Operation::exclusive_scan_by_key, keys, values, reduction));
}

namespace {

HostCall part_of(Operation operation, const ConstKeys& keys, std::span<const std::uint8_t> flags,
                 const Results& results, bool inverted) {
    require(flags.size() == keys.size(), ErrorCode::invalid_argument, "there are {} keys, but {} flags", keys.size(),
            flags.size());
    detail::check_flags(keys.kind());
    HostCall call = runs_of(operation, keys, results, {});
    call.request.inverted = inverted;
    call.flags = {const_cast<std::uint8_t*>(flags.data())};
    return call;
}

void add_values(HostCall& call, const ConstValues& values, const Values& kept) {
    const std::size_t keys = call.request.count;
    if (kept.size() < keys) detail::throw_too_few(keys, kept.size());
    add_values(call, values, keys);
    detail::check_same_width(values.bytes(), kept.bytes());
    call.result_values = {kept.data()};
}

HostCall part_by_key_of(Operation operation, const ConstKeys& keys, const ConstValues& values,
                        std::span<const std::uint8_t> flags, const Results& results, const Values& kept,
                        bool inverted) {
    HostCall call = part_of(operation, keys, flags, results, inverted);
    add_values(call, values, kept);
    return call;
}

}  // namespace

std::size_t Sorter::select(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted) {
    return number_found(*this, part_of(Operation::select, keys, flags, results, inverted));
}

std::size_t Sorter::select_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags,
                                  Results results, Values kept, bool inverted) {
    return number_found(*this, part_by_key_of(Operation::select, keys, values, flags, results, kept, inverted));
}

std::size_t Sorter::partition(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted) {
    return number_found(*this, part_of(Operation::partition, keys, flags, results, inverted));
}

std::size_t Sorter::partition_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags,
                                     Results results, Values kept, bool inverted) {
    return number_found(*this, part_by_key_of(Operation::partition, keys, values, flags, results, kept, inverted));
}

namespace {

HostCall part_by_predicate(Operation operation, const ConstKeys& keys, const Results& results) {
    detail::check_predicate(keys.kind());
    HostCall call = runs_of(operation, keys, results, {});
    call.parameter = {const_cast<void*>(keys.kind().parameter())};
    return call;
}

HostCall part_by_predicate(Operation operation, const ConstKeys& keys, const ConstValues& values,
                           const Results& results, const Values& kept) {
    HostCall call = part_by_predicate(operation, keys, results);
    add_values(call, values, kept);
    return call;
}

}  // namespace

std::size_t Sorter::select(ConstKeys keys, Results results) {
    return number_found(*this, part_by_predicate(Operation::select, keys, results));
}

std::size_t Sorter::select_by_key(ConstKeys keys, ConstValues values, Results results, Values kept) {
    return number_found(*this, part_by_predicate(Operation::select, keys, values, results, kept));
}

std::size_t Sorter::partition(ConstKeys keys, Results results) {
    return number_found(*this, part_by_predicate(Operation::partition, keys, results));
}

std::size_t Sorter::partition_by_key(ConstKeys keys, ConstValues values, Results results, Values kept) {
    return number_found(*this, part_by_predicate(Operation::partition, keys, values, results, kept));
}

SortReport Sorter::lower_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(search(Operation::lower_bound, keys, needles, indices, options));
}

SortReport Sorter::upper_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(search(Operation::upper_bound, keys, needles, indices, options));
}

SortReport Sorter::equal_range(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options) {
    return run(search(Operation::equal_range, keys, needles, indices, options));
}

SortReport Sorter::gather(ConstValues values, ConstIndices indices, Values results) {
    check_number(results.size(), indices.size(), "results");
    detail::check_same_width(values.bytes(), results.bytes());
    HostCall call = move(Operation::gather, values.size(), values, indices);
    call.result_values = {results.data()};
    return run(call);
}

SortReport Sorter::scatter(ConstValues values, ConstIndices indices, Values results) {
    check_number(indices.size(), values.size(), "indices");
    detail::check_same_width(values.bytes(), results.bytes());
    HostCall call = move(Operation::scatter, results.size(), values, indices);
    call.result_values = {results.data()};
    return run(call);
}

SortReport Sorter::permute(Values values, ConstIndices indices) {
    check_number(indices.size(), values.size(), "indices");
    return run(move(Operation::permute, values.size(), values, indices));
}

SortReport Sorter::histogram(ConstKeys keys, const EvenBins& bins, Indices counts) {
    HostCall call = count(keys, counts);
    detail::bin_evenly(call.request, bins);
    return run(call);
}

SortReport Sorter::histogram(ConstKeys keys, ConstKeys bounds, Indices counts) {
    HostCall call = count(keys, counts);
    detail::check_bounds(bounds.size(), counts.size());
    detail::check_second(call.request, count(bounds, counts).request);
    call.request.bounded = true;
    call.second_keys = {const_cast<void*>(bounds.data())};
    return run(call);
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

namespace detail {

std::size_t width_of(const char* what, std::size_t bytes) {
    const bool are_values = what == std::string_view("values");
    require(bytes > 0, ErrorCode::invalid_argument, "{} have 0 bytes, but must have {}", what,
            are_values ? "1, 2, 4, 8 or 16" : "4 or 8");
    return bytes;
}

std::uint64_t count_of_both(std::uint64_t first, std::uint64_t second) {
    require(first <= most_in_64_bits - second, ErrorCode::too_large,
            "the two ranges have {} and {} keys, which are more than 64 bits count", first, second);
    return first + second;
}

std::uint64_t first_with(std::uint64_t n, const Request& request) {
    const std::uint64_t length = request.length();
    require(n <= length, ErrorCode::invalid_argument, "there is no key {} among {}", n, length);
    return n < length ? n + 1 : 0;
}

void write_results(AnyCall& sort) noexcept {
    const auto differ = [](const AnyCall::Place& a, const AnyCall::Place& b) {
        return a.memory == nullptr || a.memory != b.memory || a.offset != b.offset;
    };
    sort.request.apart =
        differ(sort.keys, sort.results) || (sort.request.value_bytes > 0 && differ(sort.values, sort.result_values));
}

void check_values(std::size_t keys, std::size_t values, const KeyKind& type, bool by_operator) {
    if (values != keys) throw_sizes_differ(keys, values);
    require(!type.is_record() || (by_operator && type.binary_operator()), ErrorCode::invalid_argument,
            "values that are records cannot be combined, but numbers can");
}

void check_same_width(std::size_t bytes, std::size_t other_bytes) {
    require(bytes == other_bytes, ErrorCode::invalid_argument,
            "the values have {} bytes in one array, but {} in another", bytes, other_bytes);
}

void check_flags(const KeyKind& kind) {
    require(!kind.predicate(), ErrorCode::invalid_argument,
            "flags or a predicate say which elements are wanted, but not both");
}

void check_predicate(const KeyKind& kind) {
    require(kind.predicate() != nullptr, ErrorCode::invalid_argument,
            "without flags, a predicate must say which elements are wanted");
}

namespace {

/// The text or the function that says of keys what they are; empty for plain numbers.
std::string_view teller(const KeyKind& kind) noexcept {
    return kind.comparator()        ? "a comparator"
           : kind.predicate()       ? "a predicate"
           : kind.binary_operator() ? "an operator"
           : kind.compiled_order()  ? "a function"
                                    : "";
}

[[noreturn]] void throw_kinds_differ(const KeyKind& first, const KeyKind& second) {
    check_type(first);
    check_type(second);
    const std::string_view of_first = teller(first), of_second = teller(second);
    if (!of_first.empty() && of_first == of_second)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the two ranges have {} each, but not the same one", of_first));
    const auto described = [](const KeyKind& kind, std::string_view tells) {
        return tells.empty() ? kind.name() : fmt::format("{} with {}", kind.name(), tells);
    };
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the first range has keys of {}, but the second has keys of {}", described(first, of_first),
                            described(second, of_second)));
}

}  // namespace

void check_second(const Request& first, const Request& second) {
    if (!(first.key == second.key)) throw_kinds_differ(first.key, second.key);
    Request wanted = first, asked = second;
    asked.count = first.count;
    wanted.order = first.order_or_usual();
    asked.order = second.order.value_or(*wanted.order);
    asked.stable |= first.stable;
    require(asked == wanted, ErrorCode::invalid_argument,
            "the second range asks for something else than the first; it may leave that to the first");
}

void check_pairs(const AnyCall& first, AnyCall second) {
    const Request& wanted = first.request;
    Request& asked = second.request;
    require(wanted.count == asked.count, ErrorCode::invalid_argument,
            "the first range has {} keys, but the second has {}", wanted.count, asked.count);
    if (!asked.in_rows()) {
        asked.row_length = wanted.row_length;
        asked.segments = wanted.segments;
        asked.longest = wanted.longest;
        asked.offset_bytes = wanted.offset_bytes;
        second.segments = first.segments;
    }
    check_second(wanted, asked);
    require(first.segments.memory == second.segments.memory && first.segments.offset == second.segments.offset,
            ErrorCode::invalid_argument,
            "the second range's segments are in another place than the first's; it may leave them to the first");
}

void check_operator(const KeyKind& kind) {
    require(kind.binary_operator() != nullptr, ErrorCode::invalid_argument,
            "without a Reduction, an operator must say what two elements are combined to");
}

void bin_evenly(Request& request, const EvenBins& bins) {
    check_type(request.key);
    check_type(bins.type);
    require(request.key.is_record() || request.key.type() == bins.type, ErrorCode::invalid_argument,
            "the bins are of type {}, but the keys are of {}", name(bins.type), request.key.name());
    request.lower = bins.lower;
    request.upper = bins.upper;
}

void check_bounds(std::size_t bounds, std::size_t bins) {
    require(bounds == bins + 1, ErrorCode::invalid_argument, "there are {} bounds, but there must be {}", bounds,
            bins + 1);
}

void throw_two_counts(std::size_t first, std::size_t k) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} keys are to be selected, but the range says {}: k alone says how many", k, first));
}

void throw_sizes_differ(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but {} values or indices; there must be one for each key", keys, others));
}

void throw_too_few(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but room for only {} results; there may be one for each key", keys, others));
}

void throw_record_size(std::size_t bytes, std::size_t stated) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the records have {} bytes, but the text is for {}", bytes, stated));
}

void throw_parameter_size(std::size_t bytes, std::size_t stated) {
    throw Error(ErrorCode::invalid_argument,
                stated == 0 ? "the predicate has no parameter"
                            : fmt::format("the parameter has {} bytes, but the predicate's has {}", bytes, stated));
}

}  // namespace detail
}  // namespace lanesort::inline v0_1
