// SPDX-License-Identifier: MIT
#include "half.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

constexpr unsigned sign_bit = 0x8000, infinity = 0x7c00, quiet_nan = 0x7e00, mantissa_count = 1024;
constexpr double smallest_normal = 0x1p-14, beyond_largest = 0x1p16;

/// Magnitudes from 2^(exponent - 1) to 2^exponent lie 2^(exponent - 11) apart; subnormal ones as the smallest normal.
int exponent_of(double magnitude) {
    int exponent = 0;
    std::frexp(std::max(magnitude, smallest_normal), &exponent);
    return exponent;
}

double in_steps(double magnitude) { return std::ldexp(magnitude, 11 - exponent_of(magnitude)); }

}  // namespace

double to_double(lanesort::half value) noexcept {
    const unsigned magnitude = value.bits & ~sign_bit;
    const int exponent = static_cast<int>(magnitude / mantissa_count);
    const double mantissa = magnitude % mantissa_count;
    double number = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + mantissa_count, exponent - 25);
    if (magnitude >= infinity) number = magnitude == infinity ? HUGE_VAL : NAN;
    return std::copysign(number, value.bits & sign_bit ? -1 : 1);
}

lanesort::half to_half(double value) noexcept {
    const double magnitude = std::fabs(value);
    unsigned bits = infinity;
    if (std::isnan(value)) {
        bits = quiet_nan;
    } else if (magnitude < beyond_largest) {
        // A mantissa that rounds up to the next power of two carries into the exponent, up to infinity.
        const long first = (exponent_of(magnitude) - exponent_of(smallest_normal)) * long{mantissa_count};
        bits = static_cast<unsigned>(first + std::lrint(in_steps(magnitude)));
    }
    return {static_cast<std::uint16_t>(bits | (std::signbit(value) ? sign_bit : 0))};
}

bool between_halves(double value) noexcept {
    const double steps = in_steps(std::fabs(value));
    return steps - std::floor(steps) == 0.5;
}
