// SPDX-License-Identifier: MIT
// Selections, for operations that are made of them.
#pragma once

#include "core/planner.hpp"
#include "ops/sort/sort.hpp"

namespace lanesort::inline v0_1::detail {

/// Brings the first few numbers of a range, or of each of its rows, to its front, in order, if a processor does so
/// sooner than it merges: it reads each once. Else gives false. The keys are those of `sources`, if there are any, and
/// are copied then.
bool add_top_k_to_front(Planner& planner, Work& work, const Request& request, Slot keys, const Sources* sources);

}  // namespace lanesort::inline v0_1::detail
