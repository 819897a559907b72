// SPDX-License-Identifier: MIT
// Merges of two sorted ranges that lie side by side.
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

/// Of keys that lie in two ranges, each in that order.
template <Key K>
void check_merge(const Target& target, Sorter& sorter, std::size_t count, std::size_t middle, Order order,
                 Random& random) {
    std::vector<K> keys = make_keys<K>(all_patterns[random() % std::size(all_patterns)], count, random);
    sort_two(keys, middle, [&](K a, K b) { return comes_before(a, b, order); });
    const Request merge{.operation = Operation::merge, .order = order, .middle = middle};
    const Problem problem = problem_of(merge, keys);
    const SortReport report = run_everywhere(target, sorter, problem, 35);
    CHECK(report.device_bytes == 0);
    const SortReport of_apart = run_everywhere(target, sorter, apart(problem), 35);
    CHECK(of_apart.device_bytes == 0);
    CHECK(of_apart.launches == report.launches);
}

/// Unless it is stable, the values of equal keys come in the order of their bits if they do so in both ranges.
template <std::unsigned_integral K>
Problem merge_by_key(std::size_t count, std::size_t middle, bool stable, Random& random) {
    std::vector<K> keys(count), values(count);
    for (K& key : keys) key = static_cast<K>(random() % 50 == 0 ? ~K{0} : random() % 100);
    sort_two(keys, middle, std::less<>());
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<K>(stable ? ~i : i);
    const Request merge{.operation = Operation::merge, .stable = stable, .middle = middle, .value_bytes = sizeof(K)};
    return problem_of(merge, keys, {}, bytes_of(values));
}

struct Item {
    std::uint16_t key, tag;
};
const Comparator of_items{.type = "item",
                          .bytes = sizeof(Item),
                          .before = "a.key < b.key",
                          .declarations = "typedef struct { ushort key, tag; } item;"};

/// Items that belong to equal keys side by side may come in any order: brings them into that of their bits.
template <class K, class T>
void settle_ties(const std::vector<K>& keys, std::vector<T>& items) {
    for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
        while (last < keys.size() && keys[last] == keys[first]) ++last;
        std::ranges::sort(std::span(items).subspan(first, last - first), {},
                          [](const T& item) { return std::bit_cast<std::uint32_t>(item); });
    }
}

