#include <lanesort/commands.hpp>

#include "described_device.hpp"
#include "planner.hpp"

namespace lanesort {
namespace detail {
namespace {

PlannedCommand scheduled(const Work& work, const Launch& launch) {
    const KernelParameters& parameters = work.programs[launch.program]->parameters;
    return {kernel_names(parameters)[launch.kernel], launch.groups, parameters.work_items()};
}
PlannedCommand scheduled(const Work&, const Copy& copy) { return {"copy", 0, 0, copy.width * copy.height}; }
PlannedCommand scheduled(const Work& work, const Zero& zero) { return {"zero", 0, 0, work.arrays[zero.array].size()}; }

}  // namespace
}  // namespace detail

CommandList commands_of(const DeviceInfo& device, const Request& request) {
    detail::DescribedDevice described(device);
    detail::Planner planner(described, {.use_tuned = false});
    const auto work = planner.plan(request);
    CommandList list{{}, work->report};
    for (const detail::Command& command : work->commands)
        list.commands.push_back(
            std::visit([&](const auto& of_its_kind) { return detail::scheduled(*work, of_its_kind); }, command));
    return list;
}

}  // namespace lanesort
