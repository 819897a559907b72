// Sorts by distribution: in place, at the speed of a radix sort, in a time that depends on the keys.
#pragma once

#include "sort.hpp"

namespace lanesort::detail {

/// Adds the launches that sort the request's one range by distribution, if the request demands it. Returns whether it
/// did. Throws Error(unsupported) where it cannot be.
bool add_distribution(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys,
                      Slot indices, Slot values);

}  // namespace lanesort::detail
