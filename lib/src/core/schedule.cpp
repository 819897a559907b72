#include <lanesort/schedule.hpp>

#include "described_device.hpp"
#include "planner.hpp"

namespace lanesort {
namespace detail {
namespace {

ScheduledCommand scheduled(const Work& work, const Launch& launch) {
    const KernelParameters& parameters = work.programs[launch.program]->parameters;
    return {kernel_names(parameters)[launch.kernel], launch.groups, parameters.work_items()};
}
ScheduledCommand scheduled(const Work&, const Copy& copy) { return {"copy", 0, 0, copy.width * copy.height}; }
ScheduledCommand scheduled(const Work& work, const Zero& zero) {
    return {"zero", 0, 0, work.arrays[zero.array].size()};
}

}  // namespace
}  // namespace detail

Schedule schedule_of(const DeviceInfo& device, const Request& request) {
    detail::DescribedDevice described(device);
    detail::Planner planner(described, {.use_tuned = false});
    const auto work = planner.plan(request);
    Schedule schedule{{}, work->report};
    for (const detail::Command& command : work->commands)
        schedule.commands.push_back(
            std::visit([&](const auto& of_its_kind) { return detail::scheduled(*work, of_its_kind); }, command));
    return schedule;
}

}  // namespace lanesort
