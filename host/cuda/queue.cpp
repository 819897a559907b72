// SPDX-License-Identifier: MIT
#include "queue.hpp"

#include <utility>

#include "checked.hpp"
#include "executor.hpp"

namespace lanesort::inline v0_1::cu {
namespace {

struct StreamEnd final : detail::QueueEnd {
    StreamEnd(std::shared_ptr<EventPool> of, CUstream stream) : events(std::move(of)), event(events->take()) {
        const CUresult result = driver().cuEventRecord(event, stream);
        if (result == CUDA_SUCCESS) return;
        events->give_back(event);
        check(result, "cuEventRecord");
    }
    ~StreamEnd() override { events->give_back(event); }
    StreamEnd(const StreamEnd&) = delete;
    StreamEnd& operator=(const StreamEnd&) = delete;

    void wait() const override {
        const CurrentContext current(events->context());
        LANESORT_CU(cuEventSynchronize, event);
    }
    bool has_come() const override {
        const CurrentContext current(events->context());
        const CUresult result = driver().cuEventQuery(event);
        if (result != CUDA_ERROR_NOT_READY) check(result, "cuEventQuery");
        return result == CUDA_SUCCESS;
    }

    const std::shared_ptr<EventPool> events;
    const CUevent event;
};

CUdeviceptr address_of(const detail::Binding& there) {
    return reinterpret_cast<CUdeviceptr>(there.memory) + there.offset;
}

}  // namespace

CUevent EventPool::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!events_.empty()) {
            const CUevent event = events_.back();
            events_.pop_back();
            return event;
        }
    }
    CUevent made = nullptr;
    LANESORT_CU(cuEventCreate, &made, CU_EVENT_DISABLE_TIMING);
    return made;
}

void EventPool::give_back(CUevent event) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    } catch (...) {
        // It is not kept, then.
        const ContextAtEnd current(context_);
        driver().cuEventDestroy(event);
    }
}

void EventPool::clear() noexcept {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return;
    const ContextAtEnd current(context_);
    for (const CUevent event : events_) driver().cuEventDestroy(event);
    events_.clear();
}

StreamQueue::StreamQueue(Host& host) : host_(host) {
    const CurrentContext current(host.context());
    stream_ = own_.emplace();
}

StreamQueue::StreamQueue(Host& host, CUstream callers) : host_(host), stream_(callers) {}

StreamQueue::~StreamQueue() {
    const ContextAtEnd current(host_.context());
    own_.reset();  // waits
    memory_.clear();
    pool_memory_.clear();
}

void* StreamQueue::allocate(std::uint64_t bytes) {
    const CurrentContext current(host_.context());
    allocate_first([&] {
        if (own_) memory_.emplace_back(bytes);
        else pool_memory_.emplace_back(host_, stream_, bytes);
    });
    return own_ ? pointer_to(memory_.back()) : pointer_to(pool_memory_.back());
}

void StreamQueue::upload(const detail::Rows& all, const detail::Binding& there) {
    const CurrentContext current(host_.context());
    each_slice(all, there, [&](const detail::Rows& from, const detail::Binding& to) {
        CUDA_MEMCPY2D rows{};
        rows.srcMemoryType = CU_MEMORYTYPE_HOST;
        rows.srcHost = from.host;
        rows.srcPitch = from.pitch;
        rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.dstDevice = address_of(to);
        rows.dstPitch = from.device_pitch;
        rows.WidthInBytes = from.width;
        rows.Height = from.height;
        copy_rows(rows, stream_);
    });
}

void StreamQueue::download(const detail::Binding& there, const detail::Rows& all) {
    const CurrentContext current(host_.context());
    each_slice(all, there, [&](const detail::Rows& to, const detail::Binding& from) {
        CUDA_MEMCPY2D rows{};
        rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.srcDevice = address_of(from);
        rows.srcPitch = to.device_pitch;
        rows.dstMemoryType = CU_MEMORYTYPE_HOST;
        rows.dstHost = to.host;
        rows.dstPitch = to.pitch;
        rows.WidthInBytes = to.width;
        rows.Height = to.height;
        copy_rows(rows, stream_);
    });
}

void StreamQueue::copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) {
    const CurrentContext current(host_.context());
    LANESORT_CU(cuMemcpyDtoDAsync, address_of(to), address_of(from), bytes, stream_);
}

void StreamQueue::run(const detail::Work& work, const detail::Bindings& bindings) {
    const CurrentContext current(host_.context());
    if (own_) StreamExecutor(stream_).run(work, bindings);
    else host_.enqueue_on(work, bindings, stream_);
}

std::shared_ptr<const detail::QueueEnd> StreamQueue::end() {
    const CurrentContext current(host_.context());
    return std::make_shared<StreamEnd>(host_.events(), stream_);
}

void StreamQueue::wait() {
    const CurrentContext current(host_.context());
    LANESORT_CU(cuStreamSynchronize, stream_);
}

void StreamQueue::await(std::shared_ptr<const detail::QueueEnd> end) {
    const CurrentContext current(host_.context());
    LANESORT_CU(cuStreamWaitEvent, stream_, static_cast<const StreamEnd&>(*end).event, 0);
}

}  // namespace lanesort::inline v0_1::cu
