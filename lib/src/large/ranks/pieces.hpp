// SPDX-License-Identifier: MIT
// How much goes in a message: pure, for the sorts and for what is said of them (traffic.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <lanesort/request.hpp>

#include "large/rank_layout.hpp"

namespace lanesort::inline v0_1::mpi {

/// Columns are taken where they suffice, unless merge-splits are demanded.
inline bool goes_by_columns(const Blocks& blocks, Schedule schedule) noexcept {
    return schedule != Schedule::network && blocks.by_columns();
}

/// Elements of one rank's share in a piece of an all-to-all.
inline std::uint64_t share_in_piece(const Blocks& blocks, std::size_t bytes, std::size_t piece_bytes) {
    return std::clamp<std::uint64_t>(piece_bytes / (blocks.blocks * bytes), 1,
                                     std::max<std::uint64_t>(blocks.largest_share(), 1));
}
/// Elements of a piece of an exchange with one rank.
inline std::uint64_t piece_of_exchange(const Blocks& blocks, std::size_t bytes, std::size_t piece_bytes) {
    return std::clamp<std::uint64_t>(piece_bytes / bytes, 1, std::max<std::uint64_t>(blocks.length, 1));
}

/// Bits of an element that a round of the search for splitters finds: fewer for many ranks, so that no more than some
/// 1000 numbers are added up in a round as long as there are fewer ranks than that.
inline unsigned digit_bits(std::uint64_t ranks) noexcept {
    unsigned bits = 4;
    while (bits > 1 && ((std::uint64_t{1} << bits) - 1) * (ranks - 1) > 1024) bits /= 2;
    return bits;
}
/// Numbers of a cut in a round.
inline std::uint64_t numbers_of_round(unsigned bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

}  // namespace lanesort::inline v0_1::mpi
