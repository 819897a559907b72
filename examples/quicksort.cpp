// SPDX-License-Identifier: MIT
// Quicksort as it is taught for devices, by two partitions a step: what is below a pivot comes first, then what equals
// it, then the rest. The pivot is a parameter of the predicates, so that each of the two is compiled once. For a sort,
// take `sort`.
//
//     build/release/examples/quicksort
#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

const lanesort::Predicate is_below{
    .type = "float", .bytes = 4, .holds = "a < p", .parameter_type = "float", .parameter_bytes = 4};
const lanesort::Predicate is_equal{
    .type = "float", .bytes = 4, .holds = "a == p", .parameter_type = "float", .parameter_bytes = 4};

/// Sorts numbers of which none is NaN, by as much memory again and ranges that are yet to be parted.
void quicksort(lanesort::Sorter& sorter, std::span<float> numbers) {
    constexpr std::size_t small = 1'000;  // so few are sorted where they are
    std::vector<float> parted(numbers.size());
    std::vector<std::span<float>> ranges{numbers};
    while (!ranges.empty()) {
        const std::span<float> range = ranges.back();
        ranges.pop_back();
        if (range.size() <= small) {
            std::ranges::sort(range);
            continue;
        }
        const auto [low, high] = std::minmax(range.front(), range.back());
        const float pivot = std::clamp(range[range.size() / 2], low, high);  // the median of three
        const std::span<float> results = std::span(parted).first(range.size());
        const std::size_t below = sorter.partition({range, is_below, pivot}, results);
        const std::span<float> others = range.subspan(below);
        const std::size_t equal = sorter.partition({results.subspan(below), is_equal, pivot}, others);
        std::ranges::copy(results.first(below), range.begin());
        ranges.push_back(range.first(below));
        ranges.push_back(others.subspan(equal));
    }
}

}  // namespace

int main() try {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(200'000);
    std::ranges::generate(numbers, [&] { return random() % 3 == 0 ? 1.0f : normal(random); });
    std::vector<float> expected = numbers;

    lanesort::Sorter sorter(lanesort::find_device("compiling"));  // the predicates are text
    quicksort(sorter, numbers);
    std::ranges::sort(expected);
    const bool right = numbers == expected;
    std::printf("%zu numbers, on %s: %s\n", numbers.size(), sorter.device().name.c_str(), right ? "sorted" : "WRONG");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "quicksort: %s\n", error.what());
    return 1;
}
