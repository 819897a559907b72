// Sorted ranges: how far they are in order, their distinct keys, and the lengths of their runs.
#include <algorithm>
#include <cstring>
#include <functional>

#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "range_schedule.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

/// Keys in the order of `is_before`, or not.
template <class T>
struct Problem {
    std::vector<T> keys;
    KeyKind kind;
    std::function<bool(const T&, const T&)> is_before;
    std::optional<Order> order = {};

    bool equal(const T& a, const T& b) const { return !is_before(a, b) && !is_before(b, a); }
    std::vector<T> distinct() const {
        std::vector<T> kept = keys;
        const auto end = std::unique(kept.begin(), kept.end(), [&](const T& a, const T& b) { return equal(a, b); });
        kept.erase(end, kept.end());
        return kept;
    }
    /// Of sorted keys.
    std::vector<std::uint64_t> lengths() const {
        std::vector<std::uint64_t> lengths;
        for (auto first = keys.begin(); first != keys.end(); first += static_cast<std::ptrdiff_t>(lengths.back())) {
            const auto [begin, end] = std::equal_range(first, keys.end(), *first, is_before);
            REQUIRE(begin == first);
            lengths.push_back(static_cast<std::uint64_t>(end - begin));
        }
        return lengths;
    }
    std::vector<std::uint64_t> in_order(std::size_t row_length) const {
        if (row_length == 0) return in_order_of_rows(keys.size(), 1);
        return in_order_of_rows(row_length, keys.size() / row_length);
    }

private:
    std::vector<std::uint64_t> in_order_of_rows(std::size_t length, std::size_t rows) const {
        std::vector<std::uint64_t> result;
        for (std::size_t row = 0; row < rows; ++row) {
            const auto first = keys.begin() + static_cast<std::ptrdiff_t>(row * length);
            const auto end = first + static_cast<std::ptrdiff_t>(length);
            result.push_back(static_cast<std::uint64_t>(std::is_sorted_until(first, end, is_before) - first));
        }
        return result;
    }
};

template <Key K>
Problem<K> problem_of(std::vector<K> keys, Order order = Order::ascending) {
    return {std::move(keys), key_type_v<K>,
            [order](K a, K b) { return order == Order::ascending ? before(a, b) : before(b, a); }, order};
}

template <Key K>
Problem<K> sorted_problem(const std::vector<K>& keys, Order order = Order::ascending) {
    return problem_of(sorted(keys, order), order);
}

struct Pair {
    std::uint16_t key, tag;
    std::uint32_t rest;
};
const Comparator by_key{.type = "pair",
                        .bytes = sizeof(Pair),
                        .before = "a.key < b.key",
                        .declarations = "typedef struct { ushort key, tag; uint rest; } pair;"};

