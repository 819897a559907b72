// SPDX-License-Identifier: MIT
// Finds the first k of many keys and where they are, without sorting the others: the ten largest scores of an array,
// and for each of many queries the five nearest points. The keys are only read.
//
//     build/release/examples/top_k
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

/// Are these the keys at these indices, and the first ones of a stable sort?
template <class Before>
bool are_first(std::span<const float> keys, std::span<const float> best, std::span<const std::uint32_t> indices,
               Before before) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(indices.size());
    std::partial_sort(order.begin(), end, order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys[a] == keys[b] ? a < b : before(keys[a], keys[b]);
    });
    return std::equal(order.begin(), end, indices.begin(), indices.end()) &&
           std::ranges::equal(indices, best, {}, [&](std::uint32_t index) { return keys[index]; });
}

}  // namespace

int main() try {
    lanesort::Sorter sorter(lanesort::find_device());
    std::mt19937 random(1);

    // The largest of one array. Of equal scores, the lowest index comes first.
    std::normal_distribution<float> normal;
    std::vector<float> scores(1'000'000);
    std::ranges::generate(scores, [&] { return normal(random); });
    std::vector<float> best(10);
    std::vector<std::uint32_t> indices(best.size());
    sorter.top_k(scores, best, indices);
    bool right = are_first(scores, best, indices, std::greater());

    // The nearest of each row: row q has the distances of query q to all points. Indices count from the row's first
    // key, so they are the points' numbers.
    constexpr std::size_t queries = 100, points = 5'000, nearest = 5;
    std::uniform_real_distribution<float> uniform;
    struct Point {
        float x, y;
    };
    std::vector<Point> all(queries + points);
    std::ranges::generate(all, [&] { return Point{uniform(random), uniform(random)}; });
    std::vector<float> distances(queries * points);
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const Point query = all[i / points], point = all[queries + i % points];
        const float x = query.x - point.x, y = query.y - point.y;
        distances[i] = x * x + y * y;
    }
    std::vector<float> least(queries * nearest);
    std::vector<std::uint32_t> neighbours(least.size());
    sorter.top_k(distances, least, neighbours, {.order = lanesort::Order::ascending, .row_length = points});
    for (std::size_t q = 0; q < queries; ++q)
        right = right && are_first(std::span(distances).subspan(q * points, points),
                                   std::span(least).subspan(q * nearest, nearest),
                                   std::span(neighbours).subspan(q * nearest, nearest), std::less());

    std::printf("the %zu largest of %zu scores, and the %zu nearest of %zu points to each of %zu queries, on %s: %s\n",
                best.size(), scores.size(), nearest, points, queries, sorter.device().name.c_str(),
                right ? "found" : "WRONG");
    std::printf("largest score: %g, number %u; nearest to query 0: point %u\n", static_cast<double>(best[0]),
                indices[0], neighbours[0]);
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "top_k: %s\n", error.what());
    return 1;
}
