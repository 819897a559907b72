// SPDX-License-Identifier: MIT
// What can be wrong with the arrays of a call, found before anything is enqueued.
#pragma once

#include "backend.hpp"

namespace lanesort::inline v0_1 {
struct Request;
}

namespace lanesort::inline v0_1::detail {

/// Throws Error(too_large) for arrays, from that slot on, that the device cannot allocate.
void check_sizes(const Arrays& arrays, Slot first, const DeviceInfo& device, const Request& request);

/// Throws Error(out_of_range) for an array in host memory that would reach past the last address.
void check_end(const Array& array, const Binding& binding);

/// Throws Error(invalid_argument) for null pointers and for arrays that overlap though one of them is written,
/// Error(out_of_range) for those that would reach past the last address, and Error(too_large) for arrays that the
/// device cannot allocate, unless they go there in parts.
void check_host_memory(const Arrays& arrays, const Bindings& bindings, const DeviceInfo& device, const Request& request,
                       bool in_parts);

/// Throws Error(invalid_argument) for memory that is not the device's or not aligned, and for arrays that overlap
/// though one of them is written; Error(wrong_context), Error(out_of_range), and Error(not_writable).
void check_device_memory(const Arrays& arrays, const Bindings& bindings, const Backend& backend,
                         const Request& request);

}  // namespace lanesort::inline v0_1::detail