/// Records that are equal differ in their other bytes.
Problem<Pair> sorted_records(std::size_t count, std::uint64_t different, Random& random) {
    Problem<Pair> problem{std::vector<Pair>(count), by_key, [](const Pair& a, const Pair& b) { return a.key < b.key; }};
    for (Pair& record : problem.keys)
        record = {static_cast<std::uint16_t>(random() % different), static_cast<std::uint16_t>(random()),
                  static_cast<std::uint32_t>(random())};
    std::ranges::stable_sort(problem.keys, problem.is_before);
    return problem;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Memory of a device that holds arrays one after the other, each aligned, with other bytes around them.
class Layout {
public:
    /// Adds room for so many elements; gives the number of elements before it.
    std::size_t add(std::size_t count, std::size_t bytes) {
        const std::size_t first = (size_ + guard + bytes - 1) / bytes;
        size_ = (first + count) * bytes;
        return first;
    }
    Bytes filled() const { return Bytes(size_ + guard, std::byte{0x5a}); }

private:
    static constexpr std::size_t guard = 37;
    std::size_t size_ = 0;
};

template <class T>
void put(Bytes& memory, std::size_t offset, const std::vector<T>& items) {
    if (!items.empty()) std::memcpy(memory.data() + offset * sizeof(T), items.data(), items.size() * sizeof(T));
}

/// is_sorted and is_sorted_until, of a host range and in device memory.
template <class T>
void check_order(const Target& target, Sorter& sorter, const Problem<T>& problem, std::size_t row_length = 0) {
    const std::size_t count = problem.keys.size();
    CAPTURE(target.name);
    CAPTURE(problem.kind.name());
    CAPTURE(count);
    CAPTURE(row_length);
    const std::vector<std::uint64_t> in_order = problem.in_order(row_length);
    std::vector<std::uint64_t> yes_or_no;
    for (const std::uint64_t of_row : in_order) yes_or_no.push_back(of_row == (row_length > 0 ? row_length : count));
    const bool all = std::ranges::count(yes_or_no, 0u) == 0;
    {
        INFO("host range");
        const std::vector<T> keys = problem.keys;
        const SortOptions options{.order = problem.order, .row_length = row_length};
        std::vector<std::uint64_t> found(in_order.size(), 77);
        sorter.is_sorted_until({keys.data(), count, problem.kind}, found, options);
        REQUIRE(found == in_order);
        REQUIRE(sorter.is_sorted({keys.data(), count, problem.kind}, options) == all);
        REQUIRE(same_bytes(keys, problem.keys));
    }
    INFO("device memory");
    Layout layout;
    const Range range{layout.add(count, sizeof(T)), count, problem.kind, problem.order, row_length};
    const std::size_t integers = layout.add(in_order.size(), 8);
    Bytes memory = layout.filled();
    put(memory, range.offset, problem.keys);
    const auto on_device = target.memory(memory);
    on_device->enqueue_is_sorted_until(sorter, range, integers);
    put(memory, integers, in_order);
    REQUIRE(on_device->read() == memory);
    on_device->enqueue_is_sorted(sorter, range, integers);
    put(memory, integers, yes_or_no);
    REQUIRE(on_device->read() == memory);
}

/// unique and run_lengths, of a host range and in device memory. No more than there are runs may be written.
template <class T>
void check_runs(const Target& target, Sorter& sorter, const Problem<T>& problem) {
    const std::size_t count = problem.keys.size();
    CAPTURE(target.name);
    CAPTURE(problem.kind.name());
    CAPTURE(count);
    const std::vector<T> distinct = problem.distinct();
    const std::vector<std::uint64_t> lengths = problem.lengths();
    const std::vector<std::uint32_t> narrow_lengths(lengths.begin(), lengths.end());
    const std::vector<std::uint64_t> number{distinct.size()};
    REQUIRE(distinct.size() == lengths.size());
    {
        INFO("host range");
        const std::vector<T> keys = problem.keys;
        const SortOptions options{.order = problem.order};
        std::vector<T> to(count);
        std::vector<std::uint32_t> of(count, 77);
        REQUIRE(sorter.unique({keys.data(), count, problem.kind}, {to.data(), count, problem.kind.bytes()}, options) ==
                distinct.size());
        CHECK(std::all_of(to.begin() + static_cast<std::ptrdiff_t>(distinct.size()), to.end(),
                          [](const T& left) { return same_bytes(std::vector<T>{left}, std::vector<T>(1)); }));
        to.resize(distinct.size());
        REQUIRE(same_bytes(to, distinct));
        to.assign(count, T{});
        REQUIRE(sorter.run_lengths({keys.data(), count, problem.kind}, {to.data(), count, problem.kind.bytes()},
                                   {of.data(), count, 4}, options) == distinct.size());
        CHECK(static_cast<std::size_t>(std::ranges::count(of, 77u)) >= count - distinct.size());
        to.resize(distinct.size());
        of.resize(distinct.size());
        REQUIRE(same_bytes(to, distinct));
        REQUIRE(of == narrow_lengths);
        REQUIRE(same_bytes(keys, problem.keys));
    }
    INFO("device memory");
    for (const std::size_t length_bytes : {0, 4, 8}) {
        CAPTURE(length_bytes);
        Layout layout;
        Found found;
        found.distinct = layout.add(count, sizeof(T));
        if (length_bytes > 0) found.lengths = {layout.add(count, length_bytes), length_bytes};
        const Range range{layout.add(count, sizeof(T)), count, problem.kind, problem.order};
        found.integers = layout.add(1, 8);
        Bytes memory = layout.filled();
        put(memory, range.offset, problem.keys);
        const auto on_device = target.memory(memory);
        on_device->enqueue_runs(sorter, range, found);
        put(memory, found.distinct, distinct);
        put(memory, found.integers, number);
        if (length_bytes == 4) put(memory, found.lengths.offset, narrow_lengths);
        if (length_bytes == 8) put(memory, found.lengths.offset, lengths);
        REQUIRE(on_device->read() == memory);
    }
}

/// Keys of one tile, and so many that each share has several.
struct Counts {
    std::size_t tile, several;
};
Counts counts_of(const Target& target, std::size_t bytes) {
    const auto schedule = inside::make_range_schedule(target.info, bytes, inside::RangeTask::unique, 1, 1ull << 40);
    const std::size_t tile = std::size_t{schedule.shape.work_items} * schedule.shape.vectors;
    return {tile, schedule.parts * tile * 2 + tile / 2 + 1};
}

TEST_SUITE("sorted ranges") {
    TEST_CASE("sorted ranges: the first descent is found wherever it is") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter();
            const auto [tile, several] = counts_of(target, 4);
            for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, tile - 1,
                                            tile, tile + 1, 2 * tile + 1, several})
                for (const Order order : both_orders) {
                    Problem problem = sorted_problem(random_keys<std::int32_t>(count, random), order);
                    check_order(target, sorter, problem);
                    const std::int32_t first = count > 0 ? problem.keys[0] : 0;
                    for (const std::size_t at : {count - 1, 3 * tile, 2 * tile + 1, 2 * tile, tile + 1, tile, tile - 1,
                                                 std::size_t{2}, std::size_t{1}}) {
                        if (at >= count) continue;
                        CAPTURE(at);
                        // All later ones stay, which must not be found.
                        problem.keys[at] = first;
                        check_order(target, sorter, problem);
                    }
                }
            check_order(target, sorter, problem_of(std::vector<std::int32_t>(several, 5)));
            check_order(target, sorter, problem_of(random_keys<std::int32_t>(several, random)));
        }
    }

    TEST_CASE("sorted ranges: the first descent of each row") {
        Random random(seed());
        for (Target& target : targets()) {
            const std::size_t tile = counts_of(target, 4).tile;
            for (const auto& [rows, length] :
                 {std::pair<std::size_t, std::size_t>{0, 5}, {1, 7}, {100, 1}, {37, 2}, {1000, 33}, {3, 2 * tile + 1}})
                for (const Order order : both_orders) {
                    CAPTURE(rows);
                    Problem problem = problem_of(random_keys<float>(rows * length, random), order);
                    check_order(target, target.sorter(), problem, length);
                    for (std::size_t row = 0; row < rows; ++row) {
                        if (row % 3 == 0 && row > 0) continue;  // in order are the first and two of three
                        const auto first = problem.keys.begin() + static_cast<std::ptrdiff_t>(row * length);
                        std::sort(first, first + static_cast<std::ptrdiff_t>(length), problem.is_before);
                    }
                    check_order(target, target.sorter(), problem, length);
                }
            // Each row alone is in order, the range is not.
            std::vector<float> keys(600);
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i % 30);
            check_order(target, target.sorter(), problem_of(keys), 30);
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
                check_runs(target, sorter, problem_of(std::vector<std::uint32_t>(count, 0xffffffff)));
                std::vector<std::uint32_t> keys(count);
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i);
                check_runs(target, sorter, problem_of(keys));
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i / tile);
                check_runs(target, sorter, problem_of(keys));
                for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>((i + 1) / tile);
                check_runs(target, sorter, problem_of(keys));
                // The second of three runs goes on over many shares in which none begins.
                for (std::size_t i = 0; i < count; ++i) keys[i] = (i >= 5) + (i + 2 >= count);
                check_runs(target, sorter, problem_of(keys));
                for (const Order order : both_orders)
                    for (const std::size_t different :
                         {std::size_t{2}, std::size_t{40}, std::max<std::size_t>(count, 1)}) {
                        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % different);
                        check_runs(target, sorter, sorted_problem(keys, order));
                    }
            }
        }
    }

    TEST_CASE("sorted ranges: neighbours that are equal are one run in unsorted keys, too") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            std::vector<std::uint16_t> keys(5001), distinct(keys.size());
            for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>(random() % 3);
            distinct.resize(target.sorter().unique(std::span(keys), std::span(distinct)));
            require_same_bytes(distinct, problem_of(keys).distinct());
        }
    }

    TEST_CASE("sorted ranges: keys of every type, NaNs and zeros of either sign") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class K>() {
                for (const Order order : both_orders) {
                    const std::vector<K> keys = make_keys<K>(Pattern::special_values, 3001, random);
                    Problem problem = sorted_problem(keys, order);
                    check_runs(target, target.sorter(), problem);
                    check_order(target, target.sorter(), problem);
                    // Two neighbours of different value are exchanged, each in turn.
                    for (std::size_t i = problem.keys.size() - 1; i > 0; --i) {
                        if (problem.equal(problem.keys[i - 1], problem.keys[i])) continue;
                        std::swap(problem.keys[i - 1], problem.keys[i]);
                        check_order(target, target.sorter(), problem);
                        std::swap(problem.keys[i - 1], problem.keys[i]);
                    }
                }
            });
    }

    TEST_CASE("sorted ranges: records in the caller's order, the first of equal ones kept") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count :
                 {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{999}, std::size_t{10'001}}) {
                Problem problem = sorted_records(count, 50, random);
                check_runs(target, target.sorter(), problem);
                check_order(target, target.sorter(), problem);
                if (count > 2) check_order(target, target.sorter(), problem, count % 3 == 0 ? count / 3 : count);
                std::ranges::reverse(problem.keys);
                check_order(target, target.sorter(), problem);
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

            const Problem problem = sorted_records(100, 10, random);
            std::vector<Pair> records = problem.keys, kept(100);
            std::vector<std::uint32_t> of(100);
            CHECK(sorter.is_sorted({records, by_key}));
            CHECK(sorter.is_sorted({records, by_key}, {.row_length = 20}));
            CHECK(sorter.is_sorted_until({records, by_key}) == 100);
            const std::size_t number = sorter.unique({records, by_key}, kept);
            CHECK(sorter.run_lengths({records, by_key}, kept, of) == number);
            kept.resize(number);
            of.resize(number);
            CHECK(same_bytes(kept, problem.distinct()));
            CHECK(std::ranges::equal(of, problem.lengths()));
        }
    }

    TEST_CASE("sorted ranges: in work-groups of every size, with indices of either width, whatever the device") {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide_positions] : {std::pair{1u, true}, {2u, false}, {8u, true}, {64u, false}}) {
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
                    CAPTURE(count);
                    std::vector<std::uint32_t> keys(count);
                    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 100);
                    Problem problem = sorted_problem(keys);
                    std::vector<std::uint32_t> distinct(count), lengths(count);
                    const auto schedule = inside::make_range_schedule(card, 4, inside::RangeTask::run_lengths, 1, count);
                    REQUIRE(schedule.shape.work_items == work_items);
                    Sorter disguised = sorter_as(sorter, card, wide_positions);
                    const std::size_t result =
                        disguised.run_lengths(std::span(problem.keys), std::span(distinct), std::span(lengths));
                    distinct.resize(result);
                    lengths.resize(result);
                    REQUIRE(distinct == problem.distinct());
                    REQUIRE(std::ranges::equal(lengths, problem.lengths()));
                    CHECK(disguised.is_sorted(std::span(problem.keys)));
                    for (const std::size_t at : {count - 1, count / 2, count / 3}) {
                        problem.keys[at] = 0;
                        CHECK(disguised.is_sorted_until(std::span(problem.keys)) == problem.in_order(0).front());
                    }
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
            const SortReport order = memory->enqueue_is_sorted(sorter, {.count = count}, count);
            CHECK(order.launches == 2);
            CHECK(order.device_bytes > 0);
            CHECK(order.device_bytes <= most * 8);
            const SortReport short_order = memory->enqueue_is_sorted(sorter, {.count = 9}, count);
            CHECK(short_order.launches == 1);
            CHECK(short_order.device_bytes == 0);
            const SortReport runs = memory->enqueue_runs(sorter, {.count = count}, {count, {0, 0}, count});
            CHECK(runs.launches == 3);
            CHECK(runs.device_bytes <= most * 16);
        }
    }

    TEST_CASE("sorted ranges: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const auto refused = [&](ErrorCode code, const std::string& part, const std::function<void()>& call) {
                const Error error = error_of(call);
                CHECK(error.code() == code);
                check_mentions(error, {part});
            };
            std::vector<float> keys(10), few(9), distinct(10);
            std::vector<std::uint32_t> lengths(10);
            const std::vector<std::uint64_t> offsets{0, 10};
            std::vector<std::uint64_t> in_order(2);
            const std::span all(keys), some = all.first(5);
            refused(ErrorCode::invalid_argument, "room for only 9", [&] { sorter.unique(all, std::span(few)); });
            refused(ErrorCode::invalid_argument, "room for only 9",
                    [&] { sorter.run_lengths(all, std::span(few), std::span(lengths)); });
            refused(ErrorCode::invalid_argument, "room for only 9",
                    [&] { sorter.run_lengths(all, std::span(distinct), std::span(lengths).first(9)); });
            refused(ErrorCode::invalid_argument, "overlap", [&] { sorter.unique(all, all); });
            refused(ErrorCode::invalid_argument, "null", [&] { sorter.unique(all, {nullptr, all.size(), 4}); });
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                sorter.run_lengths(some, {distinct.data(), 5, 4}, {distinct.data() + 4, 5, 4});
            });
            refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                sorter.run_lengths(some, {distinct.data(), 5, 4}, {lengths.data(), 5, 2});
            });
            refused(ErrorCode::invalid_argument, "rows or segments",
                    [&] { sorter.unique(all, std::span(distinct), {.row_length = 5}); });
            refused(ErrorCode::invalid_argument, "rows or segments",
                    [&] { sorter.run_lengths(all, std::span(distinct), std::span(lengths), {.segments = offsets}); });
            refused(ErrorCode::invalid_argument, "segments", [&] { sorter.is_sorted(all, {.segments = offsets}); });
            refused(ErrorCode::invalid_argument, "segments",
                    [&] { sorter.is_sorted_until(all, {.segments = offsets}); });
            refused(ErrorCode::invalid_argument, "each", [&] { sorter.is_sorted_until(all, {.row_length = 5}); });
            refused(ErrorCode::invalid_argument, "room for 2 results, but there are 5",
                    [&] { sorter.is_sorted_until(all, in_order, {.row_length = 2}); });
            refused(ErrorCode::invalid_argument, "rows or segments", [&] {
                sorter.unique(all.first(0), some, {.row_length = 5});
            });
            CHECK(sorter.unique(all.first(0), some) == 0);
            CHECK(sorter.is_sorted(all.first(0)));
            CHECK(sorter.is_sorted_until(all.first(0)) == 0);
            refused(ErrorCode::invalid_argument, "rows of 3", [&] { sorter.is_sorted(all, {.row_length = 3}); });
            refused(ErrorCode::invalid_argument, "the comparator is for 8", [&] {
                sorter.is_sorted_until({all, by_key});
            });

            // 100 words: keys 0 .. 9, and what else is named.
            const auto memory = target.memory(Bytes(400));
            const Range ten{.count = 10};
            refused(ErrorCode::invalid_argument, "overlap",
                    [&] { memory->enqueue_is_sorted(sorter, ten, 4); });  // an integer is two words
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_runs(sorter, ten, {9, {0, 0}, 20});
            });
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_runs(sorter, ten, {20, {29, 4}, 40});
            });
            refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_runs(sorter, ten, {20, {30, 4}, 18});
            });
            refused(ErrorCode::out_of_range, "results", [&] { memory->enqueue_is_sorted_until(sorter, ten, 50); });
            refused(ErrorCode::out_of_range, "keys", [&] { memory->enqueue_runs(sorter, ten, {91, {0, 0}, 40}); });
            refused(ErrorCode::out_of_range, "lengths", [&] { memory->enqueue_runs(sorter, ten, {10, {46, 8}, 10}); });
            refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                memory->enqueue_runs(sorter, ten, {10, {40, 1}, 20});
            });
            refused(ErrorCode::too_large, "cannot be counted", [&] {
                memory->enqueue_runs(sorter, {.count = 1ull << 32, .type = KeyType::u8}, {10, {40, 4}, 20});
            });
            refused(ErrorCode::invalid_argument, "rows or segments", [&] {
                memory->enqueue_runs(sorter, {.count = 10, .row_length = 5}, {10, {0, 0}, 20});
            });
            refused(ErrorCode::invalid_argument, "segments", [&] {
                memory->enqueue_is_sorted(sorter, {.count = 10, .segments = {50, 1, 5, 4}}, 20);
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
