// SPDX-License-Identifier: MIT
// The schedules on sorted ranges: how far they are in order, and their runs of equal keys (kernels/sort/is_sorted.cl,
// compact/equal_runs.cl and compact/find_runs.cl). Pure.
#pragma once

#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1::detail {

/// What is to be found out.
enum class SortedRangesTask : std::uint8_t {
    is_sorted,        ///< of each row: 1 or 0
    is_sorted_until,  ///< of each row: how many keys are in order
    unique,           ///< the first key of each run
    run_lengths,      ///< these keys and how many there are of each
};

/// Shares of consecutive keys, one for each work-group: `parts` of them in each row.
struct SortedRangesSchedule {
    SortedRangesTask task = SortedRangesTask::unique;
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< keys of a row
    std::uint64_t share = 0;  ///< keys of a work-group
    std::uint64_t parts = 1;
    Shape shape;  ///< a work-item takes `vectors` keys of a tile

    /// It only looks whether the keys are in order.
    bool tests_order() const noexcept { return task <= SortedRangesTask::is_sorted_until; }
    /// 64-bit integers that the work-groups leave for the later launches; 0 where there are none.
    std::uint64_t left_over() const noexcept { return !tests_order() ? 2 * parts : parts > 1 ? rows * parts : 0; }
};

/// Rows are for the order only.
SortedRangesSchedule make_sorted_ranges_schedule(const DeviceInfo& device, std::size_t key_bytes, SortedRangesTask task,
                                                 std::uint64_t rows, std::uint64_t count);

/// Keys of a work-group that finds runs in one read.
constexpr std::uint64_t find_runs_tile(const Shape& shape) noexcept {
    return std::uint64_t{shape.work_items} * shape.vectors;
}

/// Most keys of a tile: of any, and where it is left for a reduction where runs begin (kernels/common/head_flags.h).
constexpr std::uint64_t most_tile_keys = 1 << 15, most_marked_tile_keys = 4096;

/// The shape for that, of elements of so many bytes. Not for processors, on which two reads are cheaper.
Shape find_runs_shape(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t most_keys) noexcept;

/// Bytes of local memory that a work-group takes, of the kernels of each file.
std::size_t is_sorted_local_bytes(const Shape& shape) noexcept;
std::size_t equal_runs_local_bytes(const Shape& shape) noexcept;
std::size_t find_runs_local_bytes(const Shape& shape, const ElementBytes& bytes) noexcept;

}  // namespace lanesort::inline v0_1::detail
