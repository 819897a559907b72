#include "cuda_target.hpp"

#include "host/cuda/executor.hpp"
#include "host/cuda/platform.hpp"

namespace lanesort::test {
namespace {

using cuda::CurrentContext;
using cuda::driver;

class CudaRecording final : public Recording {
public:
    CudaRecording(cuda::RecordedSort recorded, CUstream stream) : recorded_(std::move(recorded)), stream_(stream) {}
    SortReport enqueue() override { return recorded_.enqueue(stream_); }

private:
    cuda::RecordedSort recorded_;
    CUstream stream_;
};

class CudaKernels final : public Kernels {
public:
    CudaKernels(const DeviceInfo& info, CUdevice device, CUcontext context,
                const lanesort::detail::KernelParameters& parameters)
        : info_(info), context_(context) {
        const CurrentContext current(context_);
        program_ = std::make_unique<cuda::Program>(device, parameters);
    }
    ~CudaKernels() override {
        const CurrentContext current(context_);
        program_.reset();
    }
    CudaKernels(const CudaKernels&) = delete;
    CudaKernels& operator=(const CudaKernels&) = delete;

    std::vector<Bytes> run(const Plan& plan, KeyCoding coding, std::size_t offset, const Bytes& memory) override {
        const CurrentContext current(context_);
        CudaMemory copy(info_, context_, memory);
        cuda::StreamExecutor executor(*program_, copy.stream(), {{copy.address(), offset}, plan.count, coding});
        std::vector<Bytes> states;
        executor.after_enqueue = [&](const Pass&) { states.push_back(copy.read()); };
        executor.run(plan);
        return states;
    }

private:
    const DeviceInfo& info_;
    CUcontext context_;
    std::unique_ptr<cuda::Program> program_;
};

CUdevice device_of(int number) {
    CUdevice device{};
    LANESORT_CU(cuDeviceGet, &device, number);
    return device;
}

std::list<CudaTarget> open_all() {
    std::list<CudaTarget> opened;
    if (!driver().absence.empty() || !cuda::compiler().absence.empty()) return opened;
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

SortReport CudaMemory::enqueue_sort(Sorter& sorter, const Range& range) {
    return cuda::enqueue_sort(sorter, *stream_, keys(range));
}

SortReport CudaMemory::enqueue_sort_by_key(Sorter& sorter, const Range& range, const Values& values) {
    return cuda::enqueue_sort_by_key(sorter, *stream_, keys(range), {keys(range).keys, values.offset, values.bytes});
}

SortReport CudaMemory::enqueue_merge(Sorter& sorter, const Range& range, const Values& values, std::size_t middle) {
    if (values.bytes == 0) return cuda::enqueue_merge(sorter, *stream_, keys(range), middle);
    return cuda::enqueue_merge_by_key(sorter, *stream_, keys(range), {keys(range).keys, values.offset, values.bytes},
                                      middle);
}

SortReport CudaMemory::enqueue_argsort(Sorter& sorter, const Range& range, const Values& indices) {
    return cuda::enqueue_argsort(sorter, *stream_, keys(range), {keys(range).keys, indices.offset, indices.bytes});
}

SortReport CudaMemory::enqueue_top_k(Sorter& sorter, const Range& range, std::size_t k, std::size_t selected,
                                     const Values& indices) {
    cuda::Selected to{pointer(), selected, {}};
    if (indices.bytes > 0) to.indices = {pointer(), indices.offset, indices.bytes};
    return cuda::enqueue_top_k(sorter, *stream_, keys(range), k, to);
}

SortReport CudaMemory::enqueue_is_sorted(Sorter& sorter, const Range& range, std::size_t integers) {
    return cuda::enqueue_is_sorted(sorter, *stream_, keys(range), {pointer(), integers});
}

SortReport CudaMemory::enqueue_is_sorted_until(Sorter& sorter, const Range& range, std::size_t integers) {
    return cuda::enqueue_is_sorted_until(sorter, *stream_, keys(range), {pointer(), integers});
}

SortReport CudaMemory::enqueue_runs(Sorter& sorter, const Range& range, const Found& found) {
    const cuda::Distinct distinct{pointer(), found.distinct, {pointer(), found.integers}};
    if (found.lengths.bytes == 0) return cuda::enqueue_unique(sorter, *stream_, keys(range), distinct);
    return cuda::enqueue_run_lengths(sorter, *stream_, keys(range), distinct,
                                     {pointer(), found.lengths.offset, found.lengths.bytes});
}

std::unique_ptr<Recording> CudaMemory::record(Sorter& sorter, const Range& range) {
    note_run("CUDA graph", device_);
    return std::make_unique<CudaRecording>(cuda::RecordedSort(sorter, keys(range)), *stream_);
}

std::unique_ptr<Recording> CudaMemory::record_sort_by_key(Sorter& sorter, const Range& range, const Values& values) {
    const cuda::KeyRange keys_of_range = keys(range);
    return std::make_unique<CudaRecording>(
        cuda::RecordedSort(sorter, keys_of_range, {keys_of_range.keys, values.offset, values.bytes}), *stream_);
}

CudaTarget::CudaTarget(int number)
    : Target(cuda::describe(device_of(number))), number_(number), device_(device_of(number)) {
    LANESORT_CU(cuDevicePrimaryCtxRetain, &context_, device_);
}

CudaTarget::~CudaTarget() { driver().cuDevicePrimaryCtxRelease(device_); }

Sorter CudaTarget::new_sorter(SorterOptions options) const { return cuda::make_sorter(number_, std::move(options)); }

std::unique_ptr<CudaMemory> CudaTarget::cuda_memory(const Bytes& bytes) const {
    return std::make_unique<CudaMemory>(info, context_, bytes);
}

std::unique_ptr<Kernels> CudaTarget::compile(const lanesort::detail::KernelParameters& parameters) const {
    return std::make_unique<CudaKernels>(info, device_, context_, parameters);
}

Targets cuda_targets() { return {opened().begin(), opened().end()}; }

std::list<CudaTarget>& cuda_devices() {
    if (opened().empty()) ++skipped_device_cases();
    return opened();
}

}  // namespace lanesort::test
