// SPDX-License-Identifier: MIT
// Many sorts in one call: rows of equal length.
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

template <Key K>
void check_rows(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, Order order,
                Random& random) {
    run_everywhere(target, sorter,
                   problem_of({.order = order, .row_length = length}, random_keys<K>(rows * length, random)), 21);
}

void check_rows_with_values(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, Order order,
                            Random& random) {
    std::vector<std::uint32_t> keys(rows * length);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 50);
    run_everywhere(target, sorter, problem_of({.order = order, .row_length = length, .value_bytes = 4}, keys));
    run_everywhere(
        target, sorter,
        problem_of({.operation = Operation::argsort, .order = order, .row_length = length, .index_bytes = 4}, keys));
}

TEST_SUITE("values") {
    TEST_CASE("rows: of any length and number, each sorted by itself") {
        Random random(seed());
        const Shape shapes[] = {{.lanes = 1,
                                 .vectors = 2,
                                 .work_items = 8,
                                 .register_vectors = 4,
                                 .steps_per_pass = 3,
                                 .remap = true,
                                 .bank_padding = true,
                                 .coalesced_store = true},
                                {.lanes = 4, .vectors = 8, .work_items = 1, .register_vectors = 4, .steps_per_pass = 2},
                                column_shapes()[2],
                                column_shapes_in_local()[1]};
        for (Target& target : targets())
            for (const Shape& shape : shapes) {
                CAPTURE(to_string(shape));
                Sorter sorter = target.new_sorter(shape);
                for (const std::size_t length : {1, 2, 3, 5, 16, 21, 31, 33, 64, 127, 1000})
                    for (const std::size_t rows : {1, 2, 3, 131}) {
                        check_rows<std::uint32_t>(target, sorter, rows, length, Order::ascending, random);
                        if (length > 30) check_rows<float>(target, sorter, rows, length, Order::descending, random);
                    }
            }
    }

    TEST_CASE("rows: that end anywhere in a tile in which every key keeps its slot") {
        Random random(seed());
        Shape small{.lanes = 1, .vectors = 2, .work_items = 128, .register_vectors = 4, .steps_per_pass = 3};
        small.bank_padding = small.coalesced_store = true;
        Shape usual = small;
        usual.vectors = 16;
        usual.register_vectors = 32;
        for (Target& target : targets())
            for (const Shape& shape : {small, usual}) {
                CAPTURE(to_string(shape));
                Sorter sorter = target.new_sorter(shape);
                const std::size_t of_warp = std::size_t{32} * shape.register_vectors, warps = shape.work_items / 32;
                for (std::size_t warp = 1; warp < 2 * warps; ++warp)
                    for (const std::size_t length :
                         {warp * of_warp + 1, warp * of_warp + of_warp / 2, (warp + 1) * of_warp}) {
                        CAPTURE(length);
                        check_rows<std::uint32_t>(target, sorter, 5, length, Order::descending, random);
                        check_rows<float>(target, sorter, 3, length, Order::ascending, random);
                        if (warp % 2 == 1) check_rows_with_values(target, sorter, 3, length, Order::descending, random);
                    }
            }
    }

    TEST_CASE("rows: in the shapes that the library chooses, with values and without") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t length : {60, 64, 1000, 1024, 70001})
                for (const std::size_t rows : {1, 7}) {
                    check_rows<std::uint32_t>(target, target.sorter(), rows, length, Order::descending, random);
                    check_rows_with_values(target, target.sorter(), rows, length, Order::descending, random);
                }
    }

    TEST_CASE("rows: keys that do not fill them are refused; rows of one key need no sort") {
        for (Target& target : targets()) {
            std::vector<std::uint32_t> keys{3, 2, 1, 0, 9}, indices(5, 7);
            check_refused(ErrorCode::invalid_argument, "5 keys are no whole number of rows of 2 keys",
                          [&] { target.sorter().sort(std::span(keys), {.row_length = 2}); });
            CHECK(target.sorter().sort(std::span(keys), {.row_length = 1}).launches == 0);
            CHECK(keys == std::vector<std::uint32_t>{3, 2, 1, 0, 9});
            target.sorter().argsort(std::span(keys), std::span(indices), {.row_length = 1});
            CHECK(indices == std::vector<std::uint32_t>(5));
        }
    }
}

}  // namespace
}  // namespace lanesort::test
