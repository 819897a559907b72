// Arithmetic of counts.
#pragma once

#include <cstdint>

namespace lanesort {

/// a / b, rounded up.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0); }

}  // namespace lanesort
