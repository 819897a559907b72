// SPDX-License-Identifier: MIT
// What counting kernels counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include <lanesort/plan.hpp>
#include <lanesort/statistics.hpp>

namespace lanesort::inline v0_1::detail {

/// Passes of the longest plan: every step of 2^62 keys by itself.
inline constexpr std::size_t most_passes = 2048;

/// The counters that a counting kernel adds to; zero before.
struct PassCounters {
    std::uint32_t groups = 0;
    std::uint32_t hand_overs = 0;
    std::uint32_t barriers = 0;
};

/// Adds a pass's counters to what was counted so far.
/// Throws Error(device_failed) if not every work-group of the pass ended, or they disagree.
void add(SyncCounts& counted, const Pass& pass, const PassCounters& counters);

}  // namespace lanesort::inline v0_1::detail
