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

/// Of reduce/combine.h: a partial result for each leaf, an integer for each work-item, and two.
constexpr std::size_t combine_local_bytes(const KernelParameters& parameters, std::size_t partial_bytes) {
    return tree_leaves * partial_bytes + std::size_t{4} * (parameters.shape.work_items + 2);
}

/// The smallest or the largest key.
inline constexpr Family min_max{
    "reduce/min_max.cl", std::span(of_reductions).first(3),
    [](const KernelParameters& parameters) { return combine_local_bytes(parameters, parameters.bytes.key); }};
/// Where that is.
inline constexpr Family min_max_place{
    "reduce/min_max_place.cl", std::span(of_reductions).first(3),
    [](const KernelParameters& parameters) { return combine_local_bytes(parameters, 16); }};
/// Sums of integers.
inline constexpr Family integer_sum{"reduce/integer_sum.cl", of_reductions, [](const KernelParameters& parameters) {
                                        return combine_local_bytes(parameters, 8);
                                    }};
/// Sums of floating-point numbers.
inline constexpr Family float_sum{"reduce/float_sum.cl", of_reductions, [](const KernelParameters& parameters) {
                                      return combine_local_bytes(parameters, parameters.bytes.key == 8 ? 8 : 4);
                                  }};

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

/// Of reduce/reduce_runs.h: a number and a flag for each leaf, a count for each work-item, and results.
constexpr std::size_t reduced_runs_bytes(const KernelParameters& parameters, std::size_t number_bytes) {
    const std::size_t work_items = parameters.shape.work_items;
    const std::size_t results = work_items > 1 ? 8 * work_items : 0;
    return tree_leaves * (number_bytes + 4) + 8 * work_items + results * number_bytes;
}

/// Sums of the integers of equal keys.
inline constexpr Family integer_runs{"reduce/integer_runs.cl", of_reduced_runs, [](const KernelParameters& parameters) {
                                         return reduced_runs_bytes(parameters, 8);
                                     }};
/// Sums of their floating-point numbers.
inline constexpr Family float_runs{"reduce/float_runs.cl", of_reduced_runs, [](const KernelParameters& parameters) {
                                       return reduced_runs_bytes(parameters, parameters.bytes.key == 8 ? 8 : 4);
                                   }};
/// The smallest or the largest of them.
inline constexpr Family min_max_runs{
    "reduce/min_max_runs.cl", std::span(of_reduced_runs).first(2), [](const KernelParameters& parameters) {
        return reduced_runs_bytes(parameters, std::max<std::size_t>(parameters.bytes.key, 4));
    }};

}  // namespace lanesort::inline v0_1::detail::families
