// SPDX-License-Identifier: MIT
// A sort by splitters: each rank sorts what it has, sends each part to the rank that it belongs to, and sorts what it
// got.
#include "splitters.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "calls.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

/// Finds the cuts of this rank's sorted elements, of which part i goes to rank i.
void find_cuts(Ranks& ranks, Splitters& splitters) {
    while (!splitters.is_done()) {
        const std::span<std::uint64_t> numbers = splitters.count();
        ranks.add(numbers);
        splitters.narrow(numbers);
    }
    // Where elements are equal in all bits, any of them will do.
    const std::span<std::uint64_t> below = splitters.equal();
    if (!below.empty()) {
        ranks.add_below(below);
        splitters.share_out(below);
    }
}

/// Parts of so many elements, one behind the other. They have room for all ranks.
void write_parts(const std::vector<std::uint64_t>& counts, Parts& parts) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        parts.counts[i] = static_cast<int>(counts[i]);
        parts.begins[i] = static_cast<int>(begin);
        begin += counts[i];
    }
}

}  // namespace

void sort_by_splitters(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    for (const Description& one : all) check_splitters(one.count);
    const std::uint64_t count = all[ranks.rank()].count;
    Elements sorted;
    const auto read = [&](std::uint64_t i) {
        Ordered element;
        store.steps([&] { element = store.read(sorted, count, i); });
        return element;
    };
    // All memory is taken before the other ranks wait for messages.
    std::optional<Splitters> splitters;
    std::vector<std::uint64_t> sent, received;
    Parts give, get;
    store.steps([&] {
        if (ranks.size() == 1) return;
        sorted = given.at(store.allocate(count * given.bytes()), count);
        store.expect_messages(0, count * std::max(given.key_bytes, given.value_bytes));
        splitters.emplace(intervals_of(all), given.key_bytes, given.value_bytes, count, read);
        for (std::vector<std::uint64_t>* const counts : {&sent, &received}) counts->resize(all.size());
        for (Parts* const parts : {&give, &get}) parts->counts.resize(all.size()), parts->begins.resize(all.size());
    });
    store.steps.agree(ranks);
    store.steps([&] { store.sort_here(given, count); });
    // What is sent depends on the keys, so it must not begin with those that are in no order.
    store.steps.agree(ranks);
    if (ranks.size() == 1) return;
    store.steps([&] { store.copy(given, sorted, count); });
    find_cuts(ranks, *splitters);
    // Nor with cuts that nobody knows.
    store.steps.agree(ranks);
    const Intervals& own = splitters->cuts();
    for (std::size_t i = 0; i < all.size(); ++i) sent[i] = own[i + 1] - own[i];
    ranks.all_to_all(reinterpret_cast<const std::byte*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                     sizeof(std::uint64_t));
    write_parts(sent, give);
    write_parts(received, get);
    sorted.each(given, [&](const std::byte* from, std::byte* to, std::size_t width) {
        store.all_to_all(ranks, from, give, to, get, width);
    });
    store.steps([&] { store.sort_here(given, count); });
    store.steps.agree(ranks);
}

}  // namespace lanesort::inline v0_1::mpi
