// lanesort/cuda.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/cuda.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "host.hpp"
#include "memory.hpp"
#include "platform.hpp"

namespace lanesort::cuda {

Sorter make_sorter(int device, SorterOptions options) {
    return Sorter(
        std::make_unique<detail::SorterCore>(std::make_unique<Host>(device_of_number(device)), std::move(options)));
}

namespace {

/// A sort that was checked, planned and compiled; where nothing can be out of order it needs no program.
class ReadySort {
public:
    /// `values` or `indices` may be null. A sort, or a merge of two ranges of which the second begins at `middle`. The
    /// sorter's context is current.
    ReadySort(Sorter& sorter, const KeyRange& range, const ValueRange* values, const ValueRange* indices,
              std::optional<std::size_t> middle = {})
        : host_(host_of(sorter)) {
        const detail::Extent extent = detail::extent_of(range, range.segments.offsets != nullptr, middle);
        if (indices) check_index(extent, indices->bytes);
        if (values) detail::check_values(values->bytes);
        element_ = indices ? detail::ElementType{range.type, 0, indices->bytes}
                           : element_of(range.type, values ? values->bytes : 0, extent, range.stable);
        using enum detail::Access;
        arrays_ = {array_at(range.keys, range.offset), range.count, coding_of(range.type, range.order)};
        std::vector<detail::MemoryUse> uses{check_keys(host_, range, indices ? read : change)};
        const auto take = [&](Array& array, const ValueRange& given, const char* what) {
            array = array_at(given.values, given.offset);
            uses.push_back(check_values(host_, given, range.count, what, change));
        };
        if (values) take(arrays_.values, *values, "values");
        if (indices) take(arrays_.numbers, *indices, "indices");
        if (range.segments.offsets) {
            arrays_.segments = array_at(range.segments.offsets, range.segments.offset);
            uses.push_back(check_segments(host_, range.segments));
        }
        check(uses);
        if (!extent.is_sorted()) ready_ = sorter.core().prepare(extent, element_);
    }

    /// Null where there is nothing to be sorted.
    std::shared_ptr<Program> program() const { return ready_ ? host_.shared_program(ready_->parameters) : nullptr; }

    /// Enqueues the sort; of an argsort, on a copy of the keys.
    SortReport enqueue(CUstream stream) const {
        const std::size_t key_bytes = element_.key.bytes(), number_bytes = element_.number_bytes;
        const bool keys_stay = arrays_.numbers.memory != 0;
        if (!ready_) {
            if (keys_stay && arrays_.count > 0)
                LANESORT_CU(cuMemsetD8Async, arrays_.numbers.memory + arrays_.numbers.offset * number_bytes, 0,
                            arrays_.count * number_bytes, stream);
            return {};
        }
        SortReport report = detail::report_of(ready_->plan);
        Arrays arrays = arrays_;
        std::optional<PoolMemory> own;
        if (keys_stay) {
            report.device_bytes = arrays.count * key_bytes;
            own.emplace(host_, stream, report.device_bytes);
            LANESORT_CU(cuMemcpyDtoDAsync, *own, arrays.keys.memory + arrays.keys.offset * key_bytes,
                        report.device_bytes, stream);
            arrays.keys = {*own};
        } else if (number_bytes > 0) {
            report.device_bytes = arrays.count * number_bytes;
            own.emplace(host_, stream, report.device_bytes);
            arrays.numbers = {*own};
        }
        StreamExecutor(host_.program(ready_->parameters), stream, arrays).run(ready_->plan);
        return report;
    }

private:
    Host& host_;
    detail::ElementType element_;
    Arrays arrays_;
    std::optional<detail::SorterCore::Prepared> ready_;
};

SortReport enqueue(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange* values,
                   const ValueRange* indices, std::span<const Event> wait_list, Event event,
                   std::optional<std::size_t> middle = {}) {
    const Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    const ReadySort sort(sorter, keys, values, indices, middle);
    check_events(wait_list);
    wait_for(stream, wait_list);
    const SortReport report = sort.enqueue(stream);
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return report;
}

}  // namespace

SortReport enqueue_sort(Sorter& sorter, Stream stream, const KeyRange& keys, std::span<const Event> wait_list,
                        Event event) {
    return enqueue(sorter, stream, keys, nullptr, nullptr, wait_list, event);
}

SortReport enqueue_sort_by_key(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& values,
                               std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, &values, nullptr, wait_list, event);
}

SortReport enqueue_merge(Sorter& sorter, Stream stream, const KeyRange& keys, std::size_t middle,
                         std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, nullptr, nullptr, wait_list, event, middle);
}

SortReport enqueue_merge_by_key(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& values,
                                std::size_t middle, std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, &values, nullptr, wait_list, event, middle);
}

SortReport enqueue_argsort(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& indices,
                           std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, nullptr, &indices, wait_list, event);
}

struct RecordedSort::State {
    Host& host;
    SortReport report;
    std::shared_ptr<Program> program;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;

    State(Sorter& sorter, const KeyRange& keys, const ValueRange* values) : host(host_of(sorter)) {
        const CurrentContext current(host.context());
        const ReadySort sort(sorter, keys, values, nullptr);
        program = sort.program();
        // A stream of its own is captured, so that nothing of the caller's is.
        CUstream stream = nullptr;
        LANESORT_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
        const std::unique_ptr<CUstream_st, decltype(driver().cuStreamDestroy)> owner(stream, driver().cuStreamDestroy);
        LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        try {
            report = sort.enqueue(stream);
        } catch (...) {
            // A thread with an unfinished capture could not allocate any more.
            driver().cuStreamEndCapture(stream, &graph);
            driver().cuGraphDestroy(graph);
            throw;
        }
        LANESORT_CU(cuStreamEndCapture, stream, &graph);
        if (const CUresult made = driver().cuGraphInstantiateWithFlags(&executable, graph, 0); made != CUDA_SUCCESS) {
            driver().cuGraphDestroy(graph);
            check(made, "cuGraphInstantiateWithFlags");
        }
    }
    ~State() {
        driver().cuGraphExecDestroy(executable);
        driver().cuGraphDestroy(graph);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

RecordedSort::RecordedSort(Sorter& sorter, const KeyRange& keys)
    : state_(std::make_unique<State>(sorter, keys, nullptr)) {}
RecordedSort::RecordedSort(Sorter& sorter, const KeyRange& keys, const ValueRange& values)
    : state_(std::make_unique<State>(sorter, keys, &values)) {}
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
