// What a caller of lanesort/cuda.hpp gives, checked. The sorter's context is current.
#pragma once

#include <span>
#include <string>

#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "driver.hpp"
#include "executor.hpp"
#include "host.hpp"

namespace lanesort::cuda {

/// Throws that error unless it holds.
void require(bool holds, ErrorCode code, const std::string& sentence);

/// The sorter's host; throws Error(unsupported) for a sorter of another backend.
Host& host_of(Sorter& sorter);

/// `count` things of so many bytes, `offset` of them after the pointer; `what` they are and `of_what`.
CUdeviceptr check_memory(const Host& host, const void* pointer, std::size_t offset, std::size_t count,
                         std::size_t bytes, const char* what, const std::string& of_what);
CUdeviceptr check_keys(const Host& host, const KeyRange& keys);
/// One value for each key, apart from them.
CUdeviceptr check_values(const Host& host, const ValueRange& values, const KeyRange& keys);
CUdeviceptr check_segments(const Host& host, const Segments& segments);
void check_events(std::span<const Event> wait_list);
void wait_for(CUstream stream, std::span<const Event> wait_list);
void check_stream(const Host& host, CUstream stream);

/// An array of `count` elements of so many bytes.
struct PlacedArray {
    Array array;
    std::size_t count, bytes;
};
/// Throws Error(invalid_argument) if the two have bytes in common.
void require_apart(const PlacedArray& a, const PlacedArray& b);

}  // namespace lanesort::cuda
