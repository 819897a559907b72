// SPDX-License-Identifier: MIT
// The schedule of a selection by a threshold: the first k elements of an array or of each of its rows
// (kernels/top_k/top_k_by_threshold.cl). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1::detail {

struct ThresholdSchedule {
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< elements of a row
    std::uint64_t k = 0;      ///< of them are wanted, fewer than `count`
    ElementBytes bytes;       ///< of the elements, which have indices
    Shape shape;              ///< a work-group's buffer has `vectors` for each work-item
    std::uint64_t parts = 1;  ///< work-groups of a row; if these are several, they leave what passes for another launch
    std::uint64_t share = 0;  ///< elements of a work-group
    std::uint64_t room = 0;   ///< for elements of a row that pass, where it has several work-groups
    bool sorts = false;       ///< what passes is sorted as an array is, since it does not fit local memory
};

/// A digit of an element, by which it is looked for where the threshold was wrong.
struct ThresholdDigit {
    bool in_index = false;  ///< else in the key
    unsigned shift = 0;     ///< its lowest bit
};
/// From the highest one on.
std::vector<ThresholdDigit> digits_of(const ThresholdSchedule& schedule);

/// Integers of 8 bytes that kernels leave for each other: a row's states, and behind all of these where it ends.
std::uint64_t state_units(const ThresholdSchedule& schedule) noexcept;

/// Needs 0 < k < count. Nothing where the device has too little local memory, or more would have to be sorted or kept
/// than is worth it. Elements have indices, whether or not anybody asked for them.
std::optional<ThresholdSchedule> make_threshold_schedule(const DeviceInfo& device, ElementBytes bytes,
                                                         std::uint64_t rows, std::uint64_t count, std::uint64_t k);

/// The same with one resident group fewer, for what is compiled with NaN last, which takes more registers.
Shape with_more_registers(Shape shape) noexcept;

/// Bytes of local memory that a work-group takes.
std::size_t threshold_local_bytes(const Shape& shape, ElementBytes bytes) noexcept;

}  // namespace lanesort::inline v0_1::detail
