// SPDX-License-Identifier: MIT
// Where buckets lie in an array that is parted in place, without a device.
#include "large/bucket_layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support.hpp"

namespace lanesort::test {
namespace {

using lanesort::detail::BucketLayout, lanesort::detail::BucketOrder, lanesort::detail::Extent,
    lanesort::detail::ExtentSet;

std::uint64_t size_of(const std::vector<Extent>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Extent& extent) { return sum + extent.count; });
}

TEST_CASE("bucket layout: a set of extents has what was added and not taken") {
    Random random(seed());
    for (int time = 0; time < 50; ++time) {
        constexpr std::uint64_t count = 200;
        std::vector<bool> has(count);
        ExtentSet set;
        for (int step = 0; step < 300; ++step) {
            const std::uint64_t first = random() % count, length = 1 + random() % (count - first);
            if (random() % 2 == 0) {
                for (std::uint64_t i = first; i < first + length; ++i)
                    if (!has[i]) {
                        has[i] = true;
                        set.add({i, 1});
                    }
            } else {
                const std::uint64_t most = random() % 40;
                std::vector<std::uint64_t> expected, taken;
                for (std::uint64_t i = first; i < first + length && expected.size() < most; ++i)
                    if (has[i]) {
                        expected.push_back(i);
                        has[i] = false;
                    }
                for (const Extent& extent : set.take({first, length}, most))
                    for (std::uint64_t i = extent.first; i < extent.end(); ++i) taken.push_back(i);
                REQUIRE(taken == expected);
            }
        }
        // What touches is one.
        for (std::uint64_t i = 0; i < count; ++i)
            if (!has[i]) set.add({i, 1});
        CHECK(set.take({0, count}, count) == std::vector<Extent>{{0, count}});
    }
}

/// An array of numbers of buckets is parted with room for `reserve`, and its buckets are put in order; each tile comes
/// and goes while `at_once` - 1 others are there. Returns how many elements were moved besides.
std::uint64_t part(std::vector<std::size_t>& array, std::vector<std::uint64_t> expected, std::uint64_t tile,
                   std::uint64_t reserve, Random& random) {
    const std::uint64_t count = array.size();
    const std::size_t buckets = expected.size();
    std::vector<std::uint64_t> sizes(buckets);
    for (const std::size_t bucket : array) ++sizes[bucket];
    BucketLayout layout(expected, false);
    const auto any_of = [&](std::uint64_t all) {
        std::vector<std::uint64_t> wanted(buckets);
        for (std::uint64_t i = 0; i < all; ++i) ++wanted[random() % buckets];
        return wanted;
    };
    constexpr std::size_t nobody = ~std::size_t{0};
    const auto read = [&](const std::vector<Extent>& extents) {
        std::vector<std::size_t> elements;
        for (const Extent& extent : extents)
            for (std::uint64_t i = extent.first; i < extent.end(); ++i) {
                REQUIRE(i < count);
                REQUIRE(array[i] != nobody);
                elements.push_back(std::exchange(array[i], nobody));
            }
        std::ranges::sort(elements);
        return elements;
    };
    const auto leave = [&](std::vector<std::size_t> elements) {
        for (std::size_t bucket = 0; bucket < buckets; ++bucket)
            for (const Extent& extent :
                 layout.place(bucket, static_cast<std::uint64_t>(std::ranges::count(elements, bucket))))
                for (std::uint64_t i = extent.first; i < extent.end(); ++i) {
                    REQUIRE(array.at(i) == nobody);
                    array[i] = bucket;
                }
    };
    std::vector<std::pair<std::vector<Extent>, std::vector<std::size_t>>> under_way;
    std::vector<Extent> waiting = layout.read(any_of(reserve));
    const std::vector<std::size_t> reserved = read(waiting);
    CHECK(reserved.size() == reserve);
    layout.release(waiting);
    std::uint64_t done = reserve;
    while (done < count || !under_way.empty()) {
        if (done < count && (under_way.size() < 3 || random() % 2 == 0)) {
            const std::vector<Extent> extents = layout.read(any_of(tile));
            CHECK(size_of(extents) == std::min(tile, count - done));
            done += size_of(extents);
            under_way.emplace_back(extents, read(extents));
        } else {
            layout.release(under_way.front().first);
            leave(under_way.front().second);
            under_way.erase(under_way.begin());
        }
    }
    leave(reserved);

    BucketOrder order(layout.buckets());
    std::vector<std::vector<Extent>> from(buckets);
    const auto bring = [&](std::size_t bucket) {
        from[bucket] = order.read(bucket);
        CHECK(size_of(from[bucket]) == sizes[bucket]);
        for (const std::size_t element : read(from[bucket])) REQUIRE(element == bucket);
    };
    std::uint64_t first = 0, moved = 0;
    bring(0);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        if (bucket + 1 < buckets) bring(bucket + 1);
        order.release(from[bucket]);
        for (const BucketOrder::Move& move : order.clear({first, sizes[bucket]}))
            for (std::uint64_t i = 0; i < move.count; ++i, ++moved) {
                REQUIRE(array.at(move.to + i) == nobody);
                REQUIRE(move.from + i < first + sizes[bucket]);
                array[move.to + i] = std::exchange(array[move.from + i], nobody);
            }
        for (std::uint64_t i = 0; i < sizes[bucket]; ++i, ++first) {
            REQUIRE(array[first] == nobody);
            array[first] = bucket;
        }
    }
    CHECK(std::ranges::is_sorted(array));
    return moved;
}

