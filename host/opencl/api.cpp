// lanesort/opencl.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/opencl.hpp>

#include <algorithm>
#include <memory>
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
    /// `values` or `indices` may be null. A sort, or a merge of two ranges of which the second begins at `middle`.
    ReadySort(Sorter& sorter, cl_command_queue on, const KeyRange& range, const ValueRange* values,
              const ValueRange* indices, std::optional<std::size_t> middle = {})
        : host_(host_of(sorter)), queue_(on, on != nullptr) {
        check_queue(host_, queue_);
        const detail::Extent extent = detail::extent_of(range, range.segments.buffer != nullptr, middle);
        if (indices) check_index(extent, indices->bytes);
        if (values) detail::check_values(values->bytes);
        const detail::ElementType element =
            indices ? detail::ElementType{range.type, 0, indices->bytes}
                    : element_of(range.type, values ? values->bytes : 0, extent, range.stable);
        number_bytes_ = element.number_bytes;
        using enum detail::Access;
        arrays_ = {{retained(range.buffer), range.offset}, range.count, coding_of(range.type, range.order)};
        std::vector<detail::MemoryUse> uses{check_keys(host_, arrays_.keys.buffer, range, indices ? read : change)};
        const auto take = [&](Array& array, const ValueRange& given, const char* what) {
            array = {retained(given.buffer), given.offset};
            uses.push_back(check_values(host_, array.buffer, given, range.count, what, change));
        };
        if (values) take(arrays_.values, *values, "values");
        if (indices) take(arrays_.numbers, *indices, "indices");
        if (range.segments.buffer) {
            arrays_.segments = {retained(range.segments.buffer), range.segments.offset};
            uses.push_back(check_segments(host_, arrays_.segments.buffer, range.segments));
        }
        check(uses);
        if (extent.is_sorted()) return;
        auto [plan, parameters] = sorter.core().prepare(extent, element);
        plan_ = std::move(plan);
        program_ = host_.shared_program(parameters);
    }

    const Host& host() const noexcept { return host_; }
    const cl::CommandQueue& queue() const noexcept { return queue_; }
    const Plan& plan() const noexcept { return plan_; }
    Program* program() const noexcept { return program_.get(); }

    /// The arrays with those that are the sort's own; the runtime keeps them until the last command that uses them
    /// ended.
    Arrays arrays() const {
        Arrays all = arrays_;
        if (program_ && number_bytes_ > 0 && !all.numbers.buffer())
            all.numbers = {cl::Buffer(host_.context(), CL_MEM_READ_WRITE, all.count * number_bytes_)};
        return all;
    }

    SortReport report() const {
        SortReport report = detail::report_of(plan_);
        if (program_ && !arrays_.numbers.buffer()) report.device_bytes = arrays_.count * number_bytes_;
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
    Host& host_;
    cl::CommandQueue queue_;
    Arrays arrays_;
    std::size_t number_bytes_ = 0;  // of an element's number; 0: they have none
    Plan plan_;
    std::shared_ptr<Program> program_;
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

SortReport enqueue_merge(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, std::size_t middle,
                         std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] { return enqueue(ReadySort(sorter, queue, keys, nullptr, nullptr, middle), wait_list, event); });
}

SortReport enqueue_merge_by_key(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values,
                                std::size_t middle, std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] { return enqueue(ReadySort(sorter, queue, keys, &values, nullptr, middle), wait_list, event); });
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
            waits = std::vector{prepared};
        } else if (keys.count > 0) {
            sort.queue().enqueueFillBuffer(arrays.numbers.buffer, cl_uchar{0}, indices.offset * indices.bytes,
                                           keys.count * indices.bytes, &waits, &prepared);
            waits = std::vector{prepared};
        }
        give(sort.enqueue(arrays, std::move(waits)), event);
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
