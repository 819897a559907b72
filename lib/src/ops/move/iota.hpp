// SPDX-License-Identifier: MIT
// Integers that count (kernels/move/iota.cl).
#pragma once

#include "core/planner.hpp"

namespace lanesort::inline v0_1::detail {

/// Adds the launch that writes first, first + 1, .. to all of an array of the work's, of integers of 4 or 8 bytes.
void add_iota(Planner& planner, Work& work, Slot integers, std::uint64_t first);

}  // namespace lanesort::inline v0_1::detail
