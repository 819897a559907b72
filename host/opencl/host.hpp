// An opened OpenCL device: context, queue, programs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "../../lib/src/backend.hpp"
#include "clhpp.hpp"
#include "executor.hpp"
#include "program.hpp"

namespace lanesort::opencl {

class Host final : public detail::Backend {
public:
    /// Throws cl::Error.
    Host(cl::Context context, cl::Device device);

    const DeviceInfo& info() const noexcept override { return info_; }
    unsigned prepare(const detail::KernelParameters& parameters) override;
    void release() override;
    void rehearse(const detail::KernelParameters& parameters, const Plan& plan) override;
    void rehearse(const detail::KernelParameters& parameters, const detail::Selection& selection) override;
    void rehearse(const detail::KernelParameters& parameters, const detail::RunsSchedule& schedule) override;
    SortReport sort_host(const detail::HostArrays& arrays, std::uint64_t count, const Plan& plan,
                         const detail::KernelParameters& parameters, KeyCoding coding,
                         const std::function<void(std::size_t, std::size_t)>& progress) override;
    SortReport select_host(const void* keys, const detail::HostArrays& selected, const detail::Selection& selection,
                           const detail::KernelParameters& parameters, KeyCoding coding) override;
    void runs_host(const void* keys, const detail::HostRuns& found, const detail::RunsSchedule& schedule,
                   const detail::KernelParameters& parameters, KeyCoding coding) override;
    SyncCounts count_host(void* keys, const Plan& plan, const detail::KernelParameters& parameters,
                          KeyCoding coding) override;

    const cl::Context& context() const noexcept { return context_; }
    const cl::Device& device() const noexcept { return device_; }
    /// The compiled kernels of prepared parameters.
    const std::shared_ptr<Program>& shared_program(const detail::KernelParameters& parameters);
    Program& program(const detail::KernelParameters& parameters) { return *shared_program(parameters); }

private:
    /// The queue of host-range sorts, made when the first one needs it.
    const cl::CommandQueue& queue();
    /// Processors compile a kernel, or a part of it, when it is first launched.
    bool compiles_at_launch() const noexcept { return info_.kind == DeviceKind::cpu; }

    cl::Context context_;
    cl::Device device_;
    DeviceInfo info_;
    std::optional<cl::CommandQueue> queue_;
    std::vector<std::shared_ptr<Program>> programs_;  // recorded sorts hold theirs, too
};

}  // namespace lanesort::opencl
