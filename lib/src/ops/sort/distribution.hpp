// SPDX-License-Identifier: MIT
// Sorts by distribution: in place, at the speed of a radix sort, in a time that depends on the keys.
#pragma once

#include "distribution_schedule.hpp"
#include "sort.hpp"

namespace lanesort::inline v0_1::detail {

/// Adds the launches that sort the request's one range by distribution, if it is faster or demanded. Returns whether it
/// did. Throws Error(unsupported) where one that is demanded cannot be. Requires: the request does not rule it out. The
/// first level reads `sources`, if there are any.
bool add_distribution(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys,
                      Slot indices, Slot values, const Sources* sources);

/// Throws Error(unsupported) for a request that demands a distribution; `why` there is none ends the sentence.
[[noreturn]] void refuse_distribution(const Request& request, const DeviceInfo& device, const std::string& why);

/// The distribution that a request which demands one is planned with: what the device's compiler allows is known then,
/// and the tables lie accordingly. Errors: as above.
Distribution distribution_of(Planner& planner, const Request& request, const ElementBytes& bytes);

}  // namespace lanesort::inline v0_1::detail
