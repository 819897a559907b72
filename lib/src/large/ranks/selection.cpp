// SPDX-License-Identifier: MIT
// The first keys of all ranks: a tree of ranks, each of which takes and sorts the best of another.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "calls.hpp"

namespace lanesort::inline v0_1::mpi {

void select_from_all(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all,
                     const std::function<void(std::uint64_t, const Elements&)>& take_own,
                     const std::function<void(const Elements&)>& deliver) {
    const std::uint64_t wanted = all[0].wanted, me = ranks.rank();
    const auto keys_of = [&](std::uint64_t first, std::uint64_t end) {
        std::uint64_t keys = 0;
        for (std::uint64_t i = first; i < end; ++i) keys += all[i].count;
        return keys;
    };
    if (const std::uint64_t keys = keys_of(0, ranks.size()); wanted > keys)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} keys are wanted, and all ranks have {}", wanted, keys));
    HostStore store(sorter, all[0]);
    std::uint64_t have = std::min(wanted, all[me].count);
    Elements mine = elements(nullptr, key_bytes(all[0].type), nullptr, all[0].value_bytes);
    const std::vector<Message> none;
    std::vector<Message> message;
    store.steps([&] {
        message.resize(1);
        ranks.expect_messages(messages_of(wanted * std::max(mine.key_bytes, mine.value_bytes)));
        mine = mine.at(store.allocate(2 * wanted * mine.bytes()), 2 * wanted);
        if (have == 0) return;
        take_own(have, mine);
        auto* const places = reinterpret_cast<std::uint64_t*>(mine.values);
        const std::uint64_t before = keys_of(0, me);
        for (std::uint64_t i = 0; mine.value_bytes > 0 && i < have; ++i) places[i] += before;
    });
    store.steps.agree(ranks);

    // A rank takes what another, `distance` above it, has found among as many ranks, or gives its own and is done.
    for (std::uint64_t distance = 1; distance < ranks.size(); distance *= 2) {
        if (me % (2 * distance) == distance) {
            mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) {
                message[0] = {me - distance, data, have * bytes};
                ranks.exchange(none, message);
            });
            break;
        }
        if (me + distance >= ranks.size()) continue;
        const std::uint64_t end = std::min(ranks.size(), me + 2 * distance);
        const std::uint64_t come = std::min(wanted, keys_of(me + distance, end));
        const Elements behind = mine.from(have);
        behind.each(behind, [&](std::byte* data, std::byte*, std::size_t bytes) {
            message[0] = {me + distance, data, come * bytes};
            ranks.exchange(message, none);
        });
        store.steps([&] { store.sort_here(mine, have + come); });
        have = std::min(wanted, have + come);
    }
    mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) { ranks.broadcast(data, wanted * bytes); });
    store.steps([&] { deliver(mine); });
    store.steps.agree(ranks);
}

}  // namespace lanesort::inline v0_1::mpi
