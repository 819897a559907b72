// SPDX-License-Identifier: MIT
// Host arrays that exceed the device: its memory is limited, and all that a call on host memory promises still holds.
#include "core/sorter_core.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// Those of the targets that copy parts of arrays.
Targets limited_targets() {
    Targets all;
    for (Target& target : targets())
        if (target.info.backend != "CPU") all.emplace_back(target);
    return all;
}

/// Elements of such bytes in a sorter's memory.
constexpr std::size_t fitting = 20000;

Sorter limited(const Target& target, std::size_t element_bytes) {
    return target.new_sorter({.device_bytes = fitting * element_bytes});
}

/// The same, however short the pieces of buckets are.
Sorter distributing(const Target& target, std::size_t element_bytes) {
    Sorter sorter = limited(target, element_bytes);
    sorter.core().distribute_parts_from(0);
    return sorter;
}

void check_in_parts(Sorter& sorter, const Problem& problem, std::size_t element_bytes, std::size_t offset = 1,
                    Schedule schedule = Schedule::columns) {
    const SortReport report = run_on_host(sorter, problem, offset);
    CHECK(report.schedule == schedule);
    CHECK(report.device_bytes > 0);
    CHECK(report.device_bytes <= fitting * element_bytes);
    CHECK(report.launches > 0);
}

/// 1.01, 4 and 16 times as many as fit, and no round number.
constexpr std::size_t counts[] = {20203, 80001, 319999};

