// SPDX-License-Identifier: MIT
// The reference executor against std::sort.
#include "reference_executor.hpp"

#include <cstring>

#include "shapes.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

template <Key T>
std::vector<T> run_reference(std::vector<T> keys, const Shape& shape, Order order) {
    ReferenceExecutor(keys.data(), sizeof(T), key_coding(key_type_v<T>, order)).run(make_plan(keys.size(), shape));
    return keys;
}

TEST_CASE("reference: sorts every count as std::sort does") {
    test::Random random(test::seed());
    for (const Shape& shape : test::small_shapes())
        for (std::size_t count = 0; count <= 600; ++count) {
            const Order order = count % 2 ? Order::descending : Order::ascending;
            const test::Pattern pattern = test::all_patterns[random() % std::size(test::all_patterns)];
            CAPTURE(to_string(shape));
            CAPTURE(count);
            CAPTURE(name_of(pattern));
            const auto keys = test::make_keys<float>(pattern, count, random);
            test::require_same_bytes(run_reference(keys, shape, order), test::sorted(keys, order));
        }
}

TEST_CASE("reference: sorts every type in both orders, special values too") {
    test::Random random(test::seed());
    test::for_each_key_type([&]<class T>() {
        CAPTURE(name(key_type_v<T>));
        for (const Order order : test::both_orders)
            for (const test::Pattern pattern : test::all_patterns) {
                const auto keys = test::make_keys<T>(pattern, 777, random);
                test::require_same_bytes(run_reference(keys, test::small_shapes().front(), order),
                                         test::sorted(keys, order));
            }
    });
}

/// The first keys are those of a sort, and all others are there.
template <Key T>
void check_first(const std::vector<T>& keys, const Shape& shape, std::size_t first, Order order) {
    std::vector<T> found = keys;
    ReferenceExecutor(found.data(), sizeof(T), key_coding(key_type_v<T>, order))
        .run(make_plan(keys.size(), shape, first));
    const std::vector<T> expected = test::sorted(keys, order);
    const std::size_t bytes = std::min(first, keys.size()) * sizeof(T);
    REQUIRE((bytes == 0 || std::memcmp(found.data(), expected.data(), bytes) == 0));
    REQUIRE(test::sorted(found, order) == expected);
}

TEST_CASE("reference: the first keys, of every count") {
    test::Random random(test::seed());
    std::size_t over_heads = 0;
    for (const Shape& shape : test::small_shapes())
        for (std::size_t count = 0; count <= 4000; count += 1 + count / 40)
            for (const std::size_t first : {0, 1, 5, 16, 100}) {
                CAPTURE(to_string(shape));
                CAPTURE(count);
                CAPTURE(first);
                over_heads += head_bits(count, shape, first) > 0;
                check_first(test::make_keys<std::int16_t>(test::Pattern::random, count, random), shape, first,
                            count % 2 ? Order::descending : Order::ascending);
            }
    CHECK(over_heads > 100);
}

TEST_CASE("reference: merges two ranges of any lengths") {
    test::Random random(test::seed());
    for (const Shape& shape : test::small_shapes())
        for (std::size_t count = 0; count <= 1200; count += 1 + count / 20)
            for (const std::size_t middle : {std::size_t{0}, std::size_t{1}, count / 5, count / 2, count}) {
                if (middle > count) continue;
                CAPTURE(to_string(shape));
                CAPTURE(count);
                CAPTURE(middle);
                auto keys = test::random_keys<std::int16_t>(count, random);
                const auto second = keys.begin() + static_cast<std::ptrdiff_t>(middle);
                std::ranges::sort(keys.begin(), second);
                std::ranges::sort(second, keys.end());
                const auto expected = test::sorted(keys, Order::ascending);
                ReferenceExecutor(keys.data(), 2, key_coding(KeyType::i16, Order::ascending))
                    .run(make_merge_plan(count, middle, shape));
                REQUIRE(keys == expected);
            }
}

TEST_CASE("reference: each pass that ends a phase leaves sorted runs of that phase") {
    test::Random random(test::seed());
    for (const Shape& shape : test::small_shapes()) {
        CAPTURE(to_string(shape));
        auto keys = test::random_keys<std::uint32_t>(1003, random);
        const Plan plan = make_plan(keys.size(), shape);
        std::size_t passes = 0;
        ReferenceExecutor(keys.data(), sizeof keys[0], {}, [&](const Pass& pass) {
            REQUIRE(pass == plan.passes[passes++]);
            if (pass.bottom_stride > 0) return;
            const std::size_t run = std::size_t{1} << pass.last_phase;
            for (std::size_t first = 0; first < keys.size(); first += run)
                REQUIRE(std::is_sorted(&keys[first], keys.data() + std::min(first + run, keys.size())));
        }).run(plan);
        CHECK(passes == plan.passes.size());
    }
}

}  // namespace
}  // namespace lanesort
