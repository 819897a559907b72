// SPDX-License-Identifier: MIT
/// @file
/// How to sort an array that is larger than any memory: which parts of it are sorted one after another, so that in the
/// end all of it is. It is the schedule of columns with tiles as large as the memory.
#pragma once

#include <cstdint>
#include <vector>

namespace lanesort::inline v0_1 {

/// Elements of an array: those of blocks of `width`, of which one begins every `pitch` elements from `first` on. The
/// last block may be shorter.
struct Part {
    std::uint64_t first = 0;  ///< the first element
    std::uint64_t count = 0;  ///< elements
    std::uint64_t width = 0;  ///< elements of a block
    std::uint64_t pitch = 0;  ///< elements from the beginning of a block to that of the next one

    /// Blocks that are whole.
    std::uint64_t rows() const noexcept { return count / width; }
    /// Elements of the last block, where it is shorter; else 0.
    std::uint64_t rest() const noexcept { return count % width; }

    friend bool operator==(const Part&, const Part&) = default;
};

/// Parts that lie apart: they may be sorted in any order, or at once.
using PassOfParts = std::vector<Part>;

/// Returns passes that sort any `count` elements, by sorting each part, of at most `capacity` elements, where it lies.
/// There is one pass if all fit, else four, of which the last is over a few elements. Blocks have at least `block`
/// elements, where the capacity allows it. Nothing is returned where the capacity is below least_capacity().
/// Source: Leighton, "Tight bounds on the complexity of parallel sorting", 1985, with blocks in place of elements.
std::vector<PassOfParts> parts_that_sort(std::uint64_t count, std::uint64_t capacity, std::uint64_t block = 1);

/// Returns the least capacity with which parts_that_sort() gives passes, in elements: about the cube root of 2 count^2.
std::uint64_t least_capacity(std::uint64_t count);

}  // namespace lanesort::inline v0_1