TEST_SUITE("merge") {
    TEST_CASE("merge: two ranges of any lengths, as std::inplace_merge") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            for (const std::size_t count : {0, 1, 2, 3, 1000, 4096, 100'003, 700'000})
                for (const std::size_t middle : {std::size_t{0}, std::size_t{1}, count / 3, count / 2, count}) {
                    if (middle > count) continue;
                    check_merge<float>(target, sorter, count, middle, middle % 2 ? Order::ascending : Order::descending,
                                       random);
                }
            check_merge<std::uint64_t>(target, sorter, 300'007, 299'000, Order::ascending, random);
            check_merge<std::int8_t>(target, sorter, 300'007, 4, Order::descending, random);
        }
    }

    TEST_CASE("merge: values go with their keys, and those of the first range come first where that is asked for") {
        Random random(seed());
        constexpr std::size_t count = 50'003, middle = 20'011;
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            Problem pairs = merge_by_key<std::uint32_t>(count, middle, true, random);
            const SortReport stable = run_everywhere(target, sorter, pairs);
            CHECK(stable.device_bytes >= count * 4);
            run_everywhere(target, sorter, apart(pairs));
            pairs.request.stable = false;
            pairs.settle = [](Contents& contents) {
                auto values = keys_of<std::uint32_t>(contents.values);
                settle_ties(keys_of<std::uint32_t>(contents.keys), values);
                contents.values = bytes_of(values);
            };
            const SortReport unstable = run_everywhere(target, sorter, pairs);
            CHECK(unstable.device_bytes == 0);
            run_everywhere(target, sorter, apart(pairs));
        }
    }

    TEST_CASE("merge: values as wide as their keys, with which processors merge them as one integer" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for (const Shape& shape : small_shapes()) {
                if (!shape.walks_in_cache() || target.info.kind != DeviceKind::cpu) continue;
                CAPTURE(to_string(shape));
                Sorter sorter = target.new_sorter(shape);
                for (const std::size_t count : {2, 63, 1024, 5003})
                    for (const std::size_t middle : {std::size_t{1}, count / 3, count / 2, count - 1}) {
                        run_everywhere(target, sorter, merge_by_key<std::uint32_t>(count, middle, false, random));
                        run_everywhere(target, sorter, merge_by_key<std::uint16_t>(count, middle, false, random));
                    }
            }
    }

    TEST_CASE("merge: records by a comparator") {
        Random random(seed());
        const auto is_before = [](const Item& a, const Item& b) { return a.key < b.key; };
        for (Target& target : targets())
            for (const std::size_t count : {10, 5000})
                for (const std::size_t middle : {std::size_t{1}, count / 2, count - 2})
                    for (const bool stable : {false, true}) {
                        std::vector<Item> items(count);
                        for (Item& item : items)
                            item = {static_cast<std::uint16_t>(random() % 50), static_cast<std::uint16_t>(random())};
                        sort_two(items, middle, is_before);
                        const Request merge{.operation = Operation::merge, .stable = stable, .middle = middle};
                        Problem problem = problem_of(merge, of_items, items, is_before);
                        if (!stable)
                            problem.settle = [](Contents& contents) {
                                auto found = keys_of<Item>(contents.keys);
                                std::vector<std::uint16_t> keys;
                                for (const Item& item : found) keys.push_back(item.key);
                                settle_ties(keys, found);
                                contents.keys = bytes_of(found);
                            };
                        run_everywhere(target, target.sorter(), problem);
                        run_everywhere(target, target.sorter(), apart(problem));
                    }
    }

    TEST_CASE("merge: ranges that lie apart, with values of every width and keys of every type" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            for (const std::size_t middle : {0, 1, 400, 1000, 1001})
                for (const std::size_t value_bytes : {1, 2, 4, 8, 16}) {
                    std::vector<std::uint16_t> keys(1001);
                    for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>(random() % 300);
                    sort_two(keys, middle, std::less<>());
                    run_everywhere(target, sorter,
                                   apart(problem_of({.operation = Operation::merge,
                                                     .stable = true,
                                                     .middle = middle,
                                                     .value_bytes = value_bytes},
                                                    keys)));
                }
            for (const Order order : both_orders)
                for_each_key_type([&]<class K>() {
                    auto keys = make_keys<K>(Pattern::special_values, 3001, random);
                    sort_two(keys, 1234, [&](K a, K b) { return comes_before(a, b, order); });
                    run_everywhere(
                        target, sorter,
                        apart(problem_of({.operation = Operation::merge, .order = order, .middle = 1234}, keys)));
                });
            for (const std::size_t count : {0, 1, 2, 3})
                for (std::size_t middle = 0; middle <= count; ++middle)
                    run_everywhere(target, sorter,
                                   apart(problem_of({.operation = Operation::merge, .middle = middle},
                                                    std::vector<double>(count, 7.5))));
        }
    }

    TEST_CASE("merge: ranges that lie apart, with the types of C++") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::vector<float> low{1, 3, 5}, high{2, 3, 4, 9};
            const std::vector<char> a{'a', 'b', 'c'}, z{'w', 'x', 'y', 'z'};
            std::vector<float> merged(8, -1);
            std::vector<char> letters(8, '-');
            sorter.merge(low, high, merged);
            CHECK(merged == std::vector<float>{1, 2, 3, 3, 4, 5, 9, -1});
            merged.assign(8, -1);
            sorter.merge_by_key(low, a, high, z, merged, letters, {.stable = true});
            CHECK(merged == std::vector<float>{1, 2, 3, 3, 4, 5, 9, -1});
            CHECK(letters == std::vector<char>{'a', 'w', 'b', 'x', 'y', 'c', 'z', '-'});
            const Item first[] = {{1, 1}, {2, 2}}, second[] = {{1, 3}, {7, 4}};
            std::vector<Item> items(4);
            sorter.merge({first, of_items}, {second, of_items}, items, {.stable = true});
            for (std::uint16_t i = 0; i < 4; ++i) CHECK(items[i].tag == std::array{1, 3, 2, 4}[i]);
        }
    }

    TEST_CASE("merge: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint32_t> keys(10);
            check_refused(ErrorCode::out_of_range, "begins at key 11", [&] { sorter.merge(std::span(keys), 11); });
            check_refused(ErrorCode::invalid_argument, "only whole ranges",
                          [&] { sorter.merge(std::span(keys), 5, {.row_length = 5}); });
            check_refused(ErrorCode::invalid_argument, "only whole ranges",
                          [&] { sorter.merge(std::span(keys), 5, {.first = 2}); });
            std::vector<std::uint32_t> more(5), merged(15), few(14);
            std::vector<std::uint64_t> wide(15);
            check_refused(ErrorCode::invalid_argument, "have 15 keys, but there is room for only 14",
                          [&] { sorter.merge(keys, more, few); });
            check_refused(ErrorCode::invalid_argument, "have 15 keys, but there is room for only 14",
                          [&] { sorter.merge_by_key(keys, keys, more, more, merged, few); });
            check_refused(ErrorCode::invalid_argument, "the first range has keys of type u32, but the second",
                          [&] { sorter.merge(keys, wide, few); });
            check_refused(ErrorCode::invalid_argument, "results have 8 bytes",
                          [&] { sorter.merge(keys, more, Results(wide)); });
            check_refused(ErrorCode::invalid_argument, "5 keys, but 10 values",
                          [&] { sorter.merge_by_key(keys, keys, more, keys, merged, merged); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 5 values",
                          [&] { sorter.merge_by_key(keys, more, more, more, merged, merged); });
            check_refused(ErrorCode::invalid_argument, "4 bytes in one array, but 8 in another",
                          [&] { sorter.merge_by_key(keys, keys, more, more, merged, wide); });
            check_refused(ErrorCode::invalid_argument, "4 bytes in one array, but 8 in another", [&] {
                sorter.merge_by_key(keys, keys, more, {wide.data(), 5, 8}, merged, merged);
            });
            check_refused(ErrorCode::invalid_argument, "the merged keys and the merged values overlap",
                          [&] { sorter.merge_by_key(keys, keys, more, more, merged, merged); });
            check_refused(ErrorCode::invalid_argument, "the keys of the second range and the merged keys overlap",
                          [&] { sorter.merge(keys, std::span(merged).last(5), merged); });
            check_refused(ErrorCode::invalid_argument, "the pointer to the keys of the second range is null", [&] {
                sorter.merge(keys, {nullptr, 5, KeyType::u32}, merged);
            });
            check_refused(ErrorCode::invalid_argument, "only whole ranges",
                          [&] { sorter.merge(keys, more, merged, {.row_length = 5}); });

            const auto memory = target.memory(Bytes(400));
            const KeyRange ten{here, 0, 10, KeyType::u32}, five{here, 10, 5, KeyType::u32};
            const ValueRangeIn<void*> behind{here, 20};
            check_refused(ErrorCode::invalid_argument, "the keys of the first range and the merged keys overlap", [&] {
                memory->enqueue(sorter, lanesort::merge(ten, five, ValueRangeIn<void*>{here, 9}));
            });
            check_refused(ErrorCode::out_of_range, "15 merged keys at offset 86", [&] {
                memory->enqueue(sorter, lanesort::merge(ten, five, ValueRangeIn<void*>{here, 86}));
            });
            check_refused(ErrorCode::invalid_argument, "asks for something else", [&] {
                lanesort::merge(ten,
                                KeyRange{.memory = here, .count = 5, .type = KeyType::u32, .order = Order::descending},
                                behind);
            });
            check_refused(ErrorCode::invalid_argument, "but the second has keys of type f32", [&] {
                lanesort::merge(ten, KeyRange{here, 10, 5, KeyType::f32}, behind);
            });
            check_refused(ErrorCode::invalid_argument, "4 bytes in one array, but 2 in another", [&] {
                lanesort::merge_by_key(ten, {here, 40, 4}, five, {here, 50, 4}, behind, {here, 60, 2});
            });
            check_refused(ErrorCode::invalid_argument, "merged values overlap", [&] {
                memory->enqueue(sorter,
                                lanesort::merge_by_key(ten, {here, 40, 4}, five, {here, 50, 4}, behind, {here, 54, 4}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, lanesort::merge_by_key(KeyRange{here, 0, 50, KeyType::u32}, {here, 49, 4}, 10));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
