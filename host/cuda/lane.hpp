// SPDX-License-Identifier: MIT
// A stream of the library's own, with memory, for works and the copies around them.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "memory.hpp"

namespace lanesort::inline v0_1::cu {

/// Events that lanes use again: to make one and to destroy it takes longer than to copy half a MiB
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

class StreamLane final : public detail::Lane {
public:
    explicit StreamLane(std::shared_ptr<EventPool> events);
    ~StreamLane() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const detail::Rows& all, const detail::Binding& there) override;
    void download(const detail::Binding& there, const detail::Rows& all) override;
    void run(const detail::Work& work, const detail::Bindings& bindings) override;
    std::shared_ptr<const detail::LaneEnd> end() override;
    void await(std::shared_ptr<const detail::LaneEnd> end) override;

private:
    const std::shared_ptr<EventPool> events_;
    const CUcontext context_;
    std::list<DeviceMemory> memory_;
    std::optional<OwnStream> stream_;
};

}  // namespace lanesort::inline v0_1::cu
