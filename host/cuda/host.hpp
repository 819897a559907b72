// An opened CUDA device: its primary context, a stream, programs.
#pragma once

#include <memory>
#include <vector>

#include "../../lib/src/backend.hpp"
#include "driver.hpp"
#include "executor.hpp"
#include "program.hpp"

namespace lanesort::cuda {

class Host final : public detail::Backend {
public:
    explicit Host(CUdevice device);
    ~Host() override;

    const DeviceInfo& info() const noexcept override { return info_; }
    unsigned prepare(const detail::KernelParameters& parameters) override;
    void release() override;
    SortReport sort_host(const detail::HostArrays& arrays, std::uint64_t count, const Plan& plan,
                         const detail::KernelParameters& parameters, KeyCoding coding,
                         const std::function<void(std::size_t, std::size_t)>& progress) override;
    SortReport select_host(const void* keys, const detail::HostArrays& selected, const detail::Selection& selection,
                           const detail::KernelParameters& parameters, KeyCoding coding) override;
    void runs_host(const void* keys, const detail::HostRuns& found, const detail::RunsSchedule& schedule,
                   const detail::KernelParameters& parameters, KeyCoding coding) override;
    SyncCounts count_host(void* keys, const Plan& plan, const detail::KernelParameters& parameters,
                          KeyCoding coding) override;

    CUdevice device() const noexcept { return device_; }
    CUcontext context() const noexcept { return context_; }
    /// For memory in the order of a stream. Keeps some of what is freed, since taking it from the device anew takes
    /// longer than a small sort.
    CUmemoryPool pool();
    /// The compiled kernels of prepared parameters.
    const std::shared_ptr<Program>& shared_program(const detail::KernelParameters& parameters) const;
    const Program& program(const detail::KernelParameters& parameters) const { return *shared_program(parameters); }

private:
    CUdevice device_;
    DeviceInfo info_;
    CUcontext context_ = nullptr;
    CUmemoryPool pool_ = nullptr;
    std::vector<std::shared_ptr<Program>> programs_;  // recorded sorts hold theirs, too
};

}  // namespace lanesort::cuda
