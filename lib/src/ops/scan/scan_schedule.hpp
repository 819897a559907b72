// SPDX-License-Identifier: MIT
// How scans are cut (kernels/scan/scan.h). Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>

#include "core/integers.hpp"
#include "ops/reduce/reduce_schedule.hpp"

namespace lanesort::inline v0_1::detail {

/// Bytes that sums of such keys are kept in.
constexpr std::size_t sum_bytes(std::size_t key_bytes) noexcept { return key_bytes == 8 ? 8 : 4; }

/// Bytes of what some keys are combined to: a number, or an element that an operator combines, and, where runs are
/// scanned, whether one begins among them. Elements may be aligned to 16 bytes, so such a part has no more than this.
constexpr std::size_t part_bytes(const ElementBytes& bytes, bool has_runs) noexcept {
    if (bytes.is_record) return bytes.key + (has_runs ? 16 : 0);
    return sum_bytes(bytes.key) * (has_runs ? 2 : 1);
}

/// Keys of a leaf: as many as fit 16 bytes; of elements that do not divide these, a power of two, or one.
constexpr std::size_t keys_of_leaf(std::size_t key_bytes) noexcept {
    return key_bytes > 8 ? 1 : 16 / std::bit_ceil(key_bytes);
}

/// Keys of a tile: of 16 bytes for each of its leaves.
constexpr std::uint64_t scan_tile_keys(const Shape& shape, std::size_t key_bytes) noexcept {
    return std::uint64_t{shape.work_items} * shape.vectors * keys_of_leaf(key_bytes);
}

/// Bytes of local memory: a part for each leaf, and what is seen of 32 tiles.
constexpr std::size_t scan_local_bytes(const Shape& shape, std::size_t part_bytes) noexcept {
    return std::size_t{shape.work_items} * shape.vectors * part_bytes + 128;
}

struct ScanSchedule {
    /// How often a work-group looks at a tile in front that is not there, before it sums the tile itself.
    static constexpr std::uint32_t usual_tries = 64;

    std::uint64_t rows = 1;
    std::uint64_t count = 0;    ///< keys of a row
    BlockShares blocks;         ///< of each row, where blocks are summed before they are scanned
    bool scans_blocks = false;  ///< a launch of its own finds what is in front of each block
    bool looks_back = false;    ///< tiles are scanned as they come, and the one row is read once
    std::uint32_t tries = usual_tries;
    Shape shape;

    std::uint64_t tiles(std::size_t key_bytes) const noexcept {
        return ceil_div(count, scan_tile_keys(shape, key_bytes));
    }
};

/// What is scanned, and how.
struct ScanTask {
    ElementBytes bytes;     ///< of keys or, by key, of values
    bool has_tree = false;  ///< they are combined in an order that depends on their number and width alone
    bool has_runs = false;  ///< each run is scanned by itself
    bool in_place = false;
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< keys of a row
};

/// What a tree combines, rows, and what is scanned in its place are read twice; so is all on a processor, where that is
/// cheaper than to look back.
inline ScanSchedule make_scan_schedule(const DeviceInfo& device, const ScanTask& task) {
    const auto& [bytes, has_tree, has_runs, in_place, rows, count] = task;
    const std::size_t key_bytes = bytes.key, leaf = keys_of_leaf(key_bytes);
    // Elements of an operator have the blocks of those that divide 16 bytes.
    ScanSchedule schedule{.rows = rows, .count = count, .blocks = blocks_of(count, 16 / leaf), .shape = {}};
    const bool is_processor = device.kind == DeviceKind::cpu;
    Shape& shape = schedule.shape;
    shape.lanes = 1;
    shape.register_vectors = 2;
    shape.work_items = is_processor ? 1 : std::bit_floor(std::clamp(device.max_work_items, 1u, 128u));
    // A work-item has 16 of an operator's elements and 64 bytes of them at the most, or one element.
    shape.vectors = bytes.is_record
                        ? static_cast<unsigned>(std::bit_floor(std::min(16 / leaf, 64 / (leaf * key_bytes))))
                    : key_bytes == 1 ? 2
                    : key_bytes == 2 ? 4
                                     : 8;
    while (shape.work_items > 1 && scan_local_bytes(shape, part_bytes(bytes, has_runs)) > device.local_bytes)
        shape.work_items /= 2;
    shape.vectors = std::max(shape.vectors, 32 / std::min(shape.work_items, 32u));
    BlockShares& blocks = schedule.blocks;
    schedule.looks_back = !is_processor && !has_tree && !in_place && rows == 1 && blocks.parts > 1;
    if (is_processor && !has_tree) {
        // A few for each of its cores.
        const std::uint64_t tile = scan_tile_keys(shape, key_bytes), cores = device.compute_units;
        const std::uint64_t parts = cores > 1 ? std::min<std::uint64_t>(blocks.parts, 4 * cores) : 1;
        blocks.share = std::max<std::uint64_t>(ceil_div(ceil_div(count, parts), tile), 1) * tile;
        blocks.parts = std::max<std::uint64_t>(ceil_div(count, blocks.share), 1);
    }
    // Of few blocks each work-group combines those in front of its own: on a graphics card up to four bundles of 32
    // leaves, which takes less than a launch. Of more, work-groups would wait for that in turn. A processor's launches
    // cost less than a tree, but more than a few blocks for each core.
    schedule.scans_blocks = blocks.parts > 1 && (is_processor ? has_tree : rows * blocks.parts > 4 * 32 * leaf);
    return schedule;
}

}  // namespace lanesort::inline v0_1::detail
