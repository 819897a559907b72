// SPDX-License-Identifier: MIT
// The CUDA devices of this machine.
#pragma once

#include <list>
#include <memory>

#include <lanesort/cuda.hpp>

#include "host/cuda/checked.hpp"
#include "target.hpp"

namespace lanesort::test {

/// A stream of the current context, apart from the default one.
class CudaStream {
public:
    CudaStream() { LANESORT_CU(cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING); }
    ~CudaStream() { cu::driver().cuStreamDestroy(stream_); }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    operator CUstream() const { return stream_; }
    void finish() const { LANESORT_CU(cuStreamSynchronize, stream_); }

private:
    CUstream stream_ = nullptr;
};

/// An event of the current context.
class CudaEvent {
public:
    CudaEvent() { LANESORT_CU(cuEventCreate, &event_, CU_EVENT_DISABLE_TIMING); }
    ~CudaEvent() { cu::driver().cuEventDestroy(event_); }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;
    operator CUevent() const { return event_; }

private:
    CUevent event_ = nullptr;
};

class CudaMemory final : public DeviceMemory {
public:
    CudaMemory(const DeviceInfo& device, CUcontext context, const Bytes& bytes);
    ~CudaMemory() override;
    CudaMemory(const CudaMemory&) = delete;
    CudaMemory& operator=(const CudaMemory&) = delete;

    void write(const Bytes& bytes) override;
    Bytes read() override;
    SortReport enqueue(Sorter& sorter, const Call& call) override;
    using DeviceMemory::record;
    std::unique_ptr<Recording> record(Sorter& sorter, const Call& call) override;

    void* pointer() const { return reinterpret_cast<void*>(memory_); }
    CUdeviceptr address() const { return memory_; }
    const CudaStream& stream() const { return *stream_; }

private:
    const DeviceInfo& device_;
    CUcontext context_;
    std::size_t size_;
    std::unique_ptr<CudaStream> stream_;
    CUdeviceptr memory_ = 0;
};

class CudaTarget final : public Target {
public:
    explicit CudaTarget(int number);
    ~CudaTarget() override;

    using Target::new_sorter;
    Sorter new_sorter(SorterOptions options = {}) const override;
    std::unique_ptr<DeviceMemory> memory(const Bytes& bytes) const override { return cuda_memory(bytes); }
    std::unique_ptr<CudaMemory> cuda_memory(const Bytes& bytes) const;

    /// The device's primary context, which the CUDA runtime API uses too.
    CUcontext context() const { return context_; }

private:
    int number_;
    CUdevice device_;
    CUcontext context_ = nullptr;
};

/// All CUDA devices, for the cases of CUDA alone. Without any, counts the case as skipped.
std::list<CudaTarget>& cuda_devices();

}  // namespace lanesort::test
