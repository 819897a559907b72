// SPDX-License-Identifier: MIT
#include "queue.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "checked.hpp"
#include "executor.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

/// What any command failed with, its event tells better than the queue.
struct EventsEnd final : detail::QueueEnd {
    explicit EventsEnd(std::vector<cl::Event> all) : events(std::move(all)) {}
    void wait() const override {
        checked([&] { cl::Event::waitForEvents(events); });
    }
    bool has_come() const override {
        return checked([&] {
            return std::ranges::all_of(events, [](const cl::Event& event) {
                const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
                if (status > CL_COMPLETE) return false;
                event.wait();  // only now is it sure to be seen here; tells what failed
                return true;
            });
        });
    }

    std::vector<cl::Event> events;
};

cl::Buffer buffer_at(const detail::Binding& there) { return cl::Buffer(static_cast<cl_mem>(there.memory), true); }

}  // namespace

OpenclQueue::OpenclQueue(Host& host, cl::CommandQueue queue, bool is_own)
    : host_(host), queue_(std::move(queue)), is_own_(is_own) {}

OpenclQueue::~OpenclQueue() {
    if (is_own_) clFinish(queue_());
}

void* OpenclQueue::allocate(std::uint64_t bytes) {
    allocate_first([&] {
        memory_.emplace_back(host_.context(), CL_MEM_READ_WRITE, bytes);
        if (!is_own_) return;
        // Some drivers look for memory when it is first used, which would be too late.
        cl::Event filled;
        queue_.enqueueFillBuffer(memory_.back(), std::uint8_t{0}, 0, 1, nullptr, &filled);
        filled.wait();
    });
    return memory_.back()();
}

template <class Enqueue>
void OpenclQueue::add(const Enqueue& enqueue) {
    checked([&] {
        if (!is_own_) return enqueue(nullptr);
        cl::Event end;
        enqueue(&end);
        ends_.push_back(std::move(end));
    });
}

void OpenclQueue::upload(const detail::Rows& all, const detail::Binding& there) {
    each_slice(all, there, [&](const detail::Rows& from, const detail::Binding& to) {
        add([&](cl::Event* end) {
            if (from.height == 1)
                queue_.enqueueWriteBuffer(buffer_at(to), CL_FALSE, to.offset, from.width, from.host, nullptr, end);
            else
                queue_.enqueueWriteBufferRect(buffer_at(to), CL_FALSE, {to.offset, 0, 0}, {0, 0, 0},
                                              {from.width, from.height, 1}, from.device_pitch, 0, from.pitch, 0,
                                              from.host, nullptr, end);
        });
    });
}

void OpenclQueue::download(const detail::Binding& there, const detail::Rows& all) {
    each_slice(all, there, [&](const detail::Rows& to, const detail::Binding& from) {
        add([&](cl::Event* end) {
            if (to.height == 1)
                queue_.enqueueReadBuffer(buffer_at(from), CL_FALSE, from.offset, to.width, to.host, nullptr, end);
            else
                queue_.enqueueReadBufferRect(buffer_at(from), CL_FALSE, {from.offset, 0, 0}, {0, 0, 0},
                                             {to.width, to.height, 1}, to.device_pitch, 0, to.pitch, 0, to.host,
                                             nullptr, end);
        });
    });
}

void OpenclQueue::copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) {
    add([&](cl::Event* end) {
        queue_.enqueueCopyBuffer(buffer_at(from), buffer_at(to), from.offset, to.offset, bytes, nullptr, end);
    });
}

void OpenclQueue::run(const detail::Work& work, const detail::Bindings& bindings) {
    if (is_own_) checked([&] { ends_.push_back(QueueExecutor(queue_).run(work, bindings)); });
    else host_.enqueue(work, bindings, {queue_(), {}}, nullptr);
}

std::shared_ptr<const detail::QueueEnd> OpenclQueue::end() {
    return checked([&] {
        // Behind all that is on the caller's queue, in order or not.
        if (ends_.empty()) queue_.enqueueMarkerWithWaitList(nullptr, &ends_.emplace_back());
        queue_.flush();
        return std::make_shared<const EventsEnd>(std::exchange(ends_, {}));
    });
}

void OpenclQueue::await(std::shared_ptr<const detail::QueueEnd> end) {
    checked([&] {
        std::vector<cl::Event> events = static_cast<const EventsEnd&>(*end).events;
        // PoCL (3.1) forgets a barrier when another one comes that has a wait list: so that names what is here, too.
        if (!is_own_) queue_.enqueueMarkerWithWaitList(nullptr, &events.emplace_back());
        queue_.enqueueBarrierWithWaitList(&events);
    });
}

void OpenclQueue::settle() {
    if (!is_own_) checked([&] { queue_.enqueueBarrierWithWaitList(); });
}

}  // namespace lanesort::inline v0_1::opencl
