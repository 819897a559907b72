// SPDX-License-Identifier: MIT
// How ranges are cut to be combined by a tree (kernels/reduce/reduce_blocks.h). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {

/// Blocks of consecutive keys, each of which a work-group combines.
struct BlockShares {
    std::uint64_t share = 0;  ///< keys of a block; the last one may have fewer
    std::uint64_t parts = 1;  ///< of a row; at most 4096
};

/// Leaves of the tree.
inline constexpr unsigned tree_leaves = 256;

/// What blocks are whole numbers of, and the fewest of a block.
struct BlockUnits {
    std::uint64_t keys, fewest;

    constexpr std::uint64_t fewest_keys() const noexcept { return keys * fewest; }
};
/// Of numbers, tiles (kernels/reduce/combine.h).
constexpr BlockUnits number_units(std::size_t key_bytes) noexcept { return {4096 / key_bytes, 4}; }
/// Of elements that an operator combines, one for each leaf (kernels/reduce/operator_reduction.cl).
constexpr BlockUnits element_units(std::size_t bytes) noexcept {
    return {tree_leaves, std::max<std::size_t>(64 / bytes, 1)};
}

/// They depend on the keys' number and width alone, so that the tree is the same on every device.
constexpr BlockShares blocks_of(std::uint64_t count, const BlockUnits& units) noexcept {
    constexpr std::uint64_t most_parts = 4096;
    const std::uint64_t share = std::max(ceil_div(ceil_div(count, units.keys), most_parts), units.fewest) * units.keys;
    return {share, std::max<std::uint64_t>(ceil_div(count, share), 1)};
}
constexpr BlockShares blocks_of(std::uint64_t count, std::size_t key_bytes) noexcept {
    return blocks_of(count, number_units(key_bytes));
}

/// Those that one launch combines; none, where two launches are faster. What need not be combined by the tree has
/// larger blocks, so that they are few enough: of 256 one launch takes longer than two, of half of them, twice as
/// large, it does not (docs/decisions.md#reductions).
constexpr std::optional<BlockShares> blocks_of_one_launch(std::uint64_t count, const BlockUnits& units,
                                                          bool has_tree) noexcept {
    constexpr std::uint64_t most_parts = tree_leaves / 2;
    const std::uint64_t fewest = units.fewest_keys(), times = ceil_div(ceil_div(count, most_parts), fewest);
    if (times > (has_tree ? 1 : 2) || count <= fewest) return std::nullopt;
    return BlockShares{times * fewest, ceil_div(count, times * fewest)};
}

}  // namespace lanesort::inline v0_1::detail
