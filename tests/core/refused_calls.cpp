// SPDX-License-Identifier: MIT
// Calls that must not compile, each for the reason that stands beside it: refused_calls.sh compiles them one by one.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <lanesort/sorter.hpp>

void calls(lanesort::Sorter& sorter) {
    std::array<float, 8> keys{}, results{};
    std::array<std::uint32_t, 8> indices{};
    float few[4] = {};
    std::uint32_t few_indices[4] = {};
    std::vector<std::uint32_t> others(8);
    const std::uint8_t chosen[8] = {};
    void* memory = nullptr;
    const std::span<float, 8> eight(keys);
    const std::vector<float> constant(8);
    std::vector<std::pair<float, int>> pairs;
    bool flags[8] = {};
    const std::vector<std::array<char, 3>> threes;

    sorter.sort_by_key(keys, indices);
    sorter.merge_by_key(eight, results, 3);
    sorter.merge(few, few, results);
    sorter.merge_by_key(few, few_indices, few, few_indices, results, indices);
    sorter.argsort(keys, std::span(indices).first(8));
    sorter.top_k(keys, few, few_indices);
    sorter.top_k_by_key(keys, indices, few, few_indices);
    sorter.unique(keys, results);
    sorter.unique_by_key(keys, indices);
    sorter.unique_by_key(constant, constant, results, keys);
    sorter.run_lengths(few, keys, indices);

#define CASE(number, reason, call) \
    if constexpr (number == REFUSED) call
    CASE(1, "one value for each key", sorter.sort_by_key(keys, few));
    CASE(2, "one value for each key", sorter.merge_by_key(eight, few, 3));
    CASE(3, "one index for each key", sorter.argsort(keys, few_indices));
    CASE(4, "one index for each key", sorter.argsort(std::span<float, 3>(few, 3), indices));
    CASE(5, "more keys are asked for than there are", sorter.top_k(few, results));
    CASE(6, "more keys are asked for than there are", sorter.top_k(few, results, indices));
    CASE(7, "one index for each key that is selected", sorter.top_k(keys, few, indices));
    CASE(8, "room for all keys", sorter.unique(keys, few));
    CASE(9, "room for all keys", sorter.run_lengths(keys, few, indices));
    CASE(10, "as many lengths as there are keys", sorter.run_lengths(keys, results, few_indices));
    CASE(11, "the keys are const", sorter.sort(constant));
    CASE(12, "put the two into arrays of their own", sorter.sort(pairs));
    CASE(13, "bool is no key", sorter.sort(flags));
    CASE(14, "one value for each key", sorter.unique_by_key(keys, few));
    CASE(15, "one value for each key", sorter.unique_by_key(keys, few, results, results));
    CASE(16, "room for all keys", sorter.unique_by_key(keys, indices, few, results));
    CASE(17, "room for all values", sorter.unique_by_key(keys, indices, results, few_indices));
    CASE(18, "1, 2, 4, 8 or 16 bytes", sorter.unique_by_key(keys, threes, results, results));
    CASE(19, "room for the keys of both ranges", sorter.merge(keys, few, results));
    CASE(20, "one value for each key", sorter.merge_by_key(few, keys, few, few_indices, results, indices));
    CASE(21, "room for the values of both ranges", sorter.merge_by_key(few, few, few, few, results, few_indices));
    CASE(22, "include lanesort/cpu.hpp", sorter.sort(pairs, std::less<>()));
    CASE(23, "more keys are asked for than there are", sorter.top_k_by_key(few, few_indices, results, indices));
    CASE(24, "one value for each key", sorter.top_k_by_key(keys, few_indices, few, few_indices));
    CASE(25, "one value for each key", sorter.top_k_by_key(keys, indices, few, indices));
    CASE(26, "another type than the keys", sorter.sort(keys, others));
    CASE(27, "another type than the keys", sorter.top_k(keys, others));
    CASE(28, "another type than the keys", sorter.unique(keys, others));
    CASE(29, "another type than the keys", sorter.run_lengths(keys, others, others));
    CASE(30, "another type than the keys", sorter.inclusive_scan(keys, others));
    CASE(31, "another type than the keys", sorter.exclusive_scan(keys, others));
    CASE(32, "another type than the keys", sorter.merge(few, few, others));
    CASE(33, "another type than the keys", sorter.select(keys, chosen, others));
    CASE(34, "another type than the keys", sorter.partition(keys, chosen, others));
#if REFUSED == 35
    CASE(35, "say what the keys are", (lanesort::sort(lanesort::KeyRangeIn<void*>{.memory = memory, .count = 8})));
#endif
}
