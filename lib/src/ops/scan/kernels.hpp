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

constexpr std::size_t local_bytes_of_scan(const KernelParameters& parameters) {
    return scan_local_bytes(parameters.shape, part_bytes(parameters.bytes, false));
}
constexpr std::size_t local_bytes_of_run_scan(const KernelParameters& parameters) {
    return scan_local_bytes(parameters.shape, part_bytes(parameters.bytes, true));
}

/// Of a range or of rows: sums, minima and maxima, and what the caller's operator makes of elements.
inline constexpr Family integer_scan{"scan/integer_scan.cl", of_scans, local_bytes_of_scan};
inline constexpr Family float_scan{"scan/float_scan.cl", std::span(of_scans).first(3), local_bytes_of_scan};
inline constexpr Family min_max_scan{"scan/min_max_scan.cl", of_scans, local_bytes_of_scan};
inline constexpr Family operator_scan{"scan/operator_scan.cl", std::span(of_scans).first(3), local_bytes_of_scan};
/// The same of runs, each by itself.
inline constexpr Family integer_run_scan{"scan/integer_run_scan.cl", of_scans, local_bytes_of_run_scan};
inline constexpr Family float_run_scan{"scan/float_run_scan.cl", std::span(of_scans).first(3), local_bytes_of_run_scan};
inline constexpr Family min_max_run_scan{"scan/min_max_run_scan.cl", of_scans, local_bytes_of_run_scan};
inline constexpr Family operator_run_scan{"scan/operator_run_scan.cl", std::span(of_scans).first(3),
                                          local_bytes_of_run_scan};

inline constexpr KernelRow of_mark_segments[] = {{"mark_segments", {segments, count64, position, u32s, u64s}}};
/// Where segments begin.
inline constexpr Family mark_segments{"scan/mark_segments.cl", of_mark_segments};

}  // namespace lanesort::inline v0_1::detail::families
