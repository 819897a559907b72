// SPDX-License-Identifier: MIT
#include "distribution_schedule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

constexpr unsigned team = 32;  // TEAM of kernels/sort/distribution/buckets.h
constexpr std::uint64_t least_leaf = 2 * team, least_leaves = 4;
constexpr unsigned least_work_items = 128;
constexpr std::uint64_t most_count = std::uint64_t{1} << 34;  // slots have 30 bits
constexpr unsigned most_bucket_bits = 8;
constexpr std::size_t kept_of_group = 1024;  // local memory that CUDA keeps of each group for itself

std::size_t bytes_of(std::size_t elements, const ElementBytes& bytes) noexcept {
    const auto aligned = [](std::size_t size) { return (size + 15) / 16 * 16; };
    return aligned(elements * bytes.key) + aligned(elements * bytes.value) + aligned(elements * bytes.index);
}

/// What choose_splitters takes of it.
std::size_t splitters_local_bytes(const ElementBytes& bytes, const Buckets& buckets) noexcept {
    return bytes_of(buckets.sample + buckets.sample / 8, bytes) + 4 * (5 * (std::size_t{1} << buckets.bits) + 8);
}

/// Elements of the first level's sample, where local memory has room, if the other levels have batches: the more, the
/// nearer are these to their share.
constexpr unsigned sample_before_batches = 16384;

/// Moves, on average, from one saved block to the next: fewer would cost more copies than they save time.
constexpr std::uint64_t least_window = 15;

/// Blocks of the pool for what fills no block, on average half a block a child and stripe, and for a block of every
/// second child.
std::uint64_t blocks_besides_cuts(const Level& level) noexcept {
    const std::uint64_t children = std::uint64_t{1} << level.buckets.bits;
    return level.most_stripes * children / 2 + level.batch() * children / 2 + 4 * level.most_stripes;
}

/// Such a level in groups of which so many are to share a multiprocessor, if local memory has room.
std::optional<Level> level_in(const DeviceInfo& device, const ElementBytes& bytes, unsigned bits, unsigned sample,
                              unsigned block, unsigned groups, unsigned work_items) {
    if (work_items > device.max_work_items || work_items < block) return std::nullopt;
    Level level;
    level.buckets.bits = bits;
    level.buckets.block = block;
    level.shape.lanes = 1;
    level.shape.remap = true;
    level.shape.work_items = work_items;
    level.shape.resident_groups = std::max(1024 / work_items, groups);
    const std::size_t room =
        groups > 1 ? (device.local_bytes + kept_of_group) / groups - kept_of_group : device.local_bytes;
    const unsigned least_sample = 4u << bits;
    level.buckets.sample = std::max(16 * least_sample, sample);
    while (level.buckets.sample > least_sample && splitters_local_bytes(bytes, level.buckets) > room)
        level.buckets.sample /= 2;
    for (const unsigned held : {8u, 4u, 2u}) {
        level.buckets.held_blocks = held;
        // A tile has as many elements as find room, nearly always, if they are in no order.
        const std::uint64_t tile = (std::uint64_t{block} << bits) * (held - 1) / 2;
        const std::uint64_t most_of_item = std::clamp<std::uint64_t>(std::bit_floor(64 / bytes.all()), 2, 16);
        level.shape.register_vectors =
            static_cast<unsigned>(std::clamp<std::uint64_t>(std::bit_floor(tile / work_items), 2, most_of_item));
        level.shape.vectors = level.shape.register_vectors / 2;
        if (classify_local_bytes(level.shape, bytes, level.buckets) <= room &&
            place_blocks_local_bytes(place_blocks_shape(level.shape), level.buckets) <= device.local_bytes &&
            move_blocks_local_bytes(move_blocks_shape(level.shape, bytes, level.buckets)) <= device.local_bytes)
            return level;
    }
    return std::nullopt;
}

