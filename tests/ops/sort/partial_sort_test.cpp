// SPDX-License-Identifier: MIT
// The first keys of the order in their places: partial sorts, and key n of the order.
#include <algorithm>
#include <numeric>

#include <lanesort/commands.hpp>

#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// A shape of small tiles for that device, so that few keys already have many runs.
Shape shape_of_small_tiles(const Target& target, unsigned lanes = 4) {
    if (target.info.kind == DeviceKind::cpu)
        return {.lanes = lanes, .vectors = 64, .work_items = 1, .register_vectors = 8, .steps_per_pass = 4};
    return {.lanes = 1,
            .vectors = 4,
            .work_items = 128,
            .register_vectors = 8,
            .steps_per_pass = 5,
            .remap = true,
            .bank_padding = true,
            .coalesced_store = true};
}

template <Key T>
void check_partial_sort(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, std::size_t first,
                        Order order, Random& random) {
    const auto keys = make_keys<T>(all_patterns[random() % std::size(all_patterns)], rows * length, random);
    const Request request{.order = order, .row_length = rows == 1 ? 0 : length, .first = first};
    run_everywhere(target, sorter, problem_of(request, keys), 35);
}

/// Keys of which many are equal, with indices and with values.
template <Key K>
void check_partial_sort_by_key(const Target& target, Sorter& sorter, Random& random) {
    constexpr std::size_t count = 50'001, first = 77;
    std::vector<K> keys(count);
    for (K& key : keys) key = static_cast<K>(random() % 256);
    run_everywhere(target, sorter,
                   problem_of({.operation = Operation::argsort, .first = first, .index_bytes = 4}, keys));
    std::vector<std::uint32_t> values(count);
    for (const bool stable : {false, true}) {
        std::iota(values.begin(), values.end(), 0u);
        if (stable) std::ranges::reverse(values);
        run_everywhere(target, sorter,
                       problem_of({.stable = stable, .first = first, .value_bytes = 4}, keys, {}, bytes_of(values)));
    }
}

struct Particle {
    float depth;
    std::uint32_t id;
};
const Comparator farthest_first{.type = "particle",
                                .bytes = sizeof(Particle),
                                .before = "a.depth > b.depth",
                                .declarations = "typedef struct { float depth; uint id; } particle;"};

