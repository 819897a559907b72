// SPDX-License-Identifier: MIT
// Sorted ranges: how far they are in order, their distinct keys, and the lengths of their runs.
#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/compact/sorted_ranges_schedule.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

/// is_sorted and is_sorted_until.
template <class T, class Before>
void check_order(const Target& target, Sorter& sorter, const std::vector<T>& keys, const KeyKind& kind,
                 Before is_before, std::optional<Order> order = {}, std::size_t row_length = 0) {
    for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until})
        run_everywhere(
            target, sorter,
            problem_of({.operation = operation, .order = order, .row_length = row_length}, kind, keys, is_before));
}

template <Key K>
void check_order(const Target& target, Sorter& sorter, const std::vector<K>& keys, Order order = Order::ascending,
                 std::size_t row_length = 0) {
    const auto is_before = [order](K a, K b) { return comes_before(a, b, order); };
    check_order(target, sorter, keys, key_type_v<K>, is_before, order, row_length);
}

/// unique of keys, or of pairs with values of so many bytes, into another range and in place.
template <class T, class Before>
void check_unique(const Target& target, Sorter& sorter, const std::vector<T>& keys, const KeyKind& kind,
                  Before is_before, std::optional<Order> order = {}, std::size_t value_bytes = 0) {
    for (const bool in_place : {false, true})
        run_everywhere(
            target, sorter,
            problem_of(
                {.operation = Operation::unique, .order = order, .in_place = in_place, .value_bytes = value_bytes},
                kind, keys, is_before));
}

/// unique and run_lengths. No more than there are runs may be written.
template <class T, class Before>
void check_runs(const Target& target, Sorter& sorter, const std::vector<T>& keys, const KeyKind& kind, Before is_before,
                std::optional<Order> order = {}) {
    check_unique(target, sorter, keys, kind, is_before, order);
    for (const std::size_t length_bytes : {4, 8})
        run_everywhere(target, sorter,
                       problem_of({.operation = Operation::run_lengths, .order = order, .length_bytes = length_bytes},
                                  kind, keys, is_before));
}

template <Key K>
void check_runs(const Target& target, Sorter& sorter, const std::vector<K>& keys, Order order = Order::ascending) {
    check_runs(
        target, sorter, keys, key_type_v<K>, [order](K a, K b) { return comes_before(a, b, order); }, order);
}

struct Pair {
    std::uint16_t key, tag;
    std::uint32_t rest;
};
const Comparator by_key{.type = "pair",
                        .bytes = sizeof(Pair),
                        .before = "a.key < b.key",
                        .declarations = "typedef struct { ushort key, tag; uint rest; } pair;"};
const auto key_before = [](const Pair& a, const Pair& b) { return a.key < b.key; };

/// Records that are equal differ in their other bytes.
std::vector<Pair> sorted_records(std::size_t count, std::uint64_t different, Random& random) {
    std::vector<Pair> records(count);
    for (Pair& record : records)
        record = {static_cast<std::uint16_t>(random() % different), static_cast<std::uint16_t>(random()),
                  static_cast<std::uint32_t>(random())};
    std::ranges::stable_sort(records, key_before);
    return records;
}

/// Keys of one tile, and so many that each share has several.
struct Counts {
    std::size_t tile, several;
};
Counts counts_of(const Target& target, std::size_t bytes) {
    const auto schedule =
        inside::make_sorted_ranges_schedule(target.info, bytes, inside::SortedRangesTask::unique, 1, 1ull << 40);
    const std::size_t tile = std::size_t{schedule.shape.work_items} * schedule.shape.vectors;
    return {tile, schedule.parts * tile * 2 + tile / 2 + 1};
}

KeyRange first_keys(std::size_t count) { return {here, 0, count, KeyType::u32}; }

