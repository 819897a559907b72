// SPDX-License-Identifier: MIT
// How elements are cut that are selected or parted (kernels/compact/select.cl). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>

#include "core/integers.hpp"
#include "sorted_ranges_schedule.hpp"

namespace lanesort::inline v0_1::detail {

struct SelectSchedule {
    std::uint64_t tile = 0;   ///< elements that a work-group puts in order at once
    std::uint64_t share = 0;  ///< elements of a work-group, where they are counted first
    std::uint64_t parts = 1;
    bool looks_back = false;  ///< each tile has a work-group, and all is read once
    Shape shape;
};

/// `keeps_others`: those that are not selected follow. Then, and on a processor, elements are counted first.
inline SelectSchedule make_select_schedule(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                           bool keeps_others) {
    const bool is_processor = device.kind == DeviceKind::cpu;
    SelectSchedule schedule;
    // Kernels that find runs hold no less in local memory.
    if (!is_processor) {
        schedule.shape = find_runs_shape(device, bytes, most_tile_keys);
        // With fewer registers those of few keys would spill.
        if (schedule.shape.vectors * bytes.key < 128) schedule.shape.resident_groups = Shape().resident_groups;
    }
    if (is_processor || device.max_work_items == 1)
        schedule.shape = {.lanes = 1, .vectors = 2048, .work_items = 1, .register_vectors = 2};
    schedule.looks_back = schedule.shape.work_items > 1 && !keeps_others;
    schedule.tile = find_runs_tile(schedule.shape);
    const std::uint64_t tiles = std::max<std::uint64_t>(ceil_div(count, schedule.tile), 1);
    const std::uint64_t most_parts = std::uint64_t{device.compute_units} * (is_processor ? 4 : 16);
    schedule.share = ceil_div(tiles, std::max<std::uint64_t>(most_parts, 1)) * schedule.tile;
    schedule.parts = std::max<std::uint64_t>(ceil_div(count, schedule.share), 1);
    return schedule;
}

/// A count for each work-item, what is seen of other tiles, and a tile: its keys, but not records, and places where
/// these or values need them. One work-item alone puts no tile in order.
inline std::size_t select_local_bytes(const Shape& shape, const ElementBytes& bytes) noexcept {
    if (shape.work_items == 1) return sizeof(std::uint64_t);
    const std::size_t of_key = bytes.is_record ? 0 : bytes.key, of_place = bytes.is_record || bytes.value > 0 ? 2 : 0;
    return 128 + 8 * std::size_t{shape.work_items} + find_runs_tile(shape) * (of_key + of_place);
}

}  // namespace lanesort::inline v0_1::detail
