// lanesort/opencl.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/opencl.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "checked.hpp"
#include "command_buffer.hpp"
#include "host.hpp"

namespace lanesort::opencl {
namespace {

void require(bool holds, ErrorCode code, const std::string& sentence) {
    if (!holds) throw Error(code, sentence);
}

void check_queue(const Host& host, const cl::CommandQueue& queue) {
    require(queue() != nullptr, ErrorCode::invalid_argument, "the command queue is null");
    require(queue.getInfo<CL_QUEUE_CONTEXT>()() == host.context()(), ErrorCode::wrong_context,
            "the command queue belongs to another context than the sorter");
    require(queue.getInfo<CL_QUEUE_DEVICE>()() == host.device()(), ErrorCode::wrong_context,
            fmt::format("the command queue belongs to another device than the sorter's, {}", host.info().name));
}

void check_buffer(const Host& host, const cl::Buffer& buffer, bool written) {
    require(buffer() != nullptr, ErrorCode::invalid_argument, "the buffer is null");
    require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, ErrorCode::invalid_argument,
            "the memory object is an image, not a buffer");
    require(buffer.getInfo<CL_MEM_CONTEXT>()() == host.context()(), ErrorCode::wrong_context,
            "the buffer belongs to another context than the sorter");
    require(!written || !(buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_READ_ONLY), ErrorCode::not_writable,
            "the buffer is read-only for kernels (CL_MEM_READ_ONLY)");
}

void check_range(const cl::Buffer& buffer, std::size_t offset, std::size_t count, std::size_t bytes,
                 const std::string& what, const std::string& of_what) {
    const std::size_t capacity = buffer.getInfo<CL_MEM_SIZE>() / bytes;
    require(offset <= capacity && count <= capacity - offset, ErrorCode::out_of_range,
            fmt::format("{} {} at offset {} reach past the end of the buffer, which holds {} {} {}", count, what,
                        offset, capacity, what, of_what));
}

void check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys, bool written = true) {
    check_buffer(host, buffer, written);
    check_range(buffer, keys.offset, keys.count, key_bytes(keys.type), "keys",
                fmt::format("of type {}", name(keys.type)));
}

void check_values(const Host& host, const cl::Buffer& buffer, const ValueRange& values, const KeyRange& keys) {
    check_buffer(host, buffer, true);
    check_range(buffer, values.offset, keys.count, values.bytes, "values", fmt::format("of {} bytes", values.bytes));
    const std::size_t first_key = keys.offset * key_bytes(keys.type), first_value = values.offset * values.bytes;
    require(values.buffer != keys.buffer || first_key + keys.count * key_bytes(keys.type) <= first_value ||
                first_value + keys.count * values.bytes <= first_key,
            ErrorCode::invalid_argument, "keys and values overlap");
}

std::vector<cl::Event> check_events(const Host& host, std::span<const cl_event> wait_list) {
    std::vector<cl::Event> events;
    for (const cl_event handle : wait_list) {
        require(handle != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
        const cl::Event& event = events.emplace_back(handle, true);
        require(event.getInfo<CL_EVENT_CONTEXT>()() == host.context()(), ErrorCode::wrong_context,
                "an event of the wait list belongs to another context than the sorter");
    }
    return events;
}

}  // namespace

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

Host& host_of(Sorter& sorter) {
    auto* const host = dynamic_cast<Host*>(&sorter.core().backend());
    require(host != nullptr, ErrorCode::unsupported, "the sorter is not one of an OpenCL device");
    return *host;
}

/// A sort that was checked, planned and compiled; fewer than two keys need no program.
struct ReadySort {
    Host& host;
    cl::CommandQueue queue;
    Keys keys;
    Plan plan;
    Program* program = nullptr;

    ReadySort(Sorter& sorter, cl_command_queue on, const KeyRange& range) : ReadySort(host_of(sorter), on, range) {
        check_keys(host, keys.buffer, range);
        prepare(sorter, {range.count, range.row_length}, {range.type});
    }

    ReadySort(Sorter& sorter, cl_command_queue on, const KeyRange& range, const ValueRange& values, bool number_values)
        : ReadySort(host_of(sorter), on, range) {
        const detail::ElementType element{range.type, values.bytes, number_values};
        detail::check(element);
        if (number_values) detail::check_index({range.count, range.row_length}, values.bytes);
        check_keys(host, keys.buffer, range, !number_values);
        keys.values = cl::Buffer(values.buffer, values.buffer != nullptr);
        keys.values_offset = values.offset;
        check_values(host, keys.values, values, range);
        prepare(sorter, {range.count, range.row_length}, element);
    }

