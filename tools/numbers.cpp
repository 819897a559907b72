// SPDX-License-Identifier: MIT
#include "numbers.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "command.hpp"
#include "half.hpp"
#include "with_type.hpp"

static_assert(std::endian::native == std::endian::little, "raw files hold little-endian numbers");

namespace {

using lanesort::half;
using lanesort::KeyType;

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(half value) { return std::isnan(to_double(value)); }

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

template <class T>
char* format(char* to, char* end, T value) {
    if constexpr (std::floating_point<T>) {
        constexpr T least = T(1e-4), most = 1 / std::numeric_limits<T>::epsilon();  // integers are exact up to there
        const T size = std::fabs(value);
        if (size >= least && size < most) return std::to_chars(to, end, value, std::chars_format::fixed).ptr;
    }
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

constexpr std::size_t most_characters = 32;  // of a number and its line end; -2.2250738585072014e-308 has 24

/// The lines of some integers.
std::string lines_of(const Numbers& numbers, std::size_t first, std::size_t count) {
    std::string lines;
    with_type(numbers.type, [&]<class T>(T value) {
        for (const std::byte* key = numbers.bytes.data() + first * sizeof value; count > 0;
             --count, key += sizeof value) {
            std::memcpy(&value, key, sizeof value);
            char text[most_characters];
            lines.append(text, format(text, text + sizeof text, value)) += '\n';
        }
    });
    return lines;
}

template <class T>
bool parse_all(std::string_view text, T& value) {
    const char* const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value);
    return end == last && status == std::errc{};
}

template <class T>
void write_lines(OutputFile& file, const Bytes& keys, const IndexArray* counts) {
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
        if (counts) writer.write(fmt::format("{}\t", (*counts)[offset / sizeof(T)]));
        writer.write(line);
    }
    writer.flush();
}

}  // namespace

void require_whole_keys(const InputFile& file, std::uint64_t bytes, KeyType type) {
    if (const std::uint64_t left = bytes % key_bytes(type); left != 0)
        throw BadInput(
            fmt::format("{} has {} bytes, which is no multiple of the {} bytes of a {}: {} left over at byte {}",
                        file.name(), bytes, key_bytes(type), name(type), left, bytes - left));
}

NumberFile read_raw(InputFile& file, KeyType type) {
    require_whole_keys(file, file.known_size(), type);
    Bytes keys = read_keys(file);
    require_whole_keys(file, keys.size(), type);
    return {{}, {type, std::move(keys)}};
}

void PlainIntegers::take_runs(std::size_t run_bytes, Take take) {
    run_bytes_ = run_bytes;
    take_ = std::move(take);
    keys_.room(run_bytes);
}

bool PlainIntegers::read(InputFile& file) {
    begin_ = keys_.size();
    std::vector<char> chunk(chunk_bytes);
    std::string& head = heads_.emplace_back();
    if (file.peek(byte_order_mark.size()) == byte_order_mark) {
        head = byte_order_mark;
        file.read(chunk.data(), head.size());
    }
    bool is_plain = true;
    std::size_t kept = 0;  // of a line that goes on in the next chunk
    for (bool at_end = false; is_plain && !at_end;) {
        const std::size_t got = file.read(chunk.data() + kept, chunk.size() - kept);
        std::string_view rest(chunk.data(), kept + got);
        at_end = rest.size() < chunk.size();
        while (is_plain && !rest.empty()) {
            const std::size_t length = std::min(rest.find('\n'), rest.size());
            if (length == rest.size() && !at_end) break;
            is_plain = add(rest.substr(0, length));
            if (is_plain) rest.remove_prefix(std::min(length + 1, rest.size()));
        }
        file.require_few(keys_.size());
        kept = rest.size();
        is_plain = is_plain && kept < chunk.size();
        if (!is_plain) rest_ = rest;
        std::memmove(chunk.data(), rest.data(), kept);
    }
    counts_.push_back((keys_.size() - begin_) / key_bytes(type()));
    return is_plain;
}

