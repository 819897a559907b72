// lanesort/cuda.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/cuda.hpp>

#include <algorithm>
#include <list>
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
    /// `values` or `indices` may be null. The sorter's context is current.
    ReadySort(Sorter& sorter, const KeyRange& range, const ValueRange* values, const ValueRange* indices)
        : host_(host_of(sorter)) {
        detail::Extent extent{range.count, range.row_length};
        extent.first = range.first;
        if (range.segments.offsets) {
            extent.offset_bytes = range.segments.bytes;
            extent.segments = range.segments.count;
            extent.longest = range.segments.longest;
        }
        check(extent);
        if (indices) check_index(extent, indices->bytes);
        element_ = {range.type, values ? values->bytes : 0, indices ? indices->bytes : 0};
        detail::check(range.type);
        if (values) detail::check_values(values->bytes);
        arrays_ = {{check_keys(host_, range), range.offset}, range.count, coding_of(range.type, range.order)};
        if (values) arrays_.values = {check_values(host_, *values, range), values->offset};
        if (indices) arrays_.numbers = {check_values(host_, *indices, range), indices->offset};
        if (range.segments.offsets) arrays_.segments = {check_segments(host_, range.segments), range.segments.offset};
        if (range.stable && !indices && (values || range.type.comparator()))
            element_.number_bytes = detail::number_bytes(extent);
        if (!extent.is_sorted()) ready_ = sorter.core().prepare(extent, element_);
    }

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
                   const ValueRange* indices, std::span<const Event> wait_list, Event event) {
    const Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    const ReadySort sort(sorter, keys, values, indices);
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

SortReport enqueue_argsort(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& indices,
                           std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, nullptr, &indices, wait_list, event);
}

SortReport enqueue_top_k(Sorter& sorter, Stream stream, const KeyRange& keys, std::size_t k, const Selected& selected,
                         std::span<const Event> wait_list, Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    detail::Extent extent{keys.count, keys.row_length};
    if (keys.segments.offsets) extent.offset_bytes = keys.segments.bytes;
    check(extent);
    const bool wants_indices = selected.indices.values != nullptr;
    if (wants_indices) check_index(extent, selected.indices.bytes);
    const std::size_t key_bytes = keys.type.bytes(), rows = extent.row_length > 0 ? extent.rows() : 1;
    const std::size_t number_bytes =
        selected_number_bytes(extent, keys.type, wants_indices ? selected.indices.bytes : 0);
    const detail::ElementType element{keys.type, 0, number_bytes};
    const Arrays from{{check_keys(host, keys), keys.offset}, keys.count, coding_of(keys.type, keys.order)};
    const KeyRange results{selected.keys, selected.offset, rows * k, keys.type};
    Arrays to{{check_keys(host, results), selected.offset}, rows * k, from.coding};
    require_apart({from.keys, keys.count, key_bytes}, {to.keys, to.count, key_bytes});
    if (wants_indices) {
        to.numbers = {check_values(host, selected.indices, results), selected.indices.offset};
        require_apart({from.keys, keys.count, key_bytes}, {to.numbers, to.count, number_bytes});
    }
    check_events(wait_list);
    const auto ready = sorter.core().prepare_selection(extent, element, k);

    wait_for(stream, wait_list);
    SortReport report;
    std::list<PoolMemory> memory;
    const auto allocate = [&](std::size_t elements, std::size_t bytes) -> Array {
        report.device_bytes += elements * bytes;
        return {memory.emplace_back(host, stream, elements * bytes)};
    };
    if (ready) {
        const detail::Selection& selection = ready->selection;
        Arrays left_over;
        if (number_bytes > 0 && !wants_indices) to.numbers = allocate(to.count, number_bytes);
        if (selection.left_over() > 0) {
            left_over.keys = allocate(selection.left_over(), key_bytes);
            if (number_bytes > 0) left_over.numbers = allocate(selection.left_over(), number_bytes);
        }
        enqueue_selection(host.program(ready->parameters), stream, selection, from, left_over, to);
        report.launches = selection.passes.size();
    } else if (to.count > 0) {
        // Too many for registers: a copy is sorted, and the first of each row are copied out.
        Arrays copy{allocate(keys.count, key_bytes), keys.count, from.coding};
        if (number_bytes > 0) copy.numbers = allocate(keys.count, number_bytes);
        LANESORT_CU(cuMemcpyDtoDAsync, copy.keys.memory, from.keys.memory + keys.offset * key_bytes,
                    keys.count * key_bytes, stream);
        if (!extent.is_sorted()) {
            extent.first = k;
            const auto sort = sorter.core().prepare(extent, element);
            StreamExecutor executor(host.program(sort.parameters), stream, copy);
            executor.run(sort.plan);
            report.launches = executor.launches();
        } else if (number_bytes > 0) {
            LANESORT_CU(cuMemsetD8Async, copy.numbers.memory, 0, keys.count * number_bytes, stream);
        }
        const auto take = [&](const Array& array, const Array& source, std::size_t bytes) {
            constexpr std::size_t most_pitch = (std::size_t{1} << 31) - 1;
            const CUdeviceptr first = array.memory + array.offset * bytes;
            const std::size_t pitch = extent.length() * bytes, width = k * bytes;
            if (pitch > most_pitch) {
                for (std::size_t row = 0; row < rows; ++row)
                    LANESORT_CU(cuMemcpyDtoDAsync, first + row * width, source.memory + row * pitch, width, stream);
                return;
            }
            CUDA_MEMCPY2D copy_of_rows{};
            copy_of_rows.srcMemoryType = copy_of_rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy_of_rows.srcDevice = source.memory;
            copy_of_rows.srcPitch = pitch;
            copy_of_rows.dstDevice = first;
            copy_of_rows.dstPitch = copy_of_rows.WidthInBytes = width;
            copy_of_rows.Height = rows;
            LANESORT_CU(cuMemcpy2DAsync, &copy_of_rows, stream);
        };
        take(to.keys, copy.keys, key_bytes);
        if (wants_indices) take(to.numbers, copy.numbers, number_bytes);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return report;
}

struct RecordedSort::State {
    Host& host;
    SortReport report;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;

    State(Sorter& sorter, const KeyRange& keys, const ValueRange* values) : host(host_of(sorter)) {
        const CurrentContext current(host.context());
        const ReadySort sort(sorter, keys, values, nullptr);
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
