// SPDX-License-Identifier: MIT
#include "key_reader.hpp"

#include <algorithm>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "decimal.hpp"
#include "half.hpp"
#include "with_type.hpp"

namespace {

using lanesort::half;
using lanesort::KeyType;

enum class Parsed { number, no_number, out_of_range };

template <std::integral T>
Parsed parse(std::string_view text, T& value) {
    // from_chars reads no minus into an unsigned number, but -1 is a number, though out of range, and -0 is 0.
    const bool negative = std::is_unsigned_v<T> && text.starts_with('-');
    const char* const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data() + negative, last, value);
    if (status == std::errc::invalid_argument || end != last) return Parsed::no_number;
    if (status == std::errc::result_out_of_range || (negative && value != 0)) return Parsed::out_of_range;
    return Parsed::number;
}

double parse_slowly(const std::string& text, double) { return std::strtod(text.c_str(), nullptr); }
float parse_slowly(const std::string& text, float) { return std::strtof(text.c_str(), nullptr); }

template <std::floating_point T>
Parsed parse(std::string_view text, T& value) {
    const char* const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value);
    // "nan(1)" asks for bits that are not kept, so it is refused.
    if (status == std::errc::invalid_argument || end != last || text.ends_with(')')) return Parsed::no_number;
    // from_chars does not say whether the number is too large or too small, and too small ones are 0 or subnormal.
    if (status == std::errc::result_out_of_range) value = parse_slowly(std::string(text), T{});
    return status == std::errc{} || std::isfinite(value) ? Parsed::number : Parsed::out_of_range;
}

double parse_rounding(const std::string& text, int direction) {
    std::fesetround(direction);
    const double value = std::strtod(text.c_str(), nullptr);
    std::fesetround(FE_TONEAREST);
    return value;
}

Parsed parse(std::string_view text, half& value) {
    double number = 0;
    if (const Parsed parsed = parse(text, number); parsed != Parsed::number) return parsed;
    // What is exactly in the middle here may have been rounded to it: then the half depends on the side it came from.
    if (between_halves(number)) {
        const double below = parse_rounding(std::string(text), FE_DOWNWARD);
        number = below == number ? parse_rounding(std::string(text), FE_UPWARD) : below;
    }
    value = to_half(number);
    return std::isfinite(number) && std::isinf(to_double(value)) ? Parsed::out_of_range : Parsed::number;
}

