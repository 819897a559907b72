// Many sorts in one call: rows of equal length.
#include <algorithm>
#include <numeric>

#include "error_support.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

template <class T, class Visit>
void for_each_row(std::vector<T>& items, std::size_t length, Visit visit) {
    for (auto row = items.begin(); row != items.end(); row += static_cast<std::ptrdiff_t>(length))
        visit(std::span(row, length));
}

template <Key K>
void sort_row(std::span<K> row, Order order) {
    std::ranges::copy(sorted(std::vector<K>(row.begin(), row.end()), order), row.begin());
}

/// Rows of keys in the middle of a memory, on the host and on the device.
template <Key K>
void check_rows(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, Order order,
                Random& random) {
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<K>));
    CAPTURE(rows);
    CAPTURE(length);
    CAPTURE(static_cast<int>(order));
    constexpr std::size_t zone = 21;
    const std::vector<K> before = random_keys<K>(zone + rows * length + zone, random);
    std::vector<K> middle(before.begin() + zone, before.end() - zone);
    for_each_row(middle, length, [&](std::span<K> row) { sort_row(row, order); });
    std::vector<K> expected = before;
    std::ranges::copy(middle, expected.begin() + zone);
    {
        INFO("host range");
        std::vector<K> keys = before;
        sorter.sort(std::span(keys).subspan(zone, rows * length), {.order = order, .row_length = length});
        require_same_bytes(keys, expected);
    }
    const Range range{zone, rows * length, key_type_v<K>, order, length};
    const auto memory = target.memory(bytes_of(before));
    {
        INFO("enqueued");
        memory->enqueue_sort(sorter, range);
        require_same_bytes(keys_of<K>(memory->read()), expected);
    }
    INFO("recorded");
    memory->write(bytes_of(before));
    memory->record(sorter, range)->enqueue();
    require_same_bytes(keys_of<K>(memory->read()), expected);
}

template <Key K>
void check_rows_with_values(Sorter& sorter, std::size_t rows, std::size_t length, Order order, Random& random) {
    CAPTURE(rows);
    CAPTURE(length);
    std::vector<K> keys = random_keys<K>(rows * length, random);
    for (K& key : keys) key = static_cast<K>(key % 50);
    const std::vector<K> before_sort = keys;
    std::vector<std::uint32_t> indices(keys.size(), 77), values(keys.size()), expected(keys.size());
    std::iota(values.begin(), values.end(), 0);
    for (std::size_t first = 0; first < keys.size(); first += length) {
        const std::span<std::uint32_t> row(expected.begin() + static_cast<std::ptrdiff_t>(first), length);
        std::iota(row.begin(), row.end(), 0);
        std::ranges::stable_sort(row, [&](std::uint32_t i, std::uint32_t j) {
            const K a = keys[first + i], b = keys[first + j];
            return order == Order::ascending ? a < b : b < a;
        });
    }
    sorter.argsort(std::span(std::as_const(keys)), std::span(indices), {.order = order, .row_length = length});
    CHECK(keys == before_sort);
    REQUIRE(indices == expected);
    // Values that ascend come out as the indices do.
    sorter.sort_by_key(std::span(keys), std::span(values), {.order = order, .row_length = length});
    std::vector<K> expected_keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        expected[i] += static_cast<std::uint32_t>(i / length * length);
        expected_keys.push_back(before_sort[expected[i]]);
    }
    REQUIRE(values == expected);
    REQUIRE(keys == expected_keys);
}

TEST_SUITE("values") {
    TEST_CASE("rows: of any length and number, each sorted by itself") {
        Random random(seed());
        const Shape shapes[] = {
            {.lanes = 1,
             .vectors = 2,
             .work_items = 8,
             .register_vectors = 4,
             .steps_per_pass = 3,
             .remap = true,
             .bank_padding = true,
             .coalesced_store = true},
            {.lanes = 4, .vectors = 8, .work_items = 1, .register_vectors = 4, .steps_per_pass = 2}};
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

    TEST_CASE("rows: in the shapes that the library chooses, with values and without") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t length : {60, 64, 1000, 1024, 70001})
                for (const std::size_t rows : {1, 7}) {
                    CAPTURE(target.name);
                    check_rows<std::uint32_t>(target, target.sorter(), rows, length, Order::descending, random);
                    check_rows_with_values<std::uint32_t>(target.sorter(), rows, length, Order::descending, random);
                }
    }

    TEST_CASE("rows: keys that do not fill them are refused; rows of one key need no sort") {
        for (Target& target : targets()) {
            std::vector<std::uint32_t> keys{3, 2, 1, 0, 9}, indices(5, 7);
            const Error error = error_of([&] { target.sorter().sort(std::span(keys), {.row_length = 2}); });
            CHECK(error.code() == ErrorCode::invalid_argument);
            check_mentions(error, {"5 keys", "rows of 2 keys"});
            CHECK(target.sorter().sort(std::span(keys), {.row_length = 1}).launches == 0);
            CHECK(keys == std::vector<std::uint32_t>{3, 2, 1, 0, 9});
            target.sorter().argsort(std::span(keys), std::span(indices), {.row_length = 1});
            CHECK(indices == std::vector<std::uint32_t>(5));
        }
    }
}

}  // namespace
}  // namespace lanesort::test
