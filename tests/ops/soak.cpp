// SPDX-License-Identifier: MIT
// Random sorts without end in sight: not run by CTest. LANESORT_SOAK_SORTS says how many (100,000 if it does not).
//
// Blocks of sorts share a device, a shape, a type and an operation, since these are compiled. Each block has a seed of
// its own, which is printed: LANESORT_TEST_SEED=that seed begins with that block.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

/// A random call of that operation.
template <Key T>
Problem random_problem(Operation operation, std::size_t count, Random& random) {
    Request request{.operation = operation, .order = both_orders[random() % 2], .stable = random() % 2 == 0};
    auto keys = make_keys<T>(all_patterns[random() % std::size(all_patterns)], count, random);
    const auto is_before = [&](T a, T b) { return comes_before(a, b, request.order_or_usual()); };
    const std::size_t part = random() % (count + 1);
    Bytes second;
    switch (operation) {
        case Operation::sort:
            if (random() % 3 == 0) request.first = part;
            if (random() % 2) request.value_bytes = 4;
            break;
        case Operation::argsort: request.index_bytes = 4; break;
        case Operation::merge:
            request.middle = part;
            sort_two(keys, part, is_before);
            break;
        case Operation::top_k:
            request.first = part >> random() % 13;
            request.index_bytes = random() % 2 * 4;
            break;
        case Operation::is_sorted:
        case Operation::is_sorted_until:
            if (random() % 2) std::ranges::sort(keys, is_before);
            break;
        case Operation::run_lengths: request.length_bytes = 4; [[fallthrough]];
        case Operation::unique: std::ranges::sort(keys, is_before); break;
        case Operation::reduce_by_key: std::ranges::sort(keys, is_before); [[fallthrough]];
        case Operation::group_by:
            request.value_bytes = 4;
            request.reduction = random() % 2 ? Reduction::min : Reduction::sum;
            break;
        case Operation::lower_bound:
        case Operation::upper_bound:
        case Operation::equal_range:
            std::ranges::sort(keys, is_before);
            request.index_bytes = 4 << random() % 2;
            second = bytes_of(random_keys<T>(part, random));
            break;
        case Operation::histogram: {
            std::vector<T> bounds = random_keys<T>(2 + random() % 100, random);
            std::ranges::sort(bounds, [](T a, T b) { return comes_before(a, b, Order::ascending); });
            request.order.reset();
            request.bins = bounds.size() - 1;
            request.bounded = true;
            request.length_bytes = 4 << random() % 2;
            second = bytes_of(bounds);
            break;
        }
        case Operation::gather:
        case Operation::scatter:
        case Operation::permute: {
            std::vector<std::uint64_t> indices(count);
            std::iota(indices.begin(), indices.end(), std::uint64_t{0});
            std::ranges::shuffle(indices, random);
            return problem_of_indices({.operation = operation, .value_bytes = sizeof(T), .index_bytes = 4}, count,
                                      bytes_of(keys), indices);
        }
        case Operation::reduce:
            request.order.reset();
            if (count > 0) request.reduction = random() % 2 ? Reduction::min : Reduction::arg_min;
            break;
        case Operation::transform_reduce:
            request.order.reset();
            // Of floating-point numbers reduce_test knows the tree.
            if constexpr (is_floating<T>) keys.assign(count, T{});
            break;
        case Operation::inclusive_scan_by_key:
        case Operation::exclusive_scan_by_key: request.value_bytes = 4; [[fallthrough]];
        case Operation::inclusive_scan:
        case Operation::exclusive_scan:
            request.order.reset();
            // Of floating-point numbers scan_test knows the tree.
            if constexpr (is_floating<T>) keys.assign(count, T{});
            else request.reduction = random() % 2 ? Reduction::max : Reduction::sum;
            break;
        case Operation::select:
        case Operation::partition:
            request.order.reset();
            request.inverted = random() % 2 == 0;
            break;
    }
    if (operation > Operation::merge) request.stable = false;
    return problem_of(request, keys, {}, {}, 0, std::move(second));
}

std::size_t sorts_wanted() {
    const char* const text = std::getenv("LANESORT_SOAK_SORTS");
    return text ? std::strtoull(text, nullptr, 0) : 100'000;
}

