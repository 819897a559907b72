// lanesort/opencl.hpp: everything that a caller can get wrong is found here, before anything is enqueued.
#include <lanesort/opencl.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "checked.hpp"
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
        require(context != nullptr && device != nullptr, ErrorCode::invalid_argument, "the context or the device is null");
        const cl::Context retained(context, true);
        const auto devices = retained.getInfo<CL_CONTEXT_DEVICES>();
        require(std::ranges::any_of(devices, [&](const cl::Device& d) { return d() == device; }),
                ErrorCode::wrong_context, "the device is not one of the context's");
        auto host = std::make_unique<Host>(retained, cl::Device(device, true));
        return Sorter(std::make_unique<detail::SorterCore>(std::move(host), std::move(options)));
    });
}

SortReport enqueue_sort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                        std::span<const cl_event> wait_list, cl_event* event) {
    auto* const host = dynamic_cast<Host*>(&sorter.core().backend());
    require(host != nullptr, ErrorCode::unsupported, "the sorter is not one of an OpenCL device");
    return checked([&] {
        const cl::CommandQueue retained_queue(queue, queue != nullptr);
        const cl::Buffer buffer(keys.buffer, keys.buffer != nullptr);
        check_queue(*host, retained_queue);
        check_keys(*host, buffer, keys);
        std::vector<cl::Event> waits = check_events(*host, wait_list);

        const auto [plan, parameters] = sorter.core().prepare(keys.count, keys.type);
        QueueExecutor executor(host->program(parameters), retained_queue,
                               {buffer, keys.offset, key_coding(keys.type, keys.order)}, std::move(waits));
        executor.run(plan);
        if (event) {
            *event = executor.finished()();
            clRetainEvent(*event);
        }
        return detail::report_of(plan);
    });
}

}  // namespace lanesort::opencl
