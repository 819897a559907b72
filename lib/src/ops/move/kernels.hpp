// SPDX-License-Identifier: MIT
// The kernels of kernels/move/.
#pragma once

#include "core/program.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_gather[] = {
    {.name = "gather_elements",
     .arguments = {keys, keys, indices, segments, count, u64, count64, count64, u32, u32, u32, u32, u32, u64s, u32},
     .awaits = true},
    {.name = "move_elements", .arguments = {keys, keys, indices, count64, count64, u32, u32, u32}, .awaits = true}};
/// Elements, from where indices say.
inline constexpr Family gather{"move/gather.cl", of_gather};

inline constexpr KernelRow of_iota[] = {
    {.name = "write_iota", .arguments = {indices, count64, u64, u32}, .awaits = true}};
/// Integers that count.
inline constexpr Family iota{"move/iota.cl", of_iota};

inline constexpr KernelRow of_permute[] = {
    {.name = "walk_from_cuts",
     .arguments = {keys, values, indices, count, u64, count64, u32, segments, values},
     .awaits = true},
    {.name = "walk_cycles",
     .arguments = {keys, values, indices, count, u64, count64, u32, segments, values, u32},
     .awaits = true}};
/// Values, into the order of indices.
inline constexpr Family permute{"move/permute.cl", of_permute};

}  // namespace lanesort::inline v0_1::detail::families
