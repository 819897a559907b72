// SPDX-License-Identifier: MIT
// Parts of arrays that exceed a device, without a device.
#include <lanesort/parts.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

#include "support.hpp"

namespace lanesort::test {
namespace {

using lanesort::least_capacity, lanesort::Part, lanesort::PassOfParts;
using lanesort::parts_that_sort;

std::vector<std::uint64_t> places_of(const Part& part) {
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i < part.count; ++i)
        places.push_back(part.first + i / part.width * part.pitch + i % part.width);
    return places;
}

template <class T>
void run(const std::vector<PassOfParts>& passes, std::vector<T>& elements) {
    for (const PassOfParts& pass : passes)
        for (const Part& part : pass) {
            const std::vector<std::uint64_t> places = places_of(part);
            std::vector<T> sorted;
            for (const std::uint64_t place : places) sorted.push_back(elements[place]);
            std::ranges::sort(sorted);
            for (std::size_t i = 0; i < places.size(); ++i) elements[places[i]] = sorted[i];
        }
}

/// Capacities from the least one on.
std::vector<std::uint64_t> capacities(std::uint64_t count) {
    const std::uint64_t least = least_capacity(count);
    std::vector<std::uint64_t> all;
    for (const std::uint64_t more : {0, 1, 2, 5, 13, 100}) all.push_back(least + more);
    for (const std::uint64_t part : {2, 3, 4, 16, 17})
        if (count / part >= least) all.push_back(count / part);
    return all;
}

TEST_CASE("parts: those of a pass lie apart, in the array, and fit") {
    for (const std::uint64_t count : {1, 2, 13, 100, 999, 10007, 65536, 100003})
        for (const std::uint64_t capacity : capacities(count)) {
            CAPTURE(count);
            CAPTURE(capacity);
            const std::vector<PassOfParts> passes = parts_that_sort(count, capacity);
            REQUIRE(passes.size() == (count <= capacity ? 1 : 4));
            for (const PassOfParts& pass : passes) {
                std::vector<bool> taken(count);
                std::uint64_t elements = 0;
                for (const Part& part : pass) {
                    CHECK(part.count <= capacity);
                    elements += part.count;
                    for (const std::uint64_t place : places_of(part)) {
                        REQUIRE(place < count);
                        REQUIRE(!taken[place]);
                        taken[place] = true;
                    }
                }
                const bool mends_borders = &pass - passes.data() == 3;
                if (!mends_borders) CHECK(elements == count);
            }
        }
}

TEST_CASE("parts: too small a capacity gives none, and the least one some") {
    for (const std::uint64_t count : {2, 100, 999, 100003, 1 << 30}) {
        const std::uint64_t least = least_capacity(count);
        CHECK(!parts_that_sort(count, least).empty());
        CHECK(parts_that_sort(count, least - 1).empty());
        CHECK(parts_that_sort(count, 0).empty());
    }
    // A device that the array exceeds a thousand times will do.
    CHECK(!parts_that_sort(std::uint64_t{1} << 40, std::uint64_t{1} << 30).empty());
}

TEST_CASE("parts: large ones are copied by long blocks, and little is done about borders") {
    const std::uint64_t count = std::uint64_t{1} << 32;
    const std::vector<PassOfParts> passes = parts_that_sort(count, count / 16);
    REQUIRE(passes.size() == 4);
    CHECK(passes[1].front().width >= 4096);
    std::uint64_t mended = 0;
    for (const Part& part : passes[3]) mended += part.count;
    CHECK(mended <= count / 24);
}

TEST_CASE("parts: blocks as long as is asked for, where the capacity allows it") {
    const std::uint64_t count = std::uint64_t{1} << 30, capacity = count / 20;
    const std::uint64_t usual = parts_that_sort(count, capacity)[1].front().width;
    CHECK(usual < 16384);
    const std::vector<PassOfParts> passes = parts_that_sort(count, capacity, 16384);
    CHECK(passes[1].front().width == 16384);
    const std::uint64_t tile = passes[0].front().count;
    for (const Part& part : passes[3]) CHECK(part.count <= tile);
    CHECK(parts_that_sort(count, capacity, usual) == parts_that_sort(count, capacity));
    CHECK(parts_that_sort(count, capacity, count)[1].front().width > usual);
    // What can be sorted by short blocks can be so whatever is asked for.
    for (const std::uint64_t few : {999, 100003}) CHECK(!parts_that_sort(few, least_capacity(few), 1000).empty());
}

/// Zeros and ones such that each sorted tile has any number of zeros sort; so, by the zero-one principle, all keys.
TEST_CASE("parts: every number of zeros in each tile") {
    std::size_t tried = 0;
    for (std::uint64_t count = 2; count <= 60; ++count)
        for (std::uint64_t capacity = least_capacity(count); capacity < count; ++capacity) {
            const std::vector<PassOfParts> passes = parts_that_sort(count, capacity, 1 + count % 3);
            if (passes.empty()) continue;  // a larger one may want more tiles
            const PassOfParts& tiles = passes[0];
            std::vector<std::uint64_t> zeros(tiles.size());
            for (;;) {
                std::vector<char> keys(count, 1);
                for (std::size_t i = 0; i < tiles.size(); ++i)
                    std::fill_n(keys.begin() + static_cast<std::ptrdiff_t>(tiles[i].first), zeros[i], 0);
                run(passes, keys);
                ++tried;
                REQUIRE(std::ranges::is_sorted(keys));
                std::size_t next = 0;
                while (next < zeros.size() && zeros[next] == tiles[next].count) zeros[next++] = 0;
                if (next == zeros.size()) break;
                ++zeros[next];
            }
        }
    CHECK(tried > 10000);
}

TEST_CASE("parts: keys that are random, equal, in order, the other way round, and the same in every tile") {
    Random random(seed());
    for (const std::uint64_t count : {97, 1000, 1001, 4999, 20011})
        for (const std::uint64_t capacity : capacities(count)) {
            const std::uint64_t block = random() % 2 == 0 ? 1 : random() % 50;
            CAPTURE(count);
            CAPTURE(capacity);
            CAPTURE(block);
            const std::vector<PassOfParts> passes = parts_that_sort(count, capacity, block);
            const auto check = [&](const auto& key_at) {
                std::vector<std::uint64_t> keys(count);
                for (std::uint64_t i = 0; i < count; ++i) keys[i] = key_at(i);
                std::vector<std::uint64_t> expected = keys;
                std::ranges::sort(expected);
                run(passes, keys);
                REQUIRE(keys == expected);
            };
            const std::uint64_t tile = passes[0][0].count;
            check([&](std::uint64_t) { return random(); });
            check([&](std::uint64_t) { return random() % 3; });
            check([](std::uint64_t i) { return i; });
            check([](std::uint64_t i) { return ~i; });
            check([&](std::uint64_t i) { return i % tile; });
            check([&](std::uint64_t i) { return tile - i % tile; });
        }
}

}  // namespace
}  // namespace lanesort::test
