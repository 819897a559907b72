// SPDX-License-Identifier: MIT
// Requests for a quicksort (kernels/cpu/quicksort.h), and keys that are hard on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <lanesort/request.hpp>

#include "support.hpp"
#include "worst_keys.hpp"

namespace lanesort::test {

inline Request by_distribution(Order order) { return {.order = order, .schedule = Schedule::distribution}; }
inline Request pairs_by_distribution(Order order) {
    return {.order = order, .value_bytes = 4, .schedule = Schedule::distribution};
}
inline Request argsort_by_distribution(Order order) {
    return {.operation = Operation::argsort, .order = order, .index_bytes = 4, .schedule = Schedule::distribution};
}

/// Threads share a range, a pair of stripes each, of so many keys or more.
inline constexpr std::size_t keys_of_pair = 1 << 16;

template <Key K>
struct NamedKeys {
    const char* name;
    std::vector<K> keys;
};

/// In what pivots and equal keys may do.
template <Key K>
std::vector<NamedKeys<K>> inputs(std::size_t count, Random& random) {
    const auto some = [&](std::size_t values) { return drawn_from(random_keys<K>(values, random), count, random); };
    const auto all = [&](K key) { return std::vector<K>(count, key); };
    std::vector<NamedKeys<K>> made;
    for (const Pattern pattern : {Pattern::random, Pattern::all_equal, Pattern::ascending, Pattern::descending,
                                  Pattern::organ_pipe, Pattern::special_values})
        made.push_back({"a pattern of every suite", make_keys<K>(pattern, count, random)});
    const auto special = sorted(special_values<K>(), Order::ascending);
    made.push_back({"all the smallest", all(special.front())});
    made.push_back({"all the largest", all(special.back())});
    made.push_back({"the two largest", drawn_from<K>({special.back(), special.end()[-2]}, count, random)});
    made.push_back({"the two smallest", drawn_from<K>({special[0], special[1]}, count, random)});
    made.push_back({"two values", some(2)});
    made.push_back({"13 values", some(13)});
    auto rotated = sorted(random_keys<K>(count, random), Order::ascending);
    std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(count / 3), rotated.end());
    made.push_back({"rotated", std::move(rotated)});
    const auto values = random_keys<K>(1 << 16, random);
    auto zipf = all(values[0]);
    for (K& key : zipf) key = values[(1u << 16) / (1 + random() % (1u << 16)) - 1];
    made.push_back({"Zipf", std::move(zipf)});
    for (const K most : {special.front(), special.back(), key_of<K>(random())}) {
        auto mostly = random_keys<K>(count, random);
        for (K& key : mostly)
            if (random() % 100 != 0) key = most;
        made.push_back({"of 100 keys 99 equal", std::move(mostly)});
    }
    return made;
}

/// Most or all of them equal, in what may be left of ranges and of stripes.
template <Key K>
std::vector<NamedKeys<K>> equal_inputs(std::size_t count, Random& random) {
    const auto five = sorted(random_keys<K>(5, random), Order::ascending);
    const std::vector<K> all(count, five[2]);
    std::vector<NamedKeys<K>> made;
    const auto changed = [&](const char* name, auto change) {
        made.push_back({name, all});
        change(made.back().keys);
    };
    changed("all equal", [](auto&) {});
    for (const std::size_t other : {1, 3})
        for (const std::size_t place : {std::size_t{0}, count / 3, count - 1})
            changed("all but one", [&](auto& keys) { keys[place] = five[other]; });
    const auto some_are = [&](const char* name, std::vector<K> others) {
        changed(name, [&](auto& keys) {
            for (K& key : keys)
                if (random() % 100 == 0) key = others[random() % others.size()];
        });
    };
    some_are("of 100 one smaller", {five[0], five[1]});
    some_are("of 100 one larger", {five[3], five[4]});
    some_are("of 100 one smaller or larger", {five[0], five[1], five[3], five[4]});
    changed("two values", [&](auto& keys) {
        for (K& key : keys) key = five[1 + 2 * (random() % 2)];
    });
    for (const std::size_t runs : {2, 3, 8, 16, 128})
        changed("runs that end about where ranges do", [&](auto& keys) {
            const std::vector<K> values = random_keys<K>(runs + 1, random);
            for (std::size_t i = 0; i < count; ++i) keys[i] = values[(i + 5) * runs / count % values.size()];
        });
    return made;
}

/// In what stripes may have on the wrong side.
template <Key K>
std::vector<NamedKeys<K>> inputs_of_stripes(std::size_t count, Random& random) {
    std::vector<NamedKeys<K>> made = inputs<K>(count, random);
    auto ordered = sorted(random_keys<K>(count, random), Order::ascending);
    const auto changed = [&](const char* name, auto change) {
        made.push_back({name, ordered});
        change(made.back().keys);
    };
    changed("ordered, but for the first and the last", [](auto& keys) { std::swap(keys.front(), keys.back()); });
    changed("halves in order, that changed places", [&](auto& keys) {
        std::rotate(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count / 2), keys.end());
    });
    changed("blocks of low and of high keys", [&](auto& keys) {
        std::size_t low = 0, high = count;
        for (std::size_t i = 0; low < high;) {
            const std::size_t length = 1 + random() % 50'000;
            for (const std::size_t end = std::min(count, i + length); i < end; ++i) keys[i] = ordered[--high];
            for (const std::size_t end = std::min(count, i + length); i < end; ++i) keys[i] = ordered[low++];
        }
    });
    changed("all equal but for 40 on each side: ranges without enough for a stripe", [&](auto& keys) {
        std::fill(keys.begin() + 40, keys.end() - 40, keys[count / 2]);
        std::rotate(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count / 3), keys.end());
    });
    return made;
}

/// More parts than any number of threads makes before a range is given up, and than that takes.
inline constexpr int bad_parts = 20;

/// Every pivot is among the first of its range.
inline WorstKeys worst_keys(std::size_t count, std::size_t lanes) {
    WorstKeys worst(count, lanes);
    WorstKeys::Range range = worst.all();
    for (int i = 0; i < bad_parts; ++i) range = worst.part_badly(range);
    return worst;
}

/// Only those are behind the first pivot.
inline WorstKeys half_bad_keys(std::size_t count, std::size_t lanes, std::size_t pairs, Random& random) {
    WorstKeys worst(count, lanes);
    WorstKeys::Range range = worst.part_evenly(worst.all(), pairs, random);
    for (int i = 0; i < bad_parts; ++i) range = worst.part_badly(range);
    return worst;
}

}  // namespace lanesort::test
