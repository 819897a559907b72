#include "text_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "numbers.hpp"

namespace {

constexpr char quote = '"';

/// Without the line end of its record.
std::string_view without_line_end(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

/// What a quoted field says.
std::string without_doubled_quotes(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); i += text[i] == quote ? 2 : 1) result += text[i];
    return result;
}

std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    std::vector<std::string> list;
    for (const std::string& name : names) list.push_back(list.size() < most ? shown(name) : "...");
    list.resize(std::min(list.size(), most + 1));
    return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

TextTable::TextTable(InputFile& file, TableOptions options)
    : name_(file.name()),
      options_(std::move(options)),
      delimiter_(options_.delimiter.value_or(name_.ends_with(".tsv") || name_.ends_with(".TSV") ? '\t' : ',')),
      bytes_(read_all(file)),
      first_record_(text().starts_with(byte_order_mark) ? byte_order_mark.size() : 0) {
    const bool header = options_.header || std::holds_alternative<std::string>(*options_.column);
    first_data_ = header ? record_end(first_record_) : first_record_;
}

std::string_view TextTable::text() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

/// The first place of the character, or the end.
std::size_t TextTable::find(char wanted, std::size_t from, std::size_t end) const {
    const std::size_t found = text().substr(from, end - from).find(wanted);
    return found == std::string_view::npos ? end : from + found;
}

bool TextTable::is_quoted(std::size_t field) const {
    return options_.quotes && text().substr(field).starts_with(quote);
}

/// The place after the quote that closes a quoted field.
std::size_t TextTable::quoted_end(std::size_t field) const {
    for (std::size_t next = field + 1;; next += 2) {
        next = find(quote, next, text().size());
        if (next == text().size())
            fail(field, " begins a quoted field that never ends (with --no-quotes it needs no end)");
        if (!text().substr(next + 1).starts_with(quote)) return next + 1;
    }
}

/// Where a field ends: at a delimiter or at that end, which a quoted field may pass.
std::size_t TextTable::field_end(std::size_t field, std::size_t end) const {
    return is_quoted(field) ? quoted_end(field) : find(delimiter_, field, end);
}

/// The place after the line end of a record.
std::size_t TextTable::record_end(std::size_t record) const {
    const std::size_t size = text().size();
    std::size_t line = find('\n', record, size);
    // Most lines have no quotes, at least from some field on: then they need not be looked at field by field.
    std::size_t next_quote = options_.quotes ? find(quote, record, line) : line;
    for (std::size_t field = record; next_quote < line;) {
        const std::size_t end = field_end(field, line);
        if (end > line) line = find('\n', end, size);
        const std::string_view rest = text().substr(end, line - end);
        if (!rest.starts_with(delimiter_)) {
            if (const auto more = without_line_end(rest); !more.empty())
                fail(end, fmt::format(" goes on after a closing quote with {}", shown(more)));
            break;
        }
        field = end + 1;
        if (next_quote < field) next_quote = find(quote, field, line);
    }
    return std::min(line + 1, size);
}

/// The field of a record that ends there, without its quotes.
std::string_view TextTable::field_of(std::size_t record, std::size_t end, const Column& column) const {
    end = record + without_line_end(text().substr(record, end - record)).size();
    std::size_t field = record;
    for (std::uint64_t columns = 1;; ++columns) {
        const std::size_t next = field_end(field, end);
        if (columns > column.number) {
            const std::size_t quotes = is_quoted(field) ? 1 : 0;
            return text().substr(field + quotes, next - field - 2 * quotes);
        }
        if (next == end)
            fail(record,
                 fmt::format(" has {} column{}, so it has no {}", columns, columns == 1 ? "" : "s", column.title));
        field = next + 1;
    }
}

/// The line end of the first record.
std::string_view TextTable::line_end() const {
    return text().substr(0, record_end(first_record_)).ends_with("\r\n") ? "\r\n" : "\n";
}

TextTable::Column TextTable::find_column() const {
    if (const auto* const number = std::get_if<std::uint64_t>(&*options_.column))
        return {*number - 1, fmt::format("column {}", *number)};
    const std::string& wanted = std::get<std::string>(*options_.column);
    if (first_data_ == first_record_)
        throw BadInput(fmt::format("{} is empty: it has no column {}", name_, shown(wanted)));

    std::vector<std::string> names;
    const std::size_t end = without_line_end(text().substr(0, first_data_)).size();
    for (std::size_t field = first_record_;;) {
        const std::size_t next = field_end(field, end);
        const std::string_view name = text().substr(field, next - field);
        names.push_back(is_quoted(field) ? without_doubled_quotes(name.substr(1, name.size() - 2)) : std::string(name));
        if (next == end) break;
        field = next + 1;
    }
    const auto found = std::ranges::find(names, wanted);
    if (found == names.end())
        fail(first_record_, fmt::format(" names no column {}, but {}", shown(wanted), list_of(names)));
    if (const auto times = std::ranges::count(names, wanted); times > 1)
        fail(first_record_, fmt::format(" names {} columns {}: say which by its number", times, shown(wanted)));
    const auto number = static_cast<std::uint64_t>(found - names.begin());
    return {number, fmt::format("column {} ({})", number + 1, shown(wanted))};
}

KeyColumn TextTable::read_column(std::optional<lanesort::KeyType> type, Place place, std::size_t place_bytes) const {
    const Column column = find_column();
    if (first_data_ > first_record_) field_of(first_record_, first_data_, column);

    KeyReader keys(type, [&](std::size_t record, const std::string& words) {
        const bool header = record == first_record_ && words.starts_with(keys.no_number());
        const char* const hint = header ? " (if it is a header, say so by --header)" : "";
        fail(record, fmt::format(", {} {}{}", column.title, words, hint));
    });
    IndexArray places(place_bytes), without_key(place_bytes);
    std::uint64_t number = 0;
    for (std::size_t record = first_data_, end = record; record < text().size(); record = end, ++number) {
        end = record_end(record);
        const bool is_blank = without_blanks(without_line_end(text().substr(record, end - record))).empty();
        const std::string_view field = is_blank ? "" : without_blanks(field_of(record, end, column));
        const std::uint64_t here = place == Place::number ? number : record;
        if (field.empty()) {
            if (!options_.empty_last)
                fail(record, fmt::format(", {} is empty (with --empty-last such lines come last)", column.title));
            without_key.append(here);
        } else {
            keys.add(field, record);
            places.append(here);
        }
    }
    places.append(without_key);
    return {keys.finish(), std::move(places)};
}

std::size_t TextTable::offset_bytes() const noexcept {
    return text().size() <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

void TextTable::write(OutputFile& file, const IndexArray& offsets) const {
    BufferedWriter writer(file);
    writer.write(text().substr(0, first_data_));
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::size_t record = offsets[i], end = record_end(record);
        writer.write(text().substr(record, end - record));
        if (text()[end - 1] != '\n' && i + 1 < offsets.size()) writer.write(line_end());
    }
    writer.flush();
}

/// Throws a BadInput that names the line of that place.
void TextTable::fail(std::size_t place, const std::string& what) const {
    const auto line = 1 + std::ranges::count(text().substr(0, place), '\n');
    throw BadInput(fmt::format("{}, line {}{}", name_, line, what));
}
