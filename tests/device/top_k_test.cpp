// The first k keys, of arrays and of rows, with and without their indices.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "selection.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

template <class T>
struct Expected {
    std::vector<T> best;
    std::vector<std::uint64_t> indices;
};

/// The first k of each row in a stable order.
template <class T, class Before>
Expected<T> first_of_rows(const std::vector<T>& keys, std::size_t length, std::size_t k, Before is_before) {
    Expected<T> expected;
    for (std::size_t first = 0; first < keys.size(); first += length) {
        std::vector<std::uint64_t> indices(length);
        std::iota(indices.begin(), indices.end(), 0);
        std::ranges::stable_sort(
            indices, [&](std::uint64_t i, std::uint64_t j) { return is_before(keys[first + i], keys[first + j]); });
        for (std::size_t i = 0; i < k; ++i) {
            expected.best.push_back(keys[first + indices[i]]);
            expected.indices.push_back(indices[i]);
        }
    }
    return expected;
}

/// Random keys, of which some come often: the lowest indices of those must win.
template <Key K>
std::vector<K> keys_with_twins(std::size_t count, Random& random) {
    std::vector<K> keys = random_keys<K>(count, random);
    for (std::size_t i = 0; i < count; ++i)
        if (random() % 3 == 0) keys[i] = keys[random() % std::min<std::size_t>(count, 9)];
    return keys;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// On the host and in device memory, where results lie among other bytes.
template <Key K, std::unsigned_integral I>
void check_top_k(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, std::size_t k, Order order,
                 bool with_indices, Random& random) {
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<K>));
    CAPTURE(rows);
    CAPTURE(length);
    CAPTURE(k);
    CAPTURE(static_cast<int>(order));
    CAPTURE(with_indices);
    const std::vector<K> keys = keys_with_twins<K>(rows * length, random);
    const Expected expected = first_of_rows(
        keys, length, k, [&](K a, K b) { return order == Order::ascending ? before(a, b) : before(b, a); });
    const std::vector<I> indices(expected.indices.begin(), expected.indices.end());
    const TopKOptions options{order, rows == 1 ? 0 : length};
    {
        INFO("host range");
        std::vector<K> input = keys, best(rows * k);
        std::vector<I> found(with_indices ? rows * k : 0);
        if (with_indices) sorter.top_k(std::span(input), std::span(best), std::span(found), options);
        else sorter.top_k(std::span(input), std::span(best), options);
        REQUIRE(same_bytes(best, expected.best));
        if (with_indices) REQUIRE(found == indices);
        REQUIRE(same_bytes(input, keys));
    }
    INFO("device memory");
    const std::size_t offset = 3, selected = offset + keys.size() + 5;
    const std::size_t first_index = ((selected + rows * k) * sizeof(K) + sizeof(I) - 1) / sizeof(I) + 2;
    Bytes memory((first_index + rows * k + 3) * sizeof(I), std::byte{0x33});
    std::memcpy(memory.data() + offset * sizeof(K), keys.data(), keys.size() * sizeof(K));
    Bytes after = memory;
    if (k > 0) std::memcpy(after.data() + selected * sizeof(K), expected.best.data(), rows * k * sizeof(K));
    if (with_indices && k > 0)
        std::memcpy(after.data() + first_index * sizeof(I), indices.data(), rows * k * sizeof(I));
    const auto on_device = target.memory(memory);
    const Range range{offset, keys.size(), key_type_v<K>, order, options.row_length};
    on_device->enqueue_top_k(sorter, range, k, selected, {first_index, with_indices ? sizeof(I) : 0});
    REQUIRE(on_device->read() == after);
}

/// A selection of the first keys as it would be made for another device, in kernels for 2^31 keys and more or for
/// fewer.
template <Key K, std::unsigned_integral I>
void check_selection_for(const DeviceInfo& device, const Target& target, Sorter& sorter, std::size_t rows,
                         std::size_t length, std::size_t k, bool in_buckets, bool wide_positions, Random& random) {
    namespace inside = lanesort::detail;
    CAPTURE(name(key_type_v<K>));
    CAPTURE(rows);
    CAPTURE(length);
    CAPTURE(k);
    const inside::Selection selection = inside::make_selection(device, {sizeof(K), 0, sizeof(I)}, rows, length, k);
    CHECK((selection.passes.front().kind == inside::SelectionPass::Kind::best_of_buckets) == in_buckets);
    if (selection.shape.work_items > target.info.max_work_items) return;

    const std::vector<K> keys = keys_with_twins<K>(rows * length, random);
    const Expected expected = first_of_rows(keys, length, k, [](K a, K b) { return before(a, b); });
    std::vector<K> best(rows * k);
    std::vector<I> indices(rows * k);
    Sorter disguised = sorter_as(sorter, device, wide_positions);
    const SortReport report = disguised.top_k(std::span(keys), std::span(best), std::span(indices),
                                              {.order = Order::ascending, .row_length = length});
    CHECK(report.launches == selection.passes.size());
    REQUIRE(same_bytes(best, expected.best));
    REQUIRE(std::ranges::equal(indices, expected.indices));
}

struct Pair {
    std::uint16_t key, tag;
};
const Comparator by_key{.type = "pair",
                        .bytes = sizeof(Pair),
                        .before = "a.key < b.key",
                        .declarations = "typedef struct { ushort key, tag; } pair;"};

