// SPDX-License-Identifier: MIT
// The kernels of kernels/top_k/.
#pragma once

#include "core/program.hpp"
#include "threshold_schedule.hpp"
#include "top_k_schedule.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline bool stores_indices(const KernelParameters& parameters) { return parameters.stores_indices(); }

/// The arguments of both kernels that select (kernels/top_k/top_k_candidates.h, top_k/top_k_of_share.h).
inline constexpr ArgumentTypes of_candidates{keys, indices, keys, indices, count, position, u32,
                                             u32,  count32, u32,  u32,     u32,   flip};
inline constexpr KernelRow of_top_k[] = {
    {.name = "select_best", .arguments = of_candidates, .awaits = true},
    {.name = "best_of_buckets", .arguments = of_candidates, .awaits = true, .applies = stores_indices},
    {.name = "bring_to_front",
     .arguments = {keys, keys, indices, count, count32},
     .awaits = true,
     .applies = stores_indices}};

inline std::size_t local_bytes_of_top_k(const KernelParameters& parameters) {
    return top_k_local_bytes(parameters.shape, parameters.bytes);
}
/// The first keys, into an array of their own: by work-groups, and by work-items.
inline constexpr Family top_k_in_local{"top_k/top_k_in_local.cl", std::span(of_top_k).first(2), local_bytes_of_top_k};
inline constexpr Family top_k_in_registers{"top_k/top_k_in_registers.cl", of_top_k, local_bytes_of_top_k};

inline bool orders_numbers(const KernelParameters& parameters) { return !parameters.bytes.is_record; }

inline constexpr KernelRow of_top_k_by_threshold[] = {
    {.name = "choose_threshold", .arguments = {keys, keys, indices, u64s, count, u32, u32, flip}, .awaits = true},
    {.name = "keep_passing",
     .arguments = {keys, keys, indices, keys, indices, u64s, count, position, u32, u32, u32, u32, u32, flip},
     .awaits = true},
    {.name = "select_passing",
     .arguments = {keys, keys, indices, u64s, keys, indices, count, count32, u32, u32, flip},
     .awaits = true},
    {.name = "count_digits",
     .arguments = {keys, keys, indices, u64s, count, position, u32, u32, u32, u32, u32, u32, flip},
     .awaits = true,
     .applies = orders_numbers},
    {.name = "choose_digit",
     .arguments = {keys, indices, u64s, u64s, count, u32, u32, u32, u32},
     .awaits = true,
     .applies = orders_numbers}};
/// The same by a threshold.
inline constexpr Family top_k_by_threshold{
    .file = "top_k/top_k_by_threshold.cl",
    .kernels = of_top_k_by_threshold,
    .local_bytes =
        [](const KernelParameters& parameters) { return threshold_local_bytes(parameters.shape, parameters.bytes); },
    .has_conditional_barriers = true};

}  // namespace lanesort::inline v0_1::detail::families
