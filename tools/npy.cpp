// SPDX-License-Identifier: MIT
#include "npy.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "command.hpp"
#include "join.hpp"

namespace {

using lanesort::KeyType;
using Shape = std::vector<std::uint64_t>;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t version_end = magic.size() + 2, alignment = 64, most_dimensions = 64;

/// The type without its byte order, as NumPy has it: f4 is our f32.
std::string kind_of(KeyType type) { return fmt::format("{}{}", name(type).front(), key_bytes(type)); }

std::string descr_of(KeyType type) { return fmt::format("{}{}", key_bytes(type) == 1 ? "|" : "<", kind_of(type)); }

std::string tuple_of(std::span<const std::uint64_t> shape) {
    std::vector<std::string> sizes;
    for (const std::uint64_t size : shape) sizes.push_back(std::to_string(size));
    return fmt::format("({}{})", join(sizes, ", "), shape.size() == 1 ? "," : "");
}

/// The product of the factors, or nothing where it is too large.
std::optional<std::uint64_t> product(std::span<const std::uint64_t> factors, std::uint64_t result) {
    if (std::ranges::find(factors, 0u) != factors.end()) return 0;
    for (const std::uint64_t factor : factors) {
        if (result > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
        result *= factor;
    }
    return result;
}

/// Reads a header's dictionary, which is written as in Python.
class Dictionary {
public:
    Dictionary(const InputFile& file, std::string_view text) : file_(file), text_(text), rest_(text) {
        if (!take('{')) unreadable();
        while (!take('}')) {
            read_entry();
            if (!take(',') && !rest_.starts_with('}')) unreadable();
        }
        skip_blanks();
        if (!rest_.empty() || !descr_ || !fortran_order_ || !shape_) unreadable();
    }

    KeyType type() const {
        const std::string_view kind = std::string_view(*descr_).substr(std::min<std::size_t>(1, descr_->size()));
        const auto type = std::ranges::find(lanesort::all_key_types, kind, kind_of);
        if (type != std::end(lanesort::all_key_types)) {
            if (descr_->front() == '<' || *descr_ == descr_of(*type)) return *type;
            if (descr_->front() == '>')
                refuse(
                    fmt::format("of big-endian numbers ('{}'): save them as little-endian ones, which "
                                "array.astype('<{}') gives in Python",
                                *descr_, kind));
        }
        std::vector<std::string> known;
        for (const KeyType one : lanesort::all_key_types) known.push_back(descr_of(one));
        refuse(fmt::format("of type {}, but lanesort sorts {}", shown(*descr_), join(known, " ")));
    }

    Shape shape() const {
        if (shape_->empty()) refuse("of one number without a dimension: there is nothing to sort");
        if (*fortran_order_ && shape_->size() > 1)
            refuse("in Fortran order: save it in C order, which numpy.ascontiguousarray(array) gives in Python");
        return *shape_;
    }

private:
    void read_entry() {
        const std::string key = read_string();
        if (!take(':')) unreadable();
        skip_blanks();
        if (key == "descr") {
            if (rest_.starts_with('[') || rest_.starts_with('('))
                refuse("of records or arrays: save what is to be sorted as an array of numbers");
            descr_ = read_string();
        } else if (key == "fortran_order") {
            fortran_order_ = read_bool();
        } else if (key == "shape") {
            shape_ = read_tuple();
        } else {
            unreadable();
        }
    }

    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

    /// Whether the next character is this one, which is taken then.
    bool take(char wanted) {
        skip_blanks();
        const bool is_next = rest_.starts_with(wanted);
        if (is_next) rest_.remove_prefix(1);
        return is_next;
    }

    std::string read_string() {
        for (const char quote : {'\'', '"'})
            if (take(quote)) {
                const std::size_t end = rest_.find(quote);
                if (end == std::string_view::npos) unreadable();
                std::string text(rest_.substr(0, end));
                rest_.remove_prefix(end + 1);
                return text;
            }
        unreadable();
    }

    bool read_bool() {
        for (const std::string_view word : {"True", "False"})
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return word == "True";
            }
        unreadable();
    }

    Shape read_tuple() {
        Shape numbers;
        if (!take('(')) unreadable();
        while (!take(')')) {
            skip_blanks();
            const char* const begin = rest_.data();
            const auto [end, status] = std::from_chars(begin, begin + rest_.size(), numbers.emplace_back());
            if (status != std::errc{} || numbers.size() > most_dimensions) unreadable();
            rest_.remove_prefix(static_cast<std::size_t>(end - begin));
            if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2
            if (!take(',') && !rest_.starts_with(')')) unreadable();
        }
        return numbers;
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw BadInput(fmt::format("{} is a .npy file {}", file_.name(), what));
    }
    [[noreturn]] void unreadable() const { refuse(fmt::format("whose header cannot be read: {}", shown(text_))); }

    const InputFile& file_;
    std::string_view text_, rest_;
    std::optional<std::string> descr_;
    std::optional<bool> fortran_order_;
    std::optional<Shape> shape_;
};

/// Takes more bytes of the file into a header.
void read_more(InputFile& file, std::string& header, std::size_t bytes) {
    const std::size_t had = header.size();
    header.resize(had + bytes);
    if (file.read(header.data() + had, bytes) < bytes)
        throw BadInput(fmt::format("{} is a .npy file that ends within its header", file.name()));
}

}  // namespace

