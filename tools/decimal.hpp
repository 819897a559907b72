// SPDX-License-Identifier: MIT
// Numbers in text, compared to their last digit.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

/// A decimal number, infinity or NaN. It refers to its text, which has to stay.
class Decimal {
public:
    Decimal() = default;
    /// The text, without blanks, is a number as a KeyReader takes it.
    explicit Decimal(std::string_view text) noexcept;

    /// Whether no other number has the same f64. Numbers of up to 15 digits are so, unless they are very large or
    /// small.
    bool is_exact_as_f64() const noexcept;
    /// Larger or smaller than any number that has a use. Two such numbers are not told apart.
    bool is_beyond_compare() const noexcept;

    /// By value; -0 comes before 0. Infinities and NaNs are larger than other numbers of their sign.
    friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept;
    friend bool operator==(const Decimal& a, const Decimal& b) noexcept { return (a <=> b) == 0; }

private:
    bool is_negative_ = false;
    std::int64_t exponent_ = 0;  ///< the number is 0.DIGITS times this power of ten
    std::string_view digits_;    ///< from the first that is not 0 to the last, maybe with a point among them
};
