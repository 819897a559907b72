// SPDX-License-Identifier: MIT
#include "across_schedule.hpp"

#include <algorithm>
#include <numeric>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

Blocks blocks_of(std::span<const std::uint64_t> counts) {
    return {.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), .blocks = counts.size()};
}

/// What each device has before and after, as intervals of the order.
Intervals given_by(std::span<const std::uint64_t> counts) {
    return intervals(counts.size(), [&](auto i) { return counts[i]; });
}

/// Each device has as many keys as its block already.
bool is_even(const Blocks& blocks, std::span<const std::uint64_t> counts) {
    const Intervals given = given_by(counts);
    return Evening(blocks, given).even == given;
}

/// Calls `meet(lower, upper)` for every two blocks that are merged, and `end_round()` after each round.
template <class Pair, class End>
void each_pair(const Blocks& blocks, const Pair& meet, const End& end_round) {
    std::vector<std::vector<std::uint64_t>> partners;
    for (std::uint64_t block = 0; block < blocks.blocks; ++block) partners.push_back(blocks.partners(block));
    for (std::size_t round = 0; round < partners.front().size(); ++round) {
        for (std::uint64_t block = 0; block < blocks.blocks; ++block)
            // The last blocks may have no keys.
            if (const std::uint64_t with = partners[block][round]; with > block && blocks.size(with) > 0)
                meet(block, with);
        end_round();
    }
}

/// Calls `move` for each move that evens out, or restores.
template <class EachMove>
void each_move(const Blocks& blocks, std::span<const std::uint64_t> counts, bool restores, const EachMove& move) {
    const Intervals given = given_by(counts);
    const Evening evening(blocks, given);
    const auto kept = [&](std::uint64_t of) { return std::min(counts[of], blocks.size(of)); };
    for (std::uint64_t from = 0; from < blocks.blocks; ++from) {
        if (!restores && kept(from) > 0) move(Move{from, 0, from, 0, kept(from), false});
        for (std::uint64_t to = 0; to < blocks.blocks; ++to) {
            const Intervals& source = restores ? evening.even : evening.surplus;
            const Intervals& target = restores ? given : evening.lack;
            const auto [begin, end] = overlap(source, from, target, to);
            if (begin == end) continue;
            const std::uint64_t before_source = restores ? 0 : kept(from), before_target = restores ? 0 : kept(to);
            move(Move{from, before_source + begin - source[from], to, before_target + begin - target[to], end - begin,
                      restores});
        }
    }
}

}  // namespace

PlanAcross plan_across(std::span<const std::uint64_t> counts, std::uint64_t pairs_at_once) {
    PlanAcross plan{blocks_of(counts), true, {}};
    const Blocks& blocks = plan.blocks;
    if (blocks.count == 0) return plan;
    plan.is_in_place = is_even(blocks, counts);
    const auto add = [&](const StepAcross& step) { plan.steps.push_back(step); };
    if (!plan.is_in_place) {
        add(MeetAll{});
        each_move(blocks, counts, false, add);
        add(MeetAll{});
    }
    for (std::uint64_t device = 0; device < blocks.blocks; ++device)
        if (blocks.size(device) > 1) add(SortBlock{device});
    std::vector<StepAcross> finishes;
    each_pair(
        blocks,
        [&](std::uint64_t lower, std::uint64_t upper) {
            add(Meet{lower, upper});
            const std::uint64_t pairs = std::min(blocks.size(lower), blocks.size(upper));
            const std::uint64_t at_once =
                std::clamp<std::uint64_t>(ceil_div(pairs, std::uint64_t{2}), 1, pairs_at_once);
            for (std::uint64_t first = 0; first < pairs; first += at_once)
                add(Exchange{lower, upper, first, std::min(at_once, pairs - first),
                             first / at_once % 2 == 0 ? lower : upper});
            finishes.insert(finishes.end(), {Meet{lower, upper}, FinishBlock{lower, true}, FinishBlock{upper, false}});
        },
        [&] {
            // When all have been given their exchanges: another pair's need not wait for these.
            plan.steps.insert(plan.steps.end(), finishes.begin(), finishes.end());
            finishes.clear();
        });
    if (!plan.is_in_place) {
        add(MeetAll{});
        each_move(blocks, counts, true, add);
    }
    if (blocks.blocks > 1) add(MeetAll{});
    return plan;
}

std::vector<std::uint64_t> link_bytes(std::span<const std::uint64_t> counts, std::uint64_t element_bytes) {
    const std::size_t devices = counts.size();
    std::vector<std::uint64_t> bytes(devices * devices);
    const Blocks blocks = blocks_of(counts);
    if (blocks.count == 0) return bytes;
    each_pair(
        blocks,
        [&](std::uint64_t lower, std::uint64_t upper) {
            const std::uint64_t crossing = std::min(blocks.size(lower), blocks.size(upper)) * element_bytes;
            bytes[lower * devices + upper] += crossing;
            bytes[upper * devices + lower] += crossing;
        },
        [] {});
    if (!is_even(blocks, counts))
        for (const bool restores : {false, true})
            each_move(blocks, counts, restores, [&](const Move& move) {
                if (move.from != move.to) bytes[move.from * devices + move.to] += move.count * element_bytes;
            });
    return bytes;
}

}  // namespace lanesort::inline v0_1::detail
