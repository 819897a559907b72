// SPDX-License-Identifier: MIT
// Elements brought from where they lie to where they are wanted (kernels/move/gather.cl).
#pragma once

#include "core/planner.hpp"

namespace lanesort::inline v0_1::detail {

/// The indices of the first k elements of each row or segment.
struct FoundIndices {
    Slot slot;
    bool lie_in_rows = false;  ///< as the elements do; else k of each row, one row after the other
};

/// Adds the launch that brings those elements of `from` that have these indices to `to`, k of each row, or up to the
/// request's limit.
void add_gathering(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to);

/// The same of elements that lie as the indices do.
void add_taking(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to);

}  // namespace lanesort::inline v0_1::detail
