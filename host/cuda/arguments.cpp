#include "arguments.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "../../lib/src/sorter_core.hpp"
#include "checked.hpp"

namespace lanesort::cuda {

void require(bool holds, ErrorCode code, const std::string& sentence) {
    if (!holds) throw Error(code, sentence);
}

Host& host_of(Sorter& sorter) {
    auto* const host = dynamic_cast<Host*>(&sorter.core().backend());
    require(host != nullptr, ErrorCode::unsupported, "the sorter is not one of a CUDA device");
    return *host;
}

namespace {

/// A fact about a pointer; nothing (false) for memory that CUDA does not know.
template <class Fact>
bool ask(CUdeviceptr memory, CUpointer_attribute which, Fact& fact) {
    const CUresult result = driver().cuPointerGetAttribute(&fact, which, memory);
    if (result == CUDA_ERROR_INVALID_VALUE) return false;
    check(result, "cuPointerGetAttribute");
    return true;
}

}  // namespace

detail::MemoryUse check_array(const Host& host, const void* pointer, std::size_t offset, std::size_t count,
                              std::size_t bytes, const char* what, const std::string& of_what, detail::Access access) {
    const auto memory = reinterpret_cast<CUdeviceptr>(pointer);
    if (memory == 0 && count == 0) return {what, access, 0, 0};  // what cudaMalloc gives for no bytes
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
    const std::size_t alignment = std::min<std::size_t>(bytes & (~bytes + 1), 16);
    require(memory % alignment == 0, ErrorCode::invalid_argument,
            fmt::format("the device pointer is not aligned to {} of {} bytes", what, bytes));
    const std::size_t capacity = (size - (memory - start)) / bytes;
    require(offset <= capacity && count <= capacity - offset, ErrorCode::out_of_range,
            fmt::format("{} {} at offset {} reach past the end of the allocation, which holds {} {} {} from the "
                        "pointer on",
                        count, what, offset, capacity, what, of_what));
    return {what, access, memory + offset * bytes, count * bytes};
}

detail::MemoryUse check_keys(const Host& host, const KeyRange& keys, detail::Access access, const char* what) {
    return check_array(host, keys.keys, keys.offset, keys.count, keys.type.bytes(), what, "of " + keys.type.name(),
                       access);
}

detail::MemoryUse check_values(const Host& host, const ValueRange& values, std::size_t count, const char* what,
                               detail::Access access) {
    return check_array(host, values.values, values.offset, count, values.bytes, what,
                       fmt::format("of {} bytes", values.bytes), access);
}

detail::MemoryUse check_segments(const Host& host, const Segments& segments) {
    require(segments.count < std::numeric_limits<std::size_t>::max(), ErrorCode::invalid_argument,
            fmt::format("{} segments are more than can be: they have one offset more", segments.count));
    return check_array(host, segments.offsets, segments.offset, segments.count + 1, segments.bytes,
                       "offsets of segments", fmt::format("of {} bytes", segments.bytes), detail::Access::read);
}

void check_events(std::span<const Event> wait_list) {
    for (const Event waited : wait_list)
        require(waited != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
}

void wait_for(CUstream stream, std::span<const Event> wait_list) {
    for (const Event waited : wait_list) LANESORT_CU(cuStreamWaitEvent, stream, waited, 0);
}

void check_stream(const Host& host, CUstream stream) {
    if (stream == nullptr) return;
    CUcontext context = nullptr;
    LANESORT_CU(cuStreamGetCtx, stream, &context);
    require(context == host.context(), ErrorCode::wrong_context,
            "the stream belongs to another context than the sorter");
}

}  // namespace lanesort::cuda
