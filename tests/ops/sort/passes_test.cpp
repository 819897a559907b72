// SPDX-License-Identifier: MIT
// Each kernel launch alone: the keys after every pass, against the reference executor's.
#include "ops/kernels.hpp"
#include "ops/sort/rounds.hpp"
#include "oracle/reference_executor.hpp"
#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

using lanesort::detail::KernelParameters;
namespace families = lanesort::detail::families;

template <Key T>
std::vector<std::vector<T>> states_of_reference(std::vector<T> keys, const Plan& plan, KeyCoding coding) {
    std::vector<std::vector<T>> states;
    ReferenceExecutor(keys.data(), sizeof(T), coding, [&](const Pass&) { states.push_back(keys); }).run(plan);
    return states;
}

template <Key T>
void check_passes(Sorter& sorter, const KernelParameters& parameters, const Plan& plan, Order order,
                  std::size_t middle = 0) {
    constexpr std::size_t offset = 5;
    CAPTURE(name(key_type_v<T>));
    CAPTURE(plan.count);
    CAPTURE(plan.front);
    Random random(seed() + plan.count);
    std::vector<T> memory = random_keys<T>(offset + plan.count, random);
    if (middle > 0) {
        const auto begin = memory.begin() + offset, second = begin + static_cast<std::ptrdiff_t>(middle);
        std::ranges::copy(sorted(std::vector<T>(begin, second), order), begin);
        std::ranges::copy(sorted(std::vector<T>(second, memory.end()), order), second);
    }
    const KeyCoding coding = key_coding(key_type_v<T>, order);
    const auto expected = states_of_reference(std::vector<T>(memory.begin() + offset, memory.end()), plan, coding);
    const Request request{.count = plan.count, .order = order, .key = key_type_v<T>};
    const std::vector<Bytes> states = states_of(sorter, parameters, plan, request, offset, bytes_of(memory));
    REQUIRE(states.size() == expected.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        CAPTURE(i);
        CAPTURE(plan.passes[i].last_phase);
        CAPTURE(plan.passes[i].top_stride);
        CAPTURE(plan.passes[i].bottom_stride);
        std::vector<T> whole = memory;
        std::ranges::copy(expected[i], whole.begin() + offset);
        require_same_bytes(keys_of<T>(states[i]), whole);
    }
}

/// The pass test of keys of type T with kernels of these parameters, in that shape.
template <Key T>
void check_shape(Target& target, KernelParameters parameters, const Shape& shape, Order order) {
    if (!target.can_run(shape, sizeof(T))) return;
    CAPTURE(target.name);
    CAPTURE(to_string(shape));
    parameters.family = &families::sort;
    parameters.bytes = sizeof(T);
    parameters.shape = shape;
    const std::size_t tile = shape.tile_keys();
    for (const std::size_t count :
         {std::size_t{2}, std::size_t{3}, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 5, 8 * tile, 11 * tile - 3}) {
        if (count < 2) continue;
        const Plan plan = make_plan(count, shape);
        parameters.column_bits = shape.walks_in_cache() ? 0 : plan.passes.front().column_bits;
        check_passes<T>(target.sorter(), parameters, plan, order);
    }
}

TEST_CASE("passes: every launch leaves the reference's keys") {
    for (Target& target : targets()) {
        for (const Shape& shape : small_shapes()) check_shape<std::uint32_t>(target, {}, shape, Order::ascending);
        for (const Shape& shape : tiny_shapes()) check_shape<float>(target, {}, shape, Order::descending);
    }
}

TEST_CASE("passes: in columns") {
    for (Target& target : targets())
        for (const Shape& shape : column_shapes()) check_shape<float>(target, {}, shape, Order::descending);
}

TEST_CASE("passes: keys of every width and coding") {
    const Shape in_local = small_shapes()[1], in_cache = small_shapes()[5];
    for (Target& target : targets())
        for (const Shape& shape : {in_local, in_cache}) {
            check_shape<std::int8_t>(target, {}, shape, Order::ascending);
            check_shape<half>(target, {}, shape, Order::descending);
            check_shape<double>(target, {}, shape, Order::ascending);
        }
}

/// In local memory and in the cache. Every other one is compiled with 64-bit indices.
std::vector<Shape> shapes_of_each_kind() {
    const std::vector<Shape> all = small_shapes();
    return {all[0], all[2], all[5], all[7]};
}

TEST_CASE("passes: over the heads of sorted runs") {
    bool wide = false;
    for (Target& target : targets())
        for (const Shape& shape : shapes_of_each_kind()) {
            CAPTURE(to_string(shape));
            const std::size_t tile = shape.tile_keys();
            if (!target.can_run(shape, sizeof(float)) || head_bits(2 * tile, shape, 1) == 0) continue;
            wide = !wide;
            const KernelParameters parameters{
                .family = &families::sort_first, .bytes = sizeof(float), .wide_positions = wide, .shape = shape};
            for (const std::size_t count : {2 * tile, 2 * tile + 1, 7 * tile - 3, 64 * tile + 5, 200 * tile})
                for (const std::size_t first : {std::size_t{1}, tile / 4, tile / 2})
                    if (head_bits(count, shape, first) > 0)
                        check_passes<float>(target.sorter(), parameters, make_plan(count, shape, first),
                                            Order::descending);
        }
}

TEST_CASE("passes: of a merge of two ranges") {
    bool wide = false;
    for (Target& target : targets())
        for (const Shape& shape : shapes_of_each_kind()) {
            CAPTURE(to_string(shape));
            if (!target.can_run(shape, sizeof(float))) continue;
            wide = !wide;
            const KernelParameters parameters{
                .family = &families::two_ranges, .bytes = sizeof(float), .wide_positions = wide, .shape = shape};
            const std::size_t tile = shape.tile_keys();
            for (const std::size_t count : {std::size_t{2}, tile - 1, tile, 2 * tile + 1, 7 * tile - 3, 64 * tile + 5})
                for (const std::size_t middle : {std::size_t{1}, count / 3, count / 2, count - 1})
                    if (middle > 0)
                        check_passes<float>(target.sorter(), parameters, make_merge_plan(count, middle, shape),
                                            Order::descending, middle);
        }
}

TEST_CASE("passes: kernels with 64-bit indices, which counts of 2^31 and more need") {
    KernelParameters parameters;
    parameters.wide_positions = true;
    for (Target& target : targets())
        for (const std::size_t i : {0, 4, 5})
            check_shape<std::uint32_t>(target, parameters, small_shapes()[i], Order::ascending);
}

TEST_CASE("passes: kernels with unrolled rounds, which graphics cards get") {
    KernelParameters parameters;
    parameters.unroll_rounds = true;
    for (Target& target : targets())
        for (const std::size_t i : {0, 2})
            check_shape<std::uint32_t>(target, parameters, small_shapes()[i], Order::ascending);
}

}  // namespace
}  // namespace lanesort::test
