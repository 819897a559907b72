// SPDX-License-Identifier: MIT
// An opened OpenCL device: context, queue, programs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "../../lib/src/large/staging.hpp"
#include "buffer_pool.hpp"
#include "clhpp.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::opencl {

class Host final : public detail::Backend {
public:
    /// Throws cl::Error.
    Host(cl::Context context, cl::Device device);

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const detail::Program> compile(const detail::KernelParameters& parameters) override;
    void rehearse(const detail::Work& work) override;
    void release() override;
    SortReport run_on_host_memory(const detail::Work& work, const detail::Bindings& bindings,
                                  const std::function<void(std::size_t, std::size_t)>& progress) override;
    bool has_queues() const noexcept override { return true; }
    std::unique_ptr<detail::DeviceQueue> open_queue() override;
    std::unique_ptr<detail::DeviceQueue> use_queue(void* callers) override;
    detail::MemoryFacts inspect(void* memory) const override;
    void check(const detail::Queue& queue) const override;
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue& queue,
                 void** event) override;
    void discard(void* event) noexcept override { clReleaseEvent(static_cast<cl_event>(event)); }
    bool reaches(detail::Backend& other, void* memory) override;
    std::unique_ptr<detail::Recording> record(std::shared_ptr<const detail::Work> work,
                                              const detail::Bindings& bindings, void* queue) override;

    const cl::Context& context() const noexcept { return context_; }

private:
    /// The queue of calls on host memory, made when the first one needs it.
    const cl::CommandQueue& queue();
    /// Processors compile a kernel, or a part of it, when it is first launched.
    bool compiles_at_launch() const noexcept { return info_.kind == DeviceKind::cpu; }

    /// The queue, whose large copies are staged where the device has memory of its own.
    std::unique_ptr<detail::DeviceQueue> staged(std::unique_ptr<detail::DeviceQueue> queue);
    /// Memory that drivers of graphics cards pin, to stage through; null where there is none.
    std::shared_ptr<std::byte> allocate_buffers(std::size_t bytes) const;

    cl::Context context_;
    cl::Device device_;
    DeviceInfo info_;
    std::optional<cl::CommandQueue> queue_;
    BufferPool pool_;
    std::vector<std::shared_ptr<const Program>> programs_;
    detail::Staging staging_;
};

}  // namespace lanesort::inline v0_1::opencl
