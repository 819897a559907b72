// How ranges are cut to be combined by a tree (kernels/combine.h). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "integers.hpp"

namespace lanesort::detail {

/// Blocks of consecutive keys, each of which a work-group combines.
struct Blocks {
    std::uint64_t share = 0;  ///< keys of a block; the last one may have fewer
    std::uint64_t parts = 1;  ///< of a row; at most 4096
};

/// They depend on the keys' number and width alone, so that the tree is the same on every device.
constexpr Blocks blocks_of(std::uint64_t count, std::size_t key_bytes) noexcept {
    constexpr std::uint64_t most_parts = 4096, fewest_tiles = 4;
    const std::uint64_t tile = 4096 / key_bytes;
    const std::uint64_t share = std::max(ceil_div(ceil_div(count, tile), most_parts), fewest_tiles) * tile;
    return {share, std::max<std::uint64_t>(ceil_div(count, share), 1)};
}

/// Leaves of the tree, which local memory has a partial result of each of.
inline constexpr unsigned tree_leaves = 256;

}  // namespace lanesort::detail
