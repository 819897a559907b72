// SPDX-License-Identifier: MIT
// Where keys belong in sorted ranges: lower_bound, upper_bound and equal_range.
#include <numeric>

#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

constexpr Operation searches[] = {Operation::lower_bound, Operation::upper_bound, Operation::equal_range};

/// Among them are keys of the range, special ones and others.
template <Key T>
std::vector<T> needles_for(const std::vector<T>& keys, std::size_t count, Random& random) {
    std::vector<T> needles = make_keys<T>(Pattern::special_values, count, random);
    for (std::size_t i = 0; i < count; i += 2)
        needles[i] = !keys.empty() && i % 4 == 0 ? keys[random() % keys.size()] : random_keys<T>(1, random)[0];
    return needles;
}

template <Key T>
Problem search_of(Operation operation, std::vector<T> keys, const std::vector<T>& needles, std::size_t index_bytes,
                  Order order = Order::ascending) {
    std::ranges::sort(keys, [order](T a, T b) { return comes_before(a, b, order); });
    return problem_of({.operation = operation, .order = order, .index_bytes = index_bytes}, keys, {}, {}, 0,
                      bytes_of(needles));
}

TEST_SUITE("bounds") {
    TEST_CASE("bounds: keys of every type, among special values") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                for (const std::size_t count : {0, 1, 2, 1023, 5001})
                    for (const Order order : {Order::ascending, Order::descending}) {
                        const auto keys =
                            make_keys<T>(count % 2 ? Pattern::special_values : Pattern::few_values, count, random);
                        const Operation operation = searches[random() % 3];
                        run_everywhere(target, target.sorter(),
                                       search_of(operation, keys, needles_for(keys, 77 + count / 2, random),
                                                 order == Order::ascending ? 4 : 8, order),
                                       count % 5);
                    }
            });
    }

    TEST_CASE("bounds: any number of keys and of needles") {
        Random random(seed());
        for (Target& target : targets())
            for (const Operation operation : searches)
                for (const std::size_t count : {0, 1, 3, 255, 256, 257, 1024, 1025, 20'011})
                    for (const std::size_t needles : {0, 1, 15, 1025, 9001}) {
                        const auto keys = random_keys<std::uint32_t>(count, random);
                        run_everywhere(target, target.sorter(),
                                       search_of(operation, keys, needles_for(keys, needles, random), 4), count % 3);
                    }
    }

    TEST_CASE("bounds: the built-in device finds the same") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const Operation operation : searches)
                for (const std::size_t count : {0, 1, 300, 70'001}) {
                    const auto keys = make_keys<T>(Pattern::few_values, count, random);
                    for (const std::size_t index_bytes : {4, 8})
                        run_on_host(sorter, search_of(operation, keys, needles_for(keys, 40'003, random), index_bytes),
                                    count % 3);
                }
        });
    }

    TEST_CASE("bounds: many keys, most of them equal") {
        Random random(seed());
        std::vector<float> keys(300'001, 1.0F), needles{0.5F, 1, 1.5F, -0.0F, 0.0F};
        for (std::size_t i = 0; i < 1000; ++i) keys[i] = static_cast<float>(random() % 3) * 0.75F;
        for (Target& target : targets())
            for (const Operation operation : searches)
                run_everywhere(target, target.sorter(), search_of(operation, keys, needles, 8), 1);
    }

    TEST_CASE("bounds: records in the order of a comparator") {
        struct Record {
            std::uint32_t key, other[2];
        };
        const Comparator by_key{.type = "record",
                                .bytes = sizeof(Record),
                                .before = "a.key < b.key",
                                .declarations = "typedef struct { uint key, other[2]; } record;"};
        const auto is_before = [](const Record& a, const Record& b) { return a.key < b.key; };
        Random random(seed());
        std::vector<Record> records(2999), needles(513);
        for (Record& record : records)
            record = {static_cast<std::uint32_t>(random() % 1000), {static_cast<std::uint32_t>(random()), 0}};
        for (Record& needle : needles) needle = {static_cast<std::uint32_t>(random() % 1010), {0, 7}};
        std::ranges::stable_sort(records, is_before);
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            for (const Operation operation : searches)
                run_everywhere(target, target.sorter(),
                               problem_of({.operation = operation, .index_bytes = 4}, by_key, records, is_before, {},
                                          {}, 0, bytes_of(needles)));
        }
    }

    TEST_CASE("bounds: a multi-map answers many keys at once") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            std::vector<std::uint16_t> keys(10'000);
            for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>(random() % 3000);
            const std::vector<std::uint16_t> unsorted = keys;
            std::vector<std::uint32_t> values(keys.size());
            std::iota(values.begin(), values.end(), 0u);
            target.sorter().sort_by_key(keys, values, {.stable = true});
            const std::vector<std::uint16_t> asked = random_keys<std::uint16_t>(500, random);
            std::vector<std::uint32_t> found(2 * asked.size());
            target.sorter().equal_range(keys, asked, found);
            bool are_right = true;
            for (std::size_t i = 0; i < asked.size(); ++i) {
                std::vector<std::uint32_t> of_key;
                for (std::uint32_t v = 0; v < unsorted.size(); ++v)
                    if (unsorted[v] == asked[i]) of_key.push_back(v);
                are_right &= std::ranges::equal(
                    of_key, std::span(values).subspan(found[2 * i], found[2 * i + 1] - found[2 * i]));
            }
            CHECK(are_right);
        }
    }

    TEST_CASE("bounds: in work-groups of several work-items, whatever the device") {
        Random random(seed());
        for (Target& target : targets()) {
            DeviceInfo card = graphics_card();
            card.max_work_items = std::min(64u, target.info.max_work_items);
            Sorter disguised = sorter_as(target.sorter(), card);
            for (const Operation operation : searches)
                for (const std::size_t count : {1, 1023, 1024, 1025, 30'011}) {
                    const auto keys = random_keys<std::uint64_t>(count, random);
                    run_on_host(disguised, search_of(operation, keys, needles_for(keys, 5003, random), 4));
                    const auto halves = make_keys<half>(Pattern::special_values, count, random);
                    run_on_host(disguised, search_of(operation, halves, needles_for(halves, 777, random), 8));
                }
        }
    }

    TEST_CASE("bounds: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::vector<float> keys(10), needles(5);
            const std::vector<int> others(5);
            std::vector<std::uint32_t> indices(5);
            check_refused(ErrorCode::invalid_argument, "there are 5 indices, but there must be 10",
                          [&] { sorter.equal_range(keys, needles, indices); });
            check_refused(ErrorCode::invalid_argument, "keys of type f32, but the second has keys of type i32",
                          [&] { sorter.lower_bound(keys, others, indices); });
            check_refused(ErrorCode::invalid_argument, "rows or segments",
                          [&] { sorter.lower_bound(keys, std::span(needles).first(5), indices, {.row_length = 5}); });
            check_refused(ErrorCode::invalid_argument, "indices have 2 bytes",
                          [&] { sorter.lower_bound(keys, needles, Indices(indices.data(), 5, 2)); });
            check_refused(ErrorCode::invalid_argument, "overlap",
                          [&] { sorter.upper_bound(keys, needles, Indices(const_cast<float*>(keys.data()), 5, 4)); });
            Request request{.operation = Operation::lower_bound, .count = std::uint64_t{1} << 32, .index_bytes = 4};
            check_refused(ErrorCode::too_large, "cannot be numbered", [&] { sorter.prepare(request); });
            request = {.operation = Operation::sort, .count = 10, .second_count = 3};
            check_refused(ErrorCode::invalid_argument, "does not use `second_count`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
