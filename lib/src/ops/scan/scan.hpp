// SPDX-License-Identifier: MIT
// Scans, for what makes them otherwise than usual.
#pragma once

#include "ops/operations.hpp"
#include "scan_schedule.hpp"

namespace lanesort::inline v0_1::detail {

/// Adds the launches of that schedule. Its work-groups must suit the device's compiler.
void add_scan(Planner& planner, const Request& request, const ScanSchedule& schedule, Work& work);

}  // namespace lanesort::inline v0_1::detail