TEST_CASE("bucket layout: whatever comes when, every element finds room, and in the end its place") {
    Random random(seed());
    for (int time = 0; time < 200; ++time) {
        const std::size_t count = 50 + random() % 2000, buckets = 2 + random() % 20;
        std::vector<std::size_t> array(count);
        for (std::size_t i = 0; i < count; ++i) switch (time % 5) {
                case 0: array[i] = random() % buckets; break;
                case 1: array[i] = i * buckets / count; break;
                case 2: array[i] = buckets - 1 - i * buckets / count; break;
                case 3: array[i] = i % (1 + count / buckets) * buckets / (1 + count / buckets); break;
                default: array[i] = random() % 3 == 0 ? random() % buckets : buckets / 2;
            }
        // What is expected is wrong by any measure.
        std::vector<std::uint64_t> expected(buckets);
        for (std::size_t i = 0; i < count; ++i) ++expected[random() % 4 == 0 ? random() % (1 + buckets / 2) : array[i]];
        const std::uint64_t tile = 1 + random() % (count / 3);
        part(array, expected, tile, random() % (tile + 1), random);
    }
}

TEST_CASE("bucket layout: where buckets are as large as expected, they come to lie at home") {
    Random random(seed());
    constexpr std::size_t buckets = 10, count = 100'000, tile = 5'000;
    std::vector<std::size_t> array(count);
    for (std::size_t i = 0; i < count; ++i) array[i] = i % buckets;
    std::ranges::shuffle(array, random);
    CHECK(part(array, std::vector<std::uint64_t>(buckets, count / buckets), tile, tile / 2, random) < count / 50);
}

TEST_CASE("bucket layout: in an array of its own, buckets lie in one piece as long as there is room") {
    BucketLayout layout(std::vector<std::uint64_t>{10, 20, 5}, true);
    CHECK(layout.place(1, 7) == std::vector<Extent>{{10, 7}});
    CHECK(layout.place(0, 3) == std::vector<Extent>{{0, 3}});
    CHECK(layout.place(1, 13) == std::vector<Extent>{{17, 13}});
    CHECK(layout.buckets()[1] == std::vector<Extent>{{10, 20}});
    CHECK(layout.place(1, 6) == std::vector<Extent>{{3, 6}});
    CHECK(layout.place(0, 6) == std::vector<Extent>{{9, 1}, {30, 5}});
}

}  // namespace
}  // namespace lanesort::test
