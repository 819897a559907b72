// SPDX-License-Identifier: MIT
// Every operation on the built-in device, beside the standard library.
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// Around what vectors, registers, chunks and tiles hold, and beyond.
constexpr std::size_t counts[] = {0,    1,    2,     3,     15,    16,    17,    100,   255,     256,    257,
                                  1000, 4097, 16383, 16384, 32769, 65535, 65536, 65537, 131'149, 300'001};
constexpr std::size_t few_counts[] = {0, 1, 2, 17, 257, 5000, 70'003};

Offsets random_segments(std::size_t count, Random& random) {
    Offsets offsets = {0, count};
    for (std::size_t i = 0; i < 20; ++i) offsets.push_back(random() % (count + 1));
    std::ranges::sort(offsets);
    return offsets;
}

TEST_CASE("built-in device: sorts of every type and many counts") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for_each_key_type([&]<class K>() {
        for (const std::size_t count : counts)
            for (const Order order : both_orders)
                run_on_host(sorter, problem_of({.order = order}, keys_with_twins<K>(count, random)), count % 5);
        for (const std::size_t count : {1000, 70'003})
            run_on_host(sorter, problem_of({}, make_keys<K>(Pattern::special_values, count, random)));
    });
}

TEST_CASE("built-in device: every small count, alone, with values, with indices, and as the length of rows") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto check = [&]<Key K>(K) {
        for (std::size_t count = 1; count <= 270; ++count) {
            const auto keys = keys_with_twins<K>(count, random);
            const Order order = both_orders[count % 2];
            run_on_host(sorter, problem_of({.order = order}, keys), count % 3);
            for (const std::size_t value_bytes : {1, 4, 8})
                run_on_host(sorter,
                            problem_of({.order = order, .stable = count % 2 > 0, .value_bytes = value_bytes}, keys),
                            count % 3);
            run_on_host(sorter, problem_of({.operation = Operation::argsort, .order = order, .index_bytes = 4}, keys));
            run_on_host(sorter,
                        problem_of({.order = order, .row_length = count}, keys_with_twins<K>(3 * count, random)));
        }
    };
    check(std::uint8_t{});
    check(half{});
    check(std::int32_t{});
    check(double{});
}

TEST_CASE("built-in device: segments of which few are long") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for (const Offsets& none : {Offsets{2}, Offsets{1, 1}, Offsets{1, 1, 2}})  // of two keys or more
        run_on_host(sorter, problem_of({.operation = Operation::argsort, .index_bytes = 8},
                                       keys_with_twins<std::uint32_t>(4, random), none));
    Offsets offsets = {7};
    for (std::size_t length = 0; length < 600; length += 1 + length / 9) offsets.push_back(offsets.back() + length);
    for (const std::size_t longest : {700, 20'000, 150'000}) {
        offsets.push_back(offsets.back() + longest);
        const auto keys = keys_with_twins<std::uint32_t>(offsets.back() + 5, random);
        run_on_host(sorter, problem_of({}, keys, offsets), 1);
        run_on_host(sorter, problem_of({.first = 10}, keys, offsets));
        run_on_host(sorter, problem_of({.stable = true, .value_bytes = 4}, keys, offsets), 2);
        run_on_host(sorter, problem_of({.operation = Operation::argsort, .index_bytes = 4}, keys, offsets));
    }
}

void check_segments_beside(std::size_t tiles) {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto check = [&]<Key K>(K, const ElementBytes& bytes) {
        // The tile depends on the number of keys.
        const std::uint64_t about = 2 * tiles << 14;
        const std::size_t tile = choose_shape(sorter.device(), bytes, about).tile_keys();
        Offsets offsets = {3};
        for (const std::size_t length :
             {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{40}, tile / 2 + 1, tile - 1, tile, tile + 1,
              2 * tile, 2 * tile + 1, 3 * tile + 1, tiles * tile, std::size_t{1}, std::size_t{0}, std::size_t{5}})
            offsets.push_back(offsets.back() + length);
        auto keys = keys_with_twins<K>(offsets.back() + 2, random);
        const auto special = make_keys<K>(Pattern::special_values, keys.size(), random);
        for (std::size_t i = 0; i < keys.size(); i += 3) keys[i] = special[i];
        for (const Order order : both_orders) {
            if (bytes.all() == bytes.key) run_on_host(sorter, problem_of({.order = order}, keys, offsets), 1);
            if (bytes.all() == bytes.key) run_on_host(sorter, problem_of({.order = order, .first = 9}, keys, offsets));
            if (bytes.value > 0)
                run_on_host(sorter, problem_of({.order = order, .value_bytes = bytes.value}, keys, offsets));
            if (bytes.index > 0)
                run_on_host(sorter,
                            problem_of({.operation = Operation::argsort, .order = order, .index_bytes = bytes.index},
                                       keys, offsets));
        }
    };
    check(float{}, {4, 0, 0});
    check(std::int32_t{}, {4, 0, 0});
    check(double{}, {8, 0, 0});
    check(float{}, {4, 4, 0});
    check(std::int32_t{}, {4, 0, 4});
}

