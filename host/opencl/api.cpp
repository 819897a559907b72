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

void check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys) {
    require(buffer() != nullptr, ErrorCode::invalid_argument, "the buffer is null");
    require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, ErrorCode::invalid_argument,
            "the memory object is an image, not a buffer");
    require(buffer.getInfo<CL_MEM_CONTEXT>()() == host.context()(), ErrorCode::wrong_context,
            "the buffer belongs to another context than the sorter");
    require(!(buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_READ_ONLY), ErrorCode::not_writable,
            "the buffer is read-only for kernels (CL_MEM_READ_ONLY)");
    const std::size_t capacity = buffer.getInfo<CL_MEM_SIZE>() / key_bytes(keys.type);
    require(keys.offset <= capacity && keys.count <= capacity - keys.offset, ErrorCode::out_of_range,
            fmt::format("{} keys at offset {} reach past the end of the buffer, which holds {} keys of type {}",
                        keys.count, keys.offset, capacity, name(keys.type)));
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

    ReadySort(Sorter& sorter, cl_command_queue on, const KeyRange& range)
        : host(host_of(sorter)),
          queue(on, on != nullptr),
          keys{cl::Buffer(range.buffer, range.buffer != nullptr), range.offset, key_coding(range.type, range.order)} {
        check_queue(host, queue);
        check_keys(host, keys.buffer, range);
        if (range.count < 2) return;
        auto [made, parameters] = sorter.core().prepare(range.count, range.type);
        plan = std::move(made);
        program = &host.program(parameters);
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
