// SPDX-License-Identifier: MIT
// Shapes and counts for what is said of all plans.
#pragma once

#include <cstdint>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/statistics.hpp>

#include "devices_made_up.hpp"
#include "shapes.hpp"

namespace lanesort::test {

inline std::vector<Shape> many_shapes() {
    std::vector<Shape> shapes = small_shapes();
    for (const Shape& shape : tiny_shapes()) shapes.push_back(shape);
    for (const std::size_t bytes : {1, 4, 8}) {
        for (const Variant& variant : statistics_variants(bytes)) shapes.push_back(variant.shape);
        shapes.push_back(choose_shape(processor(), bytes));
        shapes.back().columns = false;
        for (const std::uint64_t count : {0, 1000, 100000})
            shapes.push_back(choose_shape(graphics_card(), bytes, count));
    }
    return shapes;
}

inline std::vector<std::uint64_t> many_counts() {
    std::vector<std::uint64_t> counts{2, 3, 4, 5, 100, 1000, 5000, 100000, (1ull << 31) - 1};
    for (const unsigned exponent : {5, 10, 14, 20, 24, 31, 32, 40})
        for (const int step : {-1, 0, 1}) counts.push_back((std::uint64_t{1} << exponent) + step);
    return counts;
}

}  // namespace lanesort::test
