// SPDX-License-Identifier: MIT
// How ranges are sorted by distribution: levels that divide them into leaves of a tile at most, and what those take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/device.hpp>

#include "core/program.hpp"

namespace lanesort::inline v0_1::detail {

/// The most tiles of a leaf that is too large for one, if it is to be sorted by itself.
inline constexpr unsigned most_tiles_of_few = 4;

/// One level: each of `parents` ranges is divided into 2^buckets.bits children; so many at a time. Requires: a range
/// that is divided has two blocks or more.
struct Level {
    Buckets buckets;
    Shape shape;                     ///< work-items, and in register_vectors the elements of each in a tile
    std::uint64_t parents = 1;       ///< ranges
    std::uint64_t batches = 1;       ///< a part of these is divided at a time
    std::uint64_t child = 0;         ///< elements that a child is to have
    std::uint64_t slots = 0;         ///< whole blocks, of which the ranges of a batch have no more
    std::uint64_t most_stripes = 0;  ///< parts of ranges, in a batch, that a work-group each streams
    std::uint64_t window = 0;        ///< moves, on average, from one saved block to the next
    std::uint64_t pool_blocks = 0;   ///< for which the pool has room, behind the splitters

    std::uint64_t children() const noexcept { return parents << buckets.bits; }
    std::uint64_t batch() const noexcept { return parents / batches; }
    /// Work-groups that fill the gaps of a child.
    std::uint64_t shares() const noexcept { return std::clamp<std::uint64_t>(most_stripes / batch() / 32, 1, 16); }
};

/// All levels, and what they take besides the array.
struct Distribution {
    std::vector<Level> levels;
    std::uint64_t leaf = 0;           ///< elements that a leaf may have
    std::uint64_t splitters = 0;      ///< elements of the pool, before the others
    std::uint64_t pool_elements = 0;  ///< for blocks and what fills none

    std::uint64_t leaves() const noexcept { return levels.back().children(); }
    /// Of these, so many that are too large for a tile can be sorted by themselves.
    std::uint64_t few() const noexcept { return std::clamp<std::uint64_t>(leaves() / 8, 64, 2048); }
    /// The most elements of a range at that level of which all leaves can be small enough. A range with many equal
    /// elements is not larger for that: these have a child of their own.
    std::uint64_t largest(std::size_t level) const noexcept;
    /// Integers that the first kernel of a level zeroes (kernels/sort/distribution/buckets.h).
    std::uint64_t zeroed() const noexcept { return 4 + 4 + 4 * few(); }
};

/// The distribution of so many elements on such a device into leaves of no more than `leaf`, or nothing where there are
/// too few, where local memory is too small, or where it would take more than `most` bytes of device memory.
std::optional<Distribution> make_distribution(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                              std::uint64_t leaf, std::uint64_t most);

/// Why there is none, to end a sentence.
std::string why_no_distribution(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                std::uint64_t leaf, std::uint64_t most);

/// Bytes of an element in device memory: the byte that stands for the index of a record without one is in local memory
/// alone.
std::size_t bytes_in_memory(const ElementBytes& bytes) noexcept;

/// The device memory that a distribution takes at most, if the request does not say: a hundredth of the array or, if
/// that is more, the smaller of 32 MiB and an eighth of the array. The array is the keys, the values and the indices,
/// those of a stable sort among them.
std::uint64_t most_distribution_bytes(std::uint64_t count, const ElementBytes& bytes) noexcept;

/// Integers of a level's own, in units of 8 bytes, as the kernels want them: where each table begins, and their end.
struct LevelTables {
    std::uint64_t equal, children, states, end;
};
LevelTables level_tables(const Level& level, std::uint64_t begin) noexcept;

/// The same of what levels have one after the other.
struct SharedTables {
    std::uint64_t bounds, divided, first_stripes, counts, placed, totals, table, cycle_starts, starts, saved, leaves,
        end;
};
SharedTables shared_tables(const Distribution& distribution) noexcept;

/// The shapes in which it is found where blocks go and in which they move, for a level whose elements are classified in
/// that.
Shape place_blocks_shape(Shape shape) noexcept;
Shape move_blocks_shape(Shape shape, const ElementBytes& bytes, const Buckets& buckets) noexcept;

/// Bytes of local memory that the kernels take.
std::size_t classify_local_bytes(const Shape& shape, const ElementBytes& bytes, const Buckets& buckets) noexcept;
std::size_t place_blocks_local_bytes(const Shape& shape, const Buckets& buckets) noexcept;
std::size_t move_blocks_local_bytes(const Shape& shape) noexcept;

}  // namespace lanesort::inline v0_1::detail
