// lanesort/opencl.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/opencl.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "command_buffer.hpp"
#include "host.hpp"

namespace lanesort::opencl {

Sorter make_sorter(cl_context context, cl_device_id device, SorterOptions options) {
    return checked([&] {
        require(context != nullptr && device != nullptr, ErrorCode::invalid_argument,
                "the context or the device is null");
        const cl::Context retained(context, true);
        const auto devices = retained.getInfo<CL_CONTEXT_DEVICES>();
        require(std::ranges::any_of(devices, [&](const cl::Device& d) { return d() == device; }),
                ErrorCode::wrong_context, "the device is not one of the context's");
        auto host = std::make_unique<Host>(retained, cl::Device(device, true));
        return Sorter(std::make_unique<detail::SorterCore>(std::move(host), std::move(options)));
    });
}

namespace {

/// A sort that was checked, planned and compiled; where nothing can be out of order it needs no program.
class ReadySort {
public:
    /// `values` or `indices` may be null.
    ReadySort(Sorter& sorter, cl_command_queue on, const KeyRange& range, const ValueRange* values,
              const ValueRange* indices)
        : host_(host_of(sorter)),
          queue_(on, on != nullptr),
          arrays_{{retained(range.buffer), range.offset}, range.count, coding_of(range.type, range.order)} {
        check_queue(host_, queue_);
        detail::Extent extent{range.count, range.row_length};
        extent.first = range.first;
        if (range.segments.buffer) {
            extent.offset_bytes = range.segments.bytes;
            extent.segments = range.segments.count;
            extent.longest = range.segments.longest;
        }
        check(extent);
        if (indices) check_index(extent, indices->bytes);
        element_ = {range.type, values ? values->bytes : 0, indices ? indices->bytes : 0};
        detail::check(range.type);
        if (values) detail::check_values(values->bytes);
        check_keys(host_, arrays_.keys.buffer, range, !indices);
        if (values) take(arrays_.values, *values, range);
        if (indices) take(arrays_.numbers, *indices, range);
        if (range.segments.buffer) {
            arrays_.segments = {retained(range.segments.buffer), range.segments.offset};
            check_segments(host_, arrays_.segments.buffer, range.segments);
        }
        if (range.stable && !indices && (values || range.type.comparator()))
            element_.number_bytes = detail::number_bytes(extent);
        if (extent.is_sorted()) return;
        auto [plan, parameters] = sorter.core().prepare(extent, element_);
        plan_ = std::move(plan);
        program_ = &host_.program(parameters);
    }

    const Host& host() const noexcept { return host_; }
    const cl::CommandQueue& queue() const noexcept { return queue_; }
    const Plan& plan() const noexcept { return plan_; }
    Program* program() const noexcept { return program_; }

    /// The arrays with those that are the sort's own; the runtime keeps them until the last command that uses them
    /// ended.
    Arrays arrays() const {
        Arrays all = arrays_;
        if (program_ && element_.number_bytes > 0 && !all.numbers.buffer())
            all.numbers = {cl::Buffer(host_.context(), CL_MEM_READ_WRITE, all.count * element_.number_bytes)};
        return all;
    }

    SortReport report() const {
        SortReport report = detail::report_of(plan_);
        if (program_ && !arrays_.numbers.buffer()) report.device_bytes = arrays_.count * element_.number_bytes;
        return report;
    }

    cl::Event enqueue(const Arrays& arrays, std::vector<cl::Event> wait_list) const {
        if (!program_) {
            cl::Event marker;
            queue_.enqueueMarkerWithWaitList(&wait_list, &marker);
            return marker;
        }
        QueueExecutor executor(*program_, queue_, arrays, std::move(wait_list));
        executor.run(plan_);
        return executor.finished();
    }

private:
    void take(Array& array, const ValueRange& values, const KeyRange& range) const {
        array = {retained(values.buffer), values.offset};
        check_values(host_, array.buffer, values, range);
    }

