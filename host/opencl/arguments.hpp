// What a caller of lanesort/opencl.hpp gives, checked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/opencl.hpp>

#include "../../lib/src/memory_check.hpp"
#include "clhpp.hpp"
#include "executor.hpp"
#include "host.hpp"

namespace lanesort::opencl {

/// Throws that error unless it holds.
void require(bool holds, ErrorCode code, const std::string& sentence);

/// The sorter's host; throws Error(unsupported) for a sorter of another backend.
Host& host_of(Sorter& sorter);

void check_queue(const Host& host, const cl::CommandQueue& queue);
/// Checks `count` things of so many bytes in the buffer, after `offset` of them; `what` they are and `of_what`.
detail::MemoryUse check_array(const Host& host, const cl::Buffer& buffer, std::size_t offset, std::size_t count,
                              std::size_t bytes, const char* what, const std::string& of_what, detail::Access access);
detail::MemoryUse check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys, detail::Access access,
                             const char* what = "keys");
/// `count` values, or what else they are.
detail::MemoryUse check_values(const Host& host, const cl::Buffer& buffer, const ValueRange& values, std::size_t count,
                               const char* what, detail::Access access);
detail::MemoryUse check_segments(const Host& host, const cl::Buffer& buffer, const Segments& segments);
std::vector<cl::Event> check_events(const Host& host, std::span<const cl_event> wait_list);

cl::Buffer retained(cl_mem buffer);

/// Gives the event to the caller, if one is asked for.
void give(const cl::Event& finished, cl_event* event);

}  // namespace lanesort::opencl
