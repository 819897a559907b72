// SPDX-License-Identifier: MIT
// Arithmetic of counts.
#pragma once

#include <cstdint>

namespace lanesort::inline v0_1 {

/// Counts from here on need 64-bit indices in the kernels.
inline constexpr std::uint64_t wide_count = std::uint64_t{1} << 31;

/// a / b, rounded up.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0); }

/// Whether a * b is above `most`, also if it has more than 64 bits.
constexpr bool product_exceeds(std::uint64_t a, std::uint64_t b, std::uint64_t most) noexcept {
    return b > 0 && a > most / b;
}

/// The most that 64 bits hold.
inline constexpr std::uint64_t most_in_64_bits = ~std::uint64_t{0};

}  // namespace lanesort::inline v0_1
