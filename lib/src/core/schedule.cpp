#include <lanesort/schedule.hpp>

#include "planner.hpp"

namespace lanesort {
namespace detail {
namespace {

/// A device that is only described: kernels run in the largest work-groups that it has.
class DescribedDevice final : public Backend {
public:
    explicit DescribedDevice(const DeviceInfo& info) : info_(info) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const Program> compile(const KernelParameters& parameters) override {
        auto program = std::make_shared<Program>(parameters);
        program->max_work_items = info_.max_work_items;
        return program;
    }
    void release() override {}
    SortReport run_on_host_memory(const Work& work, const Bindings&,
                                  const std::function<void(std::size_t, std::size_t)>&) override {
        return work.report;
    }
    MemoryFacts inspect(void*) const override { return {}; }
    void check(const Queue&) const override {}
    void enqueue(const Work&, const Bindings&, const Queue&, void**) override {}
    std::unique_ptr<Recording> record(std::shared_ptr<const Work>, const Bindings&, void*) override { return nullptr; }

private:
    const DeviceInfo& info_;
};

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