TEST_CASE("built-in device: segments about the ends of tiles, beside one of some tiles") { check_segments_beside(6); }

TEST_CASE("built-in device: segments about the ends of tiles, beside one of many tiles" * doctest::test_suite("long")) {
    check_segments_beside(40);
}

TEST_CASE("built-in device: every width of values beside every width of keys, stable or not") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto check = [&]<Key K>(K) {
        for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
            for (const bool stable : {false, true})
                for (const std::size_t count : few_counts)
                    for (const Order order : both_orders)
                        run_on_host(sorter,
                                    problem_of({.order = order, .stable = stable, .value_bytes = value_bytes},
                                               keys_with_twins<K>(count, random)),
                                    count % 3);
    };
    check(std::uint8_t{});
    check(half{});
    check(std::int32_t{});
    check(double{});
}

TEST_CASE("built-in device: the first keys, rows, segments and indices") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for_each_key_type([&]<class K>() {
        for (const std::size_t count : few_counts) {
            const auto keys = keys_with_twins<K>(count, random);
            for (const std::size_t first : {std::size_t{1}, count / 3, count})
                if (first <= count) run_on_host(sorter, problem_of({.first = first}, keys));
            for (const std::size_t index_bytes : {4, 8})
                run_on_host(sorter, problem_of({.operation = Operation::argsort, .index_bytes = index_bytes}, keys), 1);
            run_on_host(sorter, problem_of({}, keys, random_segments(count, random)), 2);
            run_on_host(sorter, problem_of({.stable = true, .value_bytes = 4}, keys, random_segments(count, random)),
                        1);
        }
        for (const std::size_t length : {1, 2, 3, 16, 33, 256, 1000})
            run_on_host(sorter, problem_of({.row_length = length}, keys_with_twins<K>(length * 70, random)), 1);
    });
}