TEST_SUITE("partial sort") {
    TEST_CASE("partial sort: few and many of the keys, of every length, as std::partial_sort") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& small = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t count : {0, 1, 2, 511, 512, 1023, 1024, 1025, 5000, 65'537, 300'001})
                for (const std::size_t first : {0, 1, 2, 100, 256, 257, 100'000})
                    check_partial_sort<float>(target, small, 1, count, first,
                                              first % 2 ? Order::ascending : Order::descending, random);
            // Every key keeps its slot.
            Shape in_place{.lanes = 1, .vectors = 4, .work_items = 128, .register_vectors = 8, .steps_per_pass = 5};
            in_place.bank_padding = in_place.coalesced_store = true;
            Sorter& keeps_slots = target.sorter(in_place);
            for (const std::size_t count : {5000, 65'537, 300'001})
                for (const std::size_t first : {1, 100, 257})
                    check_partial_sort<std::uint32_t>(target, keeps_slots, 1, count, first, Order::descending, random);
            for (const std::size_t count : {100'003, 1'000'000})
                check_partial_sort<std::uint32_t>(target, target.sorter(), 1, count, 1000, Order::ascending, random);
        }
    }

    TEST_CASE("partial sort: few of many, wherever the first ones lie" * doctest::test_suite("long")) {
        Random random(seed());
        constexpr std::size_t length = 20'011;
        for (Target& target : targets())
            for (const std::size_t first : {1, 9, 300, 1000})
                for (const std::size_t rows : {1, 3})
                    for (std::size_t kind = 0; kind < 5; ++kind) {
                        CAPTURE(kind);
                        std::vector<float> keys(rows * length);
                        for (std::size_t i = 0; i < keys.size(); ++i) {
                            const std::size_t at = i % length;
                            const auto noise = static_cast<float>(random() % 1000);
                            // In front, at the end, around the last of the places, some of them there, equal ones.
                            const float by_kind[] = {static_cast<float>(at), -static_cast<float>(at),
                                                     at + first / 2 < first || at > 2 * first ? noise : -noise,
                                                     at % 2 == 0 ? noise : -noise, -0.0F};
                            keys[i] = by_kind[kind];
                        }
                        const Request request{.row_length = rows == 1 ? 0 : length, .first = first};
                        run_everywhere(target, target.sorter(), problem_of(request, keys), 5);
                    }
    }

    TEST_CASE("partial sort: key n of the order, on the device's memory") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            constexpr std::size_t count = 5000;
            const auto keys = random_keys<std::uint32_t>(count, random);
            for (const std::size_t n : {std::size_t{0}, std::size_t{60}, count / 2, count - 1, count}) {
                CAPTURE(n);
                const Call call = nth_element(KeyRange{here, 7, count, KeyType::u32}, n);
                const Layout layout(problem_of({.first = n < count ? n + 1 : 0}, keys), 7);
                const auto memory = target.memory(layout.before());
                memory->enqueue(target.sorter(), call);
                layout.check(memory->read());
                if (n == count) CHECK(memory->read() == layout.before());  // the end is no key
            }
            check_refused(ErrorCode::invalid_argument, "no key 5001 among 5000", [&] {
                nth_element(KeyRange{here, 7, count, KeyType::u32}, count + 1);
            });
        }
    }

    TEST_CASE("partial sort: the first keys, where they are all or more, are sorted by every schedule") {
        Random random(seed());
        constexpr std::size_t count = 100'003;
        const auto keys = random_keys<std::uint32_t>(count, random);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const auto schedule_of = [&](std::uint64_t first, Schedule schedule) {
                return commands_of(sorter.device(), {.count = count, .first = first, .schedule = schedule})
                    .report.schedule;
            };
            for (const std::uint64_t first : {count, count + 1})
                for (const Schedule schedule : {Schedule::automatic, Schedule::network, Schedule::columns})
                    CHECK(schedule_of(first, schedule) == schedule_of(all_keys, schedule));
            run_everywhere(target, sorter, problem_of({.first = count, .schedule = Schedule::columns}, keys), 7);
            check_refused(ErrorCode::invalid_argument, "first keys",
                          [&] { schedule_of(count - 1, Schedule::columns); });
        }
    }

    TEST_CASE("partial sort: of rows and of segments") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t length : {16, 1000, 1024, 3001, 40'000})
                check_partial_sort<std::int16_t>(target, sorter, 5, length, 7, Order::ascending, random);

            const Offsets offsets{0, 1, 5000, 5000, 30'000, 30'100};
            run_everywhere(target, sorter,
                           problem_of({.first = 20}, random_keys<std::uint64_t>(offsets.back(), random), offsets));
        }
    }

    TEST_CASE("partial sort: values and indices go with their keys, and stay in order where that is asked for") {
        Random random(seed());
        for (Target& target : targets()) {
            check_partial_sort_by_key<std::uint8_t>(target, target.sorter(shape_of_small_tiles(target)), random);
            check_partial_sort_by_key<std::uint32_t>(target, target.sorter(shape_of_small_tiles(target)), random);
        }
    }

    TEST_CASE("partial sort: key n of the order, of numbers and of records") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t count : {1, 100, 20'000})
                for (const std::size_t n : {std::size_t{0}, count / 200, count / 2, count - 1}) {
                    const std::vector<double> keys = random_keys<double>(count, random);
                    std::vector<double> found = keys;
                    sorter.nth_element(std::span(found), n);
                    Contents contents{.keys = bytes_of(found)};
                    Problem problem = problem_of({.first = n + 1}, keys);
                    problem.settle(contents);
                    problem.settle(problem.after);
                    CHECK(contents.keys == problem.after.keys);
                }
            std::vector<Particle> particles(20'000);
            for (std::uint32_t i = 0; i < particles.size(); ++i)
                particles[i] = {static_cast<float>(random() % 1'000'000), i};
            std::vector<Particle> found = particles;
            std::ranges::sort(particles, std::greater{}, &Particle::depth);
            target.sorter(shape_of_small_tiles(target, 1)).nth_element({found, farthest_first}, 50);
            for (std::size_t i = 0; i <= 50; ++i) REQUIRE(found[i].depth == particles[i].depth);
            std::vector<bool> seen(found.size());
            for (const Particle& particle : found) seen[particle.id] = true;
            CHECK(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(seen.size()));

            // The end is no key, but std::nth_element takes it, too.
            std::vector<float> none, rows{3, 2, 1, 6, 5, 4};
            const std::vector<float> before = rows;
            sorter.nth_element(none, 0);
            sorter.nth_element(rows, 3, {.row_length = 3});
            CHECK(rows == before);
            const Error beyond = error_of([&] { sorter.nth_element(rows, 4, {.row_length = 3}); });
            CHECK(beyond.code() == ErrorCode::invalid_argument);
            check_mentions(beyond, {"no key 4", "among 3"});
        }
    }
}

}  // namespace
}  // namespace lanesort::test
