// SPDX-License-Identifier: MIT
/// @file
/// What a call enqueues, known before it runs and without a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/report.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

/// One command of a call; each begins when the one before it has ended.
struct PlannedCommand {
    std::string name;              ///< of the kernel; or "copy", or "zero"
    std::uint64_t groups = 0;      ///< work-groups of a kernel
    std::uint64_t work_items = 0;  ///< of a work-group
    std::uint64_t bytes = 0;       ///< that are copied or zeroed

    friend bool operator==(const PlannedCommand&, const PlannedCommand&) = default;
};

/// All commands of a call.
struct CommandList {
    std::vector<PlannedCommand> commands;  ///< in order
    SortReport report;  ///< launches, synchronisations, device memory (with that of copies if in_host_memory); no times
};

/// The commands of that call on a device of that description, as far as the description tells: the device's own
/// compiler may demand smaller work-groups, and `lanesort tune` may have stored other shapes.
///
/// Cost: compiles nothing and needs no device.
/// Errors: those of the call that do not depend on where its arrays lie.
CommandList commands_of(const DeviceInfo& device, const Request& request);

}  // namespace lanesort::inline v0_1
