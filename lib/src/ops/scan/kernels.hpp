// SPDX-License-Identifier: MIT
// The kernels of kernels/scan/.
#pragma once

#include "core/program.hpp"
#include "scan_schedule.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

inline constexpr KernelRow of_scans[] = {
    {"combine_blocks", {keys, count, position, u32, flip, flip, flip, u16s, parts}},
    {"scan_blocks", {parts, count32}},
    {"write_scans", {keys, count, position, u32, u32, u32, flip, flip, flip, u16s, u64s, parts, values}},
    {"scan_tiles", {keys, count, u32, flip, flip, flip, u16s, u64s, u32, status, keys}}};

constexpr Family scans(Numbers numbers, bool has_runs) {
    const bool looks_back = numbers == Numbers::integer || numbers == Numbers::min_max;
    return {.file = "scan/scan.cl",
            .kernels = std::span(of_scans).first(looks_back ? 4 : 3),
            .local_bytes = [](const KernelParameters& parameters) {
                return scan_local_bytes(parameters.shape, part_bytes(parameters.bytes, parameters.family->has_runs));
            },
            .numbers = numbers,
            .has_runs = has_runs};
}
inline constexpr Family integer_scan = scans(Numbers::integer, false);
inline constexpr Family float_scan = scans(Numbers::floating, false);
inline constexpr Family min_max_scan = scans(Numbers::min_max, false);
inline constexpr Family operator_scan = scans(Numbers::by_operator, false);
inline constexpr Family integer_run_scan = scans(Numbers::integer, true);
inline constexpr Family float_run_scan = scans(Numbers::floating, true);
inline constexpr Family min_max_run_scan = scans(Numbers::min_max, true);
inline constexpr Family operator_run_scan = scans(Numbers::by_operator, true);

inline constexpr KernelRow of_mark_segments[] = {{"mark_segments", {segments, count64, position, u32s, u64s}}};
/// Where segments begin.
inline constexpr Family mark_segments{"scan/mark_segments.cl", of_mark_segments};

}  // namespace lanesort::inline v0_1::detail::families
