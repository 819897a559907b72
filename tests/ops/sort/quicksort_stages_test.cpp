// SPDX-License-Identifier: MIT
// The quicksort of the built-in device (kernels/cpu/quicksort.h), beside the standard library.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <lanesort/commands.hpp>
#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>
#include <lanesort/sorter.hpp>

#include "error_support.hpp"
#include "quicksort_inputs.hpp"
#include "run_everywhere.hpp"
#include "sorter_on.hpp"

namespace lanesort::test {
namespace {

/// From so many keys on it is taken without being asked for.
constexpr std::size_t least_count = 16'385;

/// Tells where there is none.
bool has_quicksort() {
    if (built_in_device().info().parts_vectors) return true;
    MESSAGE("skipped: the built-in device has no instructions that part vectors");
    return false;
}

/// Calls visit.operator()<K>() with every type that is sorted so.
template <class Visit>
void for_each_type(Visit visit) {
    const auto visit_all = [&]<class... K>() { (visit.template operator()<K>(), ...); };
    visit_all.template operator()<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t, double>();
}

/// The network sorts ranges of so many keys or fewer.
template <Key K>
std::size_t keys_of_leaf(std::size_t beside_key) {
    const Shape shape = choose_shape(built_in_device().info(), {sizeof(K), beside_key, 0}, 1);
    return std::size_t{8} * shape.register_vectors * shape.lanes;
}
template <Key K>
std::size_t lanes_of(std::size_t beside_key) {
    return choose_shape(built_in_device().info(), {sizeof(K), beside_key, 0}, 1).lanes;
}

// ---- what must come out, by the standard library -------------------------------------------------------------------

/// Equal keys in the order of their values, which always ascend.
template <Key K>
void sort_pairs(std::vector<K>& keys, std::vector<std::uint32_t>& values, Order order) {
    std::vector<std::pair<K, std::uint32_t>> pairs(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) pairs[i] = {keys[i], values[i]};
    std::ranges::sort(pairs, [order](const auto& a, const auto& b) {
        if (bits_of(a.first) == bits_of(b.first)) return a.second < b.second;
        return comes_before(a.first, b.first, order);
    });
    for (std::size_t i = 0; i < keys.size(); ++i) std::tie(keys[i], values[i]) = pairs[i];
}

/// Sorts keys, with values or indices if the request has any, between red zones.
template <Key K>
SortReport check(Sorter& sorter, Request request, const std::vector<K>& keys, std::size_t offset = 3) {
    request.count = keys.size();
    request.key = key_type_v<K>;
    Problem problem;
    problem.before.keys = bytes_of(keys);
    problem.after = problem.before;
    if (request.operation == Operation::argsort) {
        problem.before.indices = other_bytes(4 * keys.size());
        problem.after.indices = bytes_of(stable_indices<std::uint32_t>(keys, *request.order));
    } else if (request.value_bytes == 4) {
        Random random(seed());
        std::vector<K> sorted_keys = keys;
        std::vector<std::uint32_t> values(keys.size());
        for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
        problem.before.values = bytes_of(values);
        sort_pairs(sorted_keys, values, *request.order);
        problem.after.keys = bytes_of(sorted_keys);
        problem.after.values = bytes_of(values);
    } else {
        problem.after.keys = bytes_of(sorted(keys, *request.order));
    }
    problem.request = std::move(request);
    return run_on_host(sorter, problem, offset);
}

// ---- counts --------------------------------------------------------------------------------------------------------

/// Up to three leaves: all remainders of a vector, since 37 is odd; and about where leaves end.
std::vector<std::size_t> counts_to_three_leaves(std::size_t leaf) {
    std::vector<std::size_t> counts = {3, 4, 5, 8, 15, 16, 17, 31, 33};
    for (std::size_t count = 2; count <= 3 * leaf; count += 37) counts.push_back(count);
    for (const std::size_t leaves : {1, 2, 3})
        for (const std::size_t count : {leaves * leaf - 1, leaves * leaf, leaves * leaf + 1}) counts.push_back(count);
    return counts;
}

TEST_CASE("quicksort: every remainder of a vector, up to three leaves") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter sorter = sorter_on(2);
    for_each_type([&]<class K>() {
        for (const std::size_t count : counts_to_three_leaves(keys_of_leaf<K>(0)))
            for (const Order order : both_orders) {
                const auto keys = random_keys<K>(count, random);
                CHECK(check(sorter, by_distribution(order), keys, count % 5).schedule == Schedule::distribution);
            }
    });
}

TEST_CASE("quicksort: pairs and indices of every remainder of a vector, up to three leaves") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter sorter = sorter_on(2);
    const auto check_counts = [&]<Key K>(K) {
        for (const std::size_t count : counts_to_three_leaves(keys_of_leaf<K>(4)))
            for (const Order order : both_orders) {
                const auto keys = keys_with_twins<K>(count, random);
                check(sorter, pairs_by_distribution(order), keys, count % 5);
                check(sorter, argsort_by_distribution(order), keys, count % 5);
                CHECK(sorter.last_report().schedule == Schedule::distribution);
            }
    };
    check_counts(std::uint32_t{});
    check_counts(std::int32_t{});
    check_counts(float{});
}

