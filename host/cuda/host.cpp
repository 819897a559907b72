#include "host.hpp"

#include <algorithm>
#include <list>

#include "../../lib/src/launch.hpp"
#include "../../lib/src/sorter_core.hpp"
#include "../../lib/src/stopwatch.hpp"
#include "../../lib/src/sync_counter.hpp"
#include "checked.hpp"
#include "memory.hpp"
#include "platform.hpp"

namespace lanesort::cuda {
namespace {

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

}  // namespace

Host::Host(CUdevice device) : device_(device), info_(describe(device)) {
    LANESORT_CU(cuDevicePrimaryCtxRetain, &context_, device);
}

Host::~Host() {
    // The context may be gone already (cudaDeviceReset, the end of the process): then there is nothing to unload.
    CUcontext popped = nullptr;
    const bool current = driver().cuCtxPushCurrent(context_) == CUDA_SUCCESS;
    programs_.clear();
    if (pool_) driver().cuMemPoolDestroy(pool_);
    if (current) driver().cuCtxPopCurrent(&popped);
    driver().cuDevicePrimaryCtxRelease(device_);
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

unsigned Host::prepare(const detail::KernelParameters& parameters) {
    const auto known = std::ranges::find(
        programs_, parameters, [](const auto& p) -> const auto& { return p->parameters(); });
    if (known != programs_.end()) return (*known)->max_work_items();
    const CurrentContext current(context_);
    // No pool can be made while a stream is captured, but what was prepared for may be called then.
    if (attribute(device_, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)) pool();
    return programs_.emplace_back(std::make_shared<Program>(device_, parameters))->max_work_items();
}

const std::shared_ptr<Program>& Host::shared_program(const detail::KernelParameters& parameters) const {
    return *std::ranges::find(
        programs_, parameters, [](const auto& p) -> const auto& { return p->parameters(); });
}

void Host::release() {
    const CurrentContext current(context_);
    // A module must not be unloaded while one of its kernels runs.
    check(driver().cuCtxSynchronize(), "cuCtxSynchronize");
    std::erase_if(programs_, [](const auto& program) { return program.use_count() == 1; });
    if (pool_) LANESORT_CU(cuMemPoolTrimTo, pool_, 0);
}

SortReport Host::sort_host(const detail::HostArrays& arrays, std::uint64_t count, const Plan& plan,
                           const detail::KernelParameters& parameters, KeyCoding coding,
                           const std::function<void(std::size_t, std::size_t)>& progress) {
    const CurrentContext current(context_);
    const ElementBytes& bytes = parameters.bytes;
    SortReport report = detail::report_of(plan);
    std::list<DeviceMemory> memory;
    const auto allocate = [&](std::size_t size) -> CUdeviceptr {
        report.device_bytes += size;
        return memory.emplace_back(size);
    };
    Arrays on_device{{allocate(count * bytes.key)}, count, coding};
    if (bytes.value > 0) on_device.values = {allocate(count * bytes.value)};
    if (parameters.stores_numbers()) on_device.numbers = {allocate(count * bytes.number)};
    const std::size_t offsets_size = (plan.rows + 1) * sizeof(std::uint64_t);
    if (arrays.offsets) on_device.segments = {allocate(offsets_size)};
    const OwnStream stream;
    detail::Stopwatch watch;
    const auto upload = [&](const Array& to, const void* from, std::size_t size) {
        LANESORT_CU(cuMemcpyHtoDAsync, to.memory, from, size, stream);
    };
    upload(on_device.keys, arrays.keys, count * bytes.key);
    if (bytes.value > 0) upload(on_device.values, arrays.values, count * bytes.value);
    if (arrays.offsets) upload(on_device.segments, arrays.offsets, offsets_size);
    stream.synchronize();
    report.upload_seconds = watch.lap();

    StreamExecutor executor(program(parameters), stream, on_device);
    std::vector<OwnEvent> passes;
    if (progress) executor.after_enqueue = [&](const Pass&) { passes.emplace_back(stream); };
    executor.run(plan);
    for (std::size_t done = 0; done < passes.size(); ++done) {
        passes[done].wait();
        progress(done + 1, passes.size());
    }
    stream.synchronize();
    report.sort_seconds = watch.lap();

    const auto download = [&](void* to, const Array& from, std::size_t size) {
        LANESORT_CU(cuMemcpyDtoHAsync, to, from.memory, size, stream);
    };
    if (!arrays.keys_stay) download(arrays.keys, on_device.keys, count * bytes.key);
    if (bytes.value > 0) download(arrays.values, on_device.values, count * bytes.value);
    if (arrays.numbers) download(arrays.numbers, on_device.numbers, count * bytes.number);
    stream.synchronize();
    report.download_seconds = watch.lap();
    report.launches = executor.launches();
    return report;
}

SortReport Host::select_host(const void* keys, const detail::HostArrays& selected, const detail::Selection& selection,
                             const detail::KernelParameters& parameters, KeyCoding coding) {
    const CurrentContext current(context_);
    const ElementBytes& bytes = parameters.bytes;
    const std::uint64_t count = selection.rows * selection.count, results = selection.rows * selection.k;
    SortReport report = selection.report();
    std::list<DeviceMemory> memory;
    const auto allocate = [&](std::uint64_t elements, std::size_t width) -> Array {
        report.device_bytes += elements * width;
        return {memory.emplace_back(elements * width)};
    };
    const Arrays from{allocate(count, bytes.key), count, coding};
    const auto left_over = detail::left_over_of<Arrays>(selection, parameters, allocate);
    Arrays to{allocate(results, bytes.key), results, coding};
    if (parameters.stores_numbers()) to.numbers = allocate(results, bytes.number);
    const OwnStream stream;
    detail::Stopwatch watch;
    LANESORT_CU(cuMemcpyHtoDAsync, from.keys.memory, keys, count * bytes.key, stream);
    stream.synchronize();
    report.upload_seconds = watch.lap();
    enqueue_selection(program(parameters), stream, selection, from, left_over, to);
    stream.synchronize();
    report.sort_seconds = watch.lap();
    LANESORT_CU(cuMemcpyDtoHAsync, selected.keys, to.keys.memory, results * bytes.key, stream);
    if (selected.numbers)
        LANESORT_CU(cuMemcpyDtoHAsync, selected.numbers, to.numbers.memory, results * bytes.number, stream);
    stream.synchronize();
    report.download_seconds = watch.lap();
    return report;
}

SyncCounts Host::count_host(void* keys, const Plan& plan, const detail::KernelParameters& parameters,
                            KeyCoding coding) {
    const CurrentContext current(context_);
    const std::size_t bytes = plan.keys() * parameters.bytes.key;
    const DeviceMemory memory(bytes);
    const DeviceMemory counter_memory(sizeof(detail::PassCounters));
    const OwnStream stream;
    const auto zero_counters = [&] {
        LANESORT_CU(cuMemsetD32Async, counter_memory, 0, sizeof(detail::PassCounters) / 4, stream);
    };
    LANESORT_CU(cuMemcpyHtoDAsync, memory, keys, bytes, stream);
    zero_counters();

    StreamExecutor executor(program(parameters), stream, {{memory}, plan.count, coding});
    executor.counters = counter_memory;
    SyncCounts counted;
    executor.after_enqueue = [&](const Pass& pass) {
        detail::PassCounters counters;
        LANESORT_CU(cuMemcpyDtoHAsync, &counters, counter_memory, sizeof counters, stream);
        stream.synchronize();
        detail::add(counted, pass, counters);
        zero_counters();
    };
    executor.run(plan);
    counted.by_cpu = executor.launches() - 1;
    counted.all += counted.by_cpu;
    LANESORT_CU(cuMemcpyDtoHAsync, keys, memory, bytes, stream);
    stream.synchronize();
    return counted;
}

}  // namespace lanesort::cuda
