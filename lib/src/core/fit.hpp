// SPDX-License-Identifier: MIT
// Shapes and the limits of devices.
#pragma once

#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

/// The shape made smaller, where it must be, until the device can run it: fewer vectors, then fewer work-items.
Shape fit(Shape shape, ElementBytes bytes, const DeviceInfo& device);

/// The shape made smaller, where it must be, until a tile is no longer than a row of `length` keys filled up to a power
/// of two; 2 keys at least. One that is walked in the cache stays as it is for rows no shorter than what registers
/// hold, since the kernel skips what is beyond the row. Where a tile `may_hold_rows` and `length` is a power of two,
/// only until what a work-item holds in registers is no longer.
Shape fit_row(Shape shape, std::uint64_t length, bool may_hold_rows = false);

/// The shape made larger until a tile holds a row of `length` keys, if every key keeps its slot and the device has
/// room: up to 2^15 keys, which take 1024 work-items of 32.
Shape fit_long_row(Shape shape, std::uint64_t length, ElementBytes bytes, const DeviceInfo& device);

/// Throws Error(unsupported) that says which limit of the device, or of such elements, the shape exceeds.
void require_fit(const Shape& shape, ElementBytes bytes, const DeviceInfo& device);

}  // namespace lanesort::inline v0_1