/// A level's kernels for such elements, with a sample as large as that or as its children want. Its blocks are so many
/// times as wide as those that move fast, or so much narrower, and in any case so narrow that local memory has room for
/// them.
std::optional<Level> level_of(const DeviceInfo& device, const ElementBytes& bytes, unsigned bits, unsigned sample,
                              std::uint64_t leaf, unsigned narrower, unsigned times) {
    // Blocks of half a kilobyte move at the speed of a copy.
    const auto wide = static_cast<unsigned>(std::bit_floor(std::max<std::size_t>(512 / bytes.all(), 1)));
    struct Groups {
        unsigned number, work_items;
    };
    for (unsigned block = std::clamp(wide / narrower, team, 4 * team) * times; block >= team; block /= 2)
        // Two groups hide each other's barriers, where a multiprocessor has room for them.
        for (const Groups& groups : {Groups{2, 512}, {1, 1024}, {1, 512}, {1, 256}, {1, least_work_items}})
            if (leaf >= 2 * block)
                if (auto level = level_in(device, bytes, bits, sample, block, groups.number, groups.work_items))
                    return level;
    return std::nullopt;
}

/// Whether 32 bits suffice for what the kernels count, and a launch for the work-groups that there are to be.
bool counts_fit(const Level& level, std::uint64_t count) noexcept {
    constexpr std::uint64_t most_groups = (std::uint64_t{1} << 31) - 1, most_slots = (std::uint64_t{1} << 30) - 2,
                            most_counted = (std::uint64_t{1} << 32) - 1;
    // Each stripe leaves less than a block of each child, a head and a tail.
    const std::uint64_t of_stripe = ((std::uint64_t{1} << level.buckets.bits) + 2) * level.buckets.block;
    return level.slots <= most_slots && level.most_stripes <= most_groups && level.children() <= most_groups &&
           (level.batch() << level.buckets.bits) * level.shares() <= most_groups &&
           std::min(count, level.most_stripes * of_stripe) <= most_counted - level.buckets.block;
}

/// How a distribution can be made.
struct Way {
    unsigned levels = 1;
    std::uint64_t batches = 1;  ///< of each level but the first
    unsigned times = 1;         ///< the first level's blocks are so many times as wide as those that move fast
    unsigned narrower = 1;      ///< and the last one's blocks so much narrower: what fills none takes less memory
    std::uint64_t most_window = 0;
};

/// A batch's slots, of so many, where ranges are an eighth fewer than there may be. By chance those of a batch have
/// more than their share: the sample of the first level tells by how much. Four standard deviations have room.
std::uint64_t slots_of_batch(std::uint64_t slots, std::uint64_t batches, std::uint64_t sample) {
    const double deviation = std::sqrt(static_cast<double>(batches) / static_cast<double>(sample));
    const double share = 8. / 7 / static_cast<double>(batches) * (1 + std::max(4 * deviation, 1. / 8));
    return std::min(slots, static_cast<std::uint64_t>(static_cast<double>(slots) * share) + 1);
}

