// SPDX-License-Identifier: MIT
// The first k keys, of arrays and of rows, with and without their indices.
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/top_k/top_k_schedule.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

template <Key K>
void check_top_k(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, std::size_t k, Order order,
                 std::size_t index_bytes, Random& random) {
    const Request top_k{.operation = Operation::top_k,
                        .order = order,
                        .row_length = rows == 1 ? 0 : length,
                        .first = k,
                        .index_bytes = index_bytes};
    run_everywhere(target, sorter, problem_of(top_k, keys_with_twins<K>(rows * length, random)));
}

/// A selection of the first keys as it would be made for another device, in kernels for 2^31 keys and more or for
/// fewer.
template <Key K>
void check_selection_for(const DeviceInfo& device, const Target& target, Sorter& sorter, std::size_t index_bytes,
                         std::size_t rows, std::size_t length, std::size_t k, bool in_buckets, Random& random) {
    namespace inside = lanesort::detail;
    CAPTURE(rows);
    const inside::TopKSchedule selection =
        inside::make_top_k_schedule(device, {sizeof(K), 0, index_bytes}, rows, length, k);
    CHECK((selection.passes.front().kind == inside::TopKPass::Kind::best_of_buckets) == in_buckets);
    if (selection.shape.work_items > target.info.max_work_items) return;
    Sorter disguised = sorter_as(sorter, device, index_bytes == 8);
    const Request top_k{.operation = Operation::top_k,
                        .order = Order::ascending,
                        .row_length = length,
                        .first = k,
                        .index_bytes = index_bytes,
                        .data_independent = true};
    const auto report = run_on_host(disguised, problem_of(top_k, keys_with_twins<K>(rows * length, random)));
    CHECK(report.launches == selection.passes.size());
}

/// Keys that the threshold may be wrong for, or slow. The best ones are the smallest.
const char* const kinds_of_rows[] = {"random",
                                     "few different",
                                     "all equal",
                                     "ascending",
                                     "descending",
                                     "best in one chunk",
                                     "all but few equal",
                                     "best between samples",
                                     "worst in samples",
                                     "NaN and infinities",
                                     "equal, worse in samples"};

