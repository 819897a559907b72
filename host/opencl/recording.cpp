// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "checked.hpp"

namespace lanesort::inline v0_1::opencl {

std::vector<cl::Event> events_of(const detail::Queue& queue) {
    std::vector<cl::Event> events;
    events.reserve(queue.wait_list.size());
    for (void* const handle : queue.wait_list) events.emplace_back(static_cast<cl_event>(handle), true);
    return events;
}

void give(const cl::Event& finished, void** event) {
    if (!event) return;
    check(clRetainEvent(finished()), "clRetainEvent");
    *event = finished();
}

QueueRecording::QueueRecording(const Host& host, std::shared_ptr<const detail::Work> work,
                               const detail::Bindings& bindings, cl::CommandQueue queue)
    : host_(host),
      work_(std::move(work)),
      bindings_(bindings),
      own_(host.context(), work_->arrays, bindings_),
      queue_(std::move(queue)) {
    for (const detail::Binding& binding : bindings)
        if (binding.memory) callers_.emplace_back(static_cast<cl_mem>(binding.memory), true);
    if (work_->commands.empty() || !CommandBuffer::supported(queue_, *work_)) return;
    // The extension is provisional: where it fails, the commands are enqueued one by one.
    try {
        recorded_.emplace(queue_).record(*work_, bindings_);
    } catch (const cl::Error&) {
        recorded_.reset();
    }
}

void QueueRecording::enqueue(const detail::Queue& queue, void** event) {
    checked([&] {
        host_.check(queue);
        std::vector<cl::Event> wait_list = events_of(queue);
        if (recorded_ && recorded_->ready()) return give(recorded_->enqueue(wait_list), event);
        QueueExecutor executor(queue_);
        executor.gives_end = event != nullptr;
        give(executor.run(*work_, bindings_, std::move(wait_list)), event);
    });
}

}  // namespace lanesort::inline v0_1::opencl
