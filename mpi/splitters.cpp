// A sort by splitters: each rank sorts what it has, sends each part to the rank that it belongs to, and sorts what it
// got.
#include "splitters.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "calls.hpp"

namespace lanesort::mpi {
namespace {

/// The cuts of this rank's sorted elements, of which part i goes to rank i.
Intervals cuts(Ranks& ranks, Store& store, const Intervals& places, const Elements& sorted, std::uint64_t count) {
    Splitters splitters(places, sorted.key_bytes, sorted.value_bytes, count, [&](std::uint64_t i) {
        Ordered element;
        store.attempt([&] { element = store.read(sorted, count, i); });
        return element;
    });
    while (!splitters.is_done()) {
        std::vector<std::uint64_t> numbers = splitters.count();
        ranks.add(numbers);
        splitters.narrow(numbers);
    }
    // Where elements are equal in all bits, any of them will do.
    std::vector<std::uint64_t> below = splitters.equal();
    if (!below.empty()) {
        ranks.add_below(below);
        splitters.share_out(below);
    }
    return splitters.cuts();
}

Parts parts(const std::vector<std::uint64_t>& counts) {
    Parts parts;
    std::uint64_t begin = 0;
    for (const std::uint64_t count : counts) {
        parts.counts.push_back(static_cast<int>(count));
        parts.begins.push_back(static_cast<int>(begin));
        begin += count;
    }
    return parts;
}

}  // namespace

void sort_by_splitters(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    const Intervals places = intervals_of(all);
    for (const Description& one : all)
        if (one.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            throw Error(ErrorCode::too_large,
                        fmt::format("a rank has {} keys; by splitters, none may have 2^31", one.count));
    const std::uint64_t count = all[ranks.rank()].count;
    Elements sorted;
    store.attempt([&] {
        if (ranks.size() == 1) return;
        sorted = given.at(store.allocate(count * given.bytes()), count);
        store.expect_messages(count * std::max(given.key_bytes, given.value_bytes));
    });
    store.attempt.agree(ranks);
    store.attempt([&] { store.sort(given, count); });
    // What is sent depends on the keys, so it must not begin with those that are in no order.
    store.attempt.agree(ranks);
    if (ranks.size() == 1) return;
    store.attempt([&] { store.copy(given, sorted, count); });
    const Intervals own = cuts(ranks, store, places, sorted, count);
    // Nor with cuts that nobody knows.
    store.attempt.agree(ranks);
    std::vector<std::uint64_t> sent, received(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) sent.push_back(own[i + 1] - own[i]);
    ranks.all_to_all(reinterpret_cast<const std::byte*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                     sizeof(std::uint64_t));
    const Parts give = parts(sent), get = parts(received);
    sorted.each(given, [&](const std::byte* from, std::byte* to, std::size_t width) {
        store.all_to_all(ranks, from, give, to, get, width);
    });
    store.attempt([&] { store.sort(given, count); });
    store.attempt.agree(ranks);
}

}  // namespace lanesort::mpi
