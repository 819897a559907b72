// SPDX-License-Identifier: MIT
#include "host.hpp"

#include <algorithm>
#include <list>
#include <optional>

#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/stopwatch.hpp"
#include "checked.hpp"
#include "executor.hpp"
#include "memory.hpp"
#include "platform.hpp"
#include "queue.hpp"
#include "recording.hpp"

namespace lanesort::inline v0_1::cu {
namespace {

/// What CUDA does not know.
bool is_pageable(CUcontext context, const void* memory) {
    const CurrentContext current(context);
    unsigned kind = 0;
    const CUresult result =
        driver().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(memory));
    if (result != CUDA_ERROR_INVALID_VALUE) check(result, "cuPointerGetAttribute");
    return result == CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

Host::Host(CUdevice device)
    : device_(device),
      info_(describe(device)),
      staging_([this](std::size_t bytes) { return allocate_buffers(bytes); }) {
    LANESORT_CU(cuDevicePrimaryCtxRetain, &context_, device);
    events_ = std::make_shared<EventPool>(context_);
}

Host::~Host() {
    {
        const ContextAtEnd current(context_);
        programs_.clear();
        staging_.release();
        events_.reset();
        pinned_.clear();
        if (pool_) driver().cuMemPoolDestroy(pool_);
    }
    driver().cuDevicePrimaryCtxRelease(device_);
}

std::shared_ptr<std::byte> Host::allocate_buffers(std::size_t bytes) const {
    const CurrentContext current(context_);
    try {
        const auto memory = std::make_shared<PinnedMemory>(bytes);
        return {memory, static_cast<std::byte*>(memory->memory())};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        return nullptr;
    }
}

CUmemoryPool Host::pool() {
    if (pool_) return pool_;
    std::uint64_t kept = std::uint64_t{64} << 20;
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
    LANESORT_CU(cuMemPoolCreate, &pool_, &properties);
    LANESORT_CU(cuMemPoolSetAttribute, pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
    return pool_;
}

std::shared_ptr<const detail::Program> Host::compile(const detail::KernelParameters& parameters) {
    const auto known = std::ranges::find(
        programs_, parameters, [](const auto& program) -> const auto& { return program->parameters; });
    if (known != programs_.end()) return *known;
    const CurrentContext current(context_);
    // No pool can be made while a stream is captured, but what was prepared for may be called then.
    if (attribute(device_, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)) pool();
    return programs_.emplace_back(std::make_shared<const Program>(device_, parameters));
}

void Host::release() {
    const CurrentContext current(context_);
    // A module must not be unloaded while one of its kernels runs.
    LANESORT_CU(cuCtxSynchronize);
    programs_.clear();
    staging_.release();
    events_->clear();
    pinned_.clear();
    if (pool_) LANESORT_CU(cuMemPoolTrimTo, pool_, 0);
}

SortReport Host::run_on_host_memory(const detail::Work& work, const detail::Bindings& in_host_memory,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
    const CurrentContext current(context_);
    SortReport report = work.report;
    report.device_bytes = 0;
    std::list<DeviceMemory> memory;
    detail::Bindings bindings;
    allocate_first([&] {
        for (std::size_t slot = 0; slot < detail::slots; ++slot)
            if (const std::size_t size = work.arrays[slot].size(); size > 0) {
                report.device_bytes += size;
                bindings[slot] = {pointer_to(memory.emplace_back(size)), 0};
            }
    });
    const OwnStream stream;
    std::unique_ptr<detail::DeviceQueue> of_large;
    const auto queue_for = [&](std::uint64_t size) {
        if (!of_large && size >= detail::Staging::least_bytes) of_large = open_queue();
        return size >= detail::Staging::least_bytes ? of_large.get() : nullptr;
    };
    const auto wait = [&] {
        stream.synchronize();
        if (of_large) of_large->end()->wait();
    };
    detail::Stopwatch watch;
    const auto each_callers = [&](const auto& copy) {
        for (std::size_t slot = 0; slot < detail::slots; ++slot)
            if (bindings[slot].memory && !is_own(static_cast<detail::Slot>(slot)))
                copy(work.arrays[slot], in_host_memory[slot].memory, bindings[slot]);
    };
    const auto download = [&](void* to, const detail::Binding& from, std::uint64_t size) {
        if (detail::DeviceQueue* const queue = queue_for(size)) queue->download(from, detail::one_row(to, size));
        else if (size > 0) LANESORT_CU(cuMemcpyDtoHAsync, to, reinterpret_cast<CUdeviceptr>(from.memory), size, stream);
    };
    each_callers([&](const detail::Array& array, void* from, const detail::Binding& to) {
        if (!array.is_read()) return;
        if (detail::DeviceQueue* const queue = queue_for(array.size()))
            queue->upload(detail::one_row(from, array.size()), to);
        else LANESORT_CU(cuMemcpyHtoDAsync, reinterpret_cast<CUdeviceptr>(to.memory), from, array.size(), stream);
    });
    wait();
    report.upload_seconds = watch.lap();

    StreamExecutor executor(stream);
    std::vector<OwnEvent> launches;
    if (progress) executor.after_launch = [&] { launches.emplace_back(stream); };
    executor.run(work, bindings);
    for (std::size_t done = 0; done < launches.size(); ++done) {
        launches[done].wait();
        progress(done + 1, launches.size());
    }
    stream.synchronize();
    report.sort_seconds = watch.lap();

    // How many bytes of some arrays are to come, the answers tell.
    bool asks = false;
    each_callers([&](const detail::Array& array, void* to, const detail::Binding& from) {
        asks |= array.as_many_as_answered;
        if (array.is_written() && !array.as_many_as_answered) download(to, from, array.size());
    });
    wait();
    if (asks) {
        const auto answered = *static_cast<const std::uint64_t*>(in_host_memory[detail::Slot::answers].memory);
        each_callers([&](const detail::Array& array, void* to, const detail::Binding& from) {
            if (array.as_many_as_answered) download(to, from, answered * array.bytes);
        });
        wait();
    }
    report.download_seconds = watch.lap();
    report.launches = executor.launches();
    return report;
}

std::unique_ptr<detail::DeviceQueue> Host::staged(std::unique_ptr<StreamQueue> queue) {
    return std::make_unique<detail::StagingQueue>(
        std::move(queue), staging_, [context = context_](const void* memory) { return is_pageable(context, memory); });
}

std::unique_ptr<detail::DeviceQueue> Host::open_queue() { return staged(std::make_unique<StreamQueue>(*this)); }

std::unique_ptr<detail::DeviceQueue> Host::use_queue(void* callers) {
    return staged(std::make_unique<StreamQueue>(*this, static_cast<CUstream>(callers)));
}

std::shared_ptr<void> Host::pin(void* memory, std::uint64_t bytes, const std::function<void()>& write_first) {
    // To pin takes about as long as two copies each way, so what enough threads stage is not pinned
    // (docs/decisions.md#pageable-host-arrays).
    constexpr unsigned enough = 12;
    if (bytes < detail::Staging::least_bytes || detail::Staging::threads_that_copy() >= enough) return nullptr;
    write_first();
    const CurrentContext current(context_);
    return std::make_shared<PinnedForNow>(context_, memory, bytes);
}

detail::MemoryFacts Host::inspect(void* pointer) const {
    using detail::require;
    const CurrentContext current(context_);
    const auto memory = reinterpret_cast<CUdeviceptr>(pointer);
    CUcontext context = nullptr;
    CUdeviceptr start = 0;
    std::size_t size = 0;
    CUdevice device{};
    unsigned kind = 0, managed = 0;
    require(memory != 0, ErrorCode::invalid_argument, "the device pointer is null");
    // In one call: a small reduction takes hardly longer than six.
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_CONTEXT,          CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* facts[] = {&context, &device, &kind, &managed, &start, &size};
    LANESORT_CU(cuPointerGetAttributes, static_cast<unsigned>(std::size(which)), which, facts, memory);
    require(kind != 0 && memory - start < size, ErrorCode::invalid_argument, "the pointer is not one to CUDA memory");
    require(kind == CU_MEMORYTYPE_DEVICE || managed, ErrorCode::invalid_argument,
            "the pointer is one to host memory, not to a device's");
    // Memory from a pool belongs to no context, but to a device.
    require(context ? context == context_ : device == device_, ErrorCode::wrong_context,
            "the memory belongs to another device or context than the sorter");
    return {.bytes = size - (memory - start), .begin = memory};
}

void Host::check(const detail::Queue& queue) const {
    const CurrentContext current(context_);
    if (queue.handle != nullptr) {
        CUcontext context = nullptr;
        LANESORT_CU(cuStreamGetCtx, static_cast<CUstream>(queue.handle), &context);
        detail::require(context == context_, ErrorCode::wrong_context,
                        "the stream belongs to another context than the sorter");
    }
    for (void* const waited : queue.wait_list)
        detail::require(waited != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
}

void Host::enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue& queue,
                   void** event) {
    const CurrentContext current(context_);
    between_events(queue, event, [&](CUstream stream) { enqueue_on(work, bindings, stream); });
}

void Host::enqueue_on(const detail::Work& work, detail::Bindings bindings, CUstream stream) {
    std::list<PoolMemory> own;
    allocate_first([&] {
        for (std::size_t slot = 0; slot < detail::slots; ++slot)
            if (is_own(static_cast<detail::Slot>(slot)) && work.arrays[slot].size() > 0)
                bindings[slot] = {pointer_to(own.emplace_back(*this, stream, work.arrays[slot].size())), 0};
    });
    StreamExecutor(stream).run(work, bindings);
}

bool Host::reaches(detail::Backend& other, void* memory) {
    const Host& peer = static_cast<Host&>(other);
    if (peer.device_ == device_) return true;
    const CurrentContext current(context_);
    int can = 0;
    LANESORT_CU(cuDeviceCanAccessPeer, &can, device_, peer.device_);
    detail::require(can != 0, ErrorCode::unsupported, "{} has no access to the memory of another one, {}", info_.name,
                    peer.info_.name);
    if (const CUresult result = driver().cuCtxEnablePeerAccess(peer.context_, 0);
        result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        cu::check(result, "cuCtxEnablePeerAccess");
    // Whose memory is of a pool opens that to others.
    CUmemoryPool of_memory = nullptr;
    CUpointer_attribute which = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    void* fact = &of_memory;
    if (memory) LANESORT_CU(cuPointerGetAttributes, 1, &which, &fact, reinterpret_cast<CUdeviceptr>(memory));
    if (!of_memory) return true;
    CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, device_};
    if (of_memory == peer.pool_) {
        const CUmemAccessDesc access{here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        LANESORT_CU(cuMemPoolSetAccess, of_memory, &access, 1);
        return true;
    }
    CUmemAccess_flags access{};
    LANESORT_CU(cuMemPoolGetAccess, &access, of_memory, &here);
    detail::require(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, ErrorCode::unsupported,
                    "memory of {} is of a pool that {} has no access to (cudaMemPoolSetAccess)", peer.info_.name,
                    info_.name);
    return true;
}

namespace {

/// Memory that is freed with the context current that it was made in.
struct InContext final : detail::SharedMemory {
    InContext(CUcontext of, std::size_t bytes) : context(of), memory(std::in_place, bytes) {
        handle = pointer_to(*memory);
    }
    ~InContext() override {
        const ContextAtEnd current(context);
        memory.reset();
    }
    const CUcontext context;
    std::optional<DeviceMemory> memory;
};

}  // namespace

std::unique_ptr<detail::SharedMemory> Host::allocate(std::uint64_t bytes, bool on_host) {
    // To pin memory takes longer than to copy what fits in there: so a little of it is kept for the next call, and much
    // of it is staged instead.
    struct Pinned final : detail::SharedMemory {
        Pinned(Host& host, std::unique_ptr<PinnedMemory> pinned) : of(host), memory(std::move(pinned)) {
            handle = memory->memory();
        }
        ~Pinned() override {
            try {
                of.pinned_.push_back(std::move(memory));
            } catch (...) {
                // It is not kept, then.
                const ContextAtEnd current(of.context_);
                memory.reset();
            }
        }
        Host& of;
        std::unique_ptr<PinnedMemory> memory;
    };
    struct Pageable final : detail::SharedMemory {
        explicit Pageable(std::uint64_t size) : memory(std::make_unique_for_overwrite<std::byte[]>(size)) {
            handle = memory.get();
        }
        std::unique_ptr<std::byte[]> memory;
    };
    const CurrentContext current(context_);
    if (!on_host) return std::make_unique<InContext>(context_, bytes);
    if (bytes >= detail::Staging::least_bytes) return std::make_unique<Pageable>(bytes);
    const auto kept = std::ranges::find_if(pinned_, [&](const auto& one) { return one->bytes() >= bytes; });
    if (kept == pinned_.end()) {
        pinned_.clear();
        try {
            return std::make_unique<Pinned>(*this, std::make_unique<PinnedMemory>(bytes));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
            return std::make_unique<Pageable>(bytes);
        }
    }
    auto memory = std::make_unique<Pinned>(*this, std::move(*kept));
    pinned_.erase(kept);
    return memory;
}

std::unique_ptr<detail::Recording> Host::record(std::shared_ptr<const detail::Work> work,
                                                const detail::Bindings& bindings, void*) {
    return std::make_unique<GraphRecording>(*this, std::move(work), bindings);
}

}  // namespace lanesort::inline v0_1::cu
