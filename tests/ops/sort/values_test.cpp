// SPDX-License-Identifier: MIT
// Sorts that move values with their keys, and those that only number them.
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

template <Key K>
void check_sort_by_key(const Target& target, Sorter& sorter, std::size_t value_bytes, std::size_t count, Order order,
                       std::size_t offset, Random& random) {
    const auto keys = keys_with_twins<K>(count, random);
    const Problem problem = problem_of({.order = order, .value_bytes = value_bytes}, keys);
    const SortReport report = run_everywhere(target, sorter, problem, offset);
    CHECK(report.device_bytes <= (report.schedule == Schedule::distribution ? target.most_quicksort_bytes() : 0));
}

/// Keys and values at the ends of their ranges, where they meet what lies beyond the array.
template <Key K, Key V>
void check_extremes(const Target& target, Sorter& sorter, std::size_t count, Order order, Random& random) {
    const auto keys = make_keys<K>(Pattern::special_values, count, random);
    const auto values = make_keys<V>(Pattern::special_values, count, random);
    run_everywhere(target, sorter, problem_of({.order = order, .value_bytes = sizeof(V)}, keys, {}, bytes_of(values)),
                   count % 3);
}

template <Key K>
void check_argsort(const Target& target, Sorter& sorter, std::size_t index_bytes, std::size_t count, Order order,
                   std::size_t offset, Random& random) {
    const Problem problem = problem_of({.operation = Operation::argsort, .order = order, .index_bytes = index_bytes},
                                       keys_with_twins<K>(count, random));
    const SortReport report = run_everywhere(target, sorter, problem, offset);
    const std::uint64_t copy = count > 1 ? count * sizeof(K) : 0;
    const bool by_quicksort = report.schedule == Schedule::distribution;
    CHECK(report.device_bytes >= copy);
    CHECK(report.device_bytes <= copy + (by_quicksort ? target.most_quicksort_bytes() : 0));
}

constexpr std::size_t counts[] = {0, 1, 2, 3, 777, 40003};

