#include "lane.hpp"

#include <algorithm>
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

/// Calls copy(row), or copy_all() where the driver copies such rows at once.
template <class CopyRow, class CopyAll>
void copy_rows(const detail::Rows& rows, const CopyRow& copy_row, const CopyAll& copy_all) {
    constexpr std::uint64_t most_pitch = (std::uint64_t{1} << 31) - 1;
    if (rows.height > 1 && std::max(rows.pitch, rows.device_pitch) <= most_pitch) return copy_all();
    for (std::uint64_t row = 0; row < rows.height; ++row) copy_row(row);
}

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
    copy_rows(
        from,
        [&](std::uint64_t row) {
            LANESORT_CU(cuMemcpyHtoDAsync, address_of(to) + row * from.device_pitch,
                        static_cast<const std::byte*>(from.host) + row * from.pitch, from.width, *stream_);
        },
        [&] {
            CUDA_MEMCPY2D copy{};
            copy.srcMemoryType = CU_MEMORYTYPE_HOST;
            copy.srcHost = from.host;
            copy.srcPitch = from.pitch;
            copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.dstDevice = address_of(to);
            copy.dstPitch = from.device_pitch;
            copy.WidthInBytes = from.width;
            copy.Height = from.height;
            LANESORT_CU(cuMemcpy2DAsync, &copy, *stream_);
        });
}

void StreamLane::download(const detail::Binding& from, const detail::Rows& to) {
    const CurrentContext current(context_);
    if (to.height == 1 && staging_.is_for(to.host, to.width, least_staged))
        return staging_.download(to.host, address_of(from), to.width, *stream_);
    copy_rows(
        to,
        [&](std::uint64_t row) {
            LANESORT_CU(cuMemcpyDtoHAsync, static_cast<std::byte*>(to.host) + row * to.pitch,
                        address_of(from) + row * to.device_pitch, to.width, *stream_);
        },
        [&] {
            CUDA_MEMCPY2D copy{};
            copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = address_of(from);
            copy.srcPitch = to.device_pitch;
            copy.dstMemoryType = CU_MEMORYTYPE_HOST;
            copy.dstHost = to.host;
            copy.dstPitch = to.pitch;
            copy.WidthInBytes = to.width;
            copy.Height = to.height;
            LANESORT_CU(cuMemcpy2DAsync, &copy, *stream_);
        });
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
