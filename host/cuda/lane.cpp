#include "lane.hpp"

#include <cstddef>

#include "checked.hpp"
#include "executor.hpp"

namespace lanesort::cu {
namespace {

/// Rows are copied piece by piece from this size on. Small parts are many: each takes its time, but the driver more.
constexpr std::size_t least_staged = std::size_t{1} << 20;

struct StreamEnd final : detail::LaneEnd {
    StreamEnd(CUcontext its, CUstream stream) : context(its) { event.emplace(stream); }
    ~StreamEnd() override {
        const ContextAtEnd current(context);
        event.reset();
    }
    void wait() const override {
        const CurrentContext current(context);
        event->wait();
    }

    CUcontext context;
    std::optional<OwnEvent> event;
};

CUdeviceptr address_of(const detail::Binding& there) {
    return reinterpret_cast<CUdeviceptr>(there.memory) + there.offset;
}

}  // namespace

StreamLane::StreamLane(CUcontext context, Staging& staging) : context_(context), staging_(staging) {
    const CurrentContext current(context_);
    stream_.emplace();
}

StreamLane::~StreamLane() {
    const ContextAtEnd current(context_);
    stream_.reset();  // waits
    memory_.clear();
}

void* StreamLane::allocate(std::uint64_t bytes) {
    const CurrentContext current(context_);
    allocate_first([&] { memory_.emplace_back(bytes); });
    return pointer_to(memory_.back());
}

void StreamLane::upload(const detail::Rows& from, const detail::Binding& to) {
    const CurrentContext current(context_);
    if (from.height == 1 && staging_.is_for(from.host, from.width, least_staged))
        return staging_.upload(address_of(to), from.host, from.width, *stream_);
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = CU_MEMORYTYPE_HOST;
    rows.srcHost = from.host;
    rows.srcPitch = from.pitch;
    rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.dstDevice = address_of(to);
    rows.dstPitch = from.device_pitch;
    rows.WidthInBytes = from.width;
    rows.Height = from.height;
    copy_rows(rows, *stream_);
}

void StreamLane::download(const detail::Binding& from, const detail::Rows& to) {
    const CurrentContext current(context_);
    if (to.height == 1 && staging_.is_for(to.host, to.width, least_staged))
        return staging_.download(to.host, address_of(from), to.width, *stream_);
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.srcDevice = address_of(from);
    rows.srcPitch = to.device_pitch;
    rows.dstMemoryType = CU_MEMORYTYPE_HOST;
    rows.dstHost = to.host;
    rows.dstPitch = to.pitch;
    rows.WidthInBytes = to.width;
    rows.Height = to.height;
    copy_rows(rows, *stream_);
}

void StreamLane::run(const detail::Work& work, const detail::Bindings& bindings) {
    const CurrentContext current(context_);
    StreamExecutor(*stream_).run(work, bindings);
}

std::shared_ptr<const detail::LaneEnd> StreamLane::end() {
    const CurrentContext current(context_);
    return std::make_shared<StreamEnd>(context_, *stream_);
}

void StreamLane::await(const detail::LaneEnd& end) {
    const CurrentContext current(context_);
    static_cast<const StreamEnd&>(end).event->delay(*stream_);
}

}  // namespace lanesort::cu
