#include "numbers.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "half.hpp"
#include "with_type.hpp"

static_assert(std::endian::native == std::endian::little, "raw files hold little-endian numbers");

namespace {

using lanesort::half;
using lanesort::KeyType;

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Turns lines into keys.
class LineReader {
public:
    LineReader(const InputFile& file, std::optional<KeyType> type)
        : file_(file), keys_(type, [this](std::uint64_t line, const std::string& words) {
              throw BadInput(fmt::format("{}, line {} {}", file_.name(), line, words));
          }) {}

    void read(std::string_view line) { keys_.add(without_blanks(line), ++line_number_); }
    [[noreturn]] void too_long() const {
        throw BadInput(fmt::format("{}, line {} {}: it has more than {} characters", file_.name(), line_number_ + 1,
                                   keys_.no_number(), chunk_bytes));
    }
    std::uint64_t key_bytes() const { return keys_.key_bytes(); }
    Numbers finish() { return keys_.finish(); }

private:
    const InputFile& file_;
    KeyReader keys_;
    std::uint64_t line_number_ = 0;
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

NumberFile read_raw(InputFile& file, KeyType type) {
    require_whole_keys(file, file.known_size(), type);
    Bytes keys = read_keys(file);
    require_whole_keys(file, keys.size(), type);
    return {{}, {type, std::move(keys)}};
}

NumberFile read_text(InputFile& file, std::optional<KeyType> type) {
    LineReader reader(file, type);
    std::vector<char> chunk(chunk_bytes);
    std::string head;
    if (file.peek(byte_order_mark.size()) == byte_order_mark) {
        head = byte_order_mark;
        file.read(chunk.data(), head.size());
    }
    std::size_t kept = 0;  // of a line that goes on in the next chunk
    for (;;) {
        const std::size_t got = file.read(chunk.data() + kept, chunk.size() - kept);
        std::string_view rest(chunk.data(), kept + got);
        const bool at_end = rest.size() < chunk.size();
        for (std::size_t length; (length = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(length + 1))
            reader.read(rest.substr(0, length));
        file.require_few(reader.key_bytes());
        if (at_end) {
            if (!rest.empty()) reader.read(rest);
            return {head, reader.finish()};
        }
        kept = rest.size();
        if (kept == chunk.size()) reader.too_long();
        std::memmove(chunk.data(), rest.data(), kept);
    }
}

void write_text(OutputFile& file, const Bytes& keys, KeyType type) {
    with_type(type, [&]<class T>(T) { write_lines<T>(file, keys); });
}