    Host& host_;
    cl::CommandQueue queue_;
    Arrays arrays_;
    detail::ElementType element_;
    Plan plan_;
    Program* program_ = nullptr;
};

SortReport enqueue(const ReadySort& sort, std::span<const cl_event> wait_list, cl_event* event) {
    give(sort.enqueue(sort.arrays(), check_events(sort.host(), wait_list)), event);
    return sort.report();
}

}  // namespace

SortReport enqueue_sort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                        std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] { return enqueue(ReadySort(sorter, queue, keys, nullptr, nullptr), wait_list, event); });
}

SortReport enqueue_sort_by_key(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values,
                               std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] { return enqueue(ReadySort(sorter, queue, keys, &values, nullptr), wait_list, event); });
}

SortReport enqueue_argsort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& indices,
                           std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        const ReadySort sort(sorter, queue, keys, nullptr, &indices);
        std::vector<cl::Event> waits = check_events(sort.host(), wait_list);
        Arrays arrays = sort.arrays();
        SortReport report = sort.report();
        cl::Event prepared;
        if (sort.program()) {
            // The runtime keeps the copy until the last command that uses it has ended.
            const std::size_t bytes = keys.type.bytes();
            report.device_bytes = keys.count * bytes;
            const cl::Buffer copy(sort.host().context(), CL_MEM_READ_WRITE, report.device_bytes);
            sort.queue().enqueueCopyBuffer(arrays.keys.buffer, copy, keys.offset * bytes, 0, report.device_bytes,
                                           &waits, &prepared);
            arrays.keys = {copy};
            waits = {prepared};
        } else if (keys.count > 0) {
            sort.queue().enqueueFillBuffer(arrays.numbers.buffer, cl_uchar{0}, indices.offset * indices.bytes,
                                           keys.count * indices.bytes, &waits, &prepared);
            waits = {prepared};
        }
        give(sort.enqueue(arrays, std::move(waits)), event);
        return report;
    });
}

