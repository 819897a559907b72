// SPDX-License-Identifier: MIT
// Sorts by distribution: what they leave is what any sort leaves, whatever the keys are and however little memory they
// may take. What holds after each stage follows from that: an element that is lost or misplaced by any of them is seen.
#include <lanesort/commands.hpp>

#include "error_support.hpp"
#include "ops/sort/distribution_schedule.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

using namespace lanesort::detail;

constexpr std::uint64_t much = 3 << 20;

/// Keys that are hard on samples, splitters, blocks or moves.
template <class T>
std::vector<std::pair<const char*, std::vector<T>>> hard_keys(std::size_t count, Random& random) {
    std::vector<std::pair<const char*, std::vector<T>>> all;
    const auto add = [&](const char* name, auto key_at) {
        auto& keys = all.emplace_back(name, std::vector<T>(count)).second;
        for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<T>(key_at(i));
    };
    add("random", [&](std::size_t) { return random(); });
    add("in order", [](std::size_t i) { return i; });
    add("in reverse", [&](std::size_t i) { return count - i; });
    add("rotated", [&](std::size_t i) { return (i + count / 3) % count; });
    add("halves exchanged, block by block", [](std::size_t i) { return i ^ 4096; });
    add("equal", [](std::size_t) { return 5; });
    add("all the largest", [](std::size_t) { return std::numeric_limits<T>::max(); });
    add("two", [&](std::size_t) { return random() & 1 ? T(7) : std::numeric_limits<T>::max(); });
    add("thirteen", [&](std::size_t) { return random() % 13; });
    add("few of most", [&](std::size_t) { return std::uint64_t{1} << random() % 24; });
    add("a range that samples may miss",
        [&](std::size_t i) { return i % 4096 == 17 ? random() : 1000 + i / 4096 % 3; });
    return all;
}

Request by_distribution(Request request, std::uint64_t extra_bytes = much) {
    request.schedule = Schedule::distribution;
    request.extra_bytes = extra_bytes;
    return request;
}

TEST_SUITE("distribution") {
    TEST_CASE("distribution: keys that are hard, in one level and in several") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            Sorter sorter = target.new_sorter(small_leaves);
            for (const std::size_t count : {2100, 20'001, 100'007})
                for (const auto& [name, keys] : hard_keys<std::uint32_t>(count, random)) {
                    CAPTURE(name);
                    const SortReport report =
                        run_everywhere(target, sorter, problem_of(by_distribution({}), keys), count % 31);
                    CHECK(report.schedule == Schedule::distribution);
                    if (count < 100'000)
                        run_everywhere(target, sorter, apart(problem_of(by_distribution({}), keys)), count % 31);
                }
        }
    }

    TEST_CASE("distribution: counts at which it begins, or takes more children or levels") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            CAPTURE(target.name);
            Sorter sorter = target.new_sorter(small_leaves);
            const std::size_t leaf = small_leaves.tile_keys(), least = 4 * leaf;
            check_refused(ErrorCode::unsupported, "it takes four tiles, and one has", [&] {
                auto untouched = random_keys<std::uint32_t>(least - 1, random);
                sorter.sort(untouched, {.schedule = Schedule::distribution, .extra_bytes = much});
            });
            const auto levels_of = [&](std::size_t count) {
                std::vector<Buckets> levels;
                const auto made = make_distribution(target.info, ElementBytes(4), count, leaf, much);
                for (const Level& level : made->levels) levels.push_back(level.buckets);
                return levels;
            };
            std::vector<std::size_t> counts = {least, least + 1};
            for (std::size_t count = least + 1; count < 17 * leaf; ++count)
                if (levels_of(count) != levels_of(count - 1))
                    counts.insert(counts.end(), {count - 1, count, count + 1});
            for (const std::size_t count : counts) {
                CAPTURE(count);
                auto few = random_keys<std::uint32_t>(count, random);
                run_everywhere(target, sorter, problem_of(by_distribution({}), few), count % 33);
                for (std::uint32_t& key : few) key %= 13;
                run_everywhere(target, sorter, problem_of(by_distribution({}), few), count % 33);
            }
        }
    }

    TEST_CASE("distribution: numbers of other widths, both orders, numbers that are none") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            Sorter sorter = target.new_sorter(small_leaves);
            const auto check = [&]<Key K>(K, Order order) {
                run_everywhere(target, sorter,
                               problem_of(by_distribution({.order = order}), random_keys<K>(30'011, random)), 5);
            };
            check(std::uint8_t{}, Order::descending);
            check(std::int16_t{}, Order::ascending);
            check(float{}, Order::descending);
            check(std::uint64_t{}, Order::ascending);
            check(double{}, Order::ascending);
        }
    }

    TEST_CASE("distribution: values, indices and stable sorts") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            Sorter sorter = target.new_sorter(small_leaves);
            for (const auto& [name, keys] : hard_keys<std::uint32_t>(30'011, random)) {
                CAPTURE(name);
                for (const Request& request : {Request{.value_bytes = 4},
                                               {.stable = true, .value_bytes = 4},
                                               {.operation = Operation::argsort, .index_bytes = 4}})
                    run_everywhere(target, sorter, problem_of(by_distribution(request), keys));
            }
            run_everywhere(target, sorter,
                           problem_of(by_distribution({.stable = true, .value_bytes = 16}),
                                      random_keys<std::uint16_t>(30'011, random)));
        }
    }

    TEST_CASE("distribution: it takes no more memory than it may, in parts or not at all") {
        Random random(seed());
        const auto keys = random_keys<std::uint32_t>(70'001, random);
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            Sorter sorter = target.new_sorter(small_leaves);
            for (const std::uint64_t extra : {60'000u, 80'000u, 150'000u, 400'000u}) {
                CAPTURE(extra);
                SortReport report;
                try {
                    report = run_everywhere(target, sorter, problem_of(by_distribution({}, extra), keys));
                } catch (const Error& error) {
                    CHECK(error.code() == ErrorCode::unsupported);
                    CHECK(extra < 150'000);
                    continue;
                }
                CHECK(report.device_bytes <= extra);
                CHECK(report.device_bytes > extra / 2);
            }
            check_refused(ErrorCode::unsupported, "1000 bytes", [&] {
                auto untouched = keys;
                sorter.sort(untouched, {.schedule = Schedule::distribution, .extra_bytes = 1000});
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
