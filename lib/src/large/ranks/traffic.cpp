// SPDX-License-Identifier: MIT
// What is said of a sort before it runs: the same formulas by which it goes.
#include <algorithm>
#include <utility>

#include <lanesort/ranks.hpp>

#include "agreement.hpp"
#include "core/planner.hpp"
#include "pieces.hpp"
#include "transport.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

/// The most that a distribution sends: all keys, and all digits for each cut.
Traffic of_splitters(const Intervals& places, std::uint64_t rank, std::size_t key_bytes, std::size_t value_bytes) {
    const std::uint64_t ranks = places.size() - 1, cuts = ranks - 1;
    if (cuts == 0) return {};
    const unsigned bits = digit_bits(ranks);
    const std::uint64_t rounds = 8 * (key_bytes + value_bytes) / bits;
    return {.all_to_alls = value_bytes > 0 ? 3u : 2u,
            .all_to_all_bytes = 8 * cuts + (places[rank + 1] - places[rank]) * (key_bytes + value_bytes),
            .reductions = rounds + 1,
            .reduction_bytes = 8 * cuts * (rounds * numbers_of_round(bits) + 1)};
}

}  // namespace

Traffic traffic(std::span<const std::uint64_t> counts, std::uint64_t rank, std::size_t key_bytes,
                std::size_t value_bytes, const Options& options) {
    require(rank < counts.size(), "there is no such rank");
    require(std::ranges::any_of(all_key_types, [&](KeyType type) { return lanesort::key_bytes(type) == key_bytes; }),
            "there is no type of keys of so many bytes");
    lanesort::detail::check({.order = options.order, .value_bytes = value_bytes, .schedule = options.schedule});
    check_way(options.piece_bytes, options.schedule, options.data_independent);
    check_messages(static_cast<std::int64_t>(options.device_messages));
    std::uint64_t room = most_keys;
    for (const std::uint64_t count : counts) {
        if (count > room) throw Error(ErrorCode::too_large, "the ranks have more than 2^48 keys");
        room -= count;
        if (options.schedule == Schedule::distribution) check_splitters(count);
    }
    const Intervals given = intervals(counts.size(), [&](std::uint64_t i) { return counts[i]; });
    if (options.schedule == Schedule::distribution) return of_splitters(given, rank, key_bytes, value_bytes);
    const Blocks blocks{.count = given.back(), .blocks = counts.size()};
    const std::size_t bytes = key_bytes + value_bytes;
    Traffic all;
    const auto message = [&](std::uint64_t of) {
        all.messages += messages_of(of);
        all.message_bytes += of;
    };
    const auto merge_split = [&](std::uint64_t with, std::uint64_t most) {
        const std::uint64_t piece = piece_of_exchange(blocks, bytes, options.piece_bytes);
        const std::uint64_t meet = std::min({most, blocks.size(rank), blocks.size(with)});
        for (std::uint64_t begin = 0; begin < meet && with != rank; begin += piece)
            message(std::min(piece, meet - begin) * bytes);
    };
    if (goes_by_columns(blocks, options.schedule)) {
        const std::uint64_t share = share_in_piece(blocks, bytes, options.piece_bytes),
                            all_shares = blocks.largest_share();
        all.all_to_alls = 2 * ((all_shares + share - 1) / share);
        all.all_to_all_bytes = 2 * all_shares * (blocks.blocks - 1) * bytes;
        for (const std::uint64_t with : {rank - 1, rank + 1})
            if (with < blocks.blocks) merge_split(with, blocks.window());
    } else
        for (const std::uint64_t with : blocks.partners(rank)) merge_split(with, blocks.length);
    const Evening evening(blocks, given);
    if (evening.even == given) return all;
    for (std::uint64_t i = 0; i < blocks.blocks; ++i)
        for (const auto& [from, to] : {std::pair{&evening.surplus, &evening.lack}, {&evening.even, &given}}) {
            const auto part = overlap(*from, rank, *to, i);
            if (i == rank) continue;
            message((part.second - part.first) * key_bytes);
            message((part.second - part.first) * value_bytes);
        }
    return all;
}

}  // namespace lanesort::inline v0_1::mpi
