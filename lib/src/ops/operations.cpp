// SPDX-License-Identifier: MIT
#include "operations.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace lanesort::inline v0_1 {
namespace detail {
namespace {

/// Every operation, in the order of its enumerators.
constexpr OperationRow operations[] = {
    {Operation::sort, "sort",
     stable | first | apart | values | counters | schedules | independence | results | result_values, sort_arrays,
     make_sort},
    {Operation::argsort, "argsort", stable | first | indices | schedules | independence, argsort_arrays, make_argsort},
    {Operation::merge, "merge",
     stable | first | middle | apart | values | counters | second_keys | results | result_values, merge_arrays,
     make_sort},
    {Operation::top_k, "top_k", stable | k | values | indices | independence | limit | nan | results | result_values,
     top_k_arrays, make_top_k},
    {Operation::is_sorted, "is_sorted", answers, is_sorted_arrays, make_is_sorted},
    {Operation::is_sorted_until, "is_sorted_until", answers, is_sorted_arrays, make_is_sorted},
    {Operation::unique, "unique", values | in_place | results | result_values | answers, equal_run_arrays,
     make_equal_runs},
    {Operation::run_lengths, "run_lengths", lengths | results | answers, equal_run_arrays, make_equal_runs},
    {Operation::reduce, "reduce", reductions | operators | results, reduce_arrays, make_reduction},
    {Operation::inclusive_scan, "inclusive_scan", in_place | reductions | operators | results, scan_arrays, make_scan},
    {Operation::exclusive_scan, "exclusive_scan", in_place | reductions | operators | results, scan_arrays, make_scan},
    {Operation::select, "select", flags | values | inversion | predicates | results | result_values | answers,
     select_arrays, make_select},
    {Operation::partition, "partition", flags | values | inversion | predicates | results | result_values | answers,
     select_arrays, make_select},
    {Operation::lower_bound, "lower_bound", second_range | second_keys | indices, binary_search_arrays,
     make_binary_search},
    {Operation::upper_bound, "upper_bound", second_range | second_keys | indices, binary_search_arrays,
     make_binary_search},
    {Operation::equal_range, "equal_range", second_range | second_keys | indices, binary_search_arrays,
     make_binary_search},
    {Operation::gather, "gather", keyless | second_range | indices | values | result_values, gather_arrays,
     make_gather},
    {Operation::scatter, "scatter", keyless | second_range | indices | values | result_values, gather_arrays,
     make_gather},
    {Operation::permute, "permute", keyless | indices | values, gather_arrays, make_gather},
    {Operation::histogram, "histogram", lengths | binning | second_keys, histogram_arrays, make_histogram},
    {Operation::reduce_by_key, "reduce_by_key", values | value_types | reductions | results | result_values | answers,
     reduce_run_arrays, make_reduced_runs},
    {Operation::group_by, "group_by",
     stable | values | value_types | reductions | schedules | independence | results | result_values | answers,
     reduce_run_arrays, make_groups},
    {Operation::transform_reduce, "transform_reduce", operators | second_keys | results, reduce_arrays, make_reduction},
    {Operation::inclusive_scan_by_key, "inclusive_scan_by_key",
     in_place | values | value_types | reductions | operators_of_values | result_values, scan_arrays, make_scan},
    {Operation::exclusive_scan_by_key, "exclusive_scan_by_key",
     in_place | values | value_types | reductions | operators_of_values | result_values, scan_arrays, make_scan},
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
