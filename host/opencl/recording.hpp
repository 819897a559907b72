// SPDX-License-Identifier: MIT
// A work recorded for a queue: as a command buffer where the device has them, else to be enqueued command by command.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "clhpp.hpp"
#include "command_buffer.hpp"
#include "executor.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::opencl {

/// The events of a queue's wait list, retained.
std::vector<cl::Event> events_of(const detail::Queue& queue);

/// Gives the event to the caller, if one is asked for.
void give(const cl::Event& finished, void** event);

class QueueRecording final : public detail::Recording {
public:
    QueueRecording(const Host& host, std::shared_ptr<const detail::Work> work, const detail::Bindings& bindings,
                   cl::CommandQueue queue);

    void enqueue(const detail::Queue& queue, void** event) override;
    bool is_replayed() const noexcept override { return recorded_.has_value(); }

private:
    const Host& host_;
    std::shared_ptr<const detail::Work> work_;
    detail::Bindings bindings_;
    std::vector<cl::Buffer> callers_;  ///< retained
    OwnArrays own_;
    cl::CommandQueue queue_;
    std::optional<CommandBuffer> recorded_;
};

}  // namespace lanesort::inline v0_1::opencl
