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

CUdeviceptr check_keys(const Host& host, const KeyRange& keys) {
    const auto memory = reinterpret_cast<CUdeviceptr>(keys.keys);
    const std::size_t bytes = key_bytes(keys.type);
    if (memory == 0 && keys.count == 0) return memory;  // what cudaMalloc gives for no bytes
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
            fmt::format("the device pointer is not aligned to keys of {} bytes", bytes));
    const std::size_t capacity = (size - (memory - start)) / bytes;
    require(
        keys.offset <= capacity && keys.count <= capacity - keys.offset, ErrorCode::out_of_range,
        fmt::format("{} keys at offset {} reach past the end of the allocation, which holds {} keys of type {} from "
                    "the pointer on",
                    keys.count, keys.offset, capacity, name(keys.type)));
    return memory;
}

/// The plan and its compiled kernels; nothing where there is nothing to sort.
std::optional<detail::SorterCore::Prepared> prepare(Sorter& sorter, const KeyRange& keys) {
    if (keys.count < 2) return std::nullopt;
    return sorter.core().prepare(keys.count, keys.type);
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
    for (const Event waited : wait_list)
        require(waited != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys);

    for (const Event waited : wait_list) LANESORT_CU(cuStreamWaitEvent, stream, waited, 0);
    if (ready) {
        const Keys in_memory{memory, keys.offset, key_coding(keys.type, keys.order)};
        StreamExecutor(host.program(ready->parameters), stream, in_memory).run(ready->plan);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return ready ? detail::report_of(ready->plan) : SortReport{};
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
    const std::optional<detail::SorterCore::Prepared> ready = prepare(sorter, keys);

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
