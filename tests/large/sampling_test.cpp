// SPDX-License-Identifier: MIT
// Samples and the cuts that they make, without a device.
#include "large/sampling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support.hpp"

namespace lanesort::test {
namespace {

using lanesort::detail::Cut, lanesort::detail::expected_counts, lanesort::detail::fewest_buckets,
    lanesort::detail::make_cuts, lanesort::detail::SamplePlaces;

TEST_CASE("sampling: each range of the array has one place, and none is as regular as the array") {
    for (const auto& [count, samples] : {std::pair<std::uint64_t, std::uint64_t>{100, 100},
                                         {101, 100},
                                         {100'003, 1000},
                                         {std::uint64_t{1} << 40, std::uint64_t{1} << 12}}) {
        const SamplePlaces sampling(count, samples, 7);
        std::uint64_t odd = 0;
        for (std::uint64_t i = 0; i < samples; ++i) {
            const std::uint64_t place = sampling.place(i);
            REQUIRE(place < count);
            REQUIRE(place >= count / samples * i);
            if (i > 0) REQUIRE(place > sampling.place(i - 1));
            odd += place % 2;
        }
        CHECK(odd > samples / 3);
        CHECK(odd < samples - samples / 3);
        if (count > 2 * samples) {
            const SamplePlaces other(count, samples, 8);
            std::uint64_t same = 0;
            for (std::uint64_t i = 0; i < samples; ++i) same += sampling.place(i) == other.place(i);
            CHECK(same < samples / 10);
        }
    }
}

/// The elements that each bucket gets of a sorted array.
std::vector<std::uint64_t> counts_of(const std::vector<std::uint64_t>& array, const std::vector<std::uint64_t>& samples,
                                     const std::vector<Cut>& cuts) {
    std::vector<std::uint64_t> counts;
    std::uint64_t before = 0;
    for (const Cut& cut : cuts) {
        const auto [first, end] = std::equal_range(array.begin(), array.end(), samples[cut.sample]);
        const std::uint64_t next =
            cut.in(static_cast<std::uint64_t>(first - array.begin()), static_cast<std::uint64_t>(end - array.begin()));
        REQUIRE(next >= before);
        counts.push_back(next - before);
        before = next;
    }
    counts.push_back(array.size() - before);
    return counts;
}

TEST_CASE("sampling: buckets fit, and are about as large as expected, whatever keys are equal") {
    Random random(seed());
    constexpr std::uint64_t count = 200'000, most = 8'000;
    for (const std::uint64_t capacity : {150'000, 50'000, 9'000})
        for (const std::uint64_t different : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{40},
                                              std::uint64_t{1000}, ~std::uint64_t{0}})
            for (const bool keeps_equal : {false, true}) {
                CAPTURE(capacity);
                CAPTURE(different);
                CAPTURE(keeps_equal);
                std::vector<std::uint64_t> array(count), samples(most);
                for (std::uint64_t& key : array) key = random() % different;
                const SamplePlaces sampling(count, most, static_cast<std::uint32_t>(random()));
                for (std::uint64_t i = 0; i < most; ++i) samples[i] = array[sampling.place(i)];
                std::ranges::sort(array);
                std::ranges::sort(samples);
                const auto cuts = make_cuts(samples, count, capacity, keeps_equal);
                // A key that is too many keys for a bucket.
                if (keeps_equal && count / different > capacity) {
                    CHECK(!cuts);
                    continue;
                }
                REQUIRE(cuts);
                CHECK(cuts->size() + 1 >= *fewest_buckets(most, count, capacity));
                if (!keeps_equal) CHECK(cuts->size() + 1 == *fewest_buckets(most, count, capacity));
                const std::vector<std::uint64_t> counts = counts_of(array, samples, *cuts),
                                                 expected = expected_counts(*cuts, most, count);
                REQUIRE(counts.size() == expected.size());
                CHECK(std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}) == count);
                for (std::size_t i = 0; i < counts.size(); ++i) {
                    CHECK(counts[i] <= capacity);
                    CHECK(counts[i] <= expected[i] + expected[i] / 2);
                }
                if (keeps_equal)
                    for (const Cut& cut : *cuts) CHECK((cut.below == 0 || cut.below == cut.equal));
            }
}

TEST_CASE("sampling: none where samples cannot tell buckets apart") {
    CHECK(!fewest_buckets(100, 1'000'000, 100'000));
    CHECK(!fewest_buckets(0, 10, 5));
    CHECK(!fewest_buckets(1000, 1'000'000, 0));
    CHECK(fewest_buckets(1000, 1'000'000, 2'000'000) == 1);
    CHECK(!make_cuts(std::vector<std::uint64_t>(100), 1'000'000, 100'000, false));
}

TEST_CASE("sampling: cuts of long runs of equal keys do not overflow") {
    const Cut cut{0, (std::uint64_t{1} << 18) - 1, std::uint64_t{1} << 18};
    const std::uint64_t run = std::uint64_t{1} << 60;
    CHECK(cut.in(5, 5 + run) == 5 + run - (run >> 18));
    CHECK(Cut{0, 0, 3}.in(7, 11) == 7);
    CHECK(Cut{0, 3, 3}.in(7, 11) == 11);
    CHECK(Cut{0, 1, 2}.in(7, 7) == 7);
}

}  // namespace
}  // namespace lanesort::test
