// SPDX-License-Identifier: MIT
// Sorts numbers in host memory on the best device found.
//
//     build/release/examples/sort_vector
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include <lanesort/lanesort.hpp>

int main() try {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(1'000'003);
    std::ranges::generate(numbers, [&] { return normal(random); });
    std::vector<float> expected = numbers;

    lanesort::Sorter sorter(lanesort::find_device());
    const lanesort::SortReport report = sorter.sort(numbers, {.order = lanesort::Order::descending});

    std::ranges::sort(expected, std::greater());
    const bool right = numbers == expected;
    std::printf("%zu floats, descending, on %s: %s\n", numbers.size(), sorter.device().name.c_str(),
                right ? "sorted" : "WRONG");
    std::printf("largest %g, smallest %g; %llu kernel launches, %llu bytes of device memory taken\n",
                static_cast<double>(numbers.front()), static_cast<double>(numbers.back()),
                static_cast<unsigned long long>(report.launches), static_cast<unsigned long long>(report.device_bytes));
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "sort_vector: %s\n", error.what());
    return 1;
}
