// SPDX-License-Identifier: MIT
#include "histogram_schedule.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <lanesort/error.hpp>
#include <lanesort/key_order.hpp>

namespace lanesort::inline v0_1::detail {
namespace {

__extension__ typedef unsigned __int128 Wide;

void require(bool holds, const char* sentence) {
    if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
}

template <class Number>
Number number_of(std::uint64_t bits, KeyType type) {
    if (type == KeyType::f16) {
        const auto exponent = static_cast<int>(bits >> 10 & 31), significand = static_cast<int>(bits & 1023);
        if (exponent == 31) return std::numeric_limits<Number>::quiet_NaN();
        const auto size = static_cast<Number>(exponent == 0 ? std::ldexp(significand, -24)
                                                            : std::ldexp(significand + 1024, exponent - 25));
        return bits >> 15 & 1 ? -size : size;
    }
    Number number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

template <class Number>
BinRule rule_of_numbers(const Request& request) {
    const auto lower = number_of<Number>(request.lower, request.key.type()),
               upper = number_of<Number>(request.upper, request.key.type());
    require(std::isfinite(lower) && std::isfinite(upper) && std::isfinite(upper - lower),
            "even bins of floating-point numbers lie between finite ones, whose difference is finite, too");
    require(lower < upper, "the upper bound of even bins must be above the lower one");
    const auto factor = static_cast<Number>(request.bins) / (upper - lower);
    require(std::isfinite(factor), "so many even bins are too narrow for the type of the keys");
    const auto bits = [](Number number) {
        std::uint64_t all = 0;
        std::memcpy(&all, &number, sizeof number);
        return all;
    };
    return {bits(lower), bits(upper), bits(factor), 0};
}

}  // namespace

BinRule rule_of(const Request& request) {
    const KeyType type = request.key.type();
    const std::size_t key_bits = 8 * request.key.bytes();
    require(key_bits == 64 || (request.lower | request.upper) >> key_bits == 0,
            "the bounds of even bins must have the bits of a key and no more");
    if (type == KeyType::f64) return rule_of_numbers<double>(request);
    if (type == KeyType::f16 || type == KeyType::f32) return rule_of_numbers<float>(request);
    const KeyCoding coding = key_coding(type, Order::ascending);
    const std::uint64_t lower = request.lower ^ coding.flip, upper = request.upper ^ coding.flip;
    require(lower <= upper, "the upper bound of even bins must not be below the lower one");
    BinRule rule{lower, upper - lower, 0, 0};
    const Wide bins = request.bins, all = Wide{rule.span} + 1;
    if (request.key.bytes() == 8) {
        // As a fraction of 2^95, of distances that are shifted up: its product with one is too small by less than 1.
        rule.shift = static_cast<unsigned>(std::countl_zero(rule.span | 1));
        rule.factor = static_cast<std::uint64_t>((bins << 95) / (all << rule.shift));
        return rule;
    }
    // With d <= span, d * bins / all is at least 1 / all below the next integer. The fraction of 2^(32 + shift) is
    // rounded up by less than 1, so its product with d is too large by less than that where 2^(32 + shift) > span *
    // all. That holds, as long as 64 bits hold no larger fraction, or a shift of 32 does.
    rule.shift = 32;
    const auto fraction = [&] { return ((bins << (32 + rule.shift)) + all - 1) / all; };
    while (fraction() >> 64 != 0) --rule.shift;
    rule.factor = static_cast<std::uint64_t>(fraction());
    return rule;
}

}  // namespace lanesort::inline v0_1::detail