TEST_SUITE("values") {
    TEST_CASE("sort by key: every width of values, every width of keys") {
        Random random(seed());
        for (Target& target : targets()) {
            const auto check = [&]<Key K>(K, std::size_t value_bytes) {
                for (const Order order : both_orders)
                    for (const std::size_t count : counts)
                        check_sort_by_key<K>(target, target.sorter(), value_bytes, count, order, count % 5, random);
            };
            check(std::int8_t{}, 1);
            check(half{}, 8);
            check(std::uint32_t{}, 4);
            check(double{}, 2);
            check(double{}, 16);
        }
    }

    TEST_CASE("sort by key: the shapes that graphics cards have for many") {
        Random random(seed());
        for (Target& target : targets()) {
            if (target.info.kind != DeviceKind::gpu) continue;
            for (const std::size_t count : {300'003, 7'000'003})
                for (const std::size_t offset : {1, 2}) {
                    check_sort_by_key<std::uint32_t>(target, target.sorter(), 4, count, Order::ascending, offset,
                                                     random);
                    check_argsort<float>(target, target.sorter(), 4, count, Order::descending, offset, random);
                }
        }
    }

    TEST_CASE("argsort: numbers the keys stably and leaves them alone") {
        Random random(seed());
        for (Target& target : targets())
            for (const Order order : both_orders)
                for (const std::size_t count : counts) {
                    check_argsort<std::uint8_t>(target, target.sorter(), 4, count, order, 3, random);
                    check_argsort<float>(target, target.sorter(), 8, count, order, 0, random);
                    check_argsort<std::int64_t>(target, target.sorter(), 4, count, order, 7, random);
                }
    }

    TEST_CASE("sort by key: every shape gives the same bytes") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<Shape> shapes{
                {.lanes = 1, .vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 3},
                {.lanes = 4,
                 .vectors = 2,
                 .work_items = 4,
                 .register_vectors = 4,
                 .steps_per_pass = 2,
                 .remap = true,
                 .bank_swap = true,
                 .coalesced_store = true},
                {.lanes = 1,
                 .vectors = 4,
                 .work_items = 16,
                 .register_vectors = 8,
                 .steps_per_pass = 6,
                 .remap = true,
                 .bank_padding = true,
                 .coalesced_store = true},
                {.lanes = 2, .vectors = 1, .work_items = 4, .steps_per_pass = 1, .local_sync = false},
                {.lanes = 4, .vectors = 64, .work_items = 1, .register_vectors = 8, .steps_per_pass = 4},
                {.lanes = 8, .vectors = 16, .work_items = 1, .register_vectors = 8, .steps_per_pass = 3}};
            for (const Shape& shape : shapes) {
                if (!target.can_run(shape, 16)) continue;
                CAPTURE(to_string(shape));
                Sorter sorter = target.new_sorter(shape);
                for (const std::size_t count : {1, 2, 15, 17, 511, 513, 5003}) {
                    check_sort_by_key<std::uint16_t>(target, sorter, 4, count, Order::ascending, count % 3, random);
                    check_argsort<float>(target, sorter, 4, count, Order::descending, count % 2, random);
                }
            }
        }
    }

    TEST_CASE("sort by key: values as wide as their keys, with which processors sort them as one integer") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<std::optional<Shape>> shapes{std::nullopt};
            for (const Shape& shape : small_shapes())
                if (shape.walks_in_cache() && target.info.kind == DeviceKind::cpu) shapes.push_back(shape);
            if (target.info.kind == DeviceKind::cpu) shapes.push_back(column_shapes()[4]);
            shapes.push_back(column_shapes_in_local()[3]);
            for (const std::optional<Shape>& shape : shapes) {
                CAPTURE((shape ? to_string(*shape) : "as chosen"));
                std::optional<Sorter> own;
                if (shape) own.emplace(target.new_sorter(*shape));
                Sorter& sorter = own ? *own : target.sorter();
                const auto check = [&]<Key K, Key V>() {
                    for (const Order order : both_orders)
                        for (const std::size_t count : {2, 63, 257, 1024, 5003}) {
                            check_extremes<K, V>(target, sorter, count, order, random);
                            check_sort_by_key<K>(target, sorter, sizeof(V), count, order, count % 2, random);
                        }
                };
                check.template operator()<std::int8_t, std::uint8_t>();
                check.template operator()<half, std::uint16_t>();
                check.template operator()<float, std::uint32_t>();
                check.template operator()<std::uint32_t, std::uint32_t>();
            }
        }
    }

    TEST_CASE("values: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint32_t> keys(10), values(9);
            std::vector<std::byte> odd(1000);
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9",
                          [&] { sorter.sort_by_key(std::span(keys), std::span(values)); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9",
                          [&] { sorter.argsort(std::span(keys), std::span(values)); });
            for (const std::size_t bytes : {0, 3, 32})
                check_refused(ErrorCode::invalid_argument, "1, 2, 4, 8 or 16", [&] {
                    sorter.sort_by_key({keys.data(), 10, KeyType::u32}, {odd.data(), 10, bytes});
                });
            for (const std::size_t bytes : {0, 2, 16})
                check_refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                    sorter.argsort({keys.data(), 10, KeyType::u32}, {odd.data(), 10, bytes});
                });
            check_refused(ErrorCode::too_large, "cannot be numbered", [&] {
                constexpr std::uint64_t many = (std::uint64_t{1} << 32) + 1;
                sorter.argsort({keys.data(), many, KeyType::u8}, {odd.data(), many, 4});
            });
            const auto memory = target.memory(Bytes(400));
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, sort_by_key(KeyRange{here, 0, 40, KeyType::u32}, {here, 39, 4}));
            });
            check_refused(ErrorCode::out_of_range, "60 values at offset 41", [&] {
                memory->enqueue(sorter, sort_by_key(KeyRange{here, 0, 60, KeyType::u8}, {here, 41, 4}));
            });
            check_refused(ErrorCode::out_of_range, "keys", [&] {
                memory->enqueue(sorter, argsort(KeyRange{here, 90, 11, KeyType::u32}, {here, 0, 4}));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
