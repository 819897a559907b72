// SPDX-License-Identifier: MIT
// Sorting in columns, without a device. The zero-one tests and the tests of the reference have plans in columns, too.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "ops/sort/rounds.hpp"
#include "oracle/reference_executor.hpp"
#include "oracle/reference_network.hpp"
#include "shapes.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

unsigned lg(std::uint64_t power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }

/// The keys that are sorted in columns alone at most.
std::size_t most_in_columns(const Shape& shape) { return std::size_t{shape.tile_keys()} << most_column_bits(shape); }

void check_sorts(std::vector<std::uint32_t> keys, const Shape& shape) {
    CAPTURE(to_string(shape));
    CAPTURE(keys.size());
    const std::vector<std::uint32_t> expected = sorted(keys, Order::ascending);
    ReferenceExecutor(keys.data(), 4, key_coding(KeyType::u32, Order::ascending)).run(make_plan(keys.size(), shape));
    REQUIRE(keys == expected);
}

TEST_CASE("columns: four passes, and the steps of the network where tiles are walked") {
    for (const Shape& shape : column_shapes()) {
        CAPTURE(to_string(shape));
        const bool walks = shape.walks_in_cache();
        const std::uint64_t tile = shape.tile_keys(), most = most_in_columns(shape);
        CHECK(most >= 2 * tile);
        CHECK(make_plan(tile, shape).passes.size() == 1);
        CHECK(make_plan(2 * most, shape).passes.size() > 4);
        // In local memory the network merges few tiles.
        const std::uint64_t few = std::min(tile << least_column_bits, std::max(most / 2, 2 * tile));
        for (std::uint64_t count = walks ? 2 * tile : few; count <= most; count *= 2) {
            const unsigned column_bits = lg(count / tile);
            const Plan plan = make_plan(count, shape);
            REQUIRE(plan.passes.size() == 4);
            // Truncated, the merge of a tile's columns has a step for each two bits of their numbers.
            unsigned steps_of_plan = walks ? 0 : column_bits * column_bits;
            for (const Pass& pass : plan.passes) {
                CHECK(pass.column_bits == column_bits);
                CHECK(pass.steps == steps(pass, shape).size());
                const bool is_whole_merge = pass.kind == Pass::Kind::merge_tile_columns && !walks;
                if (pass.kind != Pass::Kind::merge_borders && !is_whole_merge) steps_of_plan += pass.steps;
            }
            CHECK(steps_of_plan == lg(tile << column_bits) * (lg(tile << column_bits) + 1) / 2);
        }
        Shape network = shape;
        network.columns = false;
        CHECK(make_plan(most, network).passes.size() > 1);
        CHECK(make_plan(tile, network) == Plan{tile, network, make_plan(tile, shape).passes});
    }
}

TEST_CASE("columns: any keys, of any count, above what columns alone sort, too") {
    Random random(seed());
    for (const Shape& shape : column_shapes()) {
        const std::size_t tile = shape.tile_keys(), most = most_in_columns(shape);
        for (int i = 0; i < 60; ++i) {
            const std::size_t count =
                i < 6 ? std::array<std::size_t, 6>{tile + 1, 2 * tile - 1, most - 1, most, most + 1, 3 * most + 5}
                            [static_cast<std::size_t>(i)]
                      : 1 + random() % (i % 10 == 0 ? 3 * most : most);
            std::vector<std::uint32_t> keys(count);
            // Few values, or one tile again and again: the skew between columns is then the greatest.
            const std::uint64_t values = i % 3 == 0 ? 2 : i % 3 == 1 ? 1 + random() % 50 : ~std::uint64_t{0};
            for (std::size_t k = 0; k < count; ++k)
                keys[k] = i % 2 == 0 && k >= tile ? keys[k - tile] : static_cast<std::uint32_t>(random() % values);
            if (i % 7 == 0) std::ranges::sort(keys);
            if (i % 7 == 1) std::ranges::sort(keys, std::greater());
            check_sorts(keys, shape);
        }
    }
}

TEST_CASE("columns: each key lies in one of them, in whole tiles and in the last one") {
    for (const Shape& shape : column_shapes())
        for (const std::uint64_t count :
             {most_in_columns(shape), most_in_columns(shape) - 7, 2 * most_in_columns(shape) + 3}) {
            const Plan plan = make_plan(count, shape);
            const Pass& pass = plan.passes[1];
            REQUIRE(pass.kind == Pass::Kind::merge_columns);
            std::vector<int> columns_of(count);
            for (std::uint64_t number = 0; number < pass.groups; ++number)
                for (std::uint64_t i = 0; i < shape.tile_keys(); ++i) {
                    const std::uint64_t place = ColumnView(pass, plan, number).place(i);
                    if (place < count) ++columns_of[place];
                }
            CHECK(std::ranges::all_of(columns_of, [](int columns) { return columns == 1; }));
        }
}

TEST_CASE("columns: all that zeros and ones can leave in two sorted tiles, and much of four") {
    Random random(seed());
    for (const Shape& shape : {column_shapes()[0], column_shapes()[1]}) {
        const std::size_t tile = shape.tile_keys(), most = most_in_columns(shape);
        const auto check_zeros = [&](const std::vector<std::size_t>& zeros, std::size_t count) {
            std::vector<std::uint32_t> keys(count, 1);
            for (std::size_t k = 0; k < count; ++k) keys[k] = k % tile >= zeros[k / tile];
            check_sorts(keys, shape);
        };
        for (const std::size_t count : {tile + 1, tile + tile / 2 + 1, 2 * tile})
            for (std::size_t a = 0; a <= tile; ++a)
                for (std::size_t b = 0; b <= count - tile; b += tile > 16 ? 7 : 1) check_zeros({a, b}, count);
        for (int i = 0; i < 3000; ++i) {
            const std::size_t count = most - random() % tile, about = random() % (tile + 1);
            std::vector<std::size_t> zeros(most / tile);
            for (std::size_t& of_tile : zeros) of_tile = i % 2 ? about : random() % (tile + 1);
            check_zeros(zeros, count);
        }
    }
}

TEST_CASE("columns: a shape that has none says so") {
    for (Shape shape : {small_shapes()[0], small_shapes()[4], tiny_shapes()[1]}) {
        shape.columns = true;
        CHECK_THROWS_WITH_AS(check_shape(shape), doctest::Contains("columns"), Error);
    }
}

}  // namespace
}  // namespace lanesort::test
