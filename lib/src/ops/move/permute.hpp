// SPDX-License-Identifier: MIT
// Values in the order of indices, in place (kernels/move/permute.cl).
#pragma once

#include "ops/sort/sort.hpp"

namespace lanesort::inline v0_1::detail {

/// Adds the launches that bring the values of each of the request's rows into the order of these indices, which they
/// use up. Requires: the device is a processor.
void add_permutation(Planner& planner, Work& work, const Request& request, Slot indices, Slot values);

}  // namespace lanesort::inline v0_1::detail
