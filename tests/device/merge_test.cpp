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
    const SortReport report = run_everywhere(target, sorter, problem_of(merge, keys), 35);
    CHECK(report.device_bytes == 0);
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
            pairs.request.stable = false;
            pairs.settle = [](Contents& contents) {
                auto values = keys_of<std::uint32_t>(contents.values);
                settle_ties(keys_of<std::uint32_t>(contents.keys), values);
                contents.values = bytes_of(values);
            };
            const SortReport unstable = run_everywhere(target, sorter, pairs);
            CHECK(unstable.device_bytes == 0);
        }
    }

    TEST_CASE("merge: values as wide as their keys, with which processors merge them as one integer") {
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
            const auto memory = target.memory(Bytes(400));
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, lanesort::merge_by_key(KeyRange{here, 0, 50}, {here, 49, 4}, 10));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