    cl::Event enqueue(std::vector<cl::Event> wait_list) const {
        if (!program) {
            cl::Event marker;
            queue.enqueueMarkerWithWaitList(&wait_list, &marker);
            return marker;
        }
        QueueExecutor executor(*program, queue, keys, std::move(wait_list));
        executor.run(plan);
        return executor.finished();
    }

private:
    ReadySort(Host& of, cl_command_queue on, const KeyRange& range)
        : host(of),
          queue(on, on != nullptr),
          keys{cl::Buffer(range.buffer, range.buffer != nullptr), range.offset, key_coding(range.type, range.order)} {
        check_queue(host, queue);
    }

    void prepare(Sorter& sorter, const detail::Extent& extent, const detail::ElementType& element) {
        detail::check(extent);
        if (extent.is_sorted()) return;
        auto [made, parameters] = sorter.core().prepare(extent, element);
        plan = std::move(made);
        program = &host.program(parameters);
    }
};

void give(const cl::Event& finished, cl_event* event) {
    if (!event) return;
    checked([&] { cl::detail::errHandler(clRetainEvent(finished()), "clRetainEvent"); });
    *event = finished();
}

}  // namespace

SortReport enqueue_sort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                        std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        const ReadySort sort(sorter, queue, keys);
        give(sort.enqueue(check_events(sort.host, wait_list)), event);
        return detail::report_of(sort.plan);
    });
}

SortReport enqueue_sort_by_key(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values,
                               std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        const ReadySort sort(sorter, queue, keys, values, false);
        give(sort.enqueue(check_events(sort.host, wait_list)), event);
        return detail::report_of(sort.plan);
    });
}

SortReport enqueue_argsort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& indices,
                           std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        ReadySort sort(sorter, queue, keys, indices, true);
        std::vector<cl::Event> waits = check_events(sort.host, wait_list);
        SortReport report = detail::report_of(sort.plan);
        if (!sort.program && keys.count > 0) {
            cl::Event written;
            sort.queue.enqueueFillBuffer(sort.keys.values, cl_uchar{0}, indices.offset * indices.bytes,
                                         keys.count * indices.bytes, &waits, &written);
            waits = {written};
        } else if (sort.program) {
            // The runtime keeps the copy until the last command that uses it has ended.
            const std::size_t bytes = key_bytes(keys.type);
            const cl::Buffer copy(sort.host.context(), CL_MEM_READ_WRITE, keys.count * bytes);
            cl::Event copied;
            sort.queue.enqueueCopyBuffer(sort.keys.buffer, copy, keys.offset * bytes, 0, keys.count * bytes, &waits,
                                         &copied);
            sort.keys.buffer = copy;
            sort.keys.offset = 0;
            report.device_bytes = keys.count * bytes;
            waits = {copied};
        }
        give(sort.enqueue(std::move(waits)), event);
        return report;
    });
}

struct RecordedSort::State {
    ReadySort sort;
    std::optional<CommandBufferExecutor> recorded;
};

RecordedSort::RecordedSort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys)
    : state_(checked([&] { return std::make_unique<State>(ReadySort(sorter, queue, keys)); })) {
    ReadySort& sort = state_->sort;
    if (!sort.program || !CommandBufferExecutor::supported(sort.queue)) return;
    // The extension is provisional: where it fails, the launches are enqueued one by one.
    try {
        state_->recorded.emplace(*sort.program, sort.queue, sort.keys).run(sort.plan);
    } catch (const cl::Error&) {
        state_->recorded.reset();
    }
}

RecordedSort::RecordedSort(RecordedSort&&) noexcept = default;
RecordedSort& RecordedSort::operator=(RecordedSort&&) noexcept = default;
RecordedSort::~RecordedSort() = default;

SortReport RecordedSort::enqueue(std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        std::vector<cl::Event> waits = check_events(state_->sort.host, wait_list);
        const bool replays = state_->recorded && state_->recorded->ready();
        give(replays ? state_->recorded->enqueue(waits) : state_->sort.enqueue(std::move(waits)), event);
        return detail::report_of(state_->sort.plan);
    });
}

bool RecordedSort::uses_command_buffer() const noexcept { return state_->recorded.has_value(); }

}  // namespace lanesort::opencl
