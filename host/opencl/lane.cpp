// SPDX-License-Identifier: MIT
#include "lane.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "checked.hpp"
#include "executor.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

/// What any command failed with, its event tells better than the queue.
struct QueueEnd final : detail::LaneEnd {
    explicit QueueEnd(std::vector<cl::Event> all) : events(std::move(all)) {}
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

QueueLane::QueueLane(const cl::Context& context, const cl::Device& device)
    : context_(context), queue_(checked([&] { return cl::CommandQueue(context, device); })) {}

QueueLane::~QueueLane() { clFinish(queue_()); }

void* QueueLane::allocate(std::uint64_t bytes) {
    allocate_first([&] {
        memory_.emplace_back(context_, CL_MEM_READ_WRITE, bytes);
        // Some drivers look for memory when it is first used, which would be too late.
        cl::Event filled;
        queue_.enqueueFillBuffer(memory_.back(), std::uint8_t{0}, 0, 1, nullptr, &filled);
        filled.wait();
    });
    return memory_.back()();
}

template <class Enqueue>
void QueueLane::add(const Enqueue& enqueue) {
    checked([&] {
        cl::Event end;
        enqueue(&end);
        ends_.push_back(std::move(end));
    });
}

void QueueLane::upload(const detail::Rows& all, const detail::Binding& there) {
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

void QueueLane::download(const detail::Binding& there, const detail::Rows& all) {
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

void QueueLane::run(const detail::Work& work, const detail::Bindings& bindings) {
    checked([&] { ends_.push_back(QueueExecutor(queue_).run(work, bindings)); });
}

std::shared_ptr<const detail::LaneEnd> QueueLane::end() {
    return checked([&] {
        if (ends_.empty()) add([&](cl::Event* end) { queue_.enqueueMarkerWithWaitList(nullptr, end); });
        queue_.flush();
        return std::make_shared<const QueueEnd>(std::exchange(ends_, {}));
    });
}

void QueueLane::await(std::shared_ptr<const detail::LaneEnd> end) {
    checked([&] {
        const std::vector<cl::Event>& events = static_cast<const QueueEnd&>(*end).events;
        queue_.enqueueBarrierWithWaitList(&events);
    });
}

}  // namespace lanesort::inline v0_1::opencl