TEST_CASE("quicksort: many keys, of which it takes those from 16385 on by itself") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter sorter = sorter_on(2);
    for_each_type([&]<class K>() {
        for (const std::size_t count : {16'384, 16'385, 16'386, 65'537, 262'147, 1'000'003}) {
            const Order order = both_orders[count % 2];
            const SortReport report = check(sorter, {.order = order}, random_keys<K>(count, random));
            CHECK((report.schedule == Schedule::distribution) == (count >= least_count));
            if (count > 65'537) continue;
            for (const Order each : both_orders) check(sorter, by_distribution(each), random_keys<K>(count, random));
        }
    });
    for (const std::size_t count : {16'384, 16'385, 65'537, 1'000'003})
        for (const Order order : both_orders) {
            const auto keys = keys_with_twins<float>(count, random);
            const bool is_taken = count >= least_count;
            const SortReport of_pairs = check(sorter, {.order = order, .value_bytes = 4}, keys);
            CHECK((of_pairs.schedule == Schedule::distribution) == is_taken);
            const SortReport of_indices =
                check(sorter, {.operation = Operation::argsort, .order = order, .index_bytes = 4}, keys);
            CHECK((of_indices.schedule == Schedule::distribution) == is_taken);
        }
}

TEST_CASE(
    "quicksort: one tile of the network is taken above three quarters of a power of two, by two threads up to 2^15") {
    if (!has_quicksort()) return;
    const auto is_taken = [](unsigned threads, Request request, std::size_t count) {
        request.order = Order::ascending;
        request.count = count;
        request.in_host_memory = true;
        return commands_of(sorter_on(threads).device(), request).report.schedule == Schedule::distribution;
    };
    const Request narrow{.key = KeyType::u32}, wide{.key = KeyType::f64};
    const Request pairs{.value_bytes = 4, .key = KeyType::f32};
    const Request indices{.operation = Operation::argsort, .index_bytes = 4, .key = KeyType::i32};
    for (const unsigned threads : {1, 2, 16}) {
        CAPTURE(threads);
        for (const Request& request : {narrow, wide, pairs, indices}) {
            CAPTURE(name(request.operation));
            CAPTURE(request.key.bytes());
            for (const std::size_t count : {16'385, 24'576, 32'769, 49'152, 65'537, 131'072})
                CHECK(is_taken(threads, request, count));
            for (const std::size_t count : {24'577, 32'768}) CHECK_FALSE(is_taken(threads, request, count));
            // A tile of elements of 8 bytes is smaller.
            for (const std::size_t count : {49'153, 65'536})
                CHECK(is_taken(threads, request, count) == !(threads <= 2 && request == narrow));
        }
    }
}

// ---- inputs --------------------------------------------------------------------------------------------------------

TEST_CASE("quicksort: keys in many orders, and many equal ones") {
    if (!has_quicksort()) return;
    Random random(seed());
    for (const unsigned threads : {1, 3}) {
        Sorter sorter = sorter_on(threads);
        for_each_type([&]<class K>() {
            for (const std::size_t count : {7001, 40'009})
                for (const NamedKeys<K>& input : inputs<K>(count, random))
                    for (const Order order : both_orders) {
                        CAPTURE(input.name);
                        CAPTURE(threads);
                        check(sorter, by_distribution(order), input.keys);
                    }
        });
    }
}

TEST_CASE("quicksort: pairs and indices of keys in many orders, and of many equal ones") {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_inputs = [&]<Key K>(Sorter& sorter, K) {
        for (const NamedKeys<K>& input : inputs<K>(20'011, random))
            for (const Order order : both_orders) {
                CAPTURE(input.name);
                check(sorter, pairs_by_distribution(order), input.keys);
                check(sorter, argsort_by_distribution(order), input.keys);
            }
    };
    for (const unsigned threads : {1, 3}) {
        Sorter sorter = sorter_on(threads);
        check_inputs(sorter, std::uint32_t{});
        check_inputs(sorter, float{});
    }
}

TEST_CASE("quicksort: equal pairs, and values that are the largest") {
    if (!has_quicksort()) return;
    constexpr std::uint32_t largest = ~0u;
    Sorter sorter = sorter_on(2);
    for (const std::size_t count : {700, 5003, 40'009})
        for (const std::uint32_t key : {0u, 5u, largest})
            for (const Order order : both_orders) {
                std::vector<std::uint32_t> keys(count, key), values(count, largest);
                for (std::size_t i = 0; i < count; i += 3) values[i] = 0;
                auto expected_keys = keys, expected_values = values;
                sort_pairs(expected_keys, expected_values, order);
                sorter.sort_by_key(keys, values, {.order = order, .schedule = Schedule::distribution});
                require_same_bytes(keys, expected_keys);
                require_same_bytes(values, expected_values);
            }
}

TEST_CASE("quicksort: stable sorts of numbers, and of pairs as of indices") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter sorter = sorter_on(2);
    const auto keys = keys_with_twins<float>(40'009, random);
    for (const Order order : both_orders) {
        Request request = by_distribution(order);
        request.stable = true;
        for (const std::size_t value_bytes : {0, 1, 4, 16}) {
            request.value_bytes = value_bytes;
            CHECK(run_on_host(sorter, problem_of(request, keys)).schedule == Schedule::distribution);
        }
        request.value_bytes = 4;
        request.schedule = Schedule::network;
        CHECK(run_on_host(sorter, problem_of(request, keys)).schedule == Schedule::network);
        // Which it has not for indices of wider keys.
        std::vector<double> wide(keys.begin(), keys.end());
        const auto before = wide;
        std::vector<std::uint32_t> values(wide.size());
        check_refused(ErrorCode::unsupported, "not of keys of 8 with indices of 4", [&] {
            sorter.sort_by_key(wide, values, {.order = order, .stable = true, .schedule = Schedule::distribution});
        });
        require_same_bytes(wide, before);
    }
}

TEST_CASE("quicksort: arrays at every address, and what lies beside them") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter two = sorter_on(2), many = sorter_on(16);
    const auto check_at = [&]<Key K>(K, std::size_t address, Order order, bool has_values, std::size_t count = 5003) {
        Sorter& sorter = count < 2 * keys_of_pair ? two : many;
        auto keys = keys_with_twins<K>(count, random);
        std::vector<std::uint32_t> values(count);
        for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
        constexpr std::size_t beside = 67;
        const std::size_t first = beside + address, first_value = first + sizeof(K) * count + beside;
        Bytes memory = other_bytes(first_value + 4 * count + beside);
        const auto put = [&](Bytes& to) {
            std::memcpy(to.data() + first, keys.data(), sizeof(K) * count);
            if (has_values) std::memcpy(to.data() + first_value, values.data(), 4 * count);
        };
        Bytes expected = memory;
        put(memory);
        if (has_values) sort_pairs(keys, values, order);
        else keys = sorted(keys, order);
        put(expected);
        const KeyRange range{.memory = memory.data() + first,
                             .count = count,
                             .type = key_type_v<K>,
                             .order = order,
                             .schedule = Schedule::distribution};
        const ValueRangeIn<void*> value_range{.memory = memory.data() + first_value, .bytes = 4};
        sorter.run(has_values ? sort_by_key(range, value_range) : sort(range));
        const auto wrong = std::ranges::mismatch(memory, expected).in1 - memory.begin();
        CAPTURE(wrong);
        CHECK(memory == expected);
    };
    for (std::size_t address = 0; address < 64; address += 3)
        for (const Order order : both_orders) {
            check_at(std::uint32_t{}, address, order, false);
            check_at(double{}, address, order, false);
            check_at(float{}, address, order, true);
        }
    constexpr std::size_t shared = 4 * keys_of_pair + 21;
    for (const std::size_t address : {1, 4, 15, 33, 62})
        for (const Order order : both_orders) {
            check_at(std::uint32_t{}, address, order, false, shared);
            check_at(double{}, address, order, false, shared);
            check_at(float{}, address, order, true, shared);
        }
}

// ---- equal elements ------------------------------------------------------------------------------------------------

TEST_CASE("quicksort: most keys equal, of odd counts about each limit" * doctest::test_suite("long")) {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_type = [&]<Key K>(K, std::initializer_list<std::size_t> counts) {
        for (const unsigned threads : {1, 2, 3, 16}) {
            Sorter sorter = sorter_on(threads);
            std::size_t number = 0;
            for (const std::size_t count : counts) {
                if (threads == 1 && count > 2 * keys_of_pair) continue;  // which others share
                for (const NamedKeys<K>& input : equal_inputs<K>(count, random)) {
                    CAPTURE(input.name);
                    CAPTURE(threads);
                    CAPTURE(count);
                    const Order order = both_orders[(number++ + count / 2) % 2];
                    check(sorter, by_distribution(order), input.keys, count % 7);
                    if (sizeof(K) > 4) continue;
                    const bool has_indices = (number + threads + count / 4) % 2 == 0;
                    check(sorter, has_indices ? argsort_by_distribution(order) : pairs_by_distribution(order),
                          input.keys, count % 7);
                }
            }
        }
    };
    constexpr std::size_t shared = 4 * keys_of_pair;
    check_type(std::uint32_t{}, {16'383, 16'385, 32'767, 32'769, 65'535, 65'537, shared - 1, shared + 1});
    check_type(float{}, {32'769, shared + 1});
    check_type(std::int64_t{}, {16'385, 65'535, shared - 1, shared + 1});
}

TEST_CASE("quicksort: a range whose keys are all equal is not touched again") {
    if (!has_quicksort()) return;
    Random random(seed());
    constexpr std::size_t few = 100'003, shared = 8 * keys_of_pair + 3;
    struct Case {
        unsigned threads;
        std::size_t count, launches;  ///< after which it is known
        std::uint32_t first, last;
    };
    for (const Case& c : {Case{2, few, 1, 5, 5}, Case{2, few, 2, 4, 5}, Case{2, few, 1, 5, 6}, Case{3, few, 1, 5, 5},
                          Case{3, few, 2, 4, 5}, Case{16, few, 1, 5, 5}, Case{16, shared, 3, 5, 5},
                          Case{16, shared, 9, 4, 5}, Case{16, shared, 9, 5, 6}}) {
        CAPTURE(c.threads);
        CAPTURE(c.count);
        CAPTURE(c.first);
        CAPTURE(c.last);
        std::vector<std::uint32_t> keys(c.count, 5), others = random_keys<std::uint32_t>(c.count, random);
        keys.front() = others.front() = c.first;
        keys.back() = others.back() = c.last;
        // What is put there meanwhile stays, if nothing looks at it.
        Sorter sorter = sorter_on(c.threads, [&](std::size_t done, std::size_t) {
            if (done == c.launches) keys = others;
        });
        sorter.sort(keys, {.schedule = Schedule::distribution});
        require_same_bytes(keys, others);
    }
}

// ---- what is given up ----------------------------------------------------------------------------------------------

/// What such a call launches before the network that sorts what was given up.
std::size_t own_launches(const Request& request, Sorter& sorter) {
    std::size_t launches = 0;
    for (const PlannedCommand& command : commands_of(sorter.device(), request).commands) {
        if (command.groups > 0) ++launches;
        if (command.name == "sort_ranges") return launches;
    }
    return 0;
}

/// Runs the call, and tells whether the quicksort gave something up: whether it leaves `result` other than `expected`.
template <class T>
bool gives_up(unsigned threads, const CallIn<void*>& call, const std::vector<T>& result, const std::vector<T>& expected,
              std::uint32_t seed = 0) {
    std::size_t own = 0;
    bool was_sorted = false;
    Sorter sorter = sorter_on(
        threads,
        [&](std::size_t done, std::size_t) {
            if (done == own) was_sorted = result == expected;
        },
        seed);
    Request request = call.request;
    request.in_host_memory = true;
    own = own_launches(request, sorter);
    REQUIRE(own > 0);
    sorter.run(call);
    require_same_bytes(result, expected);
    return !was_sorted;
}

template <Key K>
KeyRange range_of(std::vector<K>& keys, Order order) {
    return {.memory = keys.data(),
            .count = keys.size(),
            .type = key_type_v<K>,
            .order = order,
            .schedule = Schedule::distribution};
}

/// Compared bit for bit.
template <Key K>
std::vector<BitsOf<K>> all_bits(const std::vector<K>& keys) {
    return keys_of<BitsOf<K>>(bytes_of(keys));
}

template <Key K>
bool sort_gives_up(unsigned threads, const std::vector<K>& keys, Order order, std::uint32_t seed = 0) {
    std::vector<BitsOf<K>> bits = all_bits(keys);
    KeyRange range = range_of(bits, order);
    range.type = key_type_v<K>;
    return gives_up(threads, sort(range), bits, all_bits(sorted(keys, order)), seed);
}

template <Key K>
bool sort_of_pairs_gives_up(unsigned threads, std::vector<K> keys, Order order, std::uint32_t seed = 0) {
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 7u);
    auto sorted_keys = keys;
    auto sorted_values = values;
    sort_pairs(sorted_keys, sorted_values, order);
    const auto call =
        sort_by_key(range_of(keys, order), ValueRangeIn<void*>{.memory = values.data(), .bytes = sizeof values[0]});
    const bool gave_up = gives_up(threads, call, values, sorted_values, seed);
    require_same_bytes(keys, sorted_keys);
    return gave_up;
}

template <Key K>
bool argsort_gives_up(unsigned threads, std::vector<K> keys, Order order, std::uint32_t seed = 0) {
    std::vector<std::uint32_t> indices(keys.size());
    const auto call =
        argsort(range_of(keys, order), ValueRangeIn<void*>{.memory = indices.data(), .bytes = sizeof indices[0]});
    return gives_up(threads, call, indices, stable_indices<std::uint32_t>(keys, order), seed);
}

TEST_CASE("quicksort: keys on which every pivot is bad are given up, and sorted") {
    if (!has_quicksort()) return;
    Random random(seed());
    for_each_type([&]<class K>() {
        for (const std::size_t count : {16'385, 70'001}) {
            const WorstKeys worst = worst_keys(count, lanes_of<K>(0));
            for (const unsigned threads : {1, 2, 3})
                for (const Order order : both_orders) {
                    CAPTURE(count);
                    CAPTURE(threads);
                    const std::vector<K> keys = worst.keys<K>(order, random);
                    CHECK(sort_gives_up(threads, keys, order));
                    // They were not made for these samples.
                    CHECK(!sort_gives_up(threads, keys, order, 1));
                }
        }
    });
}

TEST_CASE("quicksort: pairs and indices on which every pivot is bad are given up, and sorted") {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_type = [&]<Key K>(K) {
        for (const std::size_t count : {16'385, 70'001}) {
            const WorstKeys worst = worst_keys(count, lanes_of<K>(4));
            for (const unsigned threads : {1, 2, 3})
                for (const Order order : both_orders) {
                    CAPTURE(count);
                    CAPTURE(threads);
                    CHECK(sort_of_pairs_gives_up(threads, worst.keys<K>(order, random), order));
                    CHECK(argsort_gives_up(threads, worst.keys<K>(order, random), order));
                }
        }
    };
    check_type(std::uint32_t{});
    check_type(float{});
}

TEST_CASE("quicksort: one range of several is given up") {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_type = [&]<Key K>(K) {
        struct Case {
            unsigned threads;
            std::size_t count, pairs;
        };
        for (const Case& c : {Case{3, 100'003, 1}, Case{2, 300'007, 2}, Case{3, 300'007, 3}}) {
            CAPTURE(c.threads);
            CAPTURE(c.count);
            const WorstKeys alone = half_bad_keys(c.count, lanes_of<K>(0), c.pairs, random);
            for (const Order order : both_orders) CHECK(sort_gives_up(c.threads, alone.keys<K>(order, random), order));
            if (sizeof(K) > 4) continue;
            const WorstKeys with_more = half_bad_keys(c.count, lanes_of<K>(4), c.pairs, random);
            for (const Order order : both_orders) {
                CHECK(sort_of_pairs_gives_up(c.threads, with_more.keys<K>(order, random), order));
                CHECK(argsort_gives_up(c.threads, with_more.keys<K>(order, random), order));
            }
        }
    };
    check_type(std::int32_t{});
    check_type(float{});
    check_type(double{});
}

TEST_CASE("quicksort: keys of which each sample is all equal, though few are, are given up and sorted") {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_type = [&]<Key K>(K) {
        WorstKeys worst(30'001, lanes_of<K>(0));
        WorstKeys::Range range = worst.all();
        while (range.size() > keys_of_leaf<K>(0)) range = worst.part_equal(range);
        for (const unsigned threads : {1, 2})
            for (const Order order : both_orders) CHECK(sort_gives_up(threads, worst.keys<K>(order, random), order));
    };
    check_type(std::uint32_t{});
    check_type(double{});
}

TEST_CASE("quicksort: what is in some usual order is not given up") {
    if (!has_quicksort()) return;
    Random random(seed());
    for_each_type([&]<class K>() {
        for (const NamedKeys<K>& input : inputs<K>(70'001, random)) {
            CAPTURE(input.name);
            for (const Order order : both_orders)
                for (const std::uint32_t sorter_seed : {0u, static_cast<std::uint32_t>(random())})
                    CHECK_FALSE(sort_gives_up(2, input.keys, order, sorter_seed));
        }
    });
}

// ---- ranges that threads share -------------------------------------------------------------------------------------

/// The launches of a call that part stripes.
std::size_t shared_levels(unsigned threads, std::size_t count) {
    Request request = by_distribution(Order::ascending);
    request.count = count;
    request.key = key_type_v<std::uint32_t>;
    request.in_host_memory = true;
    const auto parts_stripes = [](const PlannedCommand& command) { return command.name == "part_stripes"; };
    return static_cast<std::size_t>(
        std::ranges::count_if(commands_of(sorter_on(threads).device(), request).commands, parts_stripes));
}

TEST_CASE("quicksort: two threads or more share a range, if it has two pairs of stripes") {
    if (!has_quicksort()) return;
    constexpr std::size_t two = 2 * keys_of_pair;
    CHECK(shared_levels(1, 100 * two) == 0);
    for (const unsigned threads : {2, 3, 5, 16}) {
        CHECK(shared_levels(threads, two - 1) == 0);
        CHECK(shared_levels(threads, two) == 1);
    }
    CHECK(shared_levels(2, 100 * two) == 1);
    CHECK(shared_levels(3, 100 * two) == 1);
    CHECK(shared_levels(4, 100 * two) == 2);
    CHECK(shared_levels(7, 100 * two) == 2);
    CHECK(shared_levels(16, 2 * two - 1) == 1);
    CHECK(shared_levels(16, 2 * two) == 2);
    CHECK(shared_levels(16, 8 * two) == 4);
    CHECK(shared_levels(16, 100 * two) == 4);
}

TEST_CASE("quicksort: threads share ranges of counts about those where stripes become more") {
    if (!has_quicksort()) return;
    Random random(seed());
    for (const unsigned threads : {2, 5, 16}) {
        Sorter sorter = sorter_on(threads);
        for (const std::size_t pairs : {2, 3, 4})
            for (std::size_t beyond : {0, 1, 10}) {  // and with one less
                if ((threads + pairs) % 2) beyond = 2 + 8 * beyond / 5;
                const std::size_t count = pairs * keys_of_pair + beyond - 1;
                const Order order = both_orders[(pairs + beyond) % 2];
                CAPTURE(threads);
                CAPTURE(count);
                check(sorter, by_distribution(order), random_keys<std::int32_t>(count, random), beyond % 5);
                check(sorter, by_distribution(order), random_keys<double>(count, random), beyond % 5);
                const auto keys = keys_with_twins<float>(count, random);
                check(sorter, pairs_by_distribution(order), keys, beyond % 5);
                check(sorter, argsort_by_distribution(order), keys, beyond % 5);
            }
    }
}

TEST_CASE("quicksort: threads share ranges in many orders, and of many equal keys, and give none up") {
    if (!has_quicksort()) return;
    Random random(seed());
    const auto check_type = [&]<Key K>(K, unsigned threads, std::size_t count) {
        std::size_t number = 0;
        for (const NamedKeys<K>& input : inputs_of_stripes<K>(count, random)) {
            CAPTURE(input.name);
            CAPTURE(threads);
            const Order order = both_orders[number++ % 2];
            const auto sorter_seed = static_cast<std::uint32_t>(random());
            CHECK_FALSE(sort_gives_up(threads, input.keys, order, sorter_seed));
            if (sizeof(K) > 4) continue;
            CHECK_FALSE(sort_of_pairs_gives_up(threads, input.keys, order, sorter_seed));
            CHECK_FALSE(argsort_gives_up(threads, input.keys, order, sorter_seed));
        }
    };
    check_type(std::uint32_t{}, 2, 4 * keys_of_pair + 13);
    check_type(std::uint64_t{}, 5, 4 * keys_of_pair + 5);
    check_type(float{}, 16, 4 * keys_of_pair + 9);
    check_type(std::int64_t{}, 16, 8 * keys_of_pair + 3);
}

// ---- schedules, plans and threads ----------------------------------------------------------------------------------

TEST_CASE("quicksort: other schedules give the same bytes, and reports say which one it was") {
    if (!has_quicksort()) return;
    Random random(seed());
    Sorter sorter = sorter_on(2);
    const auto keys = keys_with_twins<float>(100'003, random);
    for (Request request : {Request{.order = Order::ascending}, pairs_by_distribution(Order::descending),
                            argsort_by_distribution(Order::descending)}) {
        const auto schedule_of = [&](Schedule schedule, bool data_independent = false) {
            request.schedule = schedule;
            request.data_independent = data_independent;
            return check(sorter, request, keys).schedule;
        };
        CHECK(schedule_of(Schedule::automatic) == Schedule::distribution);
        CHECK(schedule_of(Schedule::distribution) == Schedule::distribution);
        CHECK(schedule_of(Schedule::network) == Schedule::network);
        CHECK(schedule_of(Schedule::columns) == Schedule::columns);
        CHECK(schedule_of(Schedule::automatic, true) != Schedule::distribution);
    }
    const KeyRange range{
        .memory = nullptr, .type = KeyType::u32, .schedule = Schedule::distribution, .data_independent = true};
    check_refused(ErrorCode::invalid_argument, "`data_independent`", [&] { sorter.run(sort(range)); });
}

TEST_CASE("quicksort: what a call launches is what is known before it runs") {
    if (!has_quicksort()) return;
    Random random(seed());
    for (const unsigned threads : {1, 2, 3, 8})
        for (const std::size_t count : {2, 5000, 16'383, 16'384, 16'385, 100'003, 600'001}) {
            std::size_t calls = 0;
            Sorter sorter = sorter_on(threads, [&](std::size_t done, std::size_t all) {
                CHECK(done == ++calls);
                CHECK(done <= all);
            });
            for (Request request : {by_distribution(Order::ascending), pairs_by_distribution(Order::descending),
                                    argsort_by_distribution(Order::ascending)}) {
                calls = 0;
                const SortReport report = check(sorter, request, random_keys<std::uint32_t>(count, random));
                request.count = count;
                request.in_host_memory = true;
                const CommandList list = commands_of(sorter.device(), request);
                const auto is_launch = [](const PlannedCommand& command) { return command.groups > 0; };
                CHECK(static_cast<std::uint64_t>(std::ranges::count_if(list.commands, is_launch)) == report.launches);
                CHECK(calls == report.launches);
                CHECK(list.report.launches == report.launches);
                CHECK(list.report.schedule == report.schedule);
                CHECK(report.schedule == Schedule::distribution);
            }
        }
}

TEST_CASE("quicksort: it takes 8 bytes a range, 24 more, and no more than it may") {
    if (!has_quicksort()) return;
    Random random(seed());
    struct Case {
        unsigned threads;
        std::size_t count;
        std::uint64_t ranges;
    };
    for (const Case& c :
         {Case{1, 100'003, 1}, Case{2, 20'000, 2}, Case{2, 100'003, 8}, Case{3, 300'007, 32}, Case{2, 16'000, 1}}) {
        CAPTURE(c.threads);
        CAPTURE(c.count);
        Sorter sorter = sorter_on(c.threads);
        const auto keys = random_keys<std::uint32_t>(c.count, random);
        const std::uint64_t taken = 8 * (c.ranges + 3);
        for (const Order order : both_orders)
            for (Request request :
                 {by_distribution(order), pairs_by_distribution(order), argsort_by_distribution(order)}) {
                const std::uint64_t copy = check(sorter, request, keys).device_bytes - taken;
                CHECK(copy == (request.operation == Operation::argsort ? 4 * c.count : 0));
                request.extra_bytes = taken;
                CHECK(check(sorter, request, keys).device_bytes == taken + copy);
                for (const std::uint64_t few : {std::uint64_t{1}, taken - 1}) {
                    request.schedule = Schedule::distribution;
                    request.extra_bytes = few;
                    check_refused(ErrorCode::unsupported, "`extra_bytes` says " + std::to_string(few),
                                  [&] { check(sorter, request, keys); });
                    request.schedule = Schedule::automatic;
                    const SortReport report = check(sorter, request, keys);
                    CHECK(report.schedule != Schedule::distribution);
                    CHECK(report.device_bytes == copy);
                }
            }
    }
}

TEST_CASE("quicksort: sorters of two threads at once, of one thread and of five") {
    if (!has_quicksort()) return;
    for (const char* const limit : {"1", "5"}) {
        const ScopedVariable variable("LANESORT_THREADS", limit);
        Sorter sorters[] = {Sorter(built_in_device()), sorter_on(static_cast<unsigned>(*limit - '0'))};
        bool are_right[] = {true, true};
        const auto run = [&](std::size_t number) {
            Random random(seed() + number);
            for (const std::size_t count : {1000, 16'384, 16'385, 40'001, 300'007})
                for (const Order order : both_orders) {
                    auto keys = random_keys<std::uint32_t>(count, random), expected = sorted(keys, order);
                    auto pair_keys = drawn_from(keys, count, random);
                    auto values = random_keys<std::uint32_t>(count, random), expected_values = values;
                    auto expected_keys = pair_keys;
                    sort_pairs(expected_keys, expected_values, order);
                    sorters[number].sort(keys, {.order = order});
                    sorters[number].sort_by_key(pair_keys, values, {.order = order});
                    are_right[number] &= keys == expected && pair_keys == expected_keys && values == expected_values;
                }
        };
        std::thread first(run, 0), second(run, 1);
        first.join();
        second.join();
        CHECK(are_right[0]);
        CHECK(are_right[1]);
    }
}

}  // namespace
}  // namespace lanesort::test