TEST_SUITE("sorted ranges") {
    TEST_CASE("sorted ranges: the first descent is found wherever it is") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const auto [tile, several] = counts_of(target, 4);
            for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, tile - 1,
                                            tile, tile + 1, 2 * tile + 1, several})
                for (const Order order : both_orders) {
                    auto keys = sorted(random_keys<std::int32_t>(count, random), order);
                    check_order(target, sorter, keys, order);
                    const std::int32_t first = count > 0 ? keys[0] : 0;
                    for (const std::size_t at : {count - 1, 3 * tile, 2 * tile + 1, 2 * tile, tile + 1, tile, tile - 1,
                                                 std::size_t{2}, std::size_t{1}}) {
                        if (at >= count) continue;
                        CAPTURE(at);
                        // All later ones stay, which must not be found.
                        keys[at] = first;
                        check_order(target, sorter, keys, order);
                    }
                }
            check_order(target, sorter, std::vector<std::int32_t>(several, 5));
            check_order(target, sorter, random_keys<std::int32_t>(several, random));
        }
    }

    TEST_CASE("sorted ranges: the first descent of each row") {
        Random random(seed());
        for (Target& target : targets()) {
            const std::size_t tile = counts_of(target, 4).tile;
            for (const auto& [rows, length] :
                 {std::pair<std::size_t, std::size_t>{0, 5}, {1, 7}, {100, 1}, {37, 2}, {1000, 33}, {3, 2 * tile + 1}})
                for (const Order order : both_orders) {
                    auto keys = random_keys<float>(rows * length, random);
                    check_order(target, target.sorter(), keys, order, length);
                    for (std::size_t row = 0; row < rows; ++row) {
                        if (row % 3 == 0 && row > 0) continue;  // in order are the first and two of three
                        std::ranges::sort(std::span(keys).subspan(row * length, length),
                                          [&](float a, float b) { return comes_before(a, b, order); });
                    }
                    check_order(target, target.sorter(), keys, order, length);
                }
            // Each row alone is in order, the range is not.
            std::vector<float> keys(600);
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i % 30);
            check_order(target, target.sorter(), keys, Order::ascending, 30);
            CHECK(target.sorter().is_sorted(std::span(keys), {.row_length = 30}));
            CHECK(!target.sorter().is_sorted(std::span(keys)));
        }
    }

    TEST_CASE("sorted ranges: runs of every length, at the edges of shares too") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const auto [tile, several] = counts_of(target, 4);
            for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, tile - 1,
                                            tile, tile + 1, 2 * tile + 1, several}) {
                check_runs(target, sorter, std::vector<std::uint32_t>(count, 0xffffffff));
                std::vector<std::uint32_t> keys(count);
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i);
                check_runs(target, sorter, keys);
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i / tile);
                check_runs(target, sorter, keys);
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>((i + 1) / tile);
                check_runs(target, sorter, keys);
                // The second of three runs goes on over many shares in which none begins.
                for (std::size_t i = 0; i < count; ++i) keys[i] = (i >= 5) + (i + 2 >= count);
                check_runs(target, sorter, keys);
                for (const Order order : both_orders)
                    for (const std::size_t different :
                         {std::size_t{2}, std::size_t{40}, std::max<std::size_t>(count, 1)}) {
                        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % different);
                        check_runs(target, sorter, sorted(keys, order), order);
                    }
            }
        }
    }

    TEST_CASE("sorted ranges: neighbours that are equal are one run in unsorted keys, too") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<std::uint16_t> keys(5001);
            for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>(random() % 3);
            run_everywhere(target, target.sorter(), problem_of({.operation = Operation::unique}, keys));
        }
    }

    TEST_CASE("sorted ranges: keys of every type, NaNs and zeros of either sign") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class K>() {
                for (const Order order : both_orders) {
                    auto keys = sorted(make_keys<K>(Pattern::special_values, 3001, random), order);
                    check_runs(target, target.sorter(), keys, order);
                    check_order(target, target.sorter(), keys, order);
                    // Two neighbours of different value are exchanged, each in turn.
                    for (std::size_t i = keys.size() - 1; i > 0; --i) {
                        if (bits_of(keys[i - 1]) == bits_of(keys[i])) continue;
                        std::swap(keys[i - 1], keys[i]);
                        check_order(target, target.sorter(), keys, order);
                        std::swap(keys[i - 1], keys[i]);
                    }
                }
            });
    }

    TEST_CASE("sorted ranges: records in the caller's order, the first of equal ones kept") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count :
                 {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{999}, std::size_t{10'001}}) {
                auto records = sorted_records(count, 50, random);
                const auto check = [&](std::size_t row_length) {
                    check_order(target, target.sorter(), records, by_key, key_before, {}, row_length);
                };
                check_runs(target, target.sorter(), records, by_key, key_before);
                check(0);
                if (count > 2) check(count % 3 == 0 ? count / 3 : count);
                std::ranges::reverse(records);
                check(0);
            }
    }

    TEST_CASE("sorted ranges: of equal keys, the value of the first one is kept, of every width") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const auto [tile, several] = counts_of(target, 4);
            const auto check = [&]<class K>(std::size_t count, std::size_t different, std::size_t value_bytes) {
                std::vector<K> keys(count);
                for (K& key : keys) key = static_cast<K>(random() % different);
                const auto is_before = [](K a, K b) { return comes_before(a, b, Order::descending); };
                check_unique(target, sorter, sorted(keys, Order::descending), key_type_v<K>, is_before,
                             Order::descending, value_bytes);
            };
            for (const std::size_t bytes : {1, 2, 4, 8, 16}) {
                for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, tile + 1, several}) {
                    if (count == several && bytes != 4) continue;  // many keys: seconds on a large device
                    for (const std::size_t different : {std::size_t{1}, std::size_t{100}, 3 * count + 1})
                        check.operator()<std::uint32_t>(count, different, bytes);
                }
                check.operator()<std::uint8_t>(10'001, 200, bytes);
                check.operator()<double>(10'001, 500, bytes);
                auto floats = sorted(make_keys<float>(Pattern::special_values, 3001, random), Order::ascending);
                const auto float_before = [](float a, float b) { return comes_before(a, b, Order::ascending); };
                check_unique(target, sorter, floats, KeyType::f32, float_before, {}, bytes);
                check_unique(target, sorter, sorted_records(3001, 50, random), by_key, key_before, {}, bytes);
            }
        }
    }

    TEST_CASE("sorted ranges: calls with the types of C++") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::vector<double> keys{-1, 0, 0, 2.5, 2.5, 2.5, 9};
            std::vector<double> distinct(keys.size());
            std::vector<std::uint64_t> lengths(keys.size());
            CHECK(sorter.is_sorted(std::span(keys)));
            CHECK(!sorter.is_sorted(std::span(keys), {.order = Order::descending}));
            CHECK(sorter.is_sorted_until(std::span(keys)) == 7);
            CHECK(sorter.is_sorted_until(std::span(keys), {.order = Order::descending}) == 1);
            CHECK(sorter.unique(std::span(keys), std::span(distinct)) == 4);
            CHECK(distinct == std::vector<double>{-1, 0, 2.5, 9, 0, 0, 0});
            CHECK(sorter.run_lengths(std::span(keys), std::span(distinct), std::span(lengths)) == 4);
            CHECK(lengths == std::vector<std::uint64_t>{1, 2, 3, 1, 0, 0, 0});

            const std::vector<char> letters{'a', 'b', 'c', 'd', 'e', 'f', 'g'};
            std::vector<char> first_letters(keys.size(), '-');
            distinct.assign(keys.size(), 0);
            CHECK(sorter.unique_by_key(keys, letters, distinct, first_letters) == 4);
            CHECK(distinct == std::vector<double>{-1, 0, 2.5, 9, 0, 0, 0});
            CHECK(first_letters == std::vector<char>{'a', 'b', 'd', 'g', '-', '-', '-'});
            auto keys_in_place = keys;
            auto letters_in_place = letters;
            CHECK(sorter.unique_by_key(keys_in_place, letters_in_place) == 4);
            CHECK(keys_in_place == std::vector<double>{-1, 0, 2.5, 9, 2.5, 2.5, 9});
            CHECK(letters_in_place == std::vector<char>{'a', 'b', 'd', 'g', 'e', 'f', 'g'});

            std::vector<Pair> records = sorted_records(100, 10, random), kept(100);
            std::vector<std::uint32_t> of(100);
            const Problem problem =
                problem_of({.operation = Operation::run_lengths, .length_bytes = 4}, by_key, records, key_before);
            CHECK(sorter.is_sorted({records, by_key}));
            CHECK(sorter.is_sorted({records, by_key}, {.row_length = 20}));
            CHECK(sorter.is_sorted_until({records, by_key}) == 100);
            const std::size_t number = sorter.unique({records, by_key}, kept);
            std::vector<Pair> in_place = records;
            CHECK(sorter.unique({in_place, by_key}) == number);
            CHECK(sorter.run_lengths({records, by_key}, kept, of) == number);
            for (std::size_t i = 0; i < number; ++i) {
                CHECK(kept[i].rest == keys_of<Pair>(problem.after.results)[i].rest);
                CHECK(in_place[i].rest == kept[i].rest);
                CHECK(of[i] == keys_of<std::uint32_t>(problem.after.lengths)[i]);
            }
        }
    }

    TEST_CASE("sorted ranges: in work-groups of every size, with indices of either width, whatever the device") {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide_positions] :
                 {std::pair{1u, true}, {2u, false}, {8u, true}, {64u, false}}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                CAPTURE(wide_positions);
                DeviceInfo card = graphics_card();
                card.max_work_items = work_items;
                card.compute_units = 1;
                Sorter& sorter = target.sorter();
                const std::size_t tile = work_items * std::size_t{16};
                for (const std::size_t count : {std::size_t{1}, tile, 70 * tile + 1}) {
                    std::vector<std::uint32_t> keys(count);
                    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 100);
                    std::ranges::sort(keys);
                    const auto schedule =
                        inside::make_sorted_ranges_schedule(card, 4, inside::SortedRangesTask::run_lengths, 1, count);
                    REQUIRE(schedule.shape.work_items == work_items);
                    Sorter disguised = sorter_as(sorter, card, wide_positions);
                    run_on_host(disguised, problem_of({.operation = Operation::run_lengths, .length_bytes = 4}, keys));
                    run_on_host(disguised, problem_of({.operation = Operation::unique, .value_bytes = 2}, keys));
                    run_on_host(disguised, problem_of({.operation = Operation::is_sorted}, keys));
                    for (const std::size_t at : {count - 1, count / 2, count / 3}) {
                        keys[at] = 0;
                        run_on_host(disguised, problem_of({.operation = Operation::is_sorted_until}, keys));
                    }
                }
            }
    }

    TEST_CASE("sorted ranges: runs in one read, whatever a group sees of those in front of it") {
        Random random(seed());
        for (Target& target : targets())
            for (const unsigned work_items : {2u, 8u, 64u}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                DeviceInfo card = graphics_card();
                card.max_work_items = work_items;
                Sorter disguised = sorter_as(target.sorter(), card, false);
                for (const std::uint32_t tries : {0u, 1u, 1000u})
                    for (const std::size_t different : {1, 5, 300, 1 << 30}) {
                        CAPTURE(work_items);
                        CAPTURE(tries);
                        CAPTURE(different);
                        const auto check = [&]<class T>(std::size_t count, T) {
                            std::vector<T> keys(count);
                            for (T& key : keys) key = static_cast<T>(random() % different);
                            std::ranges::sort(keys);
                            run_with_tries(disguised,
                                           problem_of({.operation = Operation::run_lengths, .length_bytes = 4}, keys),
                                           tries);
                            run_with_tries(disguised,
                                           problem_of({.operation = Operation::run_lengths, .length_bytes = 8}, keys),
                                           tries);
                            run_with_tries(disguised, problem_of({.operation = Operation::unique}, keys), tries);
                            run_with_tries(disguised,
                                           problem_of({.operation = Operation::unique, .value_bytes = 16}, keys),
                                           tries);
                        };
                        check(20'011, std::uint32_t{});
                        if (tries != 1) continue;
                        check(9'000, std::uint64_t{});
                        check(30'003, std::uint16_t{});
                        check(40'001, std::uint8_t{});
                    }
            }
    }

    TEST_CASE("sorted ranges: no more memory than documented, and none where nothing is left over") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const std::size_t count = counts_of(target, 4).several;
            const std::size_t most = 16 * std::size_t{target.info.compute_units};
            const auto memory = target.memory(Bytes(count * 8 + 8));
            Sorter& sorter = target.sorter();
            const SortReport order = memory->enqueue(sorter, is_sorted(first_keys(count), {here, count}));
            CHECK(order.launches == 2);
            CHECK(order.device_bytes > 0);
            CHECK(order.device_bytes <= most * 8);
            const SortReport short_order = memory->enqueue(sorter, is_sorted(first_keys(9), {here, count}));
            CHECK(short_order.launches == 1);
            CHECK(short_order.device_bytes == 0);
            const SortReport runs = memory->enqueue(sorter, unique(first_keys(count), {here, count, {here, count}}));
            // In one read, 16 bytes for each tile, else for each share.
            const bool reads_once = target.info.kind != DeviceKind::cpu;
            const std::size_t most_of_runs = reads_once ? 16 * (count / 1024 + 1) : most * 16;
            CHECK(runs.launches == (reads_once ? 1 : 3));
            CHECK(runs.device_bytes <= most_of_runs);
            const SortReport in_place =
                memory->enqueue(sorter, unique(first_keys(count), ValueRangeIn<void*>{here, count}));
            CHECK(in_place.device_bytes == runs.device_bytes + count * 4);
            const std::size_t half = count / 2;
            const SortReport pairs = memory->enqueue(
                sorter, unique_by_key(first_keys(half), {here, half, 4}, ValueRangeIn<void*>{here, count}));
            CHECK(pairs.device_bytes >= half * 8);
            CHECK(pairs.device_bytes <= half * 8 + most_of_runs);
        }
    }

    TEST_CASE("sorted ranges: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<float> keys(10), few(9), distinct(10);
            std::vector<std::uint32_t> lengths(10);
            const std::vector<std::uint64_t> offsets{0, 10};
            std::vector<std::uint64_t> in_order(2);
            const std::span all(keys), some = all.first(5);
            check_refused(ErrorCode::invalid_argument, "room for only 9", [&] { sorter.unique(all, std::span(few)); });
            check_refused(ErrorCode::invalid_argument, "room for only 9",
                          [&] { sorter.run_lengths(all, std::span(few), std::span(lengths)); });
            check_refused(ErrorCode::invalid_argument, "room for only 9",
                          [&] { sorter.run_lengths(all, std::span(distinct), std::span(lengths).first(9)); });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] { sorter.unique(all, all); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9 values",
                          [&] { sorter.unique_by_key(all, std::span(few)); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9 values",
                          [&] { sorter.unique_by_key(all, std::span(few), distinct, lengths); });
            check_refused(ErrorCode::invalid_argument, "room for only 9",
                          [&] { sorter.unique_by_key(all, lengths, std::span(few), lengths); });
            check_refused(ErrorCode::invalid_argument, "room for only 9",
                          [&] { sorter.unique_by_key(all, lengths, distinct, std::span(few)); });
            check_refused(ErrorCode::invalid_argument, "the values have 4 bytes in one array, but 8 in another", [&] {
                sorter.unique_by_key(all, lengths, distinct, {in_order.data(), 10, 8});
            });
            check_refused(ErrorCode::invalid_argument, "the values and the values of distinct keys overlap",
                          [&] { sorter.unique_by_key(all, lengths, distinct, lengths); });
            check_refused(ErrorCode::invalid_argument, "the keys and the values overlap",
                          [&] { sorter.unique_by_key(all, all); });
            check_refused(ErrorCode::invalid_argument, "the pointer to the values of distinct keys is null", [&] {
                sorter.unique_by_key(all, lengths, distinct, {nullptr, 10, 4});
            });
            check_refused(ErrorCode::invalid_argument, "null", [&] { sorter.unique(all, {nullptr, all.size(), 4}); });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                sorter.run_lengths(some, {distinct.data(), 5, 4}, {distinct.data() + 4, 5, 4});
            });
            check_refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                sorter.run_lengths(some, {distinct.data(), 5, 4}, {lengths.data(), 5, 2});
            });
            check_refused(ErrorCode::invalid_argument, "rows or segments",
                          [&] { sorter.unique(all, std::span(distinct), {.row_length = 5}); });
            check_refused(ErrorCode::invalid_argument, "rows or segments", [&] {
                sorter.run_lengths(all, std::span(distinct), std::span(lengths), {.segments = offsets});
            });
            check_refused(ErrorCode::invalid_argument, "segments",
                          [&] { sorter.is_sorted(all, {.segments = offsets}); });
            check_refused(ErrorCode::invalid_argument, "segments",
                          [&] { sorter.is_sorted_until(all, {.segments = offsets}); });
            check_refused(ErrorCode::invalid_argument, "each", [&] { sorter.is_sorted_until(all, {.row_length = 5}); });
            check_refused(ErrorCode::invalid_argument, "room for 2 results, but there are 5",
                          [&] { sorter.is_sorted_until(all, in_order, {.row_length = 2}); });
            check_refused(ErrorCode::invalid_argument, "rows or segments",
                          [&] { sorter.unique(all.first(0), some, {.row_length = 5}); });
            CHECK(sorter.unique(all.first(0), some) == 0);
            CHECK(sorter.is_sorted(all.first(0)));
            CHECK(sorter.is_sorted_until(all.first(0)) == 0);
            check_refused(ErrorCode::invalid_argument, "rows of 3", [&] { sorter.is_sorted(all, {.row_length = 3}); });
            check_refused(ErrorCode::invalid_argument, "the text is for 8", [&] {
                sorter.is_sorted_until({all, by_key});
            });

            // 100 words: keys 0 .. 9, and what else is named.
            const auto memory = target.memory(Bytes(400));
            const KeyRange ten = first_keys(10);
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, is_sorted(ten, {here, 4}));
            });  // an integer is two words
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, unique(ten, {here, 9, {here, 20}}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, run_lengths(ten, {here, 20, {here, 40}}, {here, 29, 4}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, unique_by_key(ten, {here, 10, 4}, {here, 20, {here, 40}}, {here, 29, 4}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, unique_by_key(ten, {here, 9, 4}, ValueRangeIn<void*>{here, 40}));
            });
            check_refused(ErrorCode::invalid_argument, "4 bytes in one array, but 2 in another", [&] {
                memory->enqueue(sorter, unique_by_key(ten, {here, 10, 4}, {here, 20, {here, 20}}, {here, 80, 2}));
            });
            check_refused(ErrorCode::out_of_range, "values of distinct keys", [&] {
                memory->enqueue(sorter, unique_by_key(ten, {here, 10, 4}, {here, 20, {here, 20}}, {here, 91, 4}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, run_lengths(ten, {here, 20, {here, 18}}, {here, 30, 4}));
            });
            check_refused(ErrorCode::out_of_range, "results", [&] {
                memory->enqueue(sorter, is_sorted_until(ten, {here, 50}));
            });
            check_refused(ErrorCode::out_of_range, "keys", [&] {
                memory->enqueue(sorter, unique(ten, {here, 91, {here, 40}}));
            });
            check_refused(ErrorCode::out_of_range, "lengths", [&] {
                memory->enqueue(sorter, run_lengths(ten, {here, 10, {here, 10}}, {here, 46, 8}));
            });
            check_refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                memory->enqueue(sorter, run_lengths(ten, {here, 10, {here, 20}}, {here, 40, 1}));
            });
            check_refused(ErrorCode::too_large, "cannot be counted", [&] {
                memory->enqueue(sorter, run_lengths(KeyRange{here, 0, 1ull << 32, KeyType::u8}, {here, 10, {here, 20}},
                                                    {here, 40, 4}));
            });
            check_refused(ErrorCode::invalid_argument, "rows or segments", [&] {
                memory->enqueue(sorter,
                                unique(KeyRange{.memory = here, .count = 10, .type = KeyType::u32, .row_length = 5},
                                       {here, 10, {here, 20}}));
            });
            check_refused(ErrorCode::invalid_argument, "segments", [&] {
                memory->enqueue(
                    sorter,
                    is_sorted(
                        KeyRange{.memory = here, .count = 10, .type = KeyType::u32, .segments = {here, 50, 1, 5, 4}},
                        {here, 20}));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