bool is_npy(InputFile& file) { return file.peek(magic.size()) == magic; }

std::optional<NpyHeader> read_npy_header(InputFile& file) {
    if (!is_npy(file)) return std::nullopt;
    std::string bytes;
    read_more(file, bytes, version_end);
    const int major = static_cast<unsigned char>(bytes[version_end - 2]);
    const int minor = static_cast<unsigned char>(bytes[version_end - 1]);
    if (major < 1 || major > 3 || minor != 0)
        throw BadInput(fmt::format("{} is a .npy file of version {}.{}, but lanesort reads 1.0, 2.0 and 3.0",
                                   file.name(), major, minor));
    read_more(file, bytes, major == 1 ? 2 : 4);
    std::size_t length = 0;
    for (std::size_t i = bytes.size(); i-- > version_end;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
    // Version 2.0 is there for the many names of records; no array of numbers needs it.
    if (constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max(); length > most)
        throw BadInput(fmt::format("{} is a .npy file with a header of {} bytes, but lanesort reads up to {}",
                                   file.name(), length, most));
    const std::size_t begin = bytes.size();
    read_more(file, bytes, length);
    const Dictionary dictionary(file, std::string_view(bytes).substr(begin));
    NpyHeader header{{}, dictionary.type(), dictionary.shape()};
    header.bytes = std::move(bytes);
    if (file.known_size() >= header.bytes.size()) require_size(file, header, file.known_size() - header.bytes.size());
    return header;
}

void require_size(const InputFile& file, const NpyHeader& header, std::uint64_t bytes) {
    const auto expected = product(header.shape, key_bytes(header.type));
    if (expected == bytes) return;
    throw BadInput(
        fmt::format("{} is a .npy file with {} bytes of numbers, but its header says shape {} and type {}: {}",
                    file.name(), bytes, tuple_of(header.shape), name(header.type),
                    expected ? fmt::format("{} bytes", *expected) : "more bytes than can be"));
}

NumberFile read_npy(InputFile& file, const NpyHeader& header) {
    NumberFile read{header.bytes, {header.type, read_keys(file)}};
    require_size(file, header, read.numbers.bytes.size());
    if (header.shape.size() > 1 && read.numbers.count() > 0) read.numbers.row_length = header.shape.back();
    return read;
}

std::string npy_header(KeyType type, std::span<const std::uint64_t> shape) {
    std::string text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr_of(type), tuple_of(shape));
    // The numbers begin at a multiple of 64 bytes, behind spaces and the end of the line.
    const std::size_t before = version_end + sizeof(std::uint16_t);
    text.append(alignment - 1 - (before + text.size()) % alignment, ' ') += '\n';
    std::string header = fmt::format("{}{}{}", magic, '\1', '\0');
    for (const std::size_t byte : {text.size() & 0xff, text.size() >> 8}) header += static_cast<char>(byte);
    return header + text;
}
