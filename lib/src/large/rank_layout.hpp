// SPDX-License-Identifier: MIT
// One order over blocks that can each be sorted alone: files, devices or processes. Which key goes where, and how much
// of it crosses from block to block, is known from the counts alone.
//
// Columns (Leighton, "Tight bounds on the complexity of parallel sorting", 1985), P blocks of r keys:
//   1. sort each block; its key of rank k goes to a class, of which there are P;
//   2. sort each class; read row by row, key k of class j has place k P + j, and goes to the block that has this place;
//   3. sort each block. What is left out of place lies within (P - 1)^2 keys of a block's ends;
//   4. neighbours merge these windows, and each keeps its half.
// Block i gives its key of rank k to class (P - 1 - i - k) mod P, so every class has as many keys as a block, whether
// or not P divides r. By the zero-one principle the classes' numbers of zeros differ by at most P - 1, and what is
// unsorted after step 2 is at most (P - 1)^2 + 1 places, with a zero and a one among them.
//
// Fewer keys go by a network of merge-splits: of two sorted blocks one keeps the first keys, the other the rest.
//
// Keys that lack to P r are as if they came last: the last blocks are short.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanesort::inline v0_1 {

/// Keys that one block gives to another in a transposition: `count` of them from rank `first` on, `stride` apart.
struct Share {
    std::uint64_t first, stride, count;
};

/// `count` keys in `blocks` blocks, all of `length` keys but the last ones.
struct Blocks {
    std::uint64_t count = 0;
    std::uint64_t blocks = 1;
    std::uint64_t length = (count + blocks - 1) / blocks;

    /// Keys of a block.
    std::uint64_t size(std::uint64_t block) const noexcept {
        const std::uint64_t begin = std::min(count, block * length);
        return std::min(count - begin, length);
    }
    /// Keys of a window at a block's end, within which step 4 merges.
    std::uint64_t window() const noexcept { return (blocks - 1) * (blocks - 1); }
    /// Columns suffice; else it takes the network.
    bool by_columns() const noexcept { return blocks > 1 && length >= 2 * window(); }
    /// Keys that a block gives to another in a transposition, at most.
    std::uint64_t largest_share() const noexcept { return (length + blocks - 1) / blocks; }

    /// What a block gives to a class in step 1; a class gets as much of that block.
    Share to_class(std::uint64_t block, std::uint64_t to) const noexcept {
        const std::uint64_t first = (2 * blocks - 1 - block - to) % blocks;
        return {first, blocks, (length - first + blocks - 1) / blocks};
    }
    /// What a class gives to a block in step 2.
    Share to_block(std::uint64_t from, std::uint64_t block) const noexcept {
        const auto begin = [&](std::uint64_t of) { return (of * length + blocks - 1 - from) / blocks; };
        return {begin(block), 1, begin(block + 1) - begin(block)};
    }
    /// Keys of a class: one fewer than a block's where it lacks one of the last block's.
    std::uint64_t class_size(std::uint64_t of) const noexcept {
        const Share last = to_class(blocks - 1, of);
        return length - (last.first + (last.count - 1) * last.stride >= size(blocks - 1));
    }

    /// Whom a block merges with in each round of the network, itself if with none; the one of the lower number keeps
    /// the first keys. Batcher's merge exchange, for any number of blocks: lg P (lg P + 1) / 2 rounds.
    std::vector<std::uint64_t> partners(std::uint64_t block) const {
        std::vector<std::uint64_t> all;
        std::uint64_t top = 1;
        while (2 * top < blocks) top *= 2;
        for (std::uint64_t p = blocks > 1 ? top : 0; p > 0; p /= 2) {
            std::uint64_t q = top, bit = 0, distance = p;
            while (true) {
                std::uint64_t with = block;
                if ((block & p) == bit && block + distance < blocks) with = block + distance;
                else if (block >= distance && ((block - distance) & p) == bit) with = block - distance;
                all.push_back(with);
                if (q == p) break;
                distance = q - p, q /= 2, bit = p;
            }
        }
        return all;
    }
};

/// Intervals that lie side by side, one for each block: interval i is begins[i] .. begins[i + 1].
using Intervals = std::vector<std::uint64_t>;

/// The intervals of these lengths.
template <class Length>
Intervals intervals(std::uint64_t blocks, const Length& length) {
    Intervals begins(blocks + 1);
    for (std::uint64_t i = 0; i < blocks; ++i) begins[i + 1] = begins[i] + length(i);
    return begins;
}

/// Where interval `a` of `from` and interval `b` of `to` overlap: the first place and the one behind the last.
inline std::pair<std::uint64_t, std::uint64_t> overlap(const Intervals& from, std::uint64_t a, const Intervals& to,
                                                       std::uint64_t b) noexcept {
    const std::uint64_t begin = std::max(from[a], to[b]);
    return {begin, std::max(begin, std::min(from[a + 1], to[b + 1]))};
}

/// Evening out and restoring counts that the caller gives, as intervals of the order.
struct Evening {
    Intervals surplus;  ///< keys that each block has too many
    Intervals lack;     ///< keys that it has too few
    Intervals even;     ///< the places of even blocks in the order

    Evening(const Blocks& blocks, const Intervals& given)
        : surplus(intervals(blocks.blocks, [&](auto i) { return extra(given[i + 1] - given[i], blocks.size(i)); })),
          lack(intervals(blocks.blocks, [&](auto i) { return extra(blocks.size(i), given[i + 1] - given[i]); })),
          even(intervals(blocks.blocks, [&](auto i) { return blocks.size(i); })) {}

private:
    static std::uint64_t extra(std::uint64_t a, std::uint64_t b) noexcept { return a - std::min(a, b); }
};

}  // namespace lanesort::inline v0_1
