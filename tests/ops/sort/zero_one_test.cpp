// SPDX-License-Identifier: MIT
// The zero-one principle, exhaustively: a network that sorts every sequence of zeros and ones sorts everything (Knuth
// 5.3.4, theorem Z). So does one that only puts the first keys in their places, or merges, for what it promises.
#include "oracle/reference_network.hpp"

#include <array>
#include <bit>

#include "shapes.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

/// One key of many inputs, a bit for each: then the smaller of two keys is `and`, the larger one `or`.
using Bits = std::array<std::uint64_t, 64>;
constexpr unsigned inputs_bits = 12;  // lg of the inputs in Bits
constexpr std::size_t inputs_at_once = std::size_t{1} << inputs_bits;
constexpr Bits all_ones = [] {
    Bits bits{};
    bits.fill(~std::uint64_t{0});
    return bits;
}();

void set(Bits& bits, std::size_t input) { bits[input / 64] |= std::uint64_t{1} << input % 64; }

void run_network(std::vector<Bits>& keys, const Plan& plan) {
    for (const Pass& pass : plan.passes)
        run_pass(std::span(keys), pass, plan, [](Bits& lower, Bits& upper) {
            for (std::size_t i = 0; i < lower.size(); ++i) {
                const std::uint64_t smaller = lower[i] & upper[i];
                upper[i] |= lower[i];
                lower[i] = smaller;
            }
        });
}

/// In every input, none of the first keys is larger than one that comes after it.
bool first_are_in_place(const std::vector<Bits>& keys, std::size_t first) {
    Bits least_behind = all_ones;
    std::uint64_t wrong = 0;
    for (std::size_t i = keys.size(); i-- > 0;)
        for (std::size_t word = 0; word < least_behind.size(); ++word) {
            if (i < first) wrong |= keys[i][word] & ~least_behind[word];
            least_behind[word] &= keys[i][word];
        }
    return wrong == 0;
}

/// The plan puts the first keys of each of the 2^count inputs in their places.
bool holds_for_all_inputs(const Plan& plan, std::size_t first) {
    const auto count = static_cast<unsigned>(plan.count);
    std::vector<Bits> in_one_run(inputs_bits, Bits{});  // bit i of an input's number
    for (std::size_t input = 0; input < inputs_at_once; ++input)
        for (unsigned i = 0; i < inputs_bits; ++i)
            if (input >> i & 1) set(in_one_run[i], input);
    const std::uint64_t runs = count > inputs_bits ? std::uint64_t{1} << (count - inputs_bits) : 1;
    for (std::uint64_t run = 0; run < runs; ++run) {
        std::vector<Bits> keys(count);
        for (unsigned i = 0; i < count; ++i)
            keys[i] = i < inputs_bits ? in_one_run[i] : run >> (i - inputs_bits) & 1 ? all_ones : Bits{};
        run_network(keys, plan);
        if (!first_are_in_place(keys, first)) return false;
    }
    return true;
}

TEST_CASE("zero-one principle: every sort of up to 20 keys") {
    std::uint64_t plans = 0, inputs = 0;
    for (const Shape& shape : test::shapes_of_tiles_up_to(32)) {
        CAPTURE(to_string(shape));
        for (unsigned count = 0; count <= 20; ++count) {
            CAPTURE(count);
            REQUIRE(holds_for_all_inputs(make_plan(count, shape), count));
            ++plans;
            inputs += std::uint64_t{1} << count;
        }
    }
    MESSAGE(plans, " plans, ", inputs, " inputs");
}

TEST_CASE("zero-one principle: the first keys of up to 20, by passes over heads") {
    std::uint64_t plans = 0, inputs = 0;
    for (const Shape& shape : test::shapes_of_tiles_up_to(32)) {
        CAPTURE(to_string(shape));
        for (unsigned count = 2; count <= 20; ++count)
            for (unsigned first = 1; first < count; ++first) {
                if (head_bits(count, shape, first) == 0) continue;  // it sorts all keys, as above
                CAPTURE(count);
                CAPTURE(first);
                REQUIRE(holds_for_all_inputs(make_plan(count, shape, first), first));
                ++plans;
                inputs += std::uint64_t{1} << count;
            }
    }
    CHECK(plans > 0);
    MESSAGE(plans, " plans, ", inputs, " inputs");
}

// Ranges that are in order have few inputs of zeros and ones: one for each number of zeros.
TEST_CASE("zero-one principle: every merge of up to 40 keys") {
    const std::vector<Shape> shapes = test::shapes_of_tiles_up_to(32);
    std::uint64_t plans = 0, inputs = 0;
    for (std::size_t count = 2; count <= 40; ++count)
        for (std::size_t middle = 1; middle < count; ++middle) {
            CAPTURE(count);
            CAPTURE(middle);
            std::vector<Bits> sorted_ranges(count, Bits{});
            std::size_t input = 0;
            for (std::size_t zeros = 0; zeros <= middle; ++zeros)
                for (std::size_t more_zeros = 0; more_zeros <= count - middle; ++more_zeros, ++input)
                    for (std::size_t i = 0; i < count; ++i)
                        if (i < middle ? i >= zeros : i - middle >= more_zeros) set(sorted_ranges[i], input);
            REQUIRE(input <= inputs_at_once);
            for (const Shape& shape : shapes) {
                CAPTURE(to_string(shape));
                std::vector<Bits> keys = sorted_ranges;
                run_network(keys, make_merge_plan(count, middle, shape));
                REQUIRE(first_are_in_place(keys, count));
                ++plans;
                inputs += input;
            }
        }
    MESSAGE(plans, " plans, ", inputs, " inputs");
}

TEST_CASE("zero-one principle: every merge of two ranges that lie apart, of up to 24 keys each") {
    std::uint64_t plans = 0;
    for (const Shape& shape : test::shapes_of_tiles_up_to(32))
        for (std::size_t lower_count = 1; lower_count <= 24; ++lower_count)
            for (std::size_t upper_count = 1; upper_count <= lower_count; ++upper_count) {
                CAPTURE(to_string(shape));
                CAPTURE(lower_count);
                CAPTURE(upper_count);
                std::vector<Bits> lower(lower_count, Bits{}), upper(upper_count, Bits{});
                std::size_t input = 0;
                for (std::size_t zeros = 0; zeros <= lower_count; ++zeros)
                    for (std::size_t more_zeros = 0; more_zeros <= upper_count; ++more_zeros, ++input) {
                        for (std::size_t i = zeros; i < lower_count; ++i) set(lower[i], input);
                        for (std::size_t i = more_zeros; i < upper_count; ++i) set(upper[i], input);
                    }
                REQUIRE(input <= inputs_at_once);
                for (std::size_t k = 0; k < upper_count; ++k) {
                    // As the network's compare-exchange of these two.
                    std::vector<Bits> pair{lower[lower_count - 1 - k], upper[k]};
                    run_network(pair, make_merge_plan(2, 1, shape));
                    lower[lower_count - 1 - k] = pair[0];
                    upper[k] = pair[1];
                }
                run_network(lower, make_half_plan(lower_count, true, shape));
                run_network(upper, make_half_plan(upper_count, false, shape));
                lower.insert(lower.end(), upper.begin(), upper.end());
                REQUIRE(first_are_in_place(lower, lower.size()));
                ++plans;
            }
    MESSAGE(plans, " plans");
}

}  // namespace
}  // namespace lanesort
