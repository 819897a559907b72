// What a caller of lanesort/opencl.hpp gives, checked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/opencl.hpp>

#include "clhpp.hpp"
#include "executor.hpp"
#include "host.hpp"

namespace lanesort::opencl {

/// Throws that error unless it holds.
void require(bool holds, ErrorCode code, const std::string& sentence);

/// The sorter's host; throws Error(unsupported) for a sorter of another backend.
Host& host_of(Sorter& sorter);

void check_queue(const Host& host, const cl::CommandQueue& queue);
void check_buffer(const Host& host, const cl::Buffer& buffer, bool written);
/// `count` things of so many bytes, after `offset` of them; `what` they are and `of_what`.
void check_range(const cl::Buffer& buffer, std::size_t offset, std::size_t count, std::size_t bytes,
                 const std::string& what, const std::string& of_what);
void check_keys(const Host& host, const cl::Buffer& buffer, const KeyRange& keys, bool written);
/// One value for each key, apart from them.
void check_values(const Host& host, const cl::Buffer& buffer, const ValueRange& values, const KeyRange& keys);
void check_segments(const Host& host, const cl::Buffer& buffer, const Segments& segments);
std::vector<cl::Event> check_events(const Host& host, std::span<const cl_event> wait_list);

/// An array of `count` elements of so many bytes.
struct PlacedArray {
    Array array;
    std::size_t count, bytes;
};
/// Throws Error(invalid_argument) if the two have bytes in common.
void require_apart(const PlacedArray& a, const PlacedArray& b);

cl::Buffer retained(cl_mem buffer);

/// Gives the event to the caller, if one is asked for.
void give(const cl::Event& finished, cl_event* event);

}  // namespace lanesort::opencl
