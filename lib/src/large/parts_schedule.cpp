// SPDX-License-Identifier: MIT
#include <lanesort/parts.hpp>

#include <algorithm>
#include <optional>

#include "core/integers.hpp"

namespace lanesort::inline v0_1 {
namespace {

/// What the passes depend on.
struct Tiling {
    std::uint64_t tile, classes, block, window;
};

/// Nothing where the capacity is too small.
std::optional<Tiling> tiling(std::uint64_t count, std::uint64_t capacity, std::uint64_t wanted_block = 1) {
    // The last pass is to be over few elements, but short blocks are slow to copy.
    constexpr std::uint64_t windows_in_tile = 64;
    if (capacity == 0) return {};
    for (std::uint64_t tiles = ceil_div(count, capacity);; ++tiles) {
        const std::uint64_t row = tiles * (tiles + 1);  // elements of a window for each of a block
        if (tiles > count || row > capacity / 2) return {};
        const std::uint64_t least = std::max<std::uint64_t>(capacity / windows_in_tile / row, 1);
        for (std::uint64_t block = std::max(least, std::min(wanted_block, capacity / 2 / row));;
             block = std::max(least, block / 2)) {
            const std::uint64_t unit = tiles * block;
            const std::uint64_t tile = ceil_div(ceil_div(count, tiles), unit) * unit;
            const std::uint64_t window = row * block;
            if (tile <= capacity && 2 * window <= tile) return Tiling{tile, tiles, block, window};
            if (block == least) break;
        }
    }
}

Part whole(std::uint64_t first, std::uint64_t count) { return {first, count, count, count}; }

}  // namespace

// 1. Tiles of r elements, which consist of blocks of b.
// 2. Classes: block i of the array is of class i mod s. Of each tile, two classes have the same number of elements
//    below any bound, but for b at most; so of T tiles, but for T b.
// 3. Tiles: a row of s blocks has one of each class. With these sorted, what is left out of order about any bound is in
//    at most T + 1 rows (zero-one principle), a window of (T + 1) s b elements, which is at most half a tile.
// 4. The borders of tiles, a window to each side.
std::vector<PassOfParts> parts_that_sort(std::uint64_t count, std::uint64_t capacity, std::uint64_t block) {
    if (count <= capacity) return {{whole(0, count)}};
    const std::optional<Tiling> found = tiling(count, capacity, block);
    if (!found) return {};
    const auto [tile, classes, width, window] = *found;
    PassOfParts tiles, columns, borders;
    for (std::uint64_t first = 0; first < count; first += tile)
        tiles.push_back(whole(first, std::min(tile, count - first)));
    const std::uint64_t pitch = classes * width;
    for (std::uint64_t first = 0; first < pitch && first < count; first += width) {
        const std::uint64_t behind = count - first;
        columns.push_back({first, behind / pitch * width + std::min(behind % pitch, width), width, pitch});
    }
    for (std::uint64_t border = tile; border < count; border += tile)
        borders.push_back(whole(border - window, window + std::min(window, count - border)));
    return {tiles, columns, tiles, borders};
}

std::uint64_t least_capacity(std::uint64_t count) {
    std::uint64_t too_small = 0, enough = count;
    while (enough - too_small > 1) {
        const std::uint64_t middle = too_small + (enough - too_small) / 2;
        (tiling(count, middle) ? enough : too_small) = middle;
    }
    return enough;
}

}  // namespace lanesort::inline v0_1