/// As make_distribution(), in that way.
std::optional<Distribution> made_in(const Way& way, const DeviceInfo& device, const ElementBytes& bytes,
                                    std::uint64_t count, std::uint64_t leaf, std::uint64_t most) {
    // Samples tell the sizes of children by chance: leaves are somewhat smaller than they may be, and there may be more
    // of them than are aimed at.
    const std::uint64_t aim = leaf * 3 / 4;
    std::uint64_t leaves = count / aim * 6 / 5;
    for (unsigned i = 1; i < way.levels; ++i) leaves = leaves * 8 / 7;
    const auto bits = static_cast<unsigned>(std::bit_width(leaves - 1));
    Distribution made{{}, leaf, 0};
    std::uint64_t parents = 1, size = count;
    for (unsigned i = 0, left = bits; i < way.levels; ++i) {
        const unsigned these = std::max(left / (way.levels - i), 3u);
        if (these > most_bucket_bits) return std::nullopt;
        const std::optional<Level> level =
            level_of(device, bytes, these, i == 0 && way.batches > 1 ? sample_before_batches : 0, leaf,
                     i + 1 == way.levels ? way.narrower : 1, i == 0 ? way.times : 1);
        if (!level) return std::nullopt;
        left -= std::min(these, left);
        Level& added = made.levels.emplace_back(*level);
        added.parents = parents;
        added.batches = i == 0 ? 1 : way.batches;
        if (added.batches > 1 && added.batch() < 2) return std::nullopt;
        // Of a level's children an eighth is spared, for elements that are equal.
        const std::uint64_t children = std::uint64_t{1} << these;
        size = i + 1 == way.levels ? aim : ceil_div(size, children - children / 8);
        added.child = size;
        added.slots = count / added.buckets.block;
        if (added.batches > 1)
            added.slots = slots_of_batch(added.slots, added.batches, made.levels.front().buckets.sample);
        // As many as run at once, if ranges are not too many.
        added.most_stripes =
            std::max(std::uint64_t{device.compute_units} * added.shape.resident_groups, 2 * added.batch());
        if (!counts_fit(added, count)) return std::nullopt;
        parents = added.children();
    }
    // The pool has what the tables leave, but no more than is of use; for each of its blocks an entry is noted.
    std::uint64_t units = shared_tables(made).end + 1, splitters = 0, of_use = 0;
    unsigned smallest = made.levels.front().buckets.block;
    for (const Level& level : made.levels) {
        units = level_tables(level, units).end;
        splitters = std::max(splitters, level.batch() << level.buckets.bits);
        smallest = std::min(smallest, level.buckets.block);
        const std::uint64_t cuts = ceil_div(level.slots * 4 / 3, least_window) + 1;
        of_use = std::max(of_use, (2 * blocks_besides_cuts(level) + cuts) * level.buckets.block);
    }
    const std::uint64_t of_element = bytes_in_memory(bytes), known = 8 * units + splitters * of_element;
    if (known >= most) return std::nullopt;
    made.splitters = splitters;
    of_use = std::min(of_use, 2 * count);  // each element once for itself, and once in a block that was cut
    made.pool_elements = std::min((most - known) / (smallest * of_element + 4), of_use / smallest) * smallest;
    for (Level& level : made.levels) {
        level.pool_blocks = made.pool_elements / level.buckets.block;
        const std::uint64_t expected = blocks_besides_cuts(level);
        const std::uint64_t for_cuts = level.pool_blocks > expected ? level.pool_blocks - expected : 0;
        level.window =
            std::max<std::uint64_t>(level.slots / std::max<std::uint64_t>(for_cuts * 3 / 4, 1), least_window);
        if (level.window > way.most_window) return std::nullopt;
    }
    return made;
}

}  // namespace

std::size_t classify_local_bytes(const Shape& shape, const ElementBytes& bytes, const Buckets& buckets) noexcept {
    const std::size_t children = std::size_t{1} << buckets.bits;
    const std::size_t tile = std::size_t{shape.work_items} * shape.register_vectors;
    const std::size_t listed = tile / buckets.block + children;
    return std::max(bytes_of((buckets.held_blocks * buckets.block + 1) * children, bytes) +
                        (4 * (6 * children + listed + 5) + 15) / 16 * 16 + 16 * children,
                    splitters_local_bytes(bytes, buckets));
}

Shape place_blocks_shape(Shape shape) noexcept {
    shape.work_items = std::min(shape.work_items, 256u);
    shape.resident_groups = 3;
    return shape;
}

Shape move_blocks_shape(Shape shape, const ElementBytes& bytes, const Buckets& buckets) noexcept {
    // Of narrow blocks more are to be on their way at once than a multiprocessor has groups.
    const bool is_narrow = bytes.all() * buckets.block < 256;
    shape.work_items = is_narrow && shape.work_items >= 2 * team ? 2 * team : team;
    shape.resident_groups = 32;
    return shape;
}

std::size_t place_blocks_local_bytes(const Shape& shape, const Buckets& buckets) noexcept {
    return std::max((std::size_t{8} << buckets.bits),
                    4 * (8 * std::size_t{shape.work_items} + shape.work_items / 8 + 1));
}

