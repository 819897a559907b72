#include "element_type.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort {

std::string KeyKind::name() const {
    return comparator_ ? fmt::format("{} of {} bytes", comparator_->type, comparator_->bytes)
                       : fmt::format("type {}", lanesort::name(type_));
}

namespace detail {
namespace {

/// One more than the largest index of 4 bytes; the largest one stands for what is beyond the end.
constexpr std::uint64_t most_narrow_numbers = (std::uint64_t{1} << 32) - 1;

void require(bool holds, const std::string& sentence) {
    if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
}

std::size_t number_bytes(const Extent& extent) noexcept {
    // Where ranges are merged, elements count from 1.
    return extent.length() > most_narrow_numbers - extent.middle.has_value() ? 8 : 4;
}

/// A comment that does not end would go on in the kernels' own text.
bool ends_in_comment(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view two = text.substr(i, 2);
        if (two == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            if (end == text.npos) return true;
            i = end + 1;
        } else if (two == "//" || text[i] == '"' || text[i] == '\'') {
            // To the end of the line at the most; a backslash takes the next character with it.
            const char end = two == "//" ? '\n' : text[i];
            for (++i; i < text.size() && text[i] != end && text[i] != '\n'; ++i)
                if (text[i] == '\\') ++i;
        }
    }
    return false;
}

}  // namespace

void check(const Extent& extent) {
    require(extent.row_length == 0 || extent.count % extent.row_length == 0,
            fmt::format("{} keys are no whole number of rows of {} keys", extent.count, extent.row_length));
    if (extent.middle) {
        require(!extent.in_rows() && extent.first == all_keys,
                "only whole ranges can be merged, not rows, segments or their first keys");
        if (*extent.middle > extent.count)
            throw Error(ErrorCode::out_of_range,
                        fmt::format("the second range begins at key {}, but there are {} in all", *extent.middle,
                                    extent.count));
    }
    if (extent.offset_bytes == 0) return;
    require(extent.row_length == 0, "keys cannot be rows and segments at once");
}

void check(const KeyKind& key) {
    if (const Comparator* const comparator = key.comparator()) {
        require(comparator->bytes >= 1 && comparator->bytes <= 64,
                fmt::format("records have {} bytes, but must have 1 to 64", comparator->bytes));
        require(!comparator->type.empty() && !comparator->before.empty(),
                "a comparator needs the name of the records' type and an expression");
        for (const auto& [text, name] : {std::pair{&comparator->type, "type"},
                                         {&comparator->before, "expression"},
                                         {&comparator->declarations, "declarations"}})
            require(!ends_in_comment(*text),
                    fmt::format("a comment in the comparator's {} has no end: there is /* without */", name));
    } else {
        require(std::ranges::count(all_key_types, key.type()) == 1,
                fmt::format("there is no type of keys {}", static_cast<unsigned>(key.type())));
    }
}

void check(Order order) {
    require(order == Order::ascending || order == Order::descending,
            fmt::format("there is no order {}", static_cast<unsigned>(order)));
}

void check_offsets(std::size_t offset_bytes) {
    require(offset_bytes == 4 || offset_bytes == 8,
            fmt::format("offsets of segments have {} bytes, but must have 4 or 8", offset_bytes));
}

void check_values(std::size_t value_bytes) {
    require(std::has_single_bit(value_bytes) && value_bytes <= 16,
            fmt::format("values have {} bytes, but must have 1, 2, 4, 8 or 16", value_bytes));
}

void check_index(const Extent& extent, std::size_t index_bytes) {
    require(index_bytes == 4 || index_bytes == 8,
            fmt::format("indices have {} bytes, but must have 4 or 8", index_bytes));
    if (index_bytes == 4 && extent.length() > most_narrow_numbers)
        throw Error(ErrorCode::too_large, fmt::format("{} keys cannot be numbered by indices of 4 bytes, but {} can",
                                                      extent.length(), most_narrow_numbers));
}

void check_lengths(const Extent& extent, std::size_t length_bytes) {
    require(length_bytes == 4 || length_bytes == 8,
            fmt::format("the lengths of runs have {} bytes, but must have 4 or 8", length_bytes));
    if (length_bytes == 4 && extent.count >> 32 != 0)
        throw Error(ErrorCode::too_large,
                    fmt::format("{} equal keys cannot be counted by integers of 4 bytes", extent.count));
}

ElementType element_of(const KeyKind& key, std::size_t value_bytes, const Extent& extent, bool stable) noexcept {
    const bool numbered = stable && (value_bytes > 0 || key.comparator());
    return {key, value_bytes, numbered ? number_bytes(extent) : 0};
}

std::size_t selected_number_bytes(const Extent& extent, const KeyKind& kind, std::size_t index_bytes) noexcept {
    return index_bytes == 0 && kind.comparator() ? number_bytes(extent) : index_bytes;
}

void throw_sizes_differ(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but {} values or indices; there must be one for each key", keys, others));
}

void throw_too_few(std::size_t keys, std::size_t others) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there are {} keys, but room for only {} results; all keys may be distinct", keys, others));
}

void throw_record_size(std::size_t bytes, std::size_t stated) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the records have {} bytes, but the comparator is for {}", bytes, stated));
}

}  // namespace detail
}  // namespace lanesort
