#include "arguments.hpp"

#include <limits>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "checked.hpp"

namespace lanesort::opencl {

void require(bool holds, ErrorCode code, const std::string& sentence) {
    if (!holds) throw Error(code, sentence);
}

void check_queue(const Host& host, const cl::CommandQueue& queue) {
    require(queue() != nullptr, ErrorCode::invalid_argument, "the command queue is null");
    require(handle_of<cl_context>(queue, CL_QUEUE_CONTEXT) == host.context()(), ErrorCode::wrong_context,
            "the command queue belongs to another context than the sorter");
    require(handle_of<cl_device_id>(queue, CL_QUEUE_DEVICE) == host.device()(), ErrorCode::wrong_context,
            fmt::format("the command queue belongs to another device than the sorter's, {}", host.info().name));
}

void check_buffer(const Host& host, const cl::Buffer& buffer, bool written) {
    require(buffer() != nullptr, ErrorCode::invalid_argument, "the buffer is null");
    require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, ErrorCode::invalid_argument,
            "the memory object is an image, not a buffer");
    require(handle_of<cl_context>(buffer, CL_MEM_CONTEXT) == host.context()(), ErrorCode::wrong_context,
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

void check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys, bool written) {
    check_buffer(host, buffer, written);
    check_range(buffer, keys.offset, keys.count, keys.type.bytes(), "keys", "of " + keys.type.name());
}

void check_values(const Host& host, const cl::Buffer& buffer, const ValueRange& values, const KeyRange& keys) {
    check_buffer(host, buffer, true);
    check_range(buffer, values.offset, keys.count, values.bytes, "values", fmt::format("of {} bytes", values.bytes));
    require_apart({{retained(keys.buffer), keys.offset}, keys.count, keys.type.bytes()},
                  {{buffer, values.offset}, keys.count, values.bytes});
}

void check_segments(const Host& host, const cl::Buffer& buffer, const Segments& segments) {
    require(segments.count < std::numeric_limits<std::size_t>::max(), ErrorCode::invalid_argument,
            fmt::format("{} segments are more than can be: they have one offset more", segments.count));
    check_buffer(host, buffer, false);
    check_range(buffer, segments.offset, segments.count + 1, segments.bytes, "offsets",
                fmt::format("of {} bytes", segments.bytes));
}

std::vector<cl::Event> check_events(const Host& host, std::span<const cl_event> wait_list) {
    std::vector<cl::Event> events;
    for (const cl_event handle : wait_list) {
        require(handle != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
        const cl::Event& event = events.emplace_back(handle, true);
        require(handle_of<cl_context>(event, CL_EVENT_CONTEXT) == host.context()(), ErrorCode::wrong_context,
                "an event of the wait list belongs to another context than the sorter");
    }
    return events;
}

Host& host_of(Sorter& sorter) {
    auto* const host = dynamic_cast<Host*>(&sorter.core().backend());
    require(host != nullptr, ErrorCode::unsupported, "the sorter is not one of an OpenCL device");
    return *host;
}

cl::Buffer retained(cl_mem buffer) { return cl::Buffer(buffer, buffer != nullptr); }

void give(const cl::Event& finished, cl_event* event) {
    if (!event) return;
    checked([&] { check(clRetainEvent(finished()), "clRetainEvent"); });
    *event = finished();
}

void require_apart(const PlacedArray& a, const PlacedArray& b) {
    const std::size_t first_a = a.array.offset * a.bytes, first_b = b.array.offset * b.bytes;
    require(a.count == 0 || b.count == 0 || a.array.buffer() != b.array.buffer() ||
                first_a + a.count * a.bytes <= first_b || first_b + b.count * b.bytes <= first_a,
            ErrorCode::invalid_argument, "two of the arrays overlap: keys, values, results or offsets of segments");
}

}  // namespace lanesort::opencl