bool PlainIntegers::add(std::string_view line) {
    const auto append = [&](auto value) {
        if (keys_.size() + sizeof value > run_bytes_) {
            Numbers run{type(), std::move(keys_)};
            take_(run);
            keys_ = std::move(run.bytes);
            keys_.shrink(0);
            begin_ = 0;
        }
        std::memcpy(keys_.room(sizeof value), &value, sizeof value);
        keys_.grew(sizeof value);
        return true;
    };
    if (line.starts_with("-0") || (line.starts_with('0') && line.size() > 1)) return false;
    if (type_)
        return with_type(*type_, [&]<class T>(T value) {
            if constexpr (std::integral<T>) return parse_all(line, value) && append(value);
            else return false;
        });
    if (line.starts_with('-')) {
        std::int64_t value = 0;
        if (above_i64_ || !parse_all(line, value)) return false;
        has_negative_ = true;
        return append(value);
    }
    std::uint64_t value = 0;
    if (!parse_all(line, value)) return false;
    const bool is_above = value > std::numeric_limits<std::int64_t>::max();
    if (is_above && has_negative_) return false;
    above_i64_ = above_i64_ || is_above;
    return append(value);
}

KeyType PlainIntegers::type() const noexcept { return type_.value_or(above_i64_ ? KeyType::u64 : KeyType::i64); }

NumberFile PlainIntegers::finish() { return {heads_.front(), {type(), std::move(keys_)}}; }

void PlainIntegers::put_back(std::span<InputFile> files, std::function<Numbers()> taken) {
    constexpr std::size_t block = std::size_t{1} << 16;
    auto keys = std::make_shared<Numbers>(Numbers{type(), std::move(keys_)});
    for (std::size_t i = 0, at = 0; i < counts_.size(); at += counts_[i++])
        files[i].put_in_front([=, head = heads_[i], end = taken ? 0 : at + counts_[i], taken = std::exchange(taken, {}),
                               rest = i + 1 < counts_.size() ? "" : std::move(rest_)]() mutable {
            if (!head.empty()) return std::exchange(head, {});
            if (taken)
                if (const Numbers some = taken(); some.count() > 0) return lines_of(some, 0, some.count());
            if (at == end) {
                keys.reset();
                return std::exchange(rest, {});
            }
            const std::size_t first = std::exchange(at, std::min(at + block, end));
            return lines_of(*keys, first, at - first);
        });
}

std::optional<NumberFile> read_plain_integers(InputFile& file, std::optional<KeyType> type) {
    PlainIntegers integers(type);
    if (integers.read(file)) return integers.finish();
    integers.put_back({&file, 1});
    return std::nullopt;
}

bool are_equal(const std::byte* a, const std::byte* b, KeyType type) {
    return with_type(type, [&]<class T>(T first) {
        T second{};
        std::memcpy(&first, a, sizeof first);
        std::memcpy(&second, b, sizeof second);
        if constexpr (std::integral<T>) return first == second;
        else return std::memcmp(a, b, sizeof first) == 0 || (is_nan(first) && is_nan(second));
    });
}

void keep_distinct(Numbers& numbers, IndexArray* lengths) {
    const std::size_t bytes = key_bytes(numbers.type), count = numbers.count();
    std::byte* const keys = numbers.bytes.data();
    const auto is_new = [&](std::size_t i) {
        return i == count || i == 0 || !are_equal(keys + i * bytes, keys + (i - 1) * bytes, numbers.type);
    };
    std::byte* to = keys;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
        for (end = begin + 1; !is_new(end);) ++end;
        std::memmove(to, keys + begin * bytes, bytes);
        to += bytes;
        if (lengths) lengths->append(end - begin);
    }
    numbers.bytes.shrink(static_cast<std::size_t>(to - keys));
}

std::string text_of(const std::byte* number, KeyType type) {
    char text[most_characters];
    return with_type(type, [&]<class T>(T value) {
        std::memcpy(&value, number, sizeof value);
        return std::string(text, format(text, text + sizeof text, value));
    });
}

void write_text(OutputFile& file, const Bytes& keys, KeyType type, const IndexArray* counts) {
    with_type(type, [&]<class T>(T) { write_lines<T>(file, keys, counts); });
}