template <class T>
std::string range_of(T) {
    if constexpr (std::integral<T>)
        return fmt::format("{} to {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    else return fmt::format("-{0} to {0}, inf and nan", std::numeric_limits<T>::max());
}
std::string range_of(half) { return "-65504 to 65504, inf and nan"; }

/// The digits of an integer from the first that counts, or none where the text is no integer.
std::optional<std::string_view> digits_of(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    return text;
}

/// Integers of so many digits are exact.
template <class T>
constexpr std::size_t exact_digits = std::numeric_limits<T>::digits10;
template <>
constexpr std::size_t exact_digits<half> = 3;

/// Whether the value is these digits of an integer, up to the last one.
template <class T>
bool is_exact(T value, std::string_view digits) {
    if constexpr (std::integral<T>) return true;
    else {
        if (digits.size() <= exact_digits<T>) return true;
        double number = 0;
        if constexpr (std::is_same_v<T, half>) number = to_double(value);
        else number = value;
        char text[std::numeric_limits<double>::max_exponent10 + 1];
        const char* const end =
            std::to_chars(text, text + sizeof text, std::fabs(number), std::chars_format::fixed, 0).ptr;
        return digits == std::string_view(text, end);
    }
}

/// Whether the number surely is the only one with its f64.
bool is_short(std::string_view text) {
    return text.size() <= exact_digits<double> && text.find_first_of("eE") == std::string_view::npos;
}

bool holds(KeyType type, std::string_view integer, std::string_view digits) {
    return with_type(
        type, [&]<class T>(T value) { return parse(integer, value) == Parsed::number && is_exact(value, digits); });
}

/// The first of the types that holds the integer: "--type i64"; or nothing.
std::string type_for(std::string_view integer, std::initializer_list<KeyType> types) {
    if (const auto digits = digits_of(integer))
        for (const KeyType type : types)
            if (holds(type, integer, *digits)) return fmt::format("--type {}", name(type));
    return {};
}

/// Words for an integer that a floating-point type would round.
std::string rounded(std::string_view integer, KeyType type) {
    const std::string better = type_for(integer, {KeyType::f64, KeyType::i64, KeyType::u64});
    return fmt::format("is an integer that {} does not hold exactly: {} ({}with .0 at its end it is rounded)",
                       name(type), shown(integer), better.empty() ? "" : fmt::format("{} does; ", better));
}

std::string out_of_range(std::string_view text, KeyType type) {
    const std::string better = type_for(text, {KeyType::i64, KeyType::u64, KeyType::f64});
    const std::string range = with_type(type, [](auto value) { return range_of(value); });
    return fmt::format("is out of range: {}, but {} holds {}{}", shown(text), name(type), range,
                       better.empty() ? "" : fmt::format(" ({} holds it)", better));
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 40;
    return fmt::format("{:?}{}", text.substr(0, most), text.size() > most ? "..." : "");
}

KeyReader::KeyReader(std::optional<KeyType> type, Refuse refuse) : type_(type), refuse_(std::move(refuse)) {}

template <class T>
void KeyReader::append(T value) {
    std::memcpy(keys_.room(sizeof value), &value, sizeof value);
    keys_.grew(sizeof value);
}

std::string KeyReader::no_number() const {
    return type_ ? fmt::format("is no number of type {}", name(*type_)) : "is no number";
}

void KeyReader::add(std::string_view text, std::uint64_t place) {
    if (text.empty()) return refuse_(place, "is empty");
    if (text.front() == '+' && text.find_first_of("+-", 1) != 1 && text.size() > 1) text.remove_prefix(1);
    if (type_) with_type(*type_, [&]<class T>(T) { add_as<T>(text, place); });
    else add_and_find_type(text, place);
}

void KeyReader::add_placeholder() {
    if (type_) with_type(*type_, [&]<class T>(T) { append(T{}); });
    else append(std::uint64_t{0});  // which is 0.0, too
}

void KeyReader::add_part(std::int64_t key, bool needs_digits) {
    append(key);
    seen_.needs_digits = seen_.needs_digits || needs_digits;
}

template <class T>
void KeyReader::add_as(std::string_view text, std::uint64_t place) {
    T value{};
    switch (parse(text, value)) {
        case Parsed::number: break;
        case Parsed::no_number: return refuse_(place, fmt::format("{}: {}", no_number(), shown(text)));
        case Parsed::out_of_range: return refuse_(place, out_of_range(text, lanesort::key_type_v<T>));
    }
    if constexpr (!std::integral<T>)
        if (const auto digits = digits_of(text); digits && !is_exact(value, *digits))
            refuse_(place, rounded(text, lanesort::key_type_v<T>));
    append(value);
}

void KeyReader::add_and_find_type(std::string_view text, std::uint64_t place) {
    const auto digits = digits_of(text);
    if (digits && !seen_.floats && add_integer(text, *digits, place)) return;

    double number = 0;
    const Parsed parsed = parse(text, number);
    if (parsed == Parsed::no_number) return refuse_(place, fmt::format("{}: {}", no_number(), shown(text)));
    if (!is_short(text)) {
        const Decimal decimal(text);
        if (decimal.is_beyond_compare()) return refuse_(place, fmt::format("is out of range: {}", shown(text)));
        seen_.needs_digits = seen_.needs_digits || !decimal.is_exact_as_f64();
    }
    if (!seen_.floats) turn_into_floats();
    append(number);
    if (parsed == Parsed::out_of_range || (digits && !is_exact(number, *digits))) note_unfit(text, place);
}

/// False where neither i64 nor u64 holds it and those before it.
bool KeyReader::add_integer(std::string_view text, std::string_view digits, std::uint64_t place) {
    const bool is_negative = text.starts_with('-') && !digits.empty();
    std::int64_t below = 0;
    std::uint64_t above = 0;
    const bool fits = digits.empty() || (is_negative ? parse(text, below) : parse(digits, above)) == Parsed::number;
    const bool is_above_i64 = above > std::numeric_limits<std::int64_t>::max();
    if (!fits || (is_negative && seen_.above_i64) || (is_above_i64 && seen_.has_negative)) return false;

    seen_.has_negative = seen_.has_negative || is_negative;
    seen_.above_i64 = seen_.above_i64 || is_above_i64;
    if (digits.empty() && text.starts_with('-')) negative_zeros_.push_back(keys_.size() / sizeof above);
    if (is_negative) append(below);
    else append(above);
    if (digits.size() <= exact_digits<double>) return true;
    seen_.needs_digits = true;
    const double number = is_negative ? static_cast<double>(below) : static_cast<double>(above);
    if (!seen_.unfit && !is_exact(number, digits)) note_unfit(text, place);
    return true;
}

void KeyReader::note_unfit(std::string_view text, std::uint64_t place) {
    if (!seen_.unfit) seen_.unfit = {place, std::string(text)};
}

void KeyReader::turn_into_floats() {
    seen_.floats = true;
    std::byte* key = keys_.data();
    for (std::size_t i = 0; i < keys_.size() / sizeof(double); ++i, key += sizeof(double)) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, key, sizeof bits);
        const double number =
            seen_.above_i64 ? static_cast<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
        std::memcpy(key, &number, sizeof number);
    }
    constexpr double negative_zero = -0.0;
    for (const std::size_t i : negative_zeros_)
        std::memcpy(keys_.data() + i * sizeof negative_zero, &negative_zero, sizeof negative_zero);
}

Numbers KeyReader::finish() {
    const KeyType found = seen_.floats ? KeyType::f64 : seen_.above_i64 ? KeyType::u64 : KeyType::i64;
    return {type_.value_or(found), std::move(keys_)};
}

Numbers KeyReader::finish_rounded() {
    if (const auto& unfit = seen_.unfit; unfit && seen_.floats)
        refuse_(unfit->place,
                digits_of(unfit->text) ? rounded(unfit->text, KeyType::f64) : out_of_range(unfit->text, KeyType::f64));
    return finish();
}
