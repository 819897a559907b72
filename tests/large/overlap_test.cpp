// SPDX-License-Identifier: MIT
// Host arrays that fit the device: tiles are sorted while others come, buckets while others go. Small arrays do so
// here.
#include <numeric>

#include "core/sorter_core.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// Those of the targets that have queues.
Targets with_lanes() {
    Targets all;
    for (Target& target : targets())
        if (target.info.backend != "CPU") all.emplace_back(target);
    return all;
}

Sorter overlapping(const Target& target, SorterOptions options = {}) {
    Sorter sorter = target.new_sorter(std::move(options));
    sorter.core().overlap_from(1);
    return sorter;
}

/// Buckets take memory, too.
bool was_overlapped(const SortReport& report, const Problem& problem) {
    return report.device_bytes > problem.request.count * problem.request.key.bytes();
}

void check_overlapped(Sorter& sorter, const Problem& problem, std::size_t offset = 1) {
    const SortReport report = run_on_host(sorter, problem, offset);
    CHECK(report.schedule == Schedule::distribution);
    CHECK(was_overlapped(report, problem));
    CHECK(report.launches > 32);
    CHECK(report.upload_seconds > 0);
    CHECK(report.sort_seconds > 0);
    CHECK(report.download_seconds > 0);
}

/// The least that is overlapped, tiles that end in the middle of a stride, and a last tile that is shorter.
constexpr std::size_t counts[] = {8192, 8193, 20'203, 319'999};

TEST_SUITE("overlap") {
    TEST_CASE("overlap: keys of every width, in both orders, NaN and equal keys among them" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : with_lanes()) {
            CAPTURE(target.name);
            Sorter sorter = overlapping(target);
            const auto check = [&]<Key K>(K) {
                for (const std::size_t count : counts)
                    for (const Order order : both_orders) {
                        CAPTURE(count);
                        check_overlapped(sorter, problem_of({.order = order}, random_keys<K>(count, random)));
                        const auto special = make_keys<K>(Pattern::special_values, count, random);
                        check_overlapped(sorter, problem_of({.order = order}, special), 0);
                    }
            };
            check(std::uint8_t{});
            check(half{});
            check(float{});
            check(std::uint32_t{});
            check(std::int64_t{});
        }
    }

    TEST_CASE("overlap: buckets are even, whatever the keys are") {
        Random random(seed());
        for (Target& target : with_lanes()) {
            CAPTURE(target.name);
            Sorter sorter = overlapping(target);
            for (const std::size_t count : {20'203u, 100'000u}) {
                std::vector<std::uint32_t> keys(count, 5);
                const auto check = [&] { check_overlapped(sorter, problem_of({}, keys)); };
                check();  // all equal
                keys.back() = 4;
                check();
                std::iota(keys.begin(), keys.end(), 0u);
                check();
                std::ranges::reverse(keys);
                check();
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i % 2);
                check();
                for (std::size_t i = 0; i < count; ++i)
                    keys[i] = i < count / 2 ? 7 : static_cast<std::uint32_t>(random() % 9);
                check();
            }
        }
    }

    TEST_CASE("overlap: what cannot be is sorted as ever" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : with_lanes()) {
            CAPTURE(target.name);
            const auto keys = keys_with_twins<std::uint32_t>(20'203, random);
            Sorter sorter = overlapping(target);
            const auto check_whole = [](Sorter& with, const Problem& problem, bool quicksorts) {
                const SortReport report = run_on_host(with, problem, 0);
                // A quicksort is a distribution, too; it has fewer launches than an overlapped sort has tiles and
                // buckets.
                CHECK((report.schedule != Schedule::distribution || (quicksorts && report.launches < 32)));
            };
            const bool quicksorts = target.most_quicksort_bytes() > 0;
            check_whole(sorter, problem_of({.value_bytes = 4}, keys), quicksorts);
            check_whole(sorter, problem_of({.operation = Operation::argsort, .index_bytes = 4}, keys), quicksorts);
            check_whole(sorter, problem_of({.row_length = 20'203}, keys), false);
            check_whole(sorter, problem_of({.data_independent = true}, keys), false);
            check_whole(sorter, problem_of({.schedule = Schedule::network}, keys), false);
            Sorter small = overlapping(target, {.device_bytes = keys.size() * 4 + 4096});
            check_whole(small, problem_of({}, keys), quicksorts);
            check_whole(sorter, problem_of({}, random_keys<std::uint32_t>(8191, random)), quicksorts);
        }
    }

    TEST_CASE("overlap: to another place, and with memory for a distribution that none takes") {
        Random random(seed());
        for (Target& target : with_lanes()) {
            CAPTURE(target.name);
            Sorter sorter = overlapping(target);
            const auto keys = random_keys<std::uint32_t>(20'203, random);
            check_overlapped(sorter, apart(problem_of({}, keys)));
            check_overlapped(sorter, problem_of({.extra_bytes = 1 << 20}, keys));
        }
    }

    TEST_CASE("overlap: progress is told after each tile and bucket") {
        Random random(seed());
        for (Target& target : with_lanes()) {
            CAPTURE(target.name);
            std::vector<std::pair<std::size_t, std::size_t>> told;
            std::size_t refused = 0;
            SorterOptions options;
            options.progress = [&](std::size_t done, std::size_t all) {
                told.emplace_back(done, all);
                if (done == refused) throw std::runtime_error("enough");
            };
            Sorter sorter = overlapping(target, options);
            auto keys = random_keys<std::uint32_t>(100'001, random);
            const auto fresh = keys;
            sorter.sort(keys);
            CHECK(told.size() == 32);
            for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i] == std::pair{i + 1, told.size()});
            keys = fresh;
            refused = 3;
            CHECK_THROWS_AS(sorter.sort(keys), std::runtime_error);
            CHECK(keys == fresh);
            refused = 20;
            CHECK_THROWS_AS(sorter.sort(keys), std::runtime_error);
            refused = 0;
            keys = fresh;
            sorter.sort(keys);
            CHECK(std::ranges::is_sorted(keys));
        }
    }
}

}  // namespace
}  // namespace lanesort::test
