// SPDX-License-Identifier: MIT
// An opened CUDA device: its primary context, a stream, programs.
#pragma once

#include <memory>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "../../lib/src/large/staging.hpp"
#include "driver.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::cu {

class EventPool;
class PinnedMemory;
class StreamQueue;

class Host final : public detail::Backend {
public:
    explicit Host(CUdevice device);
    ~Host() override;

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const detail::Program> compile(const detail::KernelParameters& parameters) override;
    void release() override;
    SortReport run_on_host_memory(const detail::Work& work, const detail::Bindings& bindings,
                                  const std::function<void(std::size_t, std::size_t)>& progress) override;
    bool has_queues() const noexcept override { return true; }
    std::unique_ptr<detail::DeviceQueue> open_queue() override;
    std::unique_ptr<detail::DeviceQueue> use_queue(void* callers) override;
    std::shared_ptr<void> pin(void* memory, std::uint64_t bytes, const std::function<void()>& write_first) override;
    detail::MemoryFacts inspect(void* memory) const override;
    void check(const detail::Queue& queue) const override;
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue& queue,
                 void** event) override;
    bool reaches(detail::Backend& other, void* memory) override;
    std::unique_ptr<detail::SharedMemory> allocate(std::uint64_t bytes, bool on_host) override;
    std::unique_ptr<detail::Recording> record(std::shared_ptr<const detail::Work> work,
                                              const detail::Bindings& bindings, void* queue) override;

    CUcontext context() const noexcept { return context_; }
    /// Of queues.
    const std::shared_ptr<EventPool>& events() const noexcept { return events_; }
    /// For memory in the order of a stream. Keeps some of what is freed, since taking it from the device anew takes
    /// longer than a small sort.
    CUmemoryPool pool();
    /// Enqueues the work between the caller's events, with memory of the pool; the context is current.
    void enqueue_on(const detail::Work& work, detail::Bindings bindings, CUstream stream);

private:
    /// The queue, whose large copies are staged.
    std::unique_ptr<detail::DeviceQueue> staged(std::unique_ptr<StreamQueue> queue);
    /// Pinned memory to stage through; null where there is none.
    std::shared_ptr<std::byte> allocate_buffers(std::size_t bytes) const;

    CUdevice device_;
    DeviceInfo info_;
    CUcontext context_ = nullptr;
    CUmemoryPool pool_ = nullptr;
    std::vector<std::shared_ptr<const Program>> programs_;
    detail::Staging staging_;
    std::shared_ptr<EventPool> events_;
    std::vector<std::unique_ptr<PinnedMemory>> pinned_;  ///< for the next call
};

}  // namespace lanesort::inline v0_1::cu
