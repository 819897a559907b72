#include "numbers.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "half.hpp"

static_assert(std::endian::native == std::endian::little, "raw files hold little-endian numbers");

namespace {

using lanesort::half;
using lanesort::KeyType;

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Calls the function with a value of the C++ type of the keys.
template <class Function>
void with_type(KeyType type, Function function) {
    switch (type) {
        case KeyType::u8: return function(std::uint8_t{});
        case KeyType::i8: return function(std::int8_t{});
        case KeyType::u16: return function(std::uint16_t{});
        case KeyType::i16: return function(std::int16_t{});
        case KeyType::u32: return function(std::uint32_t{});
        case KeyType::i32: return function(std::int32_t{});
        case KeyType::u64: return function(std::uint64_t{});
        case KeyType::i64: return function(std::int64_t{});
        case KeyType::f16: return function(half{});
        case KeyType::f32: return function(float{});
        case KeyType::f64: return function(double{});
    }
}

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

template <class T>
std::optional<std::string> append_number_of(Bytes& keys, std::string_view text, KeyType type) {
    if (text.empty()) return "is empty";
    std::string_view digits = text;
    if (digits.front() == '+' && !digits.substr(1).starts_with('-')) digits.remove_prefix(1);
    T value{};
    switch (parse(digits, value)) {
        case Parsed::number: break;
        case Parsed::no_number: return fmt::format("is no number of type {}: {}", name(type), shown(text));
        case Parsed::out_of_range:
            return fmt::format("is out of range: {}, but {} holds {}", shown(text), name(type), range_of(value));
    }
    std::memcpy(keys.room(sizeof value), &value, sizeof value);
    keys.grew(sizeof value);
    return std::nullopt;
}

/// Turns lines into keys.
class LineReader {
public:
    LineReader(const InputFile& file, KeyType type) : file_(file), type_(type) {}

    void read(std::string_view line) {
        ++line_number_;
        if (const auto wrong = append_number(keys_, without_blanks(line), type_)) fail(*wrong);
    }
    [[noreturn]] void too_long() {
        ++line_number_;
        fail(fmt::format("is no number of type {}: it has more than {} characters", name(type_), chunk_bytes));
    }
    Bytes keys() { return std::move(keys_); }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw BadInput(fmt::format("{}, line {} {}", file_.name(), line_number_, what));
    }

    const InputFile& file_;
    KeyType type_;
    std::uint64_t line_number_ = 0;
    Bytes keys_;
};

template <class T>
char* format(char* to, char* end, T value) {
    return std::to_chars(to, end, value).ptr;
}
char* format(char* to, char* end, half value) {
    const double number = to_double(value);
    // Integers are as short in full: 65504, not 65500, which would also read back to it.
    if (std::isnan(number) || std::trunc(number) == number) return format(to, end, number);
    for (int digits = 0;; ++digits) {
        double shortest = 0;
        std::from_chars(to, std::to_chars(to, end, number, std::chars_format::scientific, digits).ptr, shortest);
        if (to_half(shortest) == value) return format(to, end, shortest);
    }
}

template <class T>
void write_lines(OutputFile& file, const Bytes& keys) {
    constexpr std::size_t most_characters = 32;  // of a number and its line end; -2.2250738585072014e-308 has 24
    BufferedWriter writer(file);
    std::string line;  // of the last key: the same again is common after a sort, and copied faster than formatted
    T last{};
    for (std::size_t offset = 0; offset < keys.size(); offset += sizeof(T)) {
        T value;
        std::memcpy(&value, keys.data() + offset, sizeof value);
        if (line.empty() || std::memcmp(&value, &last, sizeof value) != 0) {
            char text[most_characters];
            char* const text_end = format(text, text + sizeof text - 1, value);
            *text_end = '\n';
            line.assign(text, text_end + 1);
            last = value;
        }
        writer.write(line);
    }
    writer.flush();
}

void require_whole_keys(const InputFile& file, std::uint64_t bytes, KeyType type) {
    if (const std::uint64_t left = bytes % key_bytes(type); left != 0)
        throw BadInput(
            fmt::format("{} has {} bytes, which is no multiple of the {} bytes of a {}: {} left over at byte {}",
                        file.name(), bytes, key_bytes(type), name(type), left, bytes - left));
}

}  // namespace

Bytes read_raw(InputFile& file, KeyType type) {
    require_whole_keys(file, file.known_size(), type);
    Bytes keys = read_all(file);
    require_whole_keys(file, keys.size(), type);
    return keys;
}

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

std::optional<std::string> append_number(Bytes& keys, std::string_view text, KeyType type) {
    std::optional<std::string> wrong;
    with_type(type, [&]<class T>(T) { wrong = append_number_of<T>(keys, text, type); });
    return wrong;
}

Bytes read_text(InputFile& file, KeyType type) {
    LineReader reader(file, type);
    std::vector<char> chunk(chunk_bytes);
    std::size_t kept = 0;  // of a line that goes on in the next chunk
    for (;;) {
        const std::size_t got = file.read(chunk.data() + kept, chunk.size() - kept);
        std::string_view rest(chunk.data(), kept + got);
        const bool at_end = rest.size() < chunk.size();
        for (std::size_t length; (length = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(length + 1))
            reader.read(rest.substr(0, length));
        if (at_end) {
            if (!rest.empty()) reader.read(rest);
            return reader.keys();
        }
        kept = rest.size();
        if (kept == chunk.size()) reader.too_long();
        std::memmove(chunk.data(), rest.data(), kept);
    }
}

void write_text(OutputFile& file, const Bytes& keys, KeyType type) {
    with_type(type, [&]<class T>(T) { write_lines<T>(file, keys); });
}
