// SPDX-License-Identifier: MIT
// Quicksort for processors: in place, in a time that depends on the keys.
#pragma once

#include "sort.hpp"

namespace lanesort::inline v0_1::detail {

/// Adds the launches of a quicksort of the request's one range, if the device has the kernels, and it is faster or
/// demanded. It reads `sources`, if there are any. Returns whether it did. Throws Error(unsupported) where one that is
/// demanded takes more than Request::extra_bytes, or has no kernels on a device that compiles none. Requires: the
/// request does not rule a distribution out.
bool add_quicksort(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys,
                   Slot indices, Slot values, const Sources* sources);

}  // namespace lanesort::inline v0_1::detail