SortReport enqueue_top_k(Sorter& sorter, cl_command_queue on, const KeyRange& keys, std::size_t k,
                         const Selected& selected, std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        Host& host = host_of(sorter);
        const cl::CommandQueue queue(on, on != nullptr);
        check_queue(host, queue);
        detail::Extent extent{keys.count, keys.row_length};
        if (keys.segments.buffer) extent.offset_bytes = keys.segments.bytes;
        check(extent);
        const bool wants_indices = selected.indices.buffer != nullptr;
        if (wants_indices) check_index(extent, selected.indices.bytes);
        const std::size_t key_bytes = keys.type.bytes(), rows = extent.row_length > 0 ? extent.rows() : 1;
        const std::size_t number_bytes =
            selected_number_bytes(extent, keys.type, wants_indices ? selected.indices.bytes : 0);
        const detail::ElementType element{keys.type, 0, number_bytes};
        const Arrays from{{retained(keys.buffer), keys.offset}, keys.count, coding_of(keys.type, keys.order)};
        Arrays to{{retained(selected.buffer), selected.offset}, rows * k, from.coding};
        check_keys(host, from.keys.buffer, keys, false);
        const KeyRange results{selected.buffer, selected.offset, to.count, keys.type};
        check_keys(host, to.keys.buffer, results, true);
        require_apart({from.keys, keys.count, key_bytes}, {to.keys, to.count, key_bytes});
        if (wants_indices) {
            to.numbers = {retained(selected.indices.buffer), selected.indices.offset};
            check_values(host, to.numbers.buffer, selected.indices, results);
            require_apart({from.keys, keys.count, key_bytes}, {to.numbers, to.count, number_bytes});
        }
        std::vector<cl::Event> waits = check_events(host, wait_list);
        const auto ready = sorter.core().prepare_selection(extent, element, k);

        SortReport report;
        const auto allocate = [&](std::size_t elements, std::size_t bytes) -> Array {
            report.device_bytes += elements * bytes;
            return {cl::Buffer(host.context(), CL_MEM_READ_WRITE, elements * bytes)};
        };
        cl::Event finished;
        if (ready) {
            const detail::Selection& selection = ready->selection;
            Arrays left_over{};
            if (number_bytes > 0 && !wants_indices) to.numbers = allocate(to.count, number_bytes);
            if (selection.left_over() > 0) {
                left_over.keys = allocate(selection.left_over(), key_bytes);
                if (number_bytes > 0) left_over.numbers = allocate(selection.left_over(), number_bytes);
            }
            finished = enqueue_selection(host.program(ready->parameters), queue, selection, from, left_over, to,
                                         std::move(waits));
            report.launches = selection.passes.size();
        } else if (to.count == 0) {
            queue.enqueueMarkerWithWaitList(&waits, &finished);
        } else {
            // Too many for registers: a copy is sorted, and the first of each row are copied out.
            Arrays copy{allocate(keys.count, key_bytes), keys.count, from.coding};
            if (number_bytes > 0) copy.numbers = allocate(keys.count, number_bytes);
            std::vector<cl::Event> copied(1);
            queue.enqueueCopyBuffer(from.keys.buffer, copy.keys.buffer, keys.offset * key_bytes, 0,
                                    keys.count * key_bytes, &waits, &copied[0]);
            if (extent.is_sorted()) {
                if (number_bytes > 0)
                    queue.enqueueFillBuffer(copy.numbers.buffer, cl_uchar{0}, 0, keys.count * number_bytes, &waits,
                                            &copied.emplace_back());
            } else {
                extent.first = k;
                const auto sort = sorter.core().prepare(extent, element);
                QueueExecutor executor(host.program(sort.parameters), queue, copy, std::move(copied));
                executor.run(sort.plan);
                report.launches = executor.launches();
                copied = {executor.finished()};
            }
            std::vector<cl::Event> taken;
            const auto take = [&](const Array& array, const Array& source, std::size_t bytes) {
                queue.enqueueCopyBufferRect(source.buffer, array.buffer, {0, 0, 0}, {array.offset * bytes, 0, 0},
                                            {k * bytes, rows, 1}, extent.length() * bytes, 0, k * bytes, 0, &copied,
                                            &taken.emplace_back());
            };
            take(to.keys, copy.keys, key_bytes);
            if (wants_indices) take(to.numbers, copy.numbers, number_bytes);
            queue.enqueueMarkerWithWaitList(&taken, &finished);
        }
        give(finished, event);
        return report;
    });
}

struct RecordedSort::State {
    ReadySort sort;
    Arrays arrays;
    std::optional<CommandBufferExecutor> recorded;

    explicit State(ReadySort ready) : sort(std::move(ready)), arrays(sort.arrays()) {
        if (!sort.program() || !CommandBufferExecutor::supported(sort.queue())) return;
        // The extension is provisional: where it fails, the launches are enqueued one by one.
        try {
            recorded.emplace(*sort.program(), sort.queue(), arrays).run(sort.plan());
        } catch (const cl::Error&) {
            recorded.reset();
        }
    }
};

RecordedSort::RecordedSort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys)
    : state_(checked([&] { return std::make_unique<State>(ReadySort(sorter, queue, keys, nullptr, nullptr)); })) {}
RecordedSort::RecordedSort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values)
    : state_(checked([&] { return std::make_unique<State>(ReadySort(sorter, queue, keys, &values, nullptr)); })) {}
RecordedSort::RecordedSort(RecordedSort&&) noexcept = default;
RecordedSort& RecordedSort::operator=(RecordedSort&&) noexcept = default;
RecordedSort::~RecordedSort() = default;

SortReport RecordedSort::enqueue(std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        const auto& [sort, arrays, recorded] = *state_;
        std::vector<cl::Event> waits = check_events(sort.host(), wait_list);
        const bool replays = recorded && recorded->ready();
        give(replays ? state_->recorded->enqueue(waits) : sort.enqueue(arrays, std::move(waits)), event);
        SortReport report = sort.report();
        report.device_bytes = 0;
        return report;
    });
}

bool RecordedSort::uses_command_buffer() const noexcept { return state_->recorded.has_value(); }

}  // namespace lanesort::opencl