std::size_t move_blocks_local_bytes(const Shape& shape) noexcept { return 4 * (4 * std::size_t{shape.work_items} + 1); }

std::uint64_t Distribution::largest(std::size_t level) const noexcept {
    std::uint64_t elements = leaf * most_tiles_of_few;
    for (; level < levels.size(); ++level) elements <<= levels[level].buckets.bits;
    return elements;
}

std::size_t bytes_in_memory(const ElementBytes& bytes) noexcept {
    return bytes.key + bytes.value + (bytes.index > 1 ? bytes.index : 0);
}

std::uint64_t most_distribution_bytes(std::uint64_t count, const ElementBytes& bytes) noexcept {
    const std::uint64_t array = count * bytes_in_memory(bytes);
    return std::max(array / 100, std::min(std::uint64_t{32} << 20, array / 8));
}

LevelTables level_tables(const Level& level, std::uint64_t begin) noexcept {
    LevelTables tables{};
    tables.equal = begin;
    tables.states = tables.equal + level.children() / 2;
    tables.children = tables.states + level.children() / 2;
    tables.end = tables.children + level.children() + 1;
    return tables;
}

SharedTables shared_tables(const Distribution& distribution) noexcept {
    std::uint64_t parents = 1, children = 0, most_slots = 0, starts = 0, blocks = 0;
    for (const Level& level : distribution.levels) {
        parents = std::max(parents, level.batch());
        children = std::max(children, level.batch() << level.buckets.bits);
        most_slots = std::max(most_slots, level.slots);
        starts = std::max(starts, level.most_stripes * ((1u << level.buckets.bits) + 2));
        blocks = std::max(blocks, level.pool_blocks);
    }
    SharedTables tables{};
    std::uint64_t end = 0;
    const auto take = [&](std::uint64_t units) { return std::exchange(end, end + units); };
    const auto integers = [&](std::uint64_t count) { return take(ceil_div(count, std::uint64_t{2})); };
    tables.bounds = take(2);
    tables.divided = integers(parents);
    tables.first_stripes = integers(2 * (parents + 1) + 1);
    tables.counts = integers(2 * children);
    tables.placed = integers(2 * children);
    tables.totals = integers(distribution.zeroed());
    tables.table = integers(most_slots);
    tables.cycle_starts = integers(ceil_div(most_slots, std::uint64_t{32}));
    tables.starts = integers(starts);
    tables.saved = integers(blocks);
    tables.leaves = take(2 * distribution.leaves());
    tables.end = end;
    return tables;
}

std::optional<Distribution> make_distribution(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                              std::uint64_t leaf, std::uint64_t most) {
    if (leaf < least_leaf || count / least_leaves < leaf || count > most_count) return std::nullopt;
    // Few levels first, then many cuts, which need memory: that of a batch, or of wide blocks, is less.
    for (unsigned levels = 1; levels <= 4; ++levels)
        for (const std::uint64_t most_window : {64u, 512u, 2048u})
            for (std::uint64_t batches = 1; batches <= (levels > 1 ? 64u : 1u); batches *= 2)
                for (const unsigned times : {1u, 2u})
                    for (const unsigned narrower : {1u, 2u})
                        if (auto made = made_in({levels, batches, times, narrower, most_window}, device, bytes, count,
                                                leaf, most))
                            return made;
    return std::nullopt;
}

std::string why_no_distribution(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                std::uint64_t leaf, std::uint64_t most) {
    if (leaf < least_leaf) return fmt::format("tiles of {} keys are too small", leaf);
    if (count / least_leaves < leaf) return fmt::format("it takes four tiles, and one has {} keys for so many", leaf);
    if (count > most_count) return fmt::format("it sorts {} at most", most_count);
    if (device.max_work_items < least_work_items)
        return fmt::format("work-groups of {} work-items are too small", device.max_work_items);
    if (make_distribution(device, bytes, count, leaf, std::numeric_limits<std::uint64_t>::max()))
        return fmt::format("the {} bytes that it may take are too few", most);
    return "local memory is too small";
}

}  // namespace lanesort::inline v0_1::detail
