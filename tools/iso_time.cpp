// SPDX-License-Identifier: MIT
#include "iso_time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes what a time consists of from the front of a text.
class Parts {
public:
    explicit Parts(std::string_view text) noexcept : rest_(text) {}

    bool is_at_end() const noexcept { return rest_.empty(); }

    bool take(std::string_view any_of) noexcept {
        if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// A number of just so many digits, up to `most`; or -1.
    int number(std::size_t digits, int most) noexcept {
        if (rest_.size() < digits || !std::ranges::all_of(rest_.substr(0, digits), is_digit)) return -1;
        int number = 0;
        for (const char digit : rest_.substr(0, digits)) number = 10 * number + (digit - '0');
        rest_.remove_prefix(digits);
        return number <= most ? number : -1;
    }

    std::string_view digits() noexcept {
        const auto end = std::ranges::find_if_not(rest_, is_digit);
        const std::string_view digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(digits.size());
        return digits;
    }

private:
    std::string_view rest_;
};

}  // namespace

std::string_view fraction_of_time(std::string_view text) noexcept {
    text.remove_prefix(std::min(text.find('.'), text.size()));
    const auto end = std::find_if_not(text.begin() + !text.empty(), text.end(), is_digit);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<std::int64_t> parse_iso_time(std::string_view text) noexcept {
    constexpr int last_hour = 23, last_minute = 59, leap_second = 60;
    constexpr std::size_t micro_digits = 6;
    Parts parts(text);
    const int year = parts.number(4, 9999);
    if (year < 0 || !parts.take("-")) return std::nullopt;
    const int month = parts.number(2, 12);
    if (month < 0 || !parts.take("-")) return std::nullopt;
    const int day = parts.number(2, 31);
    const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (day < 0 || !date.ok()) return std::nullopt;
    std::chrono::microseconds time = std::chrono::sys_days(date).time_since_epoch();
    if (parts.is_at_end()) return time.count();

    if (!parts.take("Tt ")) return std::nullopt;
    const int hour = parts.number(2, last_hour);
    if (hour < 0 || !parts.take(":")) return std::nullopt;
    const int minute = parts.number(2, last_minute);
    if (minute < 0) return std::nullopt;
    time += std::chrono::hours(hour) + std::chrono::minutes(minute);
    if (parts.take(":")) {
        const int second = parts.number(2, leap_second);
        if (second < 0) return std::nullopt;
        time += std::chrono::seconds(second);
        if (parts.take(".")) {
            const std::string_view fraction = parts.digits();
            if (fraction.empty()) return std::nullopt;
            int micros = 0;
            for (std::size_t i = 0; i < micro_digits; ++i)
                micros = 10 * micros + (i < fraction.size() ? fraction[i] - '0' : 0);
            time += std::chrono::microseconds(micros);
        }
    }
    if (parts.is_at_end() || parts.take("Zz")) return parts.is_at_end() ? std::optional(time.count()) : std::nullopt;
    const bool is_east = parts.take("+");
    if (!is_east && !parts.take("-")) return std::nullopt;
    const int hours = parts.number(2, last_hour);
    if (hours < 0) return std::nullopt;
    int minutes = 0;
    if (!parts.is_at_end()) {
        parts.take(":");
        minutes = parts.number(2, last_minute);
        if (minutes < 0 || !parts.is_at_end()) return std::nullopt;
    }
    const std::chrono::minutes offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    return (is_east ? time - offset : time + offset).count();
}
