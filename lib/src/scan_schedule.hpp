// How scans are cut (kernels/scan.h). Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

#include "integers.hpp"
#include "reduction.hpp"

namespace lanesort::detail {

/// Bytes that sums of such keys are kept in.
constexpr std::size_t sum_bytes(std::size_t key_bytes) noexcept { return key_bytes == 8 ? 8 : 4; }

/// Keys of a tile: of 16 bytes for each of its leaves.
constexpr std::uint64_t scan_tile_keys(const Shape& shape, std::size_t key_bytes) noexcept {
    return std::uint64_t{shape.work_items} * shape.vectors * (16 / key_bytes);
}

/// Bytes of local memory: a sum for each leaf, and what is seen of 32 tiles.
constexpr std::size_t scan_local_bytes(const Shape& shape, std::size_t key_bytes) noexcept {
    return std::size_t{shape.work_items} * shape.vectors * sum_bytes(key_bytes) + 128;
}

struct ScanSchedule {
    /// How often a work-group looks at a tile in front that is not there, before it sums the tile itself.
    static constexpr std::uint32_t usual_tries = 64;

    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< keys of a row
    Blocks blocks;            ///< of each row, where blocks are summed before they are scanned
    bool looks_back = false;  ///< tiles are scanned as they come, and the one row is read once
    std::uint32_t tries = usual_tries;
    Shape shape;

    std::uint64_t tiles(std::size_t key_bytes) const noexcept {
        return ceil_div(count, scan_tile_keys(shape, key_bytes));
    }
};

/// Floating-point numbers are added in an order that depends on their number and width alone. They, rows, and what is
/// scanned in its place are read twice; so is all on a processor, where that is cheaper than to look back.
inline ScanSchedule make_scan_schedule(const DeviceInfo& device, std::size_t key_bytes, std::uint64_t rows,
                                       std::uint64_t count, bool is_float, bool in_place) {
    ScanSchedule schedule{.rows = rows, .count = count, .blocks = blocks_of(count, key_bytes), .shape = {}};
    const bool is_processor = device.kind == DeviceKind::cpu;
    Shape& shape = schedule.shape;
    shape.lanes = 1;
    shape.register_vectors = 2;
    shape.work_items = is_processor ? 1 : std::bit_floor(std::clamp(device.max_work_items, 1u, 128u));
    shape.vectors = key_bytes == 1 ? 2 : key_bytes == 2 ? 4 : 8;
    while (shape.work_items > 1 && scan_local_bytes(shape, key_bytes) > device.local_bytes) shape.work_items /= 2;
    shape.vectors = std::max(shape.vectors, 32 / std::min(shape.work_items, 32u));
    Blocks& blocks = schedule.blocks;
    schedule.looks_back = !is_processor && !is_float && !in_place && rows == 1 && blocks.parts > 1;
    if (is_processor && !is_float) {
        // A few for each of its cores.
        const std::uint64_t tile = scan_tile_keys(shape, key_bytes), cores = device.compute_units;
        const std::uint64_t parts = cores > 1 ? std::min<std::uint64_t>(blocks.parts, 4 * cores) : 1;
        blocks.share = std::max<std::uint64_t>(ceil_div(ceil_div(count, parts), tile), 1) * tile;
        blocks.parts = std::max<std::uint64_t>(ceil_div(count, blocks.share), 1);
    }
    return schedule;
}

}  // namespace lanesort::detail
