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

constexpr Family bins(Numbers numbers) {
    return {.file = "histogram/histogram.cl",
            .kernels = of_bins,
            .local_bytes = [](const KernelParameters& parameters) {
                // Work-groups of one work-item count in memory.
                const std::size_t counters = parameters.shape.work_items > 1 ? parameters.shape.vectors : 0;
                const bool has_sample = parameters.family->numbers == Numbers::by_bounds;
                return counters * 4 + (has_sample ? parameters.buckets.sample * parameters.bytes.key : 0);
            },
            .numbers = numbers};
}
inline constexpr Family integer_bins = bins(Numbers::integer);
inline constexpr Family float_bins = bins(Numbers::floating);
inline constexpr Family bins_by_bounds = bins(Numbers::by_bounds);

}  // namespace lanesort::inline v0_1::detail::families
