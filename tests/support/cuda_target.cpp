// SPDX-License-Identifier: MIT
#include "cuda_target.hpp"

#include "host/cuda/platform.hpp"

namespace lanesort::test {
namespace {

using cu::CurrentContext;
using cu::driver;

class CudaRecording final : public Recording {
public:
    explicit CudaRecording(cu::Recorded recorded) : recorded_(std::move(recorded)) {}
    SortReport enqueue() override { return recorded_.enqueue(); }

private:
    cu::Recorded recorded_;
};

CUdevice device_of(int number) {
    CUdevice device{};
    LANESORT_CU(cuDeviceGet, &device, number);
    return device;
}

std::list<CudaTarget> open_all() {
    std::list<CudaTarget> opened;
    if (!driver().absence.empty() || !cu::compiler().absence.empty()) return opened;
    int count = 0;
    LANESORT_CU(cuDeviceGetCount, &count);
    for (int number = 0; number < count; ++number) opened.emplace_back(number);
    return opened;
}

std::list<CudaTarget>& opened() {
    static std::list<CudaTarget> all = open_all();
    for (const CudaTarget& target : all) note_run("CUDA stream", target.info);
    return all;
}

}  // namespace

CudaMemory::CudaMemory(const DeviceInfo& device, CUcontext context, const Bytes& bytes)
    : device_(device), context_(context), size_(bytes.size()) {
    const CurrentContext current(context_);
    stream_ = std::make_unique<CudaStream>();
    LANESORT_CU(cuMemAlloc, &memory_, std::max<std::size_t>(size_, 1));
    write(bytes);
}

CudaMemory::~CudaMemory() {
    const CurrentContext current(context_);
    driver().cuMemFree(memory_);
    stream_.reset();
}

void CudaMemory::write(const Bytes& bytes) {
    const CurrentContext current(context_);
    if (!bytes.empty()) LANESORT_CU(cuMemcpyHtoDAsync, memory_, bytes.data(), bytes.size(), *stream_);
    stream_->finish();
}

Bytes CudaMemory::read() {
    const CurrentContext current(context_);
    Bytes bytes(size_);
    if (size_ > 0) LANESORT_CU(cuMemcpyDtoHAsync, bytes.data(), memory_, size_, *stream_);
    stream_->finish();
    return bytes;
}

SortReport CudaMemory::enqueue(Sorter& sorter, const Call& call) {
    return cu::enqueue(sorter, *stream_, call_in<void*>(pointer(), call));
}

std::unique_ptr<Recording> CudaMemory::record(Sorter& sorter, const Call& call) {
    note_run("CUDA graph", device_);
    return std::make_unique<CudaRecording>(cu::Recorded(sorter, *stream_, call_in<void*>(pointer(), call)));
}

CudaTarget::CudaTarget(int number)
    : Target(cu::describe(device_of(number))), number_(number), device_(device_of(number)) {
    LANESORT_CU(cuDevicePrimaryCtxRetain, &context_, device_);
}

CudaTarget::~CudaTarget() { driver().cuDevicePrimaryCtxRelease(device_); }

Sorter CudaTarget::new_sorter(SorterOptions options) const {
    return cu::make_sorter(number_, with_seed(std::move(options)));
}

std::unique_ptr<CudaMemory> CudaTarget::cuda_memory(const Bytes& bytes) const {
    return std::make_unique<CudaMemory>(info, context_, bytes);
}

Targets cuda_targets() { return {opened().begin(), opened().end()}; }

std::list<CudaTarget>& cuda_devices() {
    if (opened().empty()) ++skipped_device_cases();
    return opened();
}

}  // namespace lanesort::test