TEST_CASE("soak: random sorts") {
    constexpr std::size_t sorts_of_block = 2500, most_bits = 13;
    const Targets all = targets();
    const std::size_t wanted = sorts_wanted();
    std::size_t sorts = 0;
    for (std::uint64_t block_seed = seed(); sorts < wanted && !all.empty(); ++block_seed) {
        Random random(block_seed);
        Target& target = all[random() % all.size()];
        std::vector<Shape> shapes = small_shapes();
        const std::size_t choice = random() % (shapes.size() + 1);
        const bool chosen = choice == shapes.size() || !target.can_run(shapes[choice], 8);
        Sorter& sorter = chosen ? target.sorter() : target.sorter(shapes[choice]);
        const std::size_t type = random() % 11;
        const Operation operation = all_operations[random() % std::size(all_operations)];
        std::size_t turn = 0;
        for_each_key_type([&]<class T>() {
            if (turn++ != type) return;
            std::printf("seed %llu: %zu sorts done, now: %s of %s, %s, on %s\n",
                        static_cast<unsigned long long>(block_seed), sorts, name(operation),
                        std::string(name(key_type_v<T>)).c_str(),
                        chosen ? "the shape of the library" : to_string(shapes[choice]).c_str(), target.name.c_str());
            std::fflush(stdout);  // before anything can crash
            for (std::size_t i = 0; i < sorts_of_block; ++i, ++sorts) {
                const std::size_t count = random() >> (64 - most_bits) >> random() % most_bits;
                CAPTURE(block_seed);
                CAPTURE(i);
                run_everywhere(target, sorter, random_problem<T>(operation, count, random), random() % 9);
            }
        });
    }
    std::printf("%zu random sorts were right\n", sorts);
}

/// Keys of which some come far more often than others, in an order that may be partly sorted: hard on splitters.
template <Key T>
std::vector<T> skewed_keys(std::size_t count, Random& random) {
    std::vector<T> values = random_keys<T>(1 + (random() >> 50 >> random() % 14), random);
    const auto is_before = [](T a, T b) { return comes_before(a, b, Order::ascending); };
    if (random() % 2) std::ranges::sort(values, is_before);
    const auto skew = static_cast<double>(random() % 8);
    std::vector<T> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
        const double at = static_cast<double>(values.size()) * std::pow(uniform, 1 + skew);
        keys[i] = values[std::min(static_cast<std::size_t>(at), values.size() - 1)];
    }
    const std::size_t rest = random() % (count + 1);
    if (random() % 2) std::ranges::sort(keys.begin() + static_cast<std::ptrdiff_t>(rest), keys.end(), is_before);
    return keys;
}

TEST_CASE("soak: random distributions") {
    constexpr std::size_t sorts_of_block = 100, most_bits = 17;
    const Targets all = targets();
    const std::size_t wanted = sorts_wanted() / 50;
    const bool any = std::ranges::any_of(all, [](const Target& target) { return target.info.compiles; });
    std::size_t sorts = 0, refused = 0;
    for (std::uint64_t block_seed = seed(); any && sorts + refused < wanted; ++block_seed) {
        Random random(block_seed);
        Target& target = all[random() % all.size()];
        Shape shape = small_leaves;
        shape.work_items = 32u << random() % 3;
        const std::size_t type = random() % 11;
        Request request{.schedule = Schedule::distribution};
        request.stable = random() % 2 == 0;
        request.value_bytes = random() % 2 * 4;
        std::size_t turn = 0;
        for_each_key_type([&]<class T>() {
            if (turn++ != type || !target.info.compiles) return;
            std::printf("seed %llu: %zu distributions done, %zu refused, now: %s in tiles of %s, on %s\n",
                        static_cast<unsigned long long>(block_seed), sorts, refused,
                        std::string(name(key_type_v<T>)).c_str(), to_string(shape).c_str(), target.name.c_str());
            std::fflush(stdout);
            SorterOptions options;
            options.shape = shape;
            options.seed = static_cast<std::uint32_t>(block_seed);
            Sorter sorter = target.new_sorter(options);
            for (std::size_t i = 0; i < sorts_of_block; ++i) {
                const std::size_t count = random() >> (64 - most_bits) >> random() % 8;
                request.order = both_orders[random() % 2];
                request.extra_bytes = random() >> 40 >> random() % 8;
                CAPTURE(block_seed);
                CAPTURE(i);
                try {
                    run_everywhere(target, sorter, problem_of(request, skewed_keys<T>(count, random)), random() % 9);
                    ++sorts;
                } catch (const Error& error) {
                    REQUIRE(error.code() == ErrorCode::unsupported);
                    ++refused;
                }
            }
        });
    }
    std::printf("%zu random distributions were right, %zu could not be\n", sorts, refused);
}

}  // namespace
}  // namespace lanesort::test
