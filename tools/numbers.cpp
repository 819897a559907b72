#include "numbers.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
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

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(half value) { return std::isnan(to_double(value)); }

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Turns the lines of files into keys.
class LineReader {
public:
    explicit LineReader(std::optional<KeyType> type)
        : keys_(type, [this](std::uint64_t place, const std::string& words) {
              const bool is_no_number = words.starts_with(keys_.no_number());
              throw BadInput(fmt::format("{}, line {} {}{}", names_[place >> line_bits], place & last_line, words,
                                         is_no_number ? " (--by-column 1 takes lines without a number)" : ""));
          }) {}

    /// From now on gives `take` the keys where more than so many bytes of them came.
    void take_runs(std::size_t run_bytes, const std::function<void(KeyReader::Run&)>& take) {
        run_bytes_ = run_bytes;
        take_ = take;
        keys_.reserve(run_bytes);
    }

    /// Reads a file, but for its byte order mark, which it returns.
    std::string read(InputFile& file) {
        names_.push_back(file.name());
        line_ = 0;
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
            for (std::size_t length; (length = rest.find('\n')) != std::string_view::npos;
                 rest.remove_prefix(length + 1))
                add(rest.substr(0, length));
            file.require_few(keys_.key_bytes());
            if (at_end) {
                if (!rest.empty()) add(rest);
                return head;
            }
            kept = rest.size();
            if (kept == chunk.size())
                throw BadInput(fmt::format("{}, line {} {}: it has more than {} characters", file.name(), line_ + 1,
                                           keys_.no_number(), chunk_bytes));
            std::memmove(chunk.data(), rest.data(), kept);
        }
    }
    /// Of the last file.
    std::uint64_t lines() const noexcept { return line_; }
    Numbers finish() { return keys_.finish(); }

private:
    void add(std::string_view line) {
        if (keys_.key_bytes() + sizeof(std::uint64_t) > run_bytes_) {
            KeyReader::Run run = keys_.lend_keys();
            take_(run);
            keys_.forget_keys(std::move(run));
        }
        keys_.add(without_blanks(line), (names_.size() - 1) << line_bits | ++line_);
    }

    static constexpr unsigned line_bits = 48;
    static constexpr std::uint64_t last_line = (std::uint64_t{1} << line_bits) - 1;
    std::vector<std::string> names_;
    KeyReader keys_;
    std::uint64_t line_ = 0;
    std::size_t run_bytes_ = SIZE_MAX;
    std::function<void(KeyReader::Run&)> take_;
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

constexpr std::size_t most_characters = 32;  // of a number and its line end; -2.2250738585072014e-308 has 24

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

NumberFile read_text(InputFile& file, std::optional<KeyType> type) {
    LineReader reader(type);
    std::string head = reader.read(file);
    return {std::move(head), reader.finish()};
}

NumberFile read_text_in_runs(InputFile& file, std::optional<KeyType> type, std::size_t run_bytes,
                             const std::function<void(KeyReader::Run&)>& take) {
    LineReader reader(type);
    reader.take_runs(run_bytes, take);
    std::string head = reader.read(file);
    return {std::move(head), reader.finish()};
}

NumberFile read_texts(std::vector<InputFile>& files, std::optional<KeyType> type, std::vector<std::uint64_t>& counts) {
    LineReader reader(type);
    std::string first_head;
    for (InputFile& file : files) {
        std::string head = reader.read(file);
        if (counts.empty()) first_head = std::move(head);
        counts.push_back(reader.lines());
    }
    return {std::move(first_head), reader.finish()};
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
