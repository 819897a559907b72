// Merges of two sorted ranges that lie side by side.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "error_support.hpp"
#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

template <Key K>
bool comes_before(K a, K b, Order order) {
    return order == Order::ascending ? before(a, b) : before(b, a);
}

/// Two ranges, each sorted in that order, the first of `middle` keys.
template <Key K>
std::vector<K> two_ranges(std::size_t count, std::size_t middle, Order order, Random& random) {
    std::vector<K> keys = make_keys<K>(all_patterns[random() % std::size(all_patterns)], count, random);
    const auto second = keys.begin() + static_cast<std::ptrdiff_t>(middle);
    std::sort(keys.begin(), second, [&](K a, K b) { return comes_before(a, b, order); });
    std::sort(second, keys.end(), [&](K a, K b) { return comes_before(a, b, order); });
    return keys;
}

/// On the host and, between red zones, in device memory.
template <Key K>
void check_merge(const Target& target, Sorter& sorter, std::size_t count, std::size_t middle, Order order,
                 Random& random) {
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<K>));
    CAPTURE(count);
    CAPTURE(middle);
    CAPTURE(static_cast<int>(order));
    constexpr std::size_t zone = 35;
    const std::vector<K> keys = two_ranges<K>(count, middle, order, random), expected = sorted(keys, order);
    std::vector<K> merged = keys;
    sorter.merge(std::span(merged), middle, {.order = order});
    require_same_bytes(merged, expected);

    std::vector<K> unmerged = random_keys<K>(zone + count + zone, random), whole = unmerged;
    std::ranges::copy(keys, unmerged.begin() + zone);
    std::ranges::copy(expected, whole.begin() + zone);
    const auto memory = target.memory(bytes_of(unmerged));
    const SortReport report = memory->enqueue_merge(sorter, {zone, count, key_type_v<K>, order}, {0, 0}, middle);
    CHECK(report.device_bytes == 0);
    require_same_bytes(keys_of<K>(memory->read()), whole);
}

/// Values ascend in each range, so that pairs come out in the order of both.
template <std::unsigned_integral K>
void check_merge_by_key(Sorter& sorter, std::size_t count, std::size_t middle, Random& random) {
    CAPTURE(sizeof(K));
    CAPTURE(count);
    CAPTURE(middle);
    std::vector<K> keys(count), values(count);
    for (K& key : keys) key = static_cast<K>(random() % 50 == 0 ? ~K{0} : random() % 100);
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle));
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(middle), keys.end());
    std::iota(values.begin(), values.end(), K{0});
    const auto expected = stable_indices<K>(keys, Order::ascending);
    std::vector<K> merged = keys;
    sorter.merge_by_key(std::span(merged), std::span(values), middle);
    REQUIRE(merged == sorted(keys, Order::ascending));
    REQUIRE(values == expected);
}

struct Item {
    std::uint16_t key, tag;
    auto operator<=>(const Item&) const = default;
};
const Comparator by_key{.type = "item",
                        .bytes = sizeof(Item),
                        .before = "a.key < b.key",
                        .declarations = "typedef struct { ushort key, tag; } item;"};

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
        constexpr std::size_t count = 50'003, middle = 20'011, zone = 16;
        for (Target& target : targets()) {
            CAPTURE(target.name);
            std::vector<std::uint32_t> keys(count), values(count);
            for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 1000);
            std::sort(keys.begin(), keys.begin() + middle);
            std::sort(keys.begin() + middle, keys.end());
            for (std::uint32_t i = 0; i < count; ++i) values[i] = ~i;
            std::vector<std::uint32_t> order(count);
            std::iota(order.begin(), order.end(), 0);
            std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });

            std::vector<std::uint32_t> merged_keys = keys, merged = values;
            const SortReport report =
                target.sorter().merge_by_key(std::span(merged_keys), std::span(merged), middle, {.stable = true});
            CHECK(report.device_bytes >= count * 4);
            for (std::size_t i = 0; i < count; ++i) REQUIRE(merged[i] == values[order[i]]);

            std::vector<std::uint32_t> memory(2 * count + zone, 5);
            std::ranges::copy(keys, memory.begin());
            std::ranges::copy(values, memory.begin() + count + zone);
            const auto on_device = target.memory(bytes_of(memory));
            on_device->enqueue_merge(target.sorter(), {0, count, KeyType::u32}, {count + zone, 4}, middle);
            const auto found = keys_of<std::uint32_t>(on_device->read());
            for (std::size_t i = 0; i < count; ++i) {
                REQUIRE(found[i] == keys[order[i]]);
                REQUIRE(keys[~found[count + zone + i]] == found[i]);
            }
            CHECK(std::all_of(found.begin() + count, found.begin() + count + zone, [](auto x) { return x == 5; }));
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
                        check_merge_by_key<std::uint32_t>(sorter, count, middle, random);
                        check_merge_by_key<std::uint16_t>(sorter, count, middle, random);
                    }
            }
    }

    TEST_CASE("merge: records by a comparator") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {10, 5000})
                for (const std::size_t middle : {std::size_t{1}, count / 2, count - 2})
                    for (const bool stable : {false, true}) {
                        CAPTURE(count);
                        CAPTURE(middle);
                        CAPTURE(stable);
                        std::vector<Item> items(count);
                        for (Item& item : items)
                            item = {static_cast<std::uint16_t>(random() % 50), static_cast<std::uint16_t>(random())};
                        const auto second = items.begin() + static_cast<std::ptrdiff_t>(middle);
                        std::ranges::stable_sort(items.begin(), second, {}, &Item::key);
                        std::ranges::stable_sort(second, items.end(), {}, &Item::key);
                        std::vector<Item> expected = items, found = items;
                        std::ranges::stable_sort(expected, {}, &Item::key);
                        target.sorter().merge({found, by_key}, middle, {.stable = stable});
                        if (stable) REQUIRE(found == expected);
                        REQUIRE(std::ranges::is_sorted(found, {}, &Item::key));
                        std::ranges::sort(found);
                        std::ranges::sort(expected);
                        REQUIRE(found == expected);
                    }
    }

    TEST_CASE("merge: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint32_t> keys(10);
            const auto refused = [&](ErrorCode code, const std::string& part, const std::function<void()>& call) {
                const Error error = error_of(call);
                CHECK(error.code() == code);
                check_mentions(error, {part});
            };
            refused(ErrorCode::out_of_range, "begins at key 11", [&] { sorter.merge(std::span(keys), 11); });
            refused(ErrorCode::invalid_argument, "only whole ranges",
                    [&] { sorter.merge(std::span(keys), 5, {.row_length = 5}); });
            refused(ErrorCode::invalid_argument, "only whole ranges",
                    [&] { sorter.merge(std::span(keys), 5, {.first = 2}); });
            const auto memory = target.memory(Bytes(400));
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_merge(sorter, {0, 50}, {49, 4}, 10);
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