TEST_CASE("built-in device: merges, selections, and what sorted ranges tell") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for_each_key_type([&]<class K>() {
        const auto before = [](K a, K b) { return comes_before(a, b, Order::ascending); };
        for (const std::size_t count : few_counts) {
            auto keys = keys_with_twins<K>(count, random);
            for (const std::size_t k : {1, 9, 100, 300, 5000}) {
                if (k > count) continue;
                for (const std::size_t index_bytes : {0, 4, 8})
                    run_on_host(sorter, problem_of({.operation = Operation::top_k,
                                                    .order = k % 2 ? Order::descending : Order::ascending,
                                                    .first = k,
                                                    .index_bytes = index_bytes},
                                                   keys));
                // In the second row, too, places are counted from its own begin, and no indices come with the keys.
                if (count % 2 == 0 && k <= count / 2)
                    run_on_host(
                        sorter,
                        problem_of(
                            {.operation = Operation::top_k, .row_length = count / 2, .first = k, .index_bytes = 4},
                            keys));
                for (const bool data_independent : {false, true})
                    run_on_host(sorter, problem_of({.first = k, .data_independent = data_independent}, keys), 1);
            }
            for (const std::size_t middle : {std::size_t{0}, count / 5, count}) {
                auto two = keys;
                sort_two(two, middle, before);
                run_on_host(sorter, problem_of({.operation = Operation::merge, .middle = middle}, two), 1);
                for (const std::size_t value_bytes : {2, 4, 16})
                    run_on_host(sorter,
                                problem_of({.operation = Operation::merge,
                                            .stable = true,
                                            .middle = middle,
                                            .value_bytes = value_bytes},
                                           two),
                                1);
            }
            for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until})
                run_on_host(sorter, problem_of({.operation = operation}, keys));
            std::ranges::sort(keys, before);
            for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until, Operation::unique})
                run_on_host(sorter, problem_of({.operation = operation}, keys));
            for (const std::size_t length_bytes : {4, 8})
                run_on_host(sorter,
                            problem_of({.operation = Operation::run_lengths, .length_bytes = length_bytes}, keys));
        }
    });
    for (const std::size_t count : {300, 100'000})
        for (const NamedProblem& named : problems_of_every_operation(count, random)) {
            CAPTURE(named.name);
            if (named.problem.request.key.binary_operator()) continue;  // there is no compiler for it
            run_on_host(sorter, named.problem);
            Sorter fresh(built_in_device());
            run_on_host(fresh, named.problem);
        }
}

TEST_CASE("built-in device: in columns of small tiles, with what can go with keys") {
    Random random(seed());
    const DeviceInfo info = built_in_device().info();
    const auto check = [&]<Key K>(K, std::size_t value_bytes, std::size_t index_bytes) {
        // Of stable pairs the indices are sorted.
        Shape shape = choose_shape(info, {sizeof(K), index_bytes > 0 ? 0 : value_bytes, index_bytes}, 1);
        REQUIRE(shape.columns);
        while (shape.tile_keys() > 4096) shape.vectors /= 2;
        shape.steps_per_pass = std::min(shape.steps_per_pass, 5u);
        Sorter sorter(built_in_device(), {.shape = shape});
        const bool is_stable = value_bytes > 0 && index_bytes > 0;
        for (const std::size_t count : {4095, 4097, 8192, 12'289, 65'537, 100'003, 300'000}) {
            const auto keys = keys_with_twins<K>(count, random);
            const Order order = both_orders[count % 2];
            if (index_bytes > 0 && !is_stable)
                run_on_host(
                    sorter,
                    problem_of({.operation = Operation::argsort, .order = order, .index_bytes = index_bytes}, keys));
            else
                run_on_host(sorter, problem_of({.order = order, .stable = is_stable, .value_bytes = value_bytes}, keys),
                            count % 3);
        }
        if (index_bytes > 0 || value_bytes > 0) return;
        const auto rows = keys_with_twins<K>(7 * 12'289, random);
        run_on_host(sorter, problem_of({.row_length = 12'289}, rows));
        run_on_host(sorter, problem_of({}, rows, random_segments(rows.size(), random)));
    };
    check(std::uint8_t{}, 0, 0);
    check(half{}, 0, 0);
    check(std::uint32_t{}, 0, 0);
    check(double{}, 0, 0);
    check(float{}, 4, 0);
    check(std::uint8_t{}, 8, 0);
    check(std::int64_t{}, 16, 0);
    check(std::int16_t{}, 0, 4);
    check(float{}, 0, 4);
    check(std::uint32_t{}, 2, 4);
}

TEST_CASE("built-in device: the schedule that is asked for, and distributions that it has not") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for (const std::size_t count : {2, 5000, 300'001}) {
        const auto keys = random_keys<std::uint32_t>(count, random);
        for (const Schedule schedule : {Schedule::network, Schedule::columns})
            for (const std::size_t value_bytes : {0, 4}) {
                CAPTURE(name(schedule));
                run_on_host(sorter, problem_of({.value_bytes = value_bytes, .schedule = schedule}, keys), 1);
                const bool is_one_tile = count <= 5000;
                CHECK(sorter.last_report().schedule == (is_one_tile ? Schedule::network : schedule));
            }
        run_on_host(sorter,
                    problem_of({.operation = Operation::argsort, .index_bytes = 4, .data_independent = true}, keys));
        const auto narrow = random_keys<std::uint16_t>(count, random);
        auto untouched = narrow;
        check_refused(ErrorCode::unsupported, "its quicksort ",
                      [&] { sorter.sort(untouched, {.schedule = Schedule::distribution}); });
        CHECK(untouched == narrow);
    }
}

TEST_CASE("built-in device: arrays at every address, offsets of 4 bytes") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for (std::size_t address = 0; address < 16; ++address) {
        std::vector<std::uint64_t> keys = random_keys<std::uint64_t>(3000, random), sorted = keys;
        std::vector<std::uint32_t> values(keys.size());
        std::iota(values.begin(), values.end(), 0u);
        std::vector<std::byte> memory(16 + keys.size() * 12 + 1);
        std::byte* const own_keys = memory.data() + address;
        std::byte* const own_values = own_keys + keys.size() * 8 + 1;
        std::memcpy(own_keys, keys.data(), keys.size() * 8);
        std::memcpy(own_values, values.data(), values.size() * 4);
        const KeyRange range{.memory = own_keys, .count = keys.size(), .type = KeyType::u64};
        sorter.run(sort_by_key(range, ValueRangeIn<void*>{.memory = own_values, .bytes = 4}));
        std::ranges::sort(sorted);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::uint64_t key = 0;
            std::uint32_t value = 0;
            std::memcpy(&key, own_keys + 8 * i, 8);
            std::memcpy(&value, own_values + 4 * i, 4);
            REQUIRE(key == sorted[i]);
            REQUIRE(keys[value] == key);
        }
    }
    std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(1000, random), sorted = keys;
    std::vector<std::uint32_t> offsets = {0, 10, 10, 700, 1000};
    KeyRange range{.memory = keys.data(), .count = keys.size(), .type = KeyType::u32};
    range.segments = {.memory = offsets.data(), .count = 4, .longest = 1000, .bytes = 4};
    sorter.run(sort(range));
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        std::sort(sorted.begin() + offsets[i], sorted.begin() + offsets[i + 1]);
    CHECK(keys == sorted);
}

TEST_CASE("built-in device: what it counts is what its plan says") {
    Sorter sorter(built_in_device());
    for (const std::size_t count : {1, 10, 1000, 300'001}) {
        const SyncCounts measured = sorter.measure(KeyType::u32, count);
        const SyncCounts exact = exact_counts(sorter.plan(KeyType::u32, count));
        CHECK(measured == exact);
    }
}

}  // namespace
}  // namespace lanesort::test
