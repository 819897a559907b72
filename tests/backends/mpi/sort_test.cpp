// SPDX-License-Identifier: MIT
// Sorts across ranks against the standard library's sort of everything gathered, and what is sent against the plan.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/mpi.hpp>

#include "c_interface.h"
#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;

TEST_CASE("ranks: keys of every type, order, distribution, count and schedule") {
    std::size_t turn = 0;
    for (const Counts& counts : cases())
        for (std::size_t distribution = 0; distribution < std::size(distributions); ++distribution) {
            // Every type and order meets every case of counts and every distribution in some run of ranks.
            const KeyType type = all_key_types[++turn % std::size(all_key_types)];
            const Order order = turn % 2 ? Order::ascending : Order::descending;
            CAPTURE(text(counts));
            CAPTURE(distributions[distribution]);
            CAPTURE(name(type));
            with_bits(type, [&](auto bits) {
                const auto all = keys_of<decltype(bits)>(distribution, sum(counts));
                const auto given = part(all, counts);
                const auto wanted = part(taken(all, sorted_places(all, type, order)), counts);
                const Schedule others[] = {Schedule::network, Schedule::distribution, Schedule::columns};
                for (const Schedule schedule : {Schedule::automatic, others[turn % 3]}) {
                    CAPTURE(name(schedule));
                    auto mine = given;
                    seen = {};
                    // Pieces of a few keys, and of all.
                    const mpi::Options options{.order = order,
                                               .piece_bytes = turn % 4 ? std::size_t{1} << 20 : 61 * sizeof(bits),
                                               .schedule = schedule};
                    mpi::sort(MPI_COMM_WORLD, sorter(), Keys(mine.data(), mine.size(), type), options);
                    CHECK(mine == wanted);
                    const mpi::Traffic planned =
                        mpi::traffic(counts, static_cast<std::uint64_t>(rank()), sizeof(bits), 0, options);
                    CHECK((schedule == Schedule::distribution ? is_within(seen, planned) : seen == planned));
                    if (schedule == Schedule::network) CHECK(seen.all_to_alls == 0);
                }
            });
        }
}

TEST_CASE("ranks: equal counts are sorted in place, and each rank sends at most three times its keys") {
    const auto p = static_cast<std::uint64_t>(ranks());
    for (const std::uint64_t n :
         {2 * (p - 1) * (p - 1), 2 * (p - 1) * (p - 1) + 1, std::uint64_t{5000}, std::uint64_t{1} << 40}) {
        const Counts counts(p, n);
        for (std::uint64_t i = 0; i < p; ++i) CHECK(mpi::traffic(counts, i, 4, 8).bytes() <= 3 * n * 12);
    }
}

TEST_CASE("ranks: pairs, whose values decide where keys are equal") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4})
            for (const Order order : {Order::ascending, Order::descending}) {
                const std::size_t count = sum(counts);
                const auto all = keys_of<std::uint32_t>(distribution, count);
                const auto values = keys_of<std::uint64_t>(distribution == 3 ? 0 : 4, count);
                std::vector<std::size_t> places(count);
                std::iota(places.begin(), places.end(), std::size_t{0});
                std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
                    if (all[a] != all[b]) return (all[a] < all[b]) == (order == Order::ascending);
                    return values[a] < values[b];
                });
                CAPTURE(text(counts));
                for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
                    if (order == Order::descending && (schedule == Schedule::distribution) != (distribution == 3))
                        continue;
                    auto mine = part(all, counts);
                    auto my_values = part(values, counts);
                    seen = {};
                    const mpi::Options options{.order = order, .piece_bytes = 1000, .schedule = schedule};
                    mpi::sort_by_key(MPI_COMM_WORLD, sorter(), mine, my_values, options);
                    CHECK(mine == part(taken(all, places), counts));
                    CHECK(my_values == part(taken(values, places), counts));
                    CHECK(is_within(seen, mpi::traffic(counts, static_cast<std::uint64_t>(rank()), 4, 8, options)));
                }
            }
    // Values wider than keys, and of 16 bytes.
    const Counts counts(static_cast<std::size_t>(ranks()), most_counts() + 7);
    struct Wide {
        std::uint64_t low, high;
        bool operator==(const Wide&) const = default;
    };
    const auto all = keys_of<std::uint8_t>(4, sum(counts));
    std::vector<Wide> values(all.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {i * 7919 % 13, i / 40 * 3};
    std::vector<std::size_t> places(all.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(all[a], values[a].high, values[a].low) < std::tuple(all[b], values[b].high, values[b].low);
    });
    for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
        auto mine = part(all, counts);
        auto my_values = part(values, counts);
        mpi::sort_by_key(MPI_COMM_WORLD, sorter(), mine, my_values, {.schedule = schedule});
        CHECK(mine == part(taken(all, places), counts));
        CHECK(my_values == part(taken(values, places), counts));
    }
}

