// SPDX-License-Identifier: MIT
// The kernels of kernels/compact/ and sort/is_sorted.cl.
#pragma once

#include "core/program.hpp"
#include "select_schedule.hpp"
#include "sorted_ranges_schedule.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_is_sorted[] = {{"first_descents", {keys, count, position, u32, u32, flip, u32, u64s}},
                                             {"least_descents", {u64s, count, u32, u32, u64s}}};
/// How far ranges are in order.
inline constexpr Family order_test{"sort/is_sorted.cl", of_is_sorted, [](const KernelParameters& parameters) {
                                       return is_sorted_local_bytes(parameters.shape);
                                   }};

inline constexpr KernelRow of_equal_runs[] = {
    {"count_runs", {keys, count, position, u64s}},
    {"scan_shares", {u64s, u32, count, u64s, indices}},
    {"write_runs", {keys, count, position, u64s, keys, values, values, indices, u32, u16s, u64s}},
    {"mark_runs", {keys, count, position, u16s, u64s}}};
/// The runs of equal keys.
inline constexpr Family equal_runs{"compact/equal_runs.cl", of_equal_runs, [](const KernelParameters& parameters) {
                                       return equal_runs_local_bytes(parameters.shape);
                                   }};

inline constexpr KernelRow of_find_runs[] = {
    {"find_runs", {keys, count, u32, status, keys, values, values, indices, u64s, u32, u16s, u64s}}};
/// The same in one read.
inline constexpr Family find_runs{"compact/find_runs.cl", of_find_runs, [](const KernelParameters& parameters) {
                                      return find_runs_local_bytes(parameters.shape, parameters.bytes);
                                  }};

inline constexpr KernelRow of_select[] = {
    {"count_wanted", {u8s, keys, count, position, u32, u64s}},
    {"write_parts", {u8s, count, position, u32, u32, u64s, count32, keys, keys, values, values, u64s}},
    {.name = "select_tiles",
     .arguments = {u8s, count, u32, u32, status, keys, keys, values, values, u64s},
     .applies = [](const KernelParameters& parameters) { return parameters.work_items() > 1; }}};
/// Elements by flags or a predicate.
inline constexpr Family select{
    .file = "compact/select.cl",
    .kernels = of_select,
    .local_bytes =
        [](const KernelParameters& parameters) { return select_local_bytes(parameters.shape, parameters.bytes); },
    .compares = false};

}  // namespace lanesort::inline v0_1::detail::families
