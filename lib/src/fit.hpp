// Shapes and the limits of devices.
#pragma once

#include <cstddef>
#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

namespace lanesort {

/// The shape made smaller, where it must be, until the device can run it: fewer vectors, then fewer work-items.
Shape fit(Shape shape, std::size_t key_bytes, const DeviceInfo& device, std::size_t value_bytes = 0);

/// The shape made smaller, where it must be, until a tile is no longer than a row of `length` keys filled up to a power
/// of two; 2 keys at least.
Shape fit_row(Shape shape, std::uint64_t length);

/// Throws Error(unsupported) that says which limit of the device, or of such values, the shape exceeds.
void require_fit(const Shape& shape, std::size_t key_bytes, const DeviceInfo& device, std::size_t value_bytes = 0);

}  // namespace lanesort