TEST_CASE("ranks: indices count over all ranks, and equal keys keep their order") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4, 5}) {
            const auto all = keys_of<std::uint32_t>(distribution, sum(counts));
            const auto mine = part(all, counts);
            const Order order = distribution == 3 ? Order::descending : Order::ascending;
            const auto places = sorted_places(all, KeyType::f32, order);
            CAPTURE(text(counts));
            for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
                if (schedule == Schedule::distribution && distribution % 2 == 0) continue;
                std::vector<std::uint64_t> indices(mine.size(), 99);
                mpi::argsort(MPI_COMM_WORLD, sorter(), ConstKeys(mine.data(), mine.size(), KeyType::f32), indices,
                             {.order = order, .schedule = schedule});
                CHECK(indices == part(std::vector<std::uint64_t>(places.begin(), places.end()), counts));
                CHECK(mine == part(all, counts));
            }
        }
}

TEST_CASE("ranks: the first k keys, on every rank") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4}) {
            const auto all = keys_of<std::uint16_t>(distribution, sum(counts));
            const auto mine = part(all, counts);
            for (const std::size_t wanted :
                 {std::size_t{0}, std::size_t{1}, std::size_t{17}, all.size() / 2, all.size()}) {
                if (are_many() && wanted != 17 && wanted != all.size()) continue;
                const std::size_t k = std::min(wanted, all.size());
                const Order order = distribution == 3 ? Order::ascending : Order::descending;
                auto places = sorted_places(all, KeyType::f16, order);
                places.resize(k);
                const ConstKeys keys(mine.data(), mine.size(), KeyType::f16);
                const mpi::Options options{.order = distribution == 3 ? std::optional(order) : std::nullopt};
                std::vector<std::uint16_t> best(k), alone(k);
                std::vector<std::uint64_t> indices(k);
                CAPTURE(text(counts));
                CAPTURE(k);
                seen = {};
                mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best, indices, options);
                CHECK(seen.messages <= (rank() > 0 ? 2 : 0));  // but for the broadcast, what was found goes once
                CHECK(seen.bytes() <= k * (2 + 8));
                mpi::top_k(MPI_COMM_WORLD, sorter(), keys, alone, options);
                CHECK(best == taken(all, places));
                CHECK(alone == best);
                CHECK(std::equal(indices.begin(), indices.end(), places.begin(), places.end()));
            }
        }
}

TEST_CASE("ranks: from C") { CHECK(failures_in_c() == 0); }

TEST_CASE("ranks: a part of the ranks sorts by itself") {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
    int size = 0, of = 0;
    MPI_Comm_size(half, &size);
    MPI_Comm_rank(half, &of);
    std::vector<int> keys(200);
    std::iota(keys.begin(), keys.end(), (size - 1 - of) * 200);
    mpi::sort(half, sorter(), keys);
    for (int i = 0; i < 200; ++i) CHECK(keys[static_cast<std::size_t>(i)] == of * 200 + i);
    MPI_Comm_free(&half);
}
