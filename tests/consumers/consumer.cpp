// SPDX-License-Identifier: MIT
// Sorts floats, NaN and -0 among them, and compares the result, bit by bit, with that of std::sort; then by a C++ function.
// usage: consumer VERSION (of lanesort, which its headers must tell, too)
// Exit status: 0 right, 1 wrong, 77 no device.
#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "sort_floats.hpp"

int main(int argc, char** argv) try {
    if (argc != 2 || std::string_view(argv[1]) != sorter_version()) {
        std::fprintf(stderr, "consumer: the headers are of version %s\n", sorter_version());
        return 1;
    }
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(10'007);
    std::ranges::generate(numbers, [&] { return normal(random); });
    numbers[0] = numbers[5'000] = std::numeric_limits<float>::quiet_NaN();
    numbers[1] = numbers[5'001] = 0.0f;
    numbers[2] = numbers[5'002] = -0.0f;
    numbers[3] = std::numeric_limits<float>::infinity();
    std::vector<float> expected = numbers;

    if (!sort_floats(numbers)) {
        std::printf("there is no device\n");
        return 77;
    }
    std::ranges::sort(expected, [](float a, float b) { return std::strong_order(a, b) < 0; });
    const bool right = std::ranges::equal(numbers, expected, {}, std::bit_cast<std::uint32_t, float>,
                                          std::bit_cast<std::uint32_t, float>);
    std::vector<float> sized(numbers.begin(), numbers.end() - 2);  // the last two are NaN
    expected = sized;
    sort_by_size(sized);
    std::ranges::stable_sort(expected, {}, [](float number) { return number * number; });
    const bool right_by_size = sized == expected;
    std::printf("%zu floats: %s\n", numbers.size(), right && right_by_size ? "sorted" : "WRONG");
    return right && right_by_size ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
}
