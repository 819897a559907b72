// lanesort/cuda.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/cuda.hpp>

#include <optional>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "checked.hpp"
#include "host.hpp"
#include "platform.hpp"

namespace lanesort::cuda {
namespace {

void require(bool holds, ErrorCode code, const std::string& sentence) {
    if (!holds) throw Error(code, sentence);
}

Host& host_of(Sorter& sorter) {
    auto* const host = dynamic_cast<Host*>(&sorter.core().backend());
    require(host != nullptr, ErrorCode::unsupported, "the sorter is not one of a CUDA device");
    return *host;
}

/// A fact about a pointer; nothing (false) for memory that CUDA does not know.
template <class Fact>
bool ask(CUdeviceptr memory, CUpointer_attribute which, Fact& fact) {
    const CUresult result = driver().cuPointerGetAttribute(&fact, which, memory);
    if (result == CUDA_ERROR_INVALID_VALUE) return false;
    check(result, "cuPointerGetAttribute");
    return true;
}

/// `count` things of so many bytes, `offset` of them after the pointer; `what` they are and `of_what`.
CUdeviceptr check_memory(const Host& host, void* pointer, std::size_t offset, std::size_t count, std::size_t bytes,
                         const char* what, const std::string& of_what) {
    const auto memory = reinterpret_cast<CUdeviceptr>(pointer);
    if (memory == 0 && count == 0) return memory;  // what cudaMalloc gives for no bytes
    CUcontext context = nullptr;
    CUdeviceptr start = 0;
    std::size_t size = 0;
    CUdevice device{};
    unsigned kind = 0, managed = 0;
    require(memory != 0, ErrorCode::invalid_argument, "the device pointer is null");
    require(ask(memory, CU_POINTER_ATTRIBUTE_CONTEXT, context) &&
                ask(memory, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device) &&
                ask(memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, kind) &&
                ask(memory, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed) &&
                ask(memory, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, start) &&
                ask(memory, CU_POINTER_ATTRIBUTE_RANGE_SIZE, size),
            ErrorCode::invalid_argument, "the pointer is not one to CUDA memory");
    require(kind == CU_MEMORYTYPE_DEVICE || managed, ErrorCode::invalid_argument,
            "the pointer is one to host memory, not to a device's");
    // Memory from a pool belongs to no context, but to a device.
    require(context ? context == host.context() : device == host.device(), ErrorCode::wrong_context,
            "the memory belongs to another device or context than the sorter");
    require(memory % bytes == 0, ErrorCode::invalid_argument,
            fmt::format("the device pointer is not aligned to {} of {} bytes", what, bytes));
    const std::size_t capacity = (size - (memory - start)) / bytes;
    require(offset <= capacity && count <= capacity - offset, ErrorCode::out_of_range,
            fmt::format("{} {} at offset {} reach past the end of the allocation, which holds {} {} {} from the "
                        "pointer on",
                        count, what, offset, capacity, what, of_what));
    return memory;
}

CUdeviceptr check_keys(const Host& host, const KeyRange& keys) {
    return check_memory(host, keys.keys, keys.offset, keys.count, key_bytes(keys.type), "keys",
                        fmt::format("of type {}", name(keys.type)));
}

CUdeviceptr check_values(const Host& host, const ValueRange& values, const KeyRange& keys) {
    const CUdeviceptr memory = check_memory(host, values.values, values.offset, keys.count, values.bytes, "values",
                                            fmt::format("of {} bytes", values.bytes));
    const std::size_t bytes = key_bytes(keys.type);
    const CUdeviceptr first_key = reinterpret_cast<CUdeviceptr>(keys.keys) + keys.offset * bytes;
    const CUdeviceptr first_value = memory + values.offset * values.bytes;
    require(first_key + keys.count * bytes <= first_value || first_value + keys.count * values.bytes <= first_key,
            ErrorCode::invalid_argument, "keys and values overlap");
    return memory;
}

/// The plan and its compiled kernels; nothing where there is nothing to sort.
std::optional<detail::SorterCore::Prepared> prepare(Sorter& sorter, const KeyRange& keys,
                                                    const detail::ElementType& element) {
    const detail::Extent extent{keys.count, keys.row_length};
    detail::check(extent);
    if (extent.is_sorted()) return std::nullopt;
    return sorter.core().prepare(extent, element);
}

void check_events(std::span<const Event> wait_list) {
    for (const Event waited : wait_list)
        require(waited != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
}

void wait_for(CUstream stream, std::span<const Event> wait_list) {
    for (const Event waited : wait_list) LANESORT_CU(cuStreamWaitEvent, stream, waited, 0);
}

void check_stream(const Host& host, CUstream stream) {
    if (stream == nullptr) return;
    CUcontext context = nullptr;
    LANESORT_CU(cuStreamGetCtx, stream, &context);
    require(context == host.context(), ErrorCode::wrong_context,
            "the stream belongs to another context than the sorter");
}

}  // namespace

Sorter make_sorter(int device, SorterOptions options) {
    return Sorter(
        std::make_unique<detail::SorterCore>(std::make_unique<Host>(device_of_number(device)), std::move(options)));
}

SortReport enqueue_sort(Sorter& sorter, Stream stream, const KeyRange& keys, std::span<const Event> wait_list,
                        Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    const CUdeviceptr memory = check_keys(host, keys);
    check_events(wait_list);
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys, {keys.type});