TEST_SUITE("parts") {
    TEST_CASE("parts: keys of every width, in both orders, NaN and equal keys among them" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            const auto check = [&]<Key K>(K) {
                Sorter sorter = limited(target, sizeof(K));
                for (const std::size_t count : counts)
                    for (const Order order : both_orders) {
                        check_in_parts(sorter, problem_of({.order = order}, random_keys<K>(count, random)), sizeof(K));
                        const auto special = make_keys<K>(Pattern::special_values, count, random);
                        check_in_parts(sorter, problem_of({.order = order}, special), sizeof(K), 0);
                    }
            };
            check(std::uint8_t{});
            check(half{});
            check(float{});
            check(std::uint32_t{});
            check(std::int64_t{});
        }
    }

    TEST_CASE("parts: pairs and indices, stable where they are to be" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            Sorter pairs = limited(target, 8), wide = limited(target, 20);
            for (const std::size_t count : counts)
                for (const Order order : both_orders) {
                    check_in_parts(
                        pairs,
                        problem_of({.order = order, .value_bytes = 4}, keys_with_twins<std::uint32_t>(count, random)),
                        8);
                    check_in_parts(
                        wide, problem_of({.order = order, .value_bytes = 16}, keys_with_twins<float>(count, random)),
                        20);
                    check_in_parts(pairs,
                                   problem_of({.operation = Operation::argsort, .order = order, .index_bytes = 4},
                                              keys_with_twins<float>(count, random)),
                                   8);
                }
            check_in_parts(wide,
                           problem_of({.operation = Operation::argsort, .index_bytes = 8},
                                      keys_with_twins<std::int32_t>(90'001, random)),
                           20);
        }
    }

    TEST_CASE("parts: indices of keys of every width, of which one does not fit, with NaN and equal ones" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            const auto check = [&]<Key K>(K, std::size_t index_bytes) {
                const std::size_t element_bytes = sizeof(K) + index_bytes;
                Sorter sorter = limited(target, element_bytes);
                Request request{.operation = Operation::argsort, .index_bytes = index_bytes};
                for (const std::size_t count : {fitting + 1, std::size_t{70'001}})
                    for (const Order order : both_orders) {
                        request.order = order;
                        check_in_parts(sorter, problem_of(request, random_keys<K>(count, random)), element_bytes);
                        request.data_independent = !request.data_independent;
                        const auto special = make_keys<K>(Pattern::special_values, count, random);
                        check_in_parts(sorter, problem_of(request, special), element_bytes, 0);
                        check_in_parts(sorter, problem_of(request, std::vector<K>(count)), element_bytes);
                    }
                request.first = 7;
                check_in_parts(sorter, problem_of(request, random_keys<K>(fitting + 1, random)), element_bytes);
            };
            check(std::uint8_t{}, 4);
            check(half{}, 8);
            check(float{}, 4);
            check(double{}, 4);
            check(std::int64_t{}, 8);
        }
    }

    TEST_CASE("parts: by distribution, keys of every width, in both orders, NaN and equal keys among them") {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            const auto check = [&]<Key K>(K) {
                Sorter sorter = distributing(target, sizeof(K));
                for (const std::size_t count : {20203, 80001})
                    for (const Order order : both_orders) {
                        CAPTURE(count);
                        const Request request{.order = order};
                        for (const auto& [keys, offset] :
                             {std::pair{random_keys<K>(count, random), 1},
                              std::pair{make_keys<K>(Pattern::special_values, count, random), 0},
                              std::pair{std::vector<K>(count), 0}})
                            check_in_parts(sorter, problem_of(request, keys), sizeof(K),
                                           static_cast<std::size_t>(offset), Schedule::distribution);
                    }
            };
            check(std::uint8_t{});
            check(half{});
            check(float{});
            check(std::uint32_t{});
            check(double{});
            check(std::int64_t{});
        }
    }

    TEST_CASE("parts: by distribution, pairs and indices, and columns where too many keys are equal") {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            Sorter pairs = distributing(target, 8), wide = distributing(target, 20);
            const auto check = [&](Sorter& sorter, const Problem& problem, std::size_t bytes) {
                check_in_parts(sorter, problem, bytes, 1, Schedule::distribution);
            };
            for (const std::size_t count : counts)
                for (const Order order : both_orders) {
                    CAPTURE(count);
                    const Request narrow{.order = order, .value_bytes = 4}, broad{.order = order, .value_bytes = 16},
                        indices{.operation = Operation::argsort, .order = order, .index_bytes = 4};
                    check(pairs, problem_of(narrow, random_keys<std::uint32_t>(count, random)), 8);
                    check(pairs, problem_of(indices, random_keys<float>(count, random)), 8);
                    check(wide, problem_of(broad, random_keys<float>(count, random)), 20);
                    check_in_parts(pairs, problem_of(narrow, std::vector<std::uint32_t>(count)), 8);
                    run_on_host(pairs, problem_of(indices, keys_with_twins<float>(count, random)), 1);
                    run_on_host(wide, problem_of(broad, keys_with_twins<float>(count, random)), 1);
                }
            check(wide,
                  problem_of({.operation = Operation::argsort, .index_bytes = 8},
                             random_keys<std::int32_t>(90'001, random)),
                  20);
        }
    }

    TEST_CASE("parts: what fits is sorted at once, and what cannot go in parts is not limited") {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            Sorter sorter = limited(target, 8);
            const auto keys = keys_with_twins<std::uint32_t>(60'001, random);
            run_on_host(sorter, problem_of({.stable = true, .value_bytes = 4}, keys), 0);
            run_on_host(sorter, problem_of({.row_length = 60'001}, keys), 0);
            auto few = random_keys<std::uint32_t>(fitting, random);
            CHECK(sorter.sort(few).upload_seconds >= 0);
            CHECK(std::ranges::is_sorted(few));
            Sorter smallest = target.new_sorter({.device_bytes = 1});
            run_on_host(smallest, problem_of({}, std::vector<std::uint32_t>{7}), 0);
            run_on_host(smallest, problem_of({.operation = Operation::argsort, .index_bytes = 4}, std::vector{7u}), 0);
        }
    }

    TEST_CASE("parts: options of a sort hold, or do not matter") {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            Sorter sorter = limited(target, 4);
            const auto keys = random_keys<std::uint32_t>(100'001, random);
            for (const Schedule schedule : {Schedule::network, Schedule::columns})
                check_in_parts(sorter, problem_of({.schedule = schedule}, keys), 4);
            check_in_parts(sorter, problem_of({.data_independent = true}, keys), 4);
            Sorter by_distribution = distributing(target, 4);
            for (const Schedule schedule : {Schedule::network, Schedule::columns})
                check_in_parts(by_distribution, problem_of({.schedule = schedule}, keys), 4);
            check_in_parts(by_distribution, problem_of({.data_independent = true}, keys), 4);
            check_in_parts(sorter, problem_of({.extra_bytes = 1 << 20}, keys), 4);
            check_in_parts(sorter, problem_of({.stable = true}, keys), 4);
            auto first = keys;
            sorter.partial_sort(first, 7);
            CHECK(std::ranges::is_sorted(first));
        }
    }

    TEST_CASE("parts: progress is told after each") {
        Random random(seed());
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            std::vector<std::pair<std::size_t, std::size_t>> told;
            bool refuses = false;
            SorterOptions options{.device_bytes = fitting * 4};
            options.progress = [&](std::size_t done, std::size_t all) {
                told.emplace_back(done, all);
                if (refuses) throw std::runtime_error("enough");
            };
            Sorter sorter = target.new_sorter(options);
            auto keys = random_keys<std::uint32_t>(100'001, random);
            for (const std::size_t passes : {3, 2}) {
                if (passes == 2) sorter.core().distribute_parts_from(0);
                told.clear();
                sorter.sort(keys);
                REQUIRE(told.size() > 100'001 / fitting * passes);
                for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i] == std::pair{i + 1, told.size()});
                refuses = true;
                CHECK_THROWS_AS(sorter.sort(keys), std::runtime_error);
                refuses = false;
                sorter.sort(keys);
                CHECK(std::ranges::is_sorted(keys));
            }
        }
    }

    TEST_CASE(
        "parts: a limit that is too small; the keys stay; that which the refusal names is large enough, less is not") {
        Random random(seed());
        const auto keys = random_keys<std::uint32_t>(1'000'001, random);
        for (Target& target : limited_targets()) {
            CAPTURE(target.name);
            const auto refusal = [&](std::uint64_t bytes, bool data_independent) {
                Sorter sorter = target.new_sorter({.device_bytes = bytes});
                auto sorted = keys;
                const Error error = error_of([&] { sorter.sort(sorted, {.data_independent = data_independent}); });
                CHECK(error.code() == ErrorCode::too_large);
                CHECK(sorted == keys);
                return error;
            };
            check_mentions(refusal(400, false), {"1000001 keys of type u32 exceed", "400 bytes", "of `device_bytes`"});
            Sorter small = target.new_sorter({.device_bytes = 400});
            auto first = keys, second = keys;
            check_mentions(error_of([&] { small.sort_by_key(first, second); }), {"u32 with values of 4 bytes exceed"});
            check_mentions(error_of([&] { small.argsort(first, second); }), {"u32 with indices of 4 bytes exceed"});
            CHECK(first == keys);
            for (const bool data_independent : {false, true}) {
                CAPTURE(data_independent);
                const std::string sentence = refusal(400, data_independent).what(), before = "which takes ";
                REQUIRE(sentence.find(before) != std::string::npos);
                const std::uint64_t least = std::stoull(sentence.substr(sentence.find(before) + before.size()));
                refusal(least - 100, data_independent);
                Sorter sorter = target.new_sorter({.device_bytes = least});
                auto sorted = keys;
                CHECK(sorter.sort(sorted, {.data_independent = data_independent}).device_bytes <= least);
                CHECK(std::ranges::is_sorted(sorted));
            }
        }
    }
}

}  // namespace
}  // namespace lanesort::test
