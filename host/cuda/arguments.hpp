// What a caller of lanesort/cuda.hpp gives, checked. The sorter's context is current.
#pragma once

#include <span>
#include <string>

#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "../../lib/src/memory_check.hpp"
#include "driver.hpp"
#include "executor.hpp"
#include "host.hpp"

namespace lanesort::cuda {

/// Throws that error unless it holds.
void require(bool holds, ErrorCode code, const std::string& sentence);

/// The sorter's host; throws Error(unsupported) for a sorter of another backend.
Host& host_of(Sorter& sorter);

/// Checks `count` things of so many bytes, `offset` of them after the pointer; `what` they are and `of_what`.
detail::MemoryUse check_array(const Host& host, const void* pointer, std::size_t offset, std::size_t count,
                              std::size_t bytes, const char* what, const std::string& of_what, detail::Access access);
detail::MemoryUse check_keys(const Host& host, const KeyRange& keys, detail::Access access, const char* what = "keys");
/// `count` values, or what else they are.
detail::MemoryUse check_values(const Host& host, const ValueRange& values, std::size_t count, const char* what,
                               detail::Access access);
detail::MemoryUse check_segments(const Host& host, const Segments& segments);
void check_events(std::span<const Event> wait_list);
void wait_for(CUstream stream, std::span<const Event> wait_list);
void check_stream(const Host& host, CUstream stream);

/// Where a pointer of the caller's leads.
inline Array array_at(const void* pointer, std::size_t offset) {
    return {reinterpret_cast<CUdeviceptr>(pointer), offset};
}

}  // namespace lanesort::cuda
