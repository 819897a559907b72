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

namespace {

void check_buffer(const Host& host, const cl::Buffer& buffer, detail::Access access) {
    require(buffer() != nullptr, ErrorCode::invalid_argument, "the buffer is null");
    require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, ErrorCode::invalid_argument,
            "the memory object is an image, not a buffer");
    require(handle_of<cl_context>(buffer, CL_MEM_CONTEXT) == host.context()(), ErrorCode::wrong_context,
            "the buffer belongs to another context than the sorter");
    const cl_mem_flags flags = buffer.getInfo<CL_MEM_FLAGS>();
    require(access == detail::Access::read || !(flags & CL_MEM_READ_ONLY), ErrorCode::not_writable,
            "the buffer is read-only for kernels (CL_MEM_READ_ONLY)");
    require(access == detail::Access::write || !(flags & CL_MEM_WRITE_ONLY), ErrorCode::invalid_argument,
            "the buffer is write-only for kernels (CL_MEM_WRITE_ONLY), but its elements have to be read");
}

/// Where the bytes of a buffer lie: sub-buffers are a part of another buffer, and several buffers may be made of the
/// same memory of the host's (CL_MEM_USE_HOST_PTR).
detail::MemoryUse place_of(const cl::Buffer& buffer, std::uint64_t first, detail::MemoryUse use) {
    cl::Buffer whole = buffer;
    if (const auto parent = handle_of<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT)) {
        first += buffer.getInfo<CL_MEM_OFFSET>();
        whole = cl::Buffer(parent, true);
    }
    const auto* const in_host_memory =
        whole.getInfo<CL_MEM_FLAGS>() & CL_MEM_USE_HOST_PTR ? whole.getInfo<CL_MEM_HOST_PTR>() : nullptr;
    use.memory = in_host_memory ? nullptr : whole();
    use.begin = first + reinterpret_cast<std::uintptr_t>(in_host_memory);
    return use;
}

}  // namespace

detail::MemoryUse check_array(const Host& host, const cl::Buffer& buffer, std::size_t offset, std::size_t count,
                              std::size_t bytes, const char* what, const std::string& of_what, detail::Access access) {
    check_buffer(host, buffer, access);
    const std::size_t capacity = buffer.getInfo<CL_MEM_SIZE>() / bytes;
    require(offset <= capacity && count <= capacity - offset, ErrorCode::out_of_range,
            fmt::format("{} {} at offset {} reach past the end of the buffer, which holds {} {} {}", count, what,
                        offset, capacity, what, of_what));
    return place_of(buffer, offset * bytes, {what, access, 0, count * bytes});
}

detail::MemoryUse check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys, detail::Access access,
                             const char* what) {
    return check_array(host, buffer, keys.offset, keys.count, keys.type.bytes(), what, "of " + keys.type.name(),
                       access);
}

detail::MemoryUse check_values(const Host& host, const cl::Buffer& buffer, const ValueRange& values, std::size_t count,
                               const char* what, detail::Access access) {
    return check_array(host, buffer, values.offset, count, values.bytes, what, fmt::format("of {} bytes", values.bytes),
                       access);
}

detail::MemoryUse check_segments(const Host& host, const cl::Buffer& buffer, const Segments& segments) {
    require(segments.count < std::numeric_limits<std::size_t>::max(), ErrorCode::invalid_argument,
            fmt::format("{} segments are more than can be: they have one offset more", segments.count));
    return check_array(host, buffer, segments.offset, segments.count + 1, segments.bytes, "offsets of segments",
                       fmt::format("of {} bytes", segments.bytes), detail::Access::read);
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

}  // namespace lanesort::opencl
