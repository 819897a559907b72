// SPDX-License-Identifier: MIT
// The kernels of kernels/search/.
#pragma once

#include "core/program.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_binary_search[] = {
    {.name = "find_places",
     .arguments = {keys, count, keys, count64, u32, position, count32, u32, flip, u32, indices, u32},
     .awaits = true}};
/// Where keys belong in a sorted range.
inline constexpr Family binary_search{
    "search/binary_search.cl", of_binary_search,
    [](const KernelParameters& parameters) { return parameters.buckets.sample * parameters.bytes.key; }};

}  // namespace lanesort::inline v0_1::detail::families
