// SPDX-License-Identifier: MIT
// Sorts across several sorters of the built-in device, each with memory of its own: every type, distribution and count.
#include <functional>

#include <lanesort/across.hpp>

#include "error_support.hpp"
#include "support.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

/// Sorters of the built-in device.
std::vector<Sorter>& sorters() {
    static std::vector<Sorter> all = [] {
        std::vector<Sorter> made;
        for (int i = 0; i < 5; ++i) made.emplace_back(built_in_device());
        return made;
    }();
    return all;
}

/// Parts of these counts, which are those of `keys` in all.
template <class T>
std::vector<std::vector<T>> cut(const std::vector<T>& keys, const std::vector<std::uint64_t>& counts) {
    std::vector<std::vector<T>> parts;
    auto from = keys.begin();
    for (const std::uint64_t count : counts) {
        const auto to = from + static_cast<std::ptrdiff_t>(count);
        parts.emplace_back(from, to);
        from = to;
    }
    return parts;
}

template <class T>
std::vector<T> together(const std::vector<std::vector<T>>& parts) {
    std::vector<T> all;
    for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

template <Key T>
void check_across(const std::vector<T>& keys, const std::vector<std::uint64_t>& counts, const SortOptions& options) {
    auto parts = cut(keys, counts);
    std::vector<HostPart> given;
    for (std::size_t i = 0; i < parts.size(); ++i) given.push_back({sorters()[i], parts[i]});
    const AcrossReport report = sort_across(given, options);
    const std::vector<T> expected = sorted(keys, options.order.value_or(Order::ascending)), found = together(parts);
    CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0);
    CHECK(report.link_bytes == link_bytes_across(counts, sizeof(T)));
}

/// Even counts, uneven ones, and some of nothing.
std::vector<std::vector<std::uint64_t>> count_cases(Random& random) {
    return {{1},
            {1000},
            {0, 0},
            {1, 0},
            {0, 1},
            {1, 1},
            {7, 6},
            {3000, 3000},
            {40001, 40000},
            {5000, 1},
            {0, 70000},
            {100, 100, 99},
            {10000, 0, 20001},
            {33333, 33333, 33333, 33330},
            {1, 2, 3, 4},
            {0, 0, 5, 0},
            {20000, 20000, 20000, 20000, 20000},
            {random() % 30000, random() % 30000, random() % 30000, 0, random() % 30000}};
}

