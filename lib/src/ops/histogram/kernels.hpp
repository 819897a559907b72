// SPDX-License-Identifier: MIT
// The kernels of kernels/histogram/.
#pragma once

#include "core/program.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_bins[] = {
    {.name = "count_keys",
     .arguments = {keys, count, position, u32, flip, u64, u64, u64, u32, keys, u32, count32, count32, u32, u32, u32s},
     .awaits = true},
    {.name = "add_counts", .arguments = {u32s, count32, u32, u32, u32, u32, indices}, .awaits = true}};

/// Work-groups of one work-item count in memory.
constexpr std::size_t counters_bytes(const KernelParameters& parameters) {
    return parameters.shape.work_items > 1 ? parameters.shape.vectors * std::size_t{4} : 0;
}

/// Even bins of integers.
inline constexpr Family integer_bins{"histogram/integer_bins.cl", of_bins, counters_bytes};
/// Even bins of floating-point numbers.
inline constexpr Family float_bins{"histogram/float_bins.cl", of_bins, counters_bytes};
/// Bins between given keys.
inline constexpr Family bins_by_bounds{"histogram/bins_by_bounds.cl", of_bins, [](const KernelParameters& parameters) {
                                           return counters_bytes(parameters) +
                                                  parameters.buckets.sample * parameters.bytes.key;
                                       }};

}  // namespace lanesort::inline v0_1::detail::families
