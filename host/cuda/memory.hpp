// SPDX-License-Identifier: MIT
// Memory and streams of the library's own.
#pragma once

#include <cstddef>
#include <utility>

#include "checked.hpp"
#include "driver.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::cu {

/// Device memory as bindings have it.
inline void* pointer_to(CUdeviceptr memory) noexcept { return reinterpret_cast<void*>(memory); }

/// Allocates by a call, before anything else is done.
template <class Allocate>
void allocate_first(const Allocate& allocate) {
    try {
        allocate();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::out_of_memory) throw detail::NoMemoryForWork(error);
        throw;
    }
}

/// A stream; its destructor waits for it.
class OwnStream {
public:
    OwnStream() { LANESORT_CU(cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING); }
    ~OwnStream() {
        // What was enqueued must not touch the caller's memory any more, also when an error passes through.
        driver().cuStreamSynchronize(stream_);
        driver().cuStreamDestroy(stream_);
    }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;

    operator CUstream() const { return stream_; }
    void synchronize() const { LANESORT_CU(cuStreamSynchronize, stream_); }

private:
    CUstream stream_ = nullptr;
};

/// The end of what is on a stream; the context is current.
class OwnEvent {
public:
    explicit OwnEvent(CUstream stream) {
        LANESORT_CU(cuEventCreate, &event_, CU_EVENT_DISABLE_TIMING);
        if (const CUresult result = driver().cuEventRecord(event_, stream); result != CUDA_SUCCESS) {
            driver().cuEventDestroy(event_);
            check(result, "cuEventRecord");
        }
    }
    OwnEvent(OwnEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    ~OwnEvent() {
        if (event_) driver().cuEventDestroy(event_);
    }
    void wait() const { LANESORT_CU(cuEventSynchronize, event_); }

private:
    CUevent event_ = nullptr;
};

/// A part of the current context's memory.
class DeviceMemory {
public:
    explicit DeviceMemory(std::size_t bytes) { LANESORT_CU(cuMemAlloc, &memory_, bytes); }
    ~DeviceMemory() { driver().cuMemFree(memory_); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    operator CUdeviceptr() const { return memory_; }

private:
    CUdeviceptr memory_ = 0;
};

/// Host memory that the device copies to and from without the driver's help.
class PinnedMemory {
public:
    explicit PinnedMemory(std::size_t bytes) : bytes_(bytes) { LANESORT_CU(cuMemHostAlloc, &memory_, bytes, 0); }
    ~PinnedMemory() { driver().cuMemFreeHost(memory_); }
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    void* memory() const { return memory_; }
    std::size_t bytes() const { return bytes_; }

private:
    void* memory_ = nullptr;
    std::size_t bytes_;
};

/// Host memory that is pinned as long as this lives, unless it is so anyway, or cannot be: then copies take longer.
class PinnedForNow {
public:
    PinnedForNow(CUcontext context, void* memory, std::size_t bytes)
        : context_(context), memory_(driver().cuMemHostRegister(memory, bytes, 0) == CUDA_SUCCESS ? memory : nullptr) {}
    ~PinnedForNow() {
        if (!memory_) return;
        const ContextAtEnd current(context_);
        driver().cuMemHostUnregister(memory_);
    }
    PinnedForNow(const PinnedForNow&) = delete;
    PinnedForNow& operator=(const PinnedForNow&) = delete;

private:
    CUcontext context_;
    void* memory_;
};

/// Memory of the sorter's pool, in the order of a stream.
class PoolMemory {
public:
    PoolMemory(Host& host, CUstream stream, std::size_t bytes) : stream_(stream) {
        LANESORT_CU(cuMemAllocFromPoolAsync, &memory_, bytes, host.pool(), stream);
    }
    ~PoolMemory() { driver().cuMemFreeAsync(memory_, stream_); }
    PoolMemory(const PoolMemory&) = delete;
    PoolMemory& operator=(const PoolMemory&) = delete;

    operator CUdeviceptr() const { return memory_; }

private:
    CUstream stream_;
    CUdeviceptr memory_ = 0;
};

}  // namespace lanesort::inline v0_1::cu
