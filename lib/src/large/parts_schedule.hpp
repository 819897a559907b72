// SPDX-License-Identifier: MIT
// Columns whose tiles are as large as a device's memory: which parts of a host array are sorted one after another, so
// that in the end all of it is.
#pragma once

#include <cstdint>
#include <vector>

namespace lanesort::inline v0_1::detail {

/// Elements of an array: those of blocks of `width`, of which one begins every `pitch` elements from `first` on. The
/// last block may be shorter.
struct Part {
    std::uint64_t first = 0, count = 0, width = 0, pitch = 0;

    /// Blocks that are whole.
    std::uint64_t rows() const noexcept { return count / width; }
    /// Elements of the last block, where it is shorter; else 0.
    std::uint64_t rest() const noexcept { return count % width; }

    friend bool operator==(const Part&, const Part&) = default;
};

/// The parts of a pass lie apart: they may be sorted in any order, or at once.
using PassOfParts = std::vector<Part>;

/// Returns passes that sort any `count` elements: each of their parts, of at most `capacity` elements, is sorted where
/// it lies, and a pass begins when the one before it has ended. They are four, of which the last is over a few
/// elements, or one where all fit. Nothing where the capacity is too small, below about twice the square of how often
/// it goes into the count. Where the capacity allows it, blocks have `block` elements at least, for what takes its time
/// to go from one to the next; then the last pass may be over more, but never over more than all.
///
/// 1. Tiles of r elements, which consist of blocks of b.
/// 2. Classes: block i of the array is of class i mod s. Of each tile, two classes have the same number of elements
///    below any bound, but for b at most; so of T tiles, but for T b.
/// 3. Tiles: a row of s blocks has one of each class. With these sorted, what is left out of order about any bound is
/// in
///    at most T + 1 rows (zero-one principle), a window of (T + 1) s b elements, which is at most half a tile.
/// 4. The borders of tiles, a window to each side.
///
/// Source: Leighton, "Tight bounds on the complexity of parallel sorting", 1985, with blocks in place of elements.
std::vector<PassOfParts> parts_that_sort(std::uint64_t count, std::uint64_t capacity, std::uint64_t block = 1);

/// Returns the least capacity with which parts_that_sort() gives anything.
std::uint64_t least_capacity(std::uint64_t count);

}  // namespace lanesort::inline v0_1::detail
