// SPDX-License-Identifier: MIT
// A stream, with memory, for works and the copies around them.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "memory.hpp"

namespace lanesort::inline v0_1::cu {

/// Events that queues use again: to make one and to destroy it takes longer than to copy half a MiB
/// (docs/decisions.md#pageable-host-arrays).
class EventPool {
public:
    explicit EventPool(CUcontext context) : context_(context) {}
    ~EventPool() { clear(); }
    EventPool(const EventPool&) = delete;
    EventPool& operator=(const EventPool&) = delete;

    CUcontext context() const noexcept { return context_; }
    /// The context is current.
    CUevent take();
    void give_back(CUevent event) noexcept;
    void clear() noexcept;

private:
    const CUcontext context_;
    std::mutex mutex_;
    std::vector<CUevent> events_;
};

class StreamQueue final : public detail::DeviceQueue {
public:
    explicit StreamQueue(Host& host);
    StreamQueue(Host& host, CUstream callers);
    ~StreamQueue() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const detail::Rows& all, const detail::Binding& there) override;
    void download(const detail::Binding& there, const detail::Rows& all) override;
    void copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) override;
    void run(const detail::Work& work, const detail::Bindings& bindings) override;
    std::shared_ptr<const detail::QueueEnd> end() override;
    void wait() override;
    void await(std::shared_ptr<const detail::QueueEnd> end) override;

private:
    Host& host_;
    std::list<DeviceMemory> memory_;
    std::list<PoolMemory> pool_memory_;  ///< of the caller's stream
    std::optional<OwnStream> own_;
    CUstream stream_ = nullptr;
};

}  // namespace lanesort::inline v0_1::cu
