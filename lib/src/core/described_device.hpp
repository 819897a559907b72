// SPDX-License-Identifier: MIT
// A device that is only described.
#pragma once

#include "backend.hpp"

namespace lanesort::inline v0_1::detail {

/// Compiles and runs nothing: its kernels run in work-groups of so many work-items, the most that the device has if
/// that is not said.
class DescribedDevice : public Backend {
public:
    explicit DescribedDevice(DeviceInfo info) : info_(std::move(info)), allowed_(info_.max_work_items) {}
    DescribedDevice(DeviceInfo info, unsigned allowed) : info_(std::move(info)), allowed_(allowed) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const Program> compile(const KernelParameters& parameters) override {
        auto program = std::make_shared<Program>(parameters);
        program->max_work_items = allowed_;
        return program;
    }
    void release() override {}
    SortReport run_on_host_memory(const Work& work, const Bindings&,
                                  const std::function<void(std::size_t, std::size_t)>&) override {
        return work.report;
    }

private:
    DeviceInfo info_;
    unsigned allowed_;
};

}  // namespace lanesort::inline v0_1::detail
