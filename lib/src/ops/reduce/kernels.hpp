// SPDX-License-Identifier: MIT
// The kernels of kernels/reduce/.
#pragma once

#include <algorithm>

#include "core/program.hpp"
#include "reduce_schedule.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_reductions[] = {
    {"combine_blocks", {keys, count, u32, segments, count64, u64, flip, flip, flip, partials, results}},
    {"combine_parts", {partials, count, u32, segments, count64, u64, flip, flip, flip, results}},
    {"combine_range", {keys, count, position, u32, flip, flip, flip, u32, status, results}},
    {"combine_products", {keys, keys, count, u32, segments, count64, u64, flip, flip, flip, partials, results}},
    {"combine_product_range", {keys, keys, count, position, u32, flip, flip, flip, u32, status, results}}};

/// Of what numbers are combined to, but for minima and maxima.
constexpr std::size_t sum_bytes_of(const KernelParameters& parameters) {
    return parameters.family->numbers == Numbers::integer || parameters.bytes.key == 8 ? 8 : 4;
}

constexpr Family reductions(Numbers numbers) {
    const bool has_products = numbers == Numbers::integer || numbers == Numbers::floating;
    return {.file = "reduce/reduce.cl",
            .kernels = std::span(of_reductions).first(has_products ? 5 : 3),
            .local_bytes = [](const KernelParameters& parameters) {
                // A partial result for each leaf, an integer for each work-item, and two.
                const Numbers combined = parameters.family->numbers;
                const std::size_t partial = combined == Numbers::min_max          ? parameters.bytes.key
                                            : combined == Numbers::min_max_place ? 16
                                                                                  : sum_bytes_of(parameters);
                return tree_leaves * partial + std::size_t{4} * (parameters.shape.work_items + 2);
            },
            .numbers = numbers};
}
inline constexpr Family integer_sum = reductions(Numbers::integer);
inline constexpr Family float_sum = reductions(Numbers::floating);
inline constexpr Family min_max = reductions(Numbers::min_max);
inline constexpr Family min_max_place = reductions(Numbers::min_max_place);

inline constexpr KernelRow of_operator_reduction[] = {
    {"combine_blocks", {keys, keys, count, u32, segments, count64, u64, keys, keys}},
    {"combine_parts", {keys, count, u32, segments, count64, u64, keys}}};
/// What the caller's operator makes of elements.
inline constexpr Family operator_reduction{
    "reduce/operator_reduction.cl", of_operator_reduction, [](const KernelParameters& parameters) {
        return parameters.shape.work_items > 1 ? parameters.shape.work_items * parameters.bytes.key : 0;
    }};

inline constexpr KernelRow of_reduced_runs[] = {
    {"reduce_runs", {keys, count, flip, flip, flip, u16s, u64s, numbers, numbers, results}},
    {"close_runs",
     {numbers, numbers, count, position, position, flip, flip, flip, u64s, u64s, numbers, numbers, results}},
    {"divide_runs", {u16s, u64s, count, flip, flip, flip, results}}};

constexpr Family reduced_runs(Numbers numbers) {
    return {.file = "reduce/reduce_runs.cl",
            .kernels = std::span(of_reduced_runs).first(numbers == Numbers::min_max ? 2 : 3),
            .local_bytes = [](const KernelParameters& parameters) {
                // A number and a flag for each leaf, a count for each work-item, and results.
                const bool is_least = parameters.family->numbers == Numbers::min_max;
                const std::size_t number =
                    is_least ? std::max<std::size_t>(parameters.bytes.key, 4) : sum_bytes_of(parameters);
                const std::size_t items = parameters.shape.work_items, results = items > 1 ? 8 * items : 0;
                return tree_leaves * (number + 4) + 8 * items + results * number;
            },
            .numbers = numbers};
}
inline constexpr Family integer_runs = reduced_runs(Numbers::integer);
inline constexpr Family float_runs = reduced_runs(Numbers::floating);
inline constexpr Family min_max_runs = reduced_runs(Numbers::min_max);

}  // namespace lanesort::inline v0_1::detail::families
