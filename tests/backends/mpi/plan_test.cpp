// SPDX-License-Identifier: MIT
// What goes where, without messages: parts between splitters, and the table of the guide.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/mpi.hpp>

#include "large/ranks/splitters.hpp"
#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;

TEST_CASE("ranks: parts between splitters have exactly the sizes that are asked for") {
    // Ranges of one process, so no rank takes part, and more ranks would do no more.
    if (ranks() > 1) return;
    std::mt19937_64 random(7);
    for (const std::size_t ranges : {1, 2, 3, 3, 7, 7, 7, 80, 80, 400})
        for (const std::uint64_t below : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 16}) {
            const mpi::Reader read(KeyType::u16, Order::descending);
            std::vector<std::vector<std::uint16_t>> keys(ranges);
            std::vector<std::uint16_t> all;
            for (auto& range : keys) {
                range.resize(random() % 3 ? random() % 40 : 0);
                for (std::uint16_t& key : range) key = static_cast<std::uint16_t>(random() % below);
                std::sort(range.begin(), range.end(), std::greater<>());
                all.insert(all.end(), range.begin(), range.end());
            }
            std::sort(all.begin(), all.end(), std::greater<>());
            // As many as there are, or all in one place, or anywhere.
            Intervals places(ranges + 1);
            for (std::uint64_t& place : places) place = all.empty() ? 0 : random() % (all.size() + 1);
            std::sort(places.begin(), places.end());
            places.front() = 0, places.back() = all.size();
            std::vector<mpi::Splitters> sides;
            for (auto& range : keys)
                sides.emplace_back(places, 2, 0, range.size(), [&](std::uint64_t i) {
                    return read({reinterpret_cast<std::byte*>(range.data()), nullptr, 2, 0}, i);
                });
            std::vector<std::uint64_t> sums;
            const auto add = [&](std::span<const std::uint64_t> numbers) {
                sums.resize(std::max(sums.size(), numbers.size()));
                for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
            };
            while (!sides[0].is_done()) {
                sums.clear();
                for (mpi::Splitters& side : sides) add(side.count());
                for (mpi::Splitters& side : sides) side.narrow(sums);
            }
            sums.clear();
            for (mpi::Splitters& side : sides) {
                const std::span<const std::uint64_t> own = side.equal();
                sums.resize(own.size());
                side.share_out(sums);
                add(own);
            }
            bool is_right = true;
            for (std::size_t part = 0; part < ranges; ++part) {
                std::vector<std::uint16_t> together;
                for (std::size_t i = 0; i < ranges; ++i) {
                    const Intervals& cuts = sides[i].cuts();
                    is_right = is_right && cuts[part] <= cuts[part + 1] && cuts.back() == keys[i].size();
                    if (!is_right) break;
                    together.insert(together.end(), keys[i].begin() + static_cast<std::ptrdiff_t>(cuts[part]),
                                    keys[i].begin() + static_cast<std::ptrdiff_t>(cuts[part + 1]));
                }
                std::sort(together.begin(), together.end(), std::greater<>());
                is_right =
                    is_right && together == std::vector(all.begin() + static_cast<std::ptrdiff_t>(places[part]),
                                                        all.begin() + static_cast<std::ptrdiff_t>(places[part + 1]));
            }
            CHECK(is_right);
        }
}

TEST_CASE("ranks: traffic of what no sort takes is an error") {
    if (ranks() > 1) return;
    const Counts counts{500, 500, 500};
    const auto code_of = [&](std::uint64_t of, std::size_t key_bytes, std::size_t value_bytes,
                             const mpi::Options& options) {
        return error_of([&] { mpi::traffic(counts, of, key_bytes, value_bytes, options); }).first;
    };
    CHECK(!code_of(2, 8, 16, {}));
    CHECK(code_of(3, 4, 0, {}) == ErrorCode::invalid_argument);
    for (const std::size_t bytes : {0, 3, 16}) CHECK(code_of(0, bytes, 0, {}) == ErrorCode::invalid_argument);
    for (const std::size_t bytes : {3, 32}) CHECK(code_of(0, 4, bytes, {}) == ErrorCode::invalid_argument);
    for (const Schedule schedule : {Schedule::automatic, Schedule::distribution})
        for (const std::size_t bytes : {std::size_t{0}, (std::size_t{1} << 30) + 1})
            CHECK(code_of(0, 4, 0, {.piece_bytes = bytes, .schedule = schedule}) == ErrorCode::invalid_argument);
    CHECK(code_of(0, 4, 0, {.schedule = Schedule(77)}) == ErrorCode::invalid_argument);
    CHECK(code_of(0, 4, 0, {.order = static_cast<Order>(7)}) == ErrorCode::invalid_argument);
    CHECK(code_of(0, 4, 0, {.device_messages = static_cast<mpi::DeviceMessages>(7)}) == ErrorCode::invalid_argument);
    // Sums that 64 bits do not hold, and what a distribution refuses.
    const auto code_for = [&](const Counts& many, Schedule schedule) {
        return error_of([&] { mpi::traffic(many, 0, 8, 16, {.schedule = schedule}); }).first;
    };
    constexpr std::uint64_t one = 1;
    for (const Counts& many : {Counts{one << 63, one << 63}, {one << 62, one << 62, one << 62}, {(one << 48) + 1}})
        CHECK(code_for(many, Schedule::automatic) == ErrorCode::too_large);
    CHECK(!code_for({5, (one << 31) - 1}, Schedule::distribution));
    CHECK(code_for({5, one << 31}, Schedule::distribution) == ErrorCode::too_large);
    CHECK(code_of(0, 4, 0, {.schedule = Schedule::distribution, .data_independent = true}) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("ranks: the table of docs/scale.md is what the plan says") {
    if (ranks() > 1) return;
    std::string guide;
    {
        std::ifstream file(LANESORT_DOCS "/scale.md");
        guide.assign(std::istreambuf_iterator<char>(file), {});
    }
    for (const std::uint64_t p : {2, 4, 16, 64, 256, 1024, 4096})
        for (const unsigned lg : {16u, 22u, 26u}) {
            const std::uint64_t n = std::uint64_t{1} << lg;
            const Counts counts(p, n);
            mpi::Traffic most, parted;
            for (std::uint64_t i = 0; i < p; ++i) {
                const mpi::Traffic one = mpi::traffic(counts, i, 4);
                if (one.bytes() > most.bytes()) most = one;
                parted = mpi::traffic(counts, i, 4, 0, {.schedule = Schedule::distribution});
            }
            const bool by_columns = most.all_to_alls > 0;
            const auto times = [&](const mpi::Traffic& of) {
                return static_cast<double>(of.bytes()) / (4.0 * static_cast<double>(n));
            };
            char row[200];
            std::snprintf(row, sizeof(row), "\n| %llu | 2^%u | %s | %llu | %s | %llu | %.2f | %llu | %llu | %.2f |\n",
                          static_cast<unsigned long long>(p), lg, by_columns ? "columns" : "merge-splits",
                          static_cast<unsigned long long>(most.all_to_alls),
                          by_columns ? std::to_string(most.all_to_all_bytes / most.all_to_alls / (p - 1)).c_str() : "",
                          static_cast<unsigned long long>(most.all_to_alls * (p - 1) + most.messages), times(most),
                          static_cast<unsigned long long>(parted.reductions - 1),
                          static_cast<unsigned long long>(4 * n / p), times(parted));
            CAPTURE(row);
            CHECK(guide.find(row) != std::string::npos);
        }
}
