// SPDX-License-Identifier: MIT
// What every plan of a distribution keeps to, whatever it is for: kernels/sort/distribution/buckets.h and the kernels
// rely on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <lanesort/device.hpp>

#include "ops/sort/distribution_schedule.hpp"

namespace lanesort::test {

/// The first rule that the plan breaks, in words; null where it breaks none.
inline const char* broken_rule(const detail::Distribution& made, const DeviceInfo& device, const ElementBytes& bytes,
                               std::uint64_t count, std::uint64_t leaf, std::uint64_t most) {
    using namespace detail;
    constexpr std::uint64_t one = 1, no_slot = 0x3fffffff, most_groups = (one << 31) - 1;
    if (made.leaf != leaf) return "leaves are as large as was asked for";
    if (made.levels.empty() || made.levels.front().parents != 1) return "the first level divides the array";
    std::uint64_t units = shared_tables(made).end, parents = 1;
    for (const Level& level : made.levels) {
        const Buckets& buckets = level.buckets;
        const Shape& shape = level.shape;
        const std::uint64_t children = one << buckets.bits, batch = level.batch(), of_batch = batch * children;
        if (level.parents != parents) return "a level's children are the next one's parents";
        parents *= children;
        if (batch * level.batches != level.parents) return "batches cover all parents, once each";
        if (level.batches > 1 && batch % 2 != 0) return "batches begin at whole units of the tables";
        units = level_tables(level, units).end;

        // What work-groups are, and their local memory.
        if (buckets.bits < 3 || buckets.bits > 8) return "sums are of eights, and children of a byte";
        const std::uint64_t tile = std::uint64_t{shape.work_items} * shape.register_vectors;
        if (shape.work_items > device.max_work_items) return "work-groups are no larger than the device's";
        if (buckets.block % 32 != 0 || shape.work_items % buckets.block != 0) return "teams move whole blocks";
        if (tile % buckets.block != 0 || 2 * buckets.block > tile) return "a tile has two whole blocks or more";
        if (tile + buckets.block >= one << 16) return "elements of a tile are counted in 16 bits";
        if (buckets.sample < 4 * children) return "a sample has four elements for each child";
        if (2 * buckets.block > leaf) return "what is divided has two blocks or more";
        const Shape place = place_blocks_shape(shape), move = move_blocks_shape(shape, bytes, buckets);
        if (place.work_items > device.max_work_items || move.work_items > device.max_work_items)
            return "all work-groups are no larger than the device's";
        if (std::max({classify_local_bytes(shape, bytes, buckets), place_blocks_local_bytes(place, buckets),
                      move_blocks_local_bytes(move)}) > device.local_bytes)
            return "all kernels have local memory";

        // Slots, and what is in the pool.
        if (level.batches == 1 && level.slots < count / buckets.block) return "each whole block has a slot";
        if (level.slots * level.batches < count / buckets.block) return "all batches have slots for all blocks";
        if (level.slots >= no_slot) return "slots have 30 bits";
        if (level.pool_blocks * buckets.block > made.pool_elements) return "the pool has room for its blocks";
        if (made.splitters < of_batch) return "the pool has room for the splitters of a batch";
        if (level.pool_blocks >= one << 32) return "blocks of the pool have 32 bits";

        // What is counted in 32 bits, and the work-groups of launches.
        if (level.most_stripes < batch) return "each parent has a stripe";
        if (level.most_stripes > most_groups || of_batch * level.shares() > most_groups)
            return "a launch has work-groups for all stripes and children";
        if (std::min(count, level.most_stripes * (children + 2) * buckets.block) + buckets.block > one << 32)
            return "elements that are left over are counted in 32 bits";
        if (level.window < 1 || level.window >= one << 32) return "windows have 32 bits";
    }
    if (count > made.largest(0)) return "the first level divides all that there is";
    if (made.leaves() != parents || parents > most_groups) return "each leaf has a work-group";
    if (8 * units + (made.splitters + made.pool_elements) * bytes_in_memory(bytes) > most)
        return "no more memory is taken than may be";
    return nullptr;
}

}  // namespace lanesort::test
