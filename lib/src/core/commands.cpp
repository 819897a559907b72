// SPDX-License-Identifier: MIT
#include <lanesort/commands.hpp>
#include <lanesort/options.hpp>

#include "described_device.hpp"
#include "planner.hpp"

namespace lanesort::inline v0_1 {
namespace detail {
namespace {

PlannedCommand scheduled(const Work& work, const Launch& launch) {
    const KernelParameters& parameters = work.programs[launch.program]->parameters;
    return {kernel_names(parameters)[launch.kernel], launch.groups, parameters.work_items()};
}
PlannedCommand scheduled(const Work&, const Copy& copy) { return {"copy", 0, 0, copy.width * copy.height}; }
PlannedCommand scheduled(const Work& work, const Zero& zero) { return {"zero", 0, 0, work.arrays[zero.array].size()}; }

/// What the caller's arrays in host memory take on the device. Executors count it when they copy them.
std::uint64_t bytes_of_copies(const DeviceInfo& device, const Arrays& arrays) {
    std::uint64_t bytes = 0;
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (!is_own(static_cast<Slot>(slot)) && (!device.host_unified_memory || arrays[slot].access == Access::consume))
            bytes += arrays[slot].size();
    return bytes;
}

}  // namespace
}  // namespace detail

CommandList commands_of(const DeviceInfo& device, const Request& request) {
    detail::DescribedDevice described(device);
    detail::Planner planner(described, {.use_tuned = false});
    const auto work = planner.plan(request);
    CommandList list{{}, work->report};
    if (request.in_host_memory && !work->commands.empty())
        list.report.device_bytes += detail::bytes_of_copies(device, work->arrays);
    for (const detail::Command& command : work->commands)
        list.commands.push_back(
            std::visit([&](const auto& of_its_kind) { return detail::scheduled(*work, of_its_kind); }, command));
    return list;
}

}  // namespace lanesort::inline v0_1