    wait_for(stream, wait_list);
    if (ready) {
        const Keys in_memory{memory, keys.offset, key_coding(keys.type, keys.order)};
        StreamExecutor(host.program(ready->parameters), stream, in_memory).run(ready->plan);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return ready ? detail::report_of(ready->plan) : SortReport{};
}

SortReport enqueue_sort_by_key(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& values,
                               std::span<const Event> wait_list, Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    const detail::ElementType element{keys.type, values.bytes};
    detail::check(element);
    check_stream(host, stream);
    const CUdeviceptr key_memory = check_keys(host, keys), value_memory = check_values(host, values, keys);
    check_events(wait_list);
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys, element);

    wait_for(stream, wait_list);
    if (ready) {
        const Keys in_memory{key_memory, keys.offset, key_coding(keys.type, keys.order), value_memory, values.offset};
        StreamExecutor(host.program(ready->parameters), stream, in_memory).run(ready->plan);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return ready ? detail::report_of(ready->plan) : SortReport{};
}

namespace {

/// Memory of the device's pool, in the order of a stream.
class PoolMemory {
public:
    PoolMemory(CUstream stream, std::size_t bytes) : stream_(stream) {
        LANESORT_CU(cuMemAllocAsync, &memory_, bytes, stream);
    }
    ~PoolMemory() { driver().cuMemFreeAsync(memory_, stream_); }
    PoolMemory(const PoolMemory&) = delete;
    PoolMemory& operator=(const PoolMemory&) = delete;

    operator CUdeviceptr() const { return memory_; }

private:
    CUstream stream_;
    CUdeviceptr memory_ = 0;
};

}  // namespace

SortReport enqueue_argsort(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& indices,
                           std::span<const Event> wait_list, Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    const detail::ElementType element{keys.type, indices.bytes, true};
    detail::check(element);
    detail::check_index({keys.count, keys.row_length}, indices.bytes);
    check_stream(host, stream);
    const CUdeviceptr key_memory = check_keys(host, keys), index_memory = check_values(host, indices, keys);
    check_events(wait_list);
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys, element);

    wait_for(stream, wait_list);
    SortReport report;
    if (!ready && keys.count > 0)
        LANESORT_CU(cuMemsetD8Async, index_memory + indices.offset * indices.bytes, 0, keys.count * indices.bytes,
                    stream);
    if (ready) {
        report = detail::report_of(ready->plan);
        const std::size_t bytes = key_bytes(keys.type);
        report.device_bytes = keys.count * bytes;
        const PoolMemory copy(stream, report.device_bytes);
        LANESORT_CU(cuMemcpyDtoDAsync, copy, key_memory + keys.offset * bytes, report.device_bytes, stream);
        const Keys in_memory{copy, 0, key_coding(keys.type, keys.order), index_memory, indices.offset};
        StreamExecutor(host.program(ready->parameters), stream, in_memory).run(ready->plan);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return report;
}

struct RecordedSort::State {
    Host& host;
    SortReport report;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;

    explicit State(Host& of) : host(of) {}
    ~State() {
        if (executable) driver().cuGraphExecDestroy(executable);
        if (graph) driver().cuGraphDestroy(graph);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

RecordedSort::RecordedSort(Sorter& sorter, const KeyRange& keys) : state_(std::make_unique<State>(host_of(sorter))) {
    const CurrentContext current(state_->host.context());
    const CUdeviceptr memory = check_keys(state_->host, keys);
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys, {keys.type});

    // A stream of its own is captured, so that nothing of the caller's is.
    CUstream stream = nullptr;
    LANESORT_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    const std::unique_ptr<CUstream_st, decltype(driver().cuStreamDestroy)> owner(stream, driver().cuStreamDestroy);
    LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    try {
        if (ready) {
            const Keys in_memory{memory, keys.offset, key_coding(keys.type, keys.order)};
            StreamExecutor(state_->host.program(ready->parameters), stream, in_memory).run(ready->plan);
            state_->report = detail::report_of(ready->plan);
        }
    } catch (...) {
        // A thread with an unfinished capture could not allocate any more.
        driver().cuStreamEndCapture(stream, &state_->graph);
        throw;
    }
    LANESORT_CU(cuStreamEndCapture, stream, &state_->graph);
    LANESORT_CU(cuGraphInstantiateWithFlags, &state_->executable, state_->graph, 0);
}

RecordedSort::RecordedSort(RecordedSort&&) noexcept = default;
RecordedSort& RecordedSort::operator=(RecordedSort&&) noexcept = default;
RecordedSort::~RecordedSort() = default;

SortReport RecordedSort::enqueue(Stream stream) {
    const CurrentContext current(state_->host.context());
    check_stream(state_->host, stream);
    LANESORT_CU(cuGraphLaunch, state_->executable, stream);
    return state_->report;
}

}  // namespace lanesort::cuda
