// SPDX-License-Identifier: MIT
#include "operations.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace lanesort::inline v0_1 {
namespace detail {
namespace {

/// Every operation, in the order of its enumerators.
constexpr OperationRow operations[] = {
    {Operation::sort, "sort", stable | first | apart | values | counters | schedules | independence, sort_arrays,
     make_sort},
    {Operation::argsort, "argsort", stable | first | indices | schedules | independence, argsort_arrays, make_argsort},
    {Operation::merge, "merge", stable | first | middle | apart | values | counters, merge_arrays, make_sort},
    {Operation::top_k, "top_k", stable | first | values | indices | independence | limit | nan, top_k_arrays,
     make_top_k},
    {Operation::is_sorted, "is_sorted", 0, is_sorted_arrays, make_is_sorted},
    {Operation::is_sorted_until, "is_sorted_until", 0, is_sorted_arrays, make_is_sorted},
    {Operation::unique, "unique", values | in_place, equal_run_arrays, make_equal_runs},
    {Operation::run_lengths, "run_lengths", lengths, equal_run_arrays, make_equal_runs},
    {Operation::reduce, "reduce", reductions | operators, reduce_arrays, make_reduction},
    {Operation::inclusive_scan, "inclusive_scan", in_place | reductions | operators, scan_arrays, make_scan},
    {Operation::exclusive_scan, "exclusive_scan", in_place | reductions | operators, scan_arrays, make_scan},
    {Operation::select, "select", values | inversion | predicates, select_arrays, make_select},
    {Operation::partition, "partition", values | inversion | predicates, select_arrays, make_select},
    {Operation::lower_bound, "lower_bound", second_range | indices, binary_search_arrays, make_binary_search},
    {Operation::upper_bound, "upper_bound", second_range | indices, binary_search_arrays, make_binary_search},
    {Operation::equal_range, "equal_range", second_range | indices, binary_search_arrays, make_binary_search},
    {Operation::gather, "gather", second_range | indices | values, gather_arrays, make_gather},
    {Operation::scatter, "scatter", second_range | indices | values, gather_arrays, make_gather},
    {Operation::permute, "permute", indices | values, gather_arrays, make_gather},
    {Operation::histogram, "histogram", lengths | binning, histogram_arrays, make_histogram},
    {Operation::reduce_by_key, "reduce_by_key", values | value_types | reductions, reduce_run_arrays,
     make_reduced_runs},
    {Operation::group_by, "group_by", stable | values | value_types | reductions | schedules | independence,
     reduce_run_arrays, make_groups},
    {Operation::transform_reduce, "transform_reduce", operators, reduce_arrays, make_reduction},
    {Operation::inclusive_scan_by_key, "inclusive_scan_by_key",
     in_place | values | value_types | reductions | operators_of_values, scan_arrays, make_scan},
    {Operation::exclusive_scan_by_key, "exclusive_scan_by_key",
     in_place | values | value_types | reductions | operators_of_values, scan_arrays, make_scan},
};

}  // namespace

const OperationRow& row_of(Operation operation) {
    const auto row = std::ranges::find(operations, operation, &OperationRow::operation);
    if (row == std::end(operations))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("there is no operation {}", static_cast<unsigned>(operation)));
    return *row;
}

}  // namespace detail

const char* name(Operation operation) noexcept {
    for (const detail::OperationRow& row : detail::operations)
        if (row.operation == operation) return row.name;
    return "none";
}

}  // namespace lanesort::inline v0_1