TEST_SUITE("top-k") {
    TEST_CASE("top-k: of arrays of every length, with and without indices") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const std::size_t most = lanesort::detail::most_selected(target.info, {4, 0, 4});
            for (const std::size_t count : {1, 2, 7, 100, 5000, 300'001})
                for (const std::size_t k :
                     {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{8}, most, most + 1, count}) {
                    if (k > count || (k == count && count > 5000)) continue;
                    check_top_k<float, std::uint32_t>(target, sorter, 1, count, k, Order::descending, true, random);
                }
            for (const std::size_t count : {2, 999, 200'003})
                for (const std::size_t k : {1, 2}) {
                    check_top_k<float, std::uint32_t>(target, sorter, 1, count, k, Order::ascending, false, random);
                    check_top_k<std::int8_t, std::uint64_t>(target, sorter, 1, count, k, Order::ascending, true,
                                                            random);
                    check_top_k<double, std::uint32_t>(target, sorter, 1, count, k, Order::descending, false, random);
                }
        }
    }

    TEST_CASE("top-k: of rows") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t length : {2, 33, 1000})
                for (const std::size_t k : {1, 2, 8, 33}) {
                    if (k > length) continue;
                    check_top_k<float, std::uint32_t>(target, target.sorter(), 37, length, k, Order::descending, true,
                                                      random);
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
                const auto check = [&]<Key K, std::unsigned_integral I>(K, I, std::size_t rows, std::size_t length,
                                                                        std::size_t k, bool in_buckets) {
                    check_selection_for<K, I>(device, target, sorter, rows, length, k, in_buckets, sizeof(I) == 8,
                                              random);
                };
                constexpr std::uint32_t narrow = 0;
                constexpr std::uint64_t wide = 0;
                const std::size_t most = lanesort::detail::most_selected(device, {4, 0, 4});
                for (const std::size_t k : {std::size_t{1}, std::size_t{9}, most})
                    check(1.0F, narrow, 1, 9000, k, false);
                check(1.0, wide, 1, 5001, 30, false);
                check(1.0F, narrow, 300, 50, std::min<std::size_t>(most, 17), false);
                for (const std::size_t k : {1, 7}) check(1.0F, narrow, 1, (1 << 19) + 77, k, true);
                check(1.0F, narrow, 40, 15'001, 7, true);
                check(std::int8_t{}, wide, 1, (1 << 19) + 1, 30, true);
                check(1.0, narrow, 3, (1 << 18) + 1, 5, true);
            }
    }

    TEST_CASE("top-k: of so many that they are read by buckets, on the caller's device") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            // No whole group of buckets, nor of the processor's.
            const std::size_t count = target.info.kind == DeviceKind::cpu ? 100'077 : (1 << 22) + 77;
            check_top_k<float, std::uint32_t>(target, sorter, 1, count, 5, Order::descending, false, random);
            check_top_k<std::uint16_t, std::uint64_t>(target, sorter, 1, count, 9, Order::ascending, true, random);
            check_top_k<double, std::uint32_t>(target, sorter, 7, count / 7, 3, Order::descending, true, random);

            // Equal keys that are no less than what lies beyond the end, and the first ones at the very end.
            std::vector<std::uint32_t> keys(count, ~0U), best(70), indices(70), expected(70);
            std::iota(expected.begin(), expected.end(), 0U);
            const TopKOptions ascending{.order = Order::ascending};
            sorter.top_k(std::span(keys), std::span(best), std::span(indices), ascending);
            REQUIRE(best == std::vector(70, ~0U));
            REQUIRE(indices == expected);
            std::iota(keys.end() - 70, keys.end(), 0U);
            sorter.top_k(std::span(keys), std::span(best), std::span(indices), ascending);
            REQUIRE(best == expected);
            std::iota(expected.begin(), expected.end(), static_cast<std::uint32_t>(count - 70));
            REQUIRE(indices == expected);

            std::vector<Pair> records(count), best_records(4);
            for (Pair& record : records)
                record = {static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random())};
            const auto first =
                first_of_rows(records, count, 4, [](const Pair& a, const Pair& b) { return a.key < b.key; });
            sorter.top_k({records, by_key}, best_records);
            REQUIRE(same_bytes(best_records, first.best));
        }
    }

    TEST_CASE("top-k: of records, equal ones by their indices") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {5, 40'000}) {
                CAPTURE(target.name);
                CAPTURE(count);
                std::vector<Pair> records(count), best(4);
                for (Pair& record : records)
                    record = {static_cast<std::uint16_t>(random() % 50), static_cast<std::uint16_t>(random())};
                const auto expected =
                    first_of_rows(records, count, 4, [](const Pair& a, const Pair& b) { return a.key < b.key; });
                target.sorter().top_k({records, by_key}, best);
                REQUIRE(same_bytes(best, expected.best));
            }
    }

    TEST_CASE("top-k: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<float> keys(10), best(11);
            std::vector<std::uint32_t> indices(3);
            const auto refused = [&](ErrorCode code, const std::string& part, const std::function<void()>& call) {
                const Error error = error_of(call);
                CHECK(error.code() == code);
                check_mentions(error, {part});
            };
            refused(ErrorCode::invalid_argument, "first 11 keys",
                    [&] { sorter.top_k(std::span(keys), std::span(best)); });
            refused(ErrorCode::invalid_argument, "11 keys cannot be selected from 5 rows",
                    [&] { sorter.top_k(std::span(keys), std::span(best), {.row_length = 2}); });
            refused(ErrorCode::invalid_argument, "one for each key",
                    [&] { sorter.top_k(std::span(keys), std::span(best), std::span(indices)); });
            const auto memory = target.memory(Bytes(400));
            refused(ErrorCode::invalid_argument, "first 11 keys", [&] {
                memory->enqueue_top_k(sorter, {0, 10}, 11, 50, {0, 0});
            });
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_top_k(sorter, {0, 50}, 10, 45, {0, 0});
            });
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_top_k(sorter, {0, 50}, 10, 60, {55, 4});
            });
            refused(ErrorCode::out_of_range, "keys", [&] { memory->enqueue_top_k(sorter, {0, 50}, 10, 95, {0, 0}); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