template <Key K>
std::vector<K> keys_of_kind(std::size_t kind, std::size_t rows, std::size_t length, std::size_t k, Random& random) {
    std::vector<K> keys(rows * length);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t at = i % length, piece = at / 8 % 8;
        const auto noise = static_cast<K>(random() % 100'000);
        const K special[] = {std::numeric_limits<K>::infinity(),
                             -std::numeric_limits<K>::infinity(),
                             std::numeric_limits<K>::quiet_NaN(),
                             -std::numeric_limits<K>::quiet_NaN(),
                             K{0},
                             -K{0}};
        const K by_kind[] = {noise,
                             static_cast<K>(random() % 3),
                             K{1},
                             static_cast<K>(at),
                             -static_cast<K>(at),
                             at > length / 2 && at <= length / 2 + k ? -noise : noise,
                             static_cast<K>(random() % 50 == 0 ? 0 : 1),
                             piece == 0 ? K{200'000} : noise,
                             piece == 0 ? noise : K{200'000},
                             special[random() % 6],
                             piece == 0 ? K{2} : K{1}};
        keys[i] = by_kind[kind];
    }
    return keys;
}

struct Pair {
    std::uint16_t key, tag;
};
const Comparator by_key{.type = "pair",
                        .bytes = sizeof(Pair),
                        .before = "a.key < b.key",
                        .declarations = "typedef struct { ushort key, tag; } pair;"};

void check_records(Target& target, std::size_t count, std::uint64_t different, Random& random) {
    std::vector<Pair> records(count);
    for (Pair& record : records)
        record = {static_cast<std::uint16_t>(random() % different), static_cast<std::uint16_t>(random())};
    for (const std::size_t index_bytes : {0, 4})
        run_everywhere(target, target.sorter(),
                       problem_of({.operation = Operation::top_k, .first = 4, .index_bytes = index_bytes}, by_key,
                                  records, [](const Pair& a, const Pair& b) { return a.key < b.key; }));
}

TEST_SUITE("top-k") {
    TEST_CASE("top-k: of arrays of every length, with and without indices") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const std::size_t most = lanesort::detail::most_selected(target.info, {4, 0, 4}, 0);
            for (const std::size_t count : {1, 2, 7, 100, 5000, 300'001})
                for (const std::size_t k :
                     {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{8}, most, most + 1, count}) {
                    if (k > count || (k == count && count > 5000)) continue;
                    check_top_k<float>(target, sorter, 1, count, k, Order::descending, 4, random);
                }
            for (const std::size_t count : {2, 999, 200'003})
                for (const std::size_t k : {1, 2}) {
                    check_top_k<float>(target, sorter, 1, count, k, Order::ascending, 0, random);
                    check_top_k<std::int8_t>(target, sorter, 1, count, k, Order::ascending, 8, random);
                    check_top_k<double>(target, sorter, 1, count, k, Order::descending, 0, random);
                }
        }
    }

    TEST_CASE("top-k: of rows") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t length : {2, 33, 1000})
                for (const std::size_t k : {1, 2, 8, 33}) {
                    if (k > length) continue;
                    check_top_k<float>(target, target.sorter(), 37, length, k, Order::descending, 4, random);
                }
    }

    TEST_CASE("top-k: as graphics cards, poor ones and processors select, whatever the device") {
        Random random(seed());
        DeviceInfo card = graphics_card(), poor = card, walker = processor();
        card.compute_units = poor.compute_units = 1;
        poor.max_work_items = 32;
        poor.local_bytes = 4096;
        walker.native_vector_bytes = 4;
        for (Target& target : targets())
            for (const DeviceInfo& device : {card, poor, processor(), walker}) {
                // What is compiled for a processor's caches takes a graphics card's compiler long.
                if (device.kind == DeviceKind::cpu && target.info.kind != DeviceKind::cpu) continue;
                CAPTURE(target.name);
                CAPTURE(device.name);
                CAPTURE(device.max_work_items);
                CAPTURE(device.native_vector_bytes);
                Sorter& sorter = target.sorter();
                const auto check = [&]<Key K>(K, std::size_t index_bytes, std::size_t rows, std::size_t length,
                                              std::size_t k, bool in_buckets) {
                    check_selection_for<K>(device, target, sorter, index_bytes, rows, length, k, in_buckets, random);
                };
                const std::size_t most = lanesort::detail::most_selected(device, {4, 0, 4}, 0);
                for (const std::size_t k : {std::size_t{1}, std::size_t{9}, most}) check(1.0F, 4, 1, 9000, k, false);
                check(1.0, 8, 1, 5001, 30, false);
                check(1.0F, 4, 300, 50, std::min<std::size_t>(most, 17), false);
                for (const std::size_t k : {1, 7}) check(1.0F, 4, 1, (1 << 19) + 77, k, true);
                check(1.0F, 4, 40, 15'001, 7, true);
                check(std::int8_t{}, 8, 1, (1 << 19) + 1, 30, true);
                check(1.0, 4, 3, (1 << 18) + 1, 5, true);
            }
    }

    TEST_CASE("top-k: by a threshold, as graphics cards select, whatever the keys") {
        Random random(seed());
        DeviceInfo card = graphics_card();
        card.compute_units = 2;
        card.kind = DeviceKind::other;  // whose rounds are not unrolled, which takes PoCL minutes
        for (Target& target : targets()) {
            if (target.info.local_bytes < card.local_bytes || target.info.max_work_items < card.max_work_items)
                continue;
            CAPTURE(target.name);
            const auto check = [&]<Key K>(Sorter& sorter, K, std::size_t index_bytes, std::size_t rows,
                                          std::size_t length, std::size_t k, std::size_t least_launches) {
                for (std::size_t kind = 0; kind < std::size(kinds_of_rows); ++kind) {
                    CAPTURE(rows);
                    CAPTURE(length);
                    CAPTURE(k);
                    CAPTURE(std::string(kinds_of_rows[kind]));
                    const Request top_k{.operation = Operation::top_k,
                                        .order = kind % 2 == 0 ? Order::ascending : Order::descending,
                                        .nan_last = kind == 9 && k % 4 == 0,
                                        .row_length = length,
                                        .first = k,
                                        .index_bytes = index_bytes};
                    const auto report =
                        run_on_host(sorter, problem_of(top_k, keys_of_kind<K>(kind, rows, length, k, random)));
                    CHECK(report.launches >= least_launches);
                    CHECK((report.launches == least_launches || least_launches > 3));
                }
            };
            // All of one shape, so that they share a program: in one work-group a row, in several, and by launches that
            // sort what does not fit local memory.
            Sorter narrow = sorter_as(target.sorter(), card);
            check(narrow, 1.0F, 4, 5, 9'001, 1023, 1);
            check(narrow, 1.0F, 4, 5, 8'192, 1024, 1);
            check(narrow, 1.0F, 0, 4, 9'001, 1, 1);
            check(narrow, 1.0F, 4, 1, 50'001, 100, 3);
            check(narrow, 1.0F, 4, 2, 50'001, 1024, 3);
            check(narrow, 1.0F, 4, 2, 65'536, 1025, 18);  // samples lie at multiples of 64
            Sorter wide = sorter_as(target.sorter(), card, true);
            check(wide, 1.0, 8, 4, 9'001, 300, 1);
        }
    }

    TEST_CASE("top-k: whatever the keys, on the caller's device") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t k : {1, 63, 64, 65, 300, 1024, 1025})
                for (std::size_t kind = 0; kind < std::size(kinds_of_rows); ++kind) {
                    CAPTURE(target.name);
                    CAPTURE(std::string(kinds_of_rows[kind]));
                    const std::size_t rows = 1 + kind % 3, length = k % 2 == 0 ? 150'001 / rows : 3001;
                    const Request top_k{.operation = Operation::top_k,
                                        .order = kind % 2 == 0 ? Order::ascending : Order::descending,
                                        .row_length = length,
                                        .first = k,
                                        .index_bytes = kind % 2 * std::size_t{4}};
                    run_everywhere(target, target.sorter(),
                                   problem_of(top_k, keys_of_kind<float>(kind, rows, length, k, random)));
                }
    }

    TEST_CASE("top-k: of so many that they are read by buckets, on the caller's device") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            // No whole group of buckets.
            const std::size_t count = target.info.kind == DeviceKind::cpu ? 100'077 : (1 << 22) + 77;
            check_top_k<float>(target, sorter, 1, count, 5, Order::descending, 0, random);
            check_top_k<std::uint16_t>(target, sorter, 1, count, 9, Order::ascending, 8, random);
            check_top_k<double>(target, sorter, 7, count / 7, 3, Order::descending, 4, random);

            // Equal keys that are no less than what lies beyond the end, and the first ones at the very end.
            const Request first_70{
                .operation = Operation::top_k, .order = Order::ascending, .first = 70, .index_bytes = 4};
            std::vector<std::uint32_t> keys(count, ~0U);
            run_everywhere(target, sorter, problem_of(first_70, keys));
            std::iota(keys.end() - 70, keys.end(), 0U);
            run_everywhere(target, sorter, problem_of(first_70, keys));
            check_records(target, count, 65536, random);
        }
    }

    TEST_CASE("top-k: of records, equal ones by their indices") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {5, 40'000}) check_records(target, count, 50, random);
    }

    TEST_CASE("top-k: with values of every width, and with indices besides") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::size_t most = lanesort::detail::most_selected(target.info, {4, 0, 4}, 0);
            // By a selection or a threshold, and by a sort.
            for (const std::size_t k : {std::size_t{1}, std::size_t{65}, most + 1})
                for (const std::size_t value_bytes : {1, 2, 4, 8, 16}) {
                    const std::size_t index_bytes = value_bytes == 2 ? 8 : value_bytes == 4 ? 4 : 0;
                    const Request top_k{.operation = Operation::top_k,
                                        .order = k == 65 ? Order::ascending : Order::descending,
                                        .row_length = value_bytes == 8 ? std::size_t{5003} : 0,
                                        .first = k,
                                        .value_bytes = value_bytes,
                                        .index_bytes = index_bytes};
                    run_everywhere(target, sorter, problem_of(top_k, keys_with_twins<float>(3 * 5003, random)));
                    if (value_bytes != 16) continue;
                    Request all = top_k;
                    all.first = 100;
                    run_everywhere(target, sorter, problem_of(all, keys_with_twins<std::uint8_t>(100, random)));
                }
            for (std::size_t kind = 0; kind < std::size(kinds_of_rows); ++kind) {
                CAPTURE(std::string(kinds_of_rows[kind]));
                const Request top_k{.operation = Operation::top_k,
                                    .order = kind % 2 == 0 ? Order::ascending : Order::descending,
                                    .row_length = 40'000,
                                    .first = 300,
                                    .value_bytes = 8};
                run_everywhere(target, sorter, problem_of(top_k, keys_of_kind<double>(kind, 2, 40'000, 300, random)));
            }
            const Request of_records{.operation = Operation::top_k, .first = 9, .value_bytes = 2};
            std::vector<Pair> records(5000);
            for (Pair& record : records)
                record = {static_cast<std::uint16_t>(random() % 50), static_cast<std::uint16_t>(random())};
            run_everywhere(target, sorter, problem_of(of_records, by_key, records, [](const Pair& a, const Pair& b) {
                               return a.key < b.key;
                           }));
        }
    }

    TEST_CASE("top-k: of segments, whose places stay as they are where they have fewer keys") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const Offsets offsets{3, 3, 4, 90, 90, 5000, 5010, 8000, 29'990};
            for (const std::size_t offset_bytes : {4, 8})
                for (const std::size_t k : {1, 10, 65, 1025, 30'000}) {
                    CAPTURE(k);
                    Request top_k{.operation = Operation::top_k,
                                  .order = k == 65 ? Order::ascending : Order::descending,
                                  .first = k,
                                  .offset_bytes = offset_bytes,
                                  .index_bytes = k == 10 ? std::size_t{0} : offset_bytes};
                    run_everywhere(target, sorter, problem_of(top_k, keys_with_twins<float>(30'000, random), offsets));
                    top_k.value_bytes = offset_bytes == 4 ? 2 : 16;
                    run_everywhere(target, sorter,
                                   problem_of(top_k, keys_with_twins<std::uint16_t>(30'000, random), offsets));
                }
            for (std::size_t kind = 0; kind < std::size(kinds_of_rows); ++kind) {
                CAPTURE(std::string(kinds_of_rows[kind]));
                const Request top_k{.operation = Operation::top_k,
                                    .order = kind % 2 == 0 ? Order::ascending : Order::descending,
                                    .first = 100,
                                    .index_bytes = 4};
                run_everywhere(target, sorter,
                               problem_of(top_k, keys_of_kind<float>(kind, 3, 10'000, 100, random), offsets));
            }
            // Nothing in any of them, and one key in each.
            const Request first_two{.operation = Operation::top_k, .first = 2, .index_bytes = 4};
            run_everywhere(target, sorter, problem_of(first_two, keys_with_twins<double>(5, random), {2, 2, 2, 2}));
            run_everywhere(target, sorter, problem_of(first_two, keys_with_twins<double>(5, random), {0, 1, 2, 3}));
            std::vector<Pair> records(5000);
            for (Pair& record : records)
                record = {static_cast<std::uint16_t>(random() % 50), static_cast<std::uint16_t>(random())};
            run_everywhere(target, sorter,
                           problem_of({.operation = Operation::top_k, .first = 9, .value_bytes = 4}, by_key, records,
                                      [](const Pair& a, const Pair& b) { return a.key < b.key; }, {0, 5, 4000, 4990}));
        }
    }

    TEST_CASE("top-k: of as many keys as an integer on the device says, up to the stated number") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::size_t most = lanesort::detail::most_selected(target.info, {4, 0, 4}, 0);
            for (const std::size_t k : {std::size_t{64}, most + 1})
                for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{63},
                                                  std::uint64_t{k}, std::uint64_t{k + 1}, ~std::uint64_t{0}}) {
                    CAPTURE(limit);
                    Request top_k{.operation = Operation::top_k,
                                  .limited = true,
                                  .first = k,
                                  .index_bytes = limit % 2 * std::size_t{4}};
                    run_everywhere(target, sorter,
                                   problem_of(top_k, keys_with_twins<float>(60'001, random), {}, {}, limit));
                    top_k.row_length = 4001;
                    top_k.value_bytes = 8;
                    run_everywhere(target, sorter,
                                   problem_of(top_k, keys_with_twins<std::int8_t>(5 * 4001, random), {}, {}, limit));
                    top_k.row_length = 0;
                    run_everywhere(
                        target, sorter,
                        problem_of(top_k, keys_with_twins<double>(3000, random), {7, 90, 90, 2000, 2999}, {}, limit));
                }
            // A call that is recorded reads the integer when it runs.
            const auto memory = target.memory(Bytes(800));
            std::vector<std::uint64_t> words(100);
            for (std::size_t i = 0; i < 50; ++i) words[i] = 1000 + i;
            SelectedIn<void*> selected{here, 60};
            selected.limit = {here, 99};
            const auto recording = memory->record(
                sorter, top_k(KeyRange{.memory = here, .count = 50, .type = KeyType::u64}, 20, selected));
            for (const std::uint64_t limit : {3, 0, 25}) {
                words[99] = limit;
                memory->write(bytes_of(words));
                recording->enqueue();
                const Bytes found = memory->read();
                std::vector<std::uint64_t> after = words;
                for (std::size_t i = 0; i < std::min<std::uint64_t>(limit, 20); ++i) after[60 + i] = 1049 - i;
                CHECK(found == bytes_of(after));
            }
        }
    }

    TEST_CASE("top-k: NaN last on request, in both orders and however they are found") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const std::size_t most = lanesort::detail::most_selected(target.info, {4, 0, 4}, 0);
            const auto check = [&]<Key K>(K, std::size_t count, std::size_t k, Order order, std::size_t index_bytes,
                                          const Offsets& segments) {
                // Mostly NaNs of either sign, so that they are among the first k where numbers are too few.
                const std::vector<K> special = special_values<K>();
                std::vector<K> keys(count);
                for (K& key : keys) key = special[random() % special.size()];
                Request top_k{.operation = Operation::top_k,
                              .order = order,
                              .nan_last = true,
                              .first = k,
                              .index_bytes = index_bytes};
                run_everywhere(target, target.sorter(), problem_of(top_k, keys, segments));
            };
            for (const Order order : both_orders) {
                for (const std::size_t k : {std::size_t{64}, most + 1, std::size_t{40'000}})
                    check(1.0F, 40'000, k, order, 4, {});
                check(1.0, 40'000, 100, order, 0, {});
                check(half{}, 40'000, 100, order, 0, {});
                check(1.0F, 999, 300, order, 0, {0, 9, 500, 999});
                check(1.0, 999, 300, order, 4, {0, 9, 500, 999});
                check(half{}, 999, 998, order, 4, {});
                check(std::int8_t{}, 999, 300, order, 0, {});
            }
            check_refused(ErrorCode::invalid_argument, "comparator", [&] {
                std::vector<Pair> records(10), best(3);
                target.sorter().top_k({records, by_key}, best, {.nan_last = true});
            });
        }
    }

    TEST_CASE("top-k: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<float> keys(10), best(11);
            std::vector<std::uint32_t> indices(3);
            check_refused(ErrorCode::invalid_argument, "first 11 keys",
                          [&] { sorter.top_k(std::span(keys), std::span(best)); });
            check_refused(ErrorCode::invalid_argument, "11 keys cannot be selected from 5 rows",
                          [&] { sorter.top_k(std::span(keys), std::span(best), {.row_length = 2}); });
            check_refused(ErrorCode::invalid_argument, "11 keys cannot be selected: there are no rows",
                          [&] { sorter.top_k(std::span(keys).first(0), std::span(best), {.row_length = 2}); });
            check_refused(ErrorCode::invalid_argument, "one for each key",
                          [&] { sorter.top_k(std::span(keys), std::span(best), std::span(indices)); });
            const auto memory = target.memory(Bytes(400));
            check_refused(ErrorCode::invalid_argument, "first 11 keys", [&] {
                memory->enqueue(sorter, top_k(KeyRange{here, 0, 10, KeyType::u32}, 11, {here, 50}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, top_k(KeyRange{here, 0, 50, KeyType::u32}, 10, {here, 45}));
            });
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue(sorter, top_k(KeyRange{here, 0, 50, KeyType::u32}, 10, {here, 60, {here, 55, 4}}));
            });
            check_refused(ErrorCode::out_of_range, "keys", [&] {
                memory->enqueue(sorter, top_k(KeyRange{here, 0, 50, KeyType::u32}, 10, {here, 95}));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
