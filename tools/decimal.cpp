// SPDX-License-Identifier: MIT
#include "decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

namespace {

using Exponents = std::numeric_limits<std::int64_t>;

constexpr std::int64_t most_exponent = 100'000'000'000'000'000;

std::int64_t parse_exponent(std::string_view text) noexcept {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t exponent = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec == std::errc::result_out_of_range)
        exponent = text.starts_with('-') ? -most_exponent : most_exponent;
    return std::clamp(exponent, -most_exponent, most_exponent);
}

std::strong_ordering compare_digits(std::string_view a, std::string_view b) noexcept {
    const auto next = [](std::string_view& digits) {
        if (digits.starts_with('.')) digits.remove_prefix(1);
        if (digits.empty()) return '0';
        const char digit = digits.front();
        digits.remove_prefix(1);
        return digit;
    };
    while (!a.empty() || !b.empty())
        if (const auto by = next(a) <=> next(b); by != 0) return by;
    return std::strong_ordering::equal;
}

}  // namespace

Decimal::Decimal(std::string_view text) noexcept : is_negative_(text.starts_with('-')) {
    if (is_negative_ || text.starts_with('+')) text.remove_prefix(1);
    if (text.starts_with('i') || text.starts_with('I') || text.starts_with('n') || text.starts_with('N')) {
        exponent_ = Exponents::max();
        return;
    }
    const std::size_t end = std::min(text.find_first_of("eE"), text.size());
    digits_ = text.substr(0, end);
    const std::size_t point = std::min(digits_.find('.'), end), first = digits_.find_first_not_of("0.");
    if (first == std::string_view::npos) {
        digits_ = {};
        exponent_ = Exponents::min();
        return;
    }
    if (end < text.size()) exponent_ = parse_exponent(text.substr(end + 1));
    exponent_ += static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first < point ? first : first - 1);
    digits_ = digits_.substr(first, digits_.find_last_not_of("0.") + 1 - first);
}

bool Decimal::is_exact_as_f64() const noexcept {
    using Doubles = std::numeric_limits<double>;
    if (digits_.empty()) return true;
    const std::size_t digits = digits_.size() - (digits_.find('.') != std::string_view::npos);
    return digits <= Doubles::digits10 && exponent_ > Doubles::min_exponent10 && exponent_ <= Doubles::max_exponent10;
}

bool Decimal::is_beyond_compare() const noexcept {
    constexpr std::int64_t most = most_exponent / 10;
    return !digits_.empty() && (exponent_ < -most || exponent_ > most);
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept {
    if (a.is_negative_ != b.is_negative_) return b.is_negative_ <=> a.is_negative_;
    std::strong_ordering by = a.exponent_ <=> b.exponent_;
    if (by == 0) by = compare_digits(a.digits_, b.digits_);
    return a.is_negative_ ? 0 <=> by : by;
}
