// SPDX-License-Identifier: MIT
// One order over the memory of several devices: which steps each device makes, from the counts alone (rank_layout.hpp).
//
// Each device sorts its block. Then pairs of blocks are merged by a network of merge-splits: of two sorted blocks, key
// k from the end of the lower one meets key k of the upper one, which is the mirrored first step of a merge, and each
// device does the rest of that merge in its own memory. So a key crosses a link once for each round at most, nothing
// but the exchange needs two devices, and no block needs room beside it.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "rank_layout.hpp"

namespace lanesort::inline v0_1::detail {

/// A device sorts its block.
struct SortBlock {
    std::uint64_t device;
};
/// What two devices do from here on begins when both have done what is ahead of it.
struct Meet {
    std::uint64_t one, other;
};
/// The same for all of them.
struct MeetAll {};
/// Pairs first .. first + count - 1 of two blocks are brought in order by the device `on`, which is one of the two.
struct Exchange {
    std::uint64_t lower, upper, first, count, on;
};
/// A device does the rest of a merge in its block.
struct FinishBlock {
    std::uint64_t device;
    bool is_lower;
};
/// Elements go from the caller's range of a device to the block of another one, or back.
struct Move {
    std::uint64_t from, from_first, to, to_first, count;
    bool restores;
};
using StepAcross = std::variant<SortBlock, Meet, MeetAll, Exchange, FinishBlock, Move>;

struct PlanAcross {
    Blocks blocks;
    /// The blocks are the caller's ranges. Else these have other sizes, and each device has memory for a block.
    bool is_in_place = true;
    std::vector<StepAcross> steps;
};

/// The plan for ranges of these counts. Pairs of two blocks are exchanged so many at a time, by the two in turn, so
/// that both directions of a link are busy.
PlanAcross plan_across(std::span<const std::uint64_t> counts, std::uint64_t pairs_at_once);

/// The bytes that go from device i to device j, at i * devices + j: for each round in which the two meet, as many
/// elements as the smaller block has, both ways; and what evening out and restoring unequal counts moves. Where a
/// schedule may depend on keys, exchanges move no more than that.
std::vector<std::uint64_t> link_bytes(std::span<const std::uint64_t> counts, std::uint64_t element_bytes);

}  // namespace lanesort::inline v0_1::detail
