// A sort by splitters: each rank sorts what it has, sends each part to the rank that it belongs to, and sorts what it
// got.
#include "splitters.hpp"

#include <limits>
#include <memory>

#include <fmt/format.h>

#include "calls.hpp"

namespace lanesort::mpi {
namespace {

/// The cuts of this rank's sorted elements, of which part i goes to rank i.
Intervals cuts(Ranks& ranks, const Intervals& places, const Elements& sorted, std::uint64_t count, const Reader& read) {
    Splitters splitters(places, sorted, count, read);
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

void sort_by_splitters(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given) {
    const Intervals places = intervals_of(all);
    for (const Description& one : all)
        if (one.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            throw Error(ErrorCode::too_large,
                        fmt::format("a rank has {} keys; by splitters, none may have 2^31", one.count));
    const KeyType type = all[0].type;
    const Order order = all[0].order;
    const std::uint64_t count = all[ranks.rank()].count;
    Attempts attempt;
    std::unique_ptr<std::byte[]> memory;
    Elements sorted;
    attempt([&] {
        memory = std::make_unique_for_overwrite<std::byte[]>(count * given.bytes());
        sorted = given.at(memory.get(), count);
    });
    attempt.agree(ranks);
    attempt([&] { sort_alone(sorter, given, count, type, order); });
    // What is sent depends on the keys, so it must not begin with those that are in no order.
    attempt.agree(ranks);
    if (ranks.size() == 1) return;
    given.copy(sorted, count);
    const Intervals own = cuts(ranks, places, sorted, count, Reader(type, order));
    std::vector<std::uint64_t> sent, received(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) sent.push_back(own[i + 1] - own[i]);
    ranks.all_to_all(reinterpret_cast<const std::byte*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                     sizeof(std::uint64_t));
    const Parts give = parts(sent), get = parts(received);
    sorted.each(given, [&](const std::byte* from, std::byte* to, std::size_t width) {
        ranks.all_to_all(from, give, to, get, width);
    });
    attempt([&] { sort_alone(sorter, given, count, type, order); });
    attempt.agree(ranks);
}

}  // namespace lanesort::mpi
