// SPDX-License-Identifier: MIT
// The operations: each is a file, which says what arrays a request needs and what is done with them.
#pragma once

#include <array>

#include "core/operation_table.hpp"
#include "core/planner.hpp"

namespace lanesort::inline v0_1::detail {

/// Of f16, f32 and f64.
inline bool is_floating(KeyType type) noexcept { return key_coding(type, Order::ascending).coding == Coding::floating; }

inline bool is_sort(const Request& request) noexcept { return request.operation == Operation::sort; }
inline bool is_argsort(const Request& request) noexcept { return request.operation == Operation::argsort; }

/// The same keys and what belongs to them, to be sorted for another operation.
inline Request as_sort(Request request) {
    request.operation = Operation::sort;
    return request;
}
/// A part of the merge of two ranges that were sorted so, with `count` elements of each.
inline Request as_merge(const Request& sort, MergePart part, std::uint64_t count) {
    return {.operation = Operation::merge,
            .count = count,
            .order = sort.order,
            .value_bytes = sort.value_bytes,
            .part = part,
            .key = sort.key};
}
/// Where `second_count` keys belong among so many that were sorted so, ahead of equal ones and behind them.
inline Request as_search(Request sort, std::uint64_t count, std::uint64_t second_count) {
    sort.operation = Operation::equal_range;
    sort.count = count;
    sort.second_count = second_count;
    sort.index_bytes = sizeof(std::uint64_t);
    sort.extra_bytes = 0;
    sort.stable = sort.apart = sort.data_independent = false;
    return sort;
}

/// Values of equal keys are reduced, too.
inline bool reduces_runs(const Request& request) noexcept {
    return request.operation == Operation::reduce_by_key || request.operation == Operation::group_by;
}

Arrays sort_arrays(const Request& request);
Arrays merge_arrays(const Request& request);
void make_sort(Planner& planner, const Request& request, Work& work);

Arrays argsort_arrays(const Request& request);
void make_argsort(Planner& planner, const Request& request, Work& work);

Arrays top_k_arrays(const Request& request);
void make_top_k(Planner& planner, const Request& request, Work& work);

Arrays is_sorted_arrays(const Request& request);
void make_is_sorted(Planner& planner, const Request& request, Work& work);

Arrays equal_run_arrays(const Request& request);
void make_equal_runs(Planner& planner, const Request& request, Work& work);
/// Adds a launch that leaves where runs of equal keys begin, in Slot::own_begins and own_bases
/// (kernels/compact/equal_runs.cl).
void add_run_marks(Planner& planner, const Request& request, Work& work);

/// Throws Error(invalid_argument) for a type of values that is none, or has another width than they.
void check_value_type(const Request& request);
Arrays reduce_run_arrays(const Request& request);
void make_reduced_runs(Planner& planner, const Request& request, Work& work);
void make_groups(Planner& planner, const Request& request, Work& work);

/// What the kernels take as order_t (kernels/common/min_max_order.h).
struct MinMaxOrder {
    std::uint64_t mask, flip, bias;
};
MinMaxOrder min_max_order(KeyType type, Reduction reduction);
inline std::array<Argument, 3> order_arguments(const MinMaxOrder& order) {
    return {order.mask, order.flip, order.bias};
}

Arrays reduce_arrays(const Request& request);
void make_reduction(Planner& planner, const Request& request, Work& work);

Arrays scan_arrays(const Request& request);
void make_scan(Planner& planner, const Request& request, Work& work);

Arrays select_arrays(const Request& request);
void make_select(Planner& planner, const Request& request, Work& work);

Arrays binary_search_arrays(const Request& request);
void make_binary_search(Planner& planner, const Request& request, Work& work);

Arrays gather_arrays(const Request& request);
void make_gather(Planner& planner, const Request& request, Work& work);

Arrays histogram_arrays(const Request& request);
void make_histogram(Planner& planner, const Request& request, Work& work);

}  // namespace lanesort::inline v0_1::detail