TEST_SUITE("across") {
    TEST_CASE("across: every type, in both orders, with either schedule" * doctest::test_suite("long")) {
        Random random(seed());
        for_each_key_type([&]<Key T>() {
            CAPTURE(name(key_type_v<T>));
            for (const auto& counts : count_cases(random))
                for (const Order order : both_orders)
                    for (const bool data_independent : {false, true}) {
                        CAPTURE(counts.size());
                        const SortOptions options{.order = order, .data_independent = data_independent};
                        check_across(random_keys<T>(sum(counts), random), counts, options);
                        check_across(make_keys<T>(Pattern::special_values, sum(counts), random), counts, options);
                    }
        });
    }

    TEST_CASE("across: every distribution of keys") {
        Random random(seed());
        for (const Pattern pattern : all_patterns)
            for (const auto& counts :
                 {std::vector<std::uint64_t>{30001, 30001}, {12345, 12345, 12345, 12344}, {9, 40000, 0}})
                for (const bool data_independent : {false, true}) {
                    const SortOptions options{.data_independent = data_independent};
                    check_across(make_keys<std::uint32_t>(pattern, sum(counts), random), counts, options);
                    check_across(make_keys<float>(pattern, sum(counts), random), counts, options);
                }
    }

    TEST_CASE("across: pairs, of which equal keys are in the order of their values") {
        Random random(seed());
        const auto check = [&]<Key K, class V>(K, V) {
            for (const auto& counts : count_cases(random))
                for (const Order order : both_orders) {
                    const std::vector<K> keys = keys_with_twins<K>(sum(counts), random);
                    std::vector<V> values(keys.size());
                    for (V& value : values) std::memset(&value, static_cast<int>(random() % 4), sizeof(V));
                    auto key_parts = cut(keys, counts);
                    auto value_parts = cut(values, counts);
                    std::vector<HostPart> given;
                    for (std::size_t i = 0; i < counts.size(); ++i)
                        given.push_back({sorters()[i], key_parts[i], value_parts[i]});
                    const AcrossReport report =
                        sort_by_key_across(given, {.order = order, .data_independent = random() % 2 == 0});
                    CHECK(report.link_bytes == link_bytes_across(counts, sizeof(K) + sizeof(V)));
                    // The values' bytes are equal, so any one of them tells their order.
                    std::vector<std::size_t> places(keys.size());
                    std::iota(places.begin(), places.end(), std::size_t{0});
                    std::ranges::sort(places, [&](std::size_t a, std::size_t b) {
                        if (comes_before(keys[a], keys[b], order)) return true;
                        if (comes_before(keys[b], keys[a], order)) return false;
                        return std::memcmp(&values[a], &values[b], sizeof(V)) < 0;
                    });
                    const auto found_keys = together(key_parts);
                    const auto found_values = together(value_parts);
                    bool is_right = true;
                    for (std::size_t i = 0; i < places.size(); ++i)
                        is_right &= std::memcmp(&found_keys[i], &keys[places[i]], sizeof(K)) == 0 &&
                                    std::memcmp(&found_values[i], &values[places[i]], sizeof(V)) == 0;
                    CHECK(is_right);
                }
        };
        struct Wide {
            std::uint64_t low, high;
        };
        check(std::uint32_t{}, std::uint32_t{});
        check(float{}, std::uint64_t{});
        check(std::uint8_t{}, std::uint16_t{});
        check(std::int64_t{}, std::uint8_t{});
        check(double{}, Wide{});
        check(half{}, std::uint16_t{});
    }

    TEST_CASE("across: each part of a merge, on every device" * doctest::test_suite("long")) {
        Random random(seed());
        const auto check = [&]<Key K, class V>(Target& target, K, V, bool with_values) {
            CAPTURE(target.name);
            for (const std::size_t count : {0u, 1u, 2u, 4095u, 4097u, 33333u})
                for (const Order order : both_orders)
                    for (const MergePart first : {MergePart::first_step, MergePart::first_step_where_needed}) {
                        CAPTURE(count);
                        using Pair = std::pair<K, V>;
                        const auto is_before = [&](const Pair& a, const Pair& b) {
                            if (comes_before(a.first, b.first, order)) return true;
                            return with_values && !comes_before(b.first, a.first, order) && a.second < b.second;
                        };
                        std::vector<Pair> all;
                        for (const K key : keys_with_twins<K>(2 * count, random))
                            all.emplace_back(key, static_cast<V>(random() % 3));
                        std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), is_before);
                        std::sort(all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), is_before);
                        std::vector<K> keys[2];
                        std::vector<V> values[2];
                        for (std::size_t i = 0; i < 2 * count; ++i) {
                            keys[i / count].push_back(all[i].first);
                            values[i / count].push_back(all[i].second);
                        }
                        const auto call = [&](MergePart part, std::size_t of) {
                            lanesort::CallIn<void*> made;
                            made.request.operation = Operation::merge;
                            made.request.count = count;
                            made.request.order = order;
                            made.request.part = part;
                            made.request.key = key_type_v<K>;
                            made.keys = {keys[of].data()};
                            if (made.request.is_first_step()) made.second_keys = {keys[1].data()};
                            if (with_values) {
                                made.request.value_bytes = sizeof(V);
                                made.values = {values[of].data()};
                                if (made.request.is_first_step()) made.second_values = {values[1].data()};
                            }
                            return target.sorter().run(made);
                        };
                        call(first, 0);
                        call(MergePart::lower_half, 0);
                        call(MergePart::upper_half, 1);
                        std::ranges::sort(all, is_before);
                        bool is_right = true;
                        for (std::size_t i = 0; i < 2 * count; ++i) {
                            is_right &= std::memcmp(&keys[i / count][i % count], &all[i].first, sizeof(K)) == 0;
                            is_right &= !with_values || values[i / count][i % count] == all[i].second;
                        }
                        CHECK(is_right);
                    }
        };
        for (Target& target : targets()) {
            check(target, std::uint32_t{}, std::uint32_t{}, false);
            check(target, float{}, std::uint32_t{}, true);
            check(target, std::int8_t{}, std::uint16_t{}, false);
            check(target, std::uint64_t{}, std::uint64_t{}, true);
        }
    }

    TEST_CASE("across: a part of a merge has two arrays, and no middle") {
        std::vector<int> keys(6);
        const auto refuse = [&](const char* sentence, const std::function<void(Request&)>& change) {
            lanesort::CallIn<void*> call;
            call.request.operation = Operation::merge;
            call.request.count = 3;
            call.request.part = MergePart::first_step;
            call.request.key = KeyType::i32;
            call.keys = {keys.data()};
            call.second_keys = {keys.data() + 3};
            change(call.request);
            check_refused(ErrorCode::invalid_argument, sentence, [&] { sorters()[0].run(call); });
        };
        refuse("middle", [](Request& request) { request.middle = 1; });
        refuse("stable", [](Request& request) { request.stable = true; });
        refuse("part 9", [](Request& request) { request.part = static_cast<MergePart>(9); });
        refuse("`part`", [](Request& request) { request.operation = Operation::sort; });
        refuse("overlap", [](Request& request) { request.count = 4; });
    }

    TEST_CASE("across: nothing is taken where counts are even, and a block where not") {
        std::vector<std::uint32_t> a(1000, 3), b(1000, 1), c(500, 2);
        const auto bytes = [](std::vector<HostPart> parts) { return sort_across(parts).all.device_bytes; };
        CHECK(bytes({{sorters()[0], a}, {sorters()[1], b}}) == 0);
        CHECK(bytes({{sorters()[0], a}, {sorters()[1], c}}) == 1500 * 4);
        CHECK(sort_across({}).link_bytes.empty());
    }

    TEST_CASE("across: one sorter may have several parts, and is as good as before") {
        std::vector<int> a{5, 1, 4}, b{2, 0, 3};
        std::vector<HostPart> parts{{sorters()[0], a}, {sorters()[0], b}};
        sort_across(parts, {.order = Order::descending});
        CHECK(a == std::vector<int>{5, 4, 3});
        CHECK(b == std::vector<int>{2, 1, 0});
    }

    TEST_CASE("across: what cannot be is refused before anything moves") {
        const std::vector<int> before{3, 1, 2};
        std::vector<int> a = before, b = before;
        std::vector<float> other(3, 1.5f);
        std::vector<std::uint32_t> values(3), few(2);
        const auto refuse = [&](ErrorCode code, const char* part, std::vector<HostPart> parts,
                                const SortOptions& options = {}, bool by_key = false) {
            check_refused(code, part, [&] {
                if (by_key) sort_by_key_across(parts, options);
                else sort_across(parts, options);
            });
            CHECK(a == before);
            CHECK(b == before);
        };
        Sorter &one = sorters()[0], &two = sorters()[1];
        refuse(ErrorCode::invalid_argument, "i32", {{one, a}, {two, other}});
        refuse(ErrorCode::invalid_argument, "overlap", {{one, a}, {two, a}});
        refuse(ErrorCode::invalid_argument, "rows", {{one, a}, {two, b}}, {.row_length = 1});
        refuse(ErrorCode::invalid_argument, "first", {{one, a}, {two, b}}, {.first = 1});
        refuse(ErrorCode::invalid_argument, "stable", {{one, a}, {two, b}}, {.stable = true});
        refuse(ErrorCode::invalid_argument, "null", {{one, a}, {two, Keys(nullptr, 3, KeyType::i32)}});
        refuse(ErrorCode::invalid_argument, "values", {{one, a, values}, {two, b}}, {}, true);
        refuse(ErrorCode::invalid_argument, "2 values", {{one, a, values}, {two, b, few}}, {}, true);
        refuse(ErrorCode::invalid_argument, "values", {{one, a, values}, {two, b}});
        refuse(ErrorCode::invalid_argument, "independent", {{one, a}, {two, b}},
               {.schedule = Schedule::distribution, .data_independent = true});
        for (Target& target : targets())
            if (target.info.backend != "CPU") {
                refuse(ErrorCode::unsupported, target.info.backend.c_str(), {{one, a}, {target.sorter(), b}});
                break;
            }
    }
}

}  // namespace
}  // namespace lanesort::test
