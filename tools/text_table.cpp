// SPDX-License-Identifier: MIT
#include "text_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "command.hpp"
#include "iso_time.hpp"
#include "join.hpp"
#include "numbers.hpp"

namespace {

constexpr char quote = '"';
constexpr const char* without_quotes_hint = " (with --no-quotes a quote is a character like any other)";

/// From here on a place is a line, of a piece of the table that is no longer there.
constexpr std::uint64_t lines = std::uint64_t{1} << 63;

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
    return join(list, ", ");
}

/// All NaNs are equal keys, so none has a sign.
std::string_view without_sign_of_nan(std::string_view number) {
    constexpr std::string_view nan = "nan";
    const bool is_nan = number.size() == nan.size() + 1 && number.front() == '-' &&
                        std::ranges::equal(number.substr(1), nan, {}, [](unsigned char c) { return std::tolower(c); });
    return is_nan ? number.substr(1) : number;
}

/// Whether a file of that name has tabs between its columns.
bool is_named_tsv(std::string_view name) {
    if (name.ends_with(".gz")) name.remove_suffix(3);
    return name.ends_with(".tsv") || name.ends_with(".TSV");
}

}  // namespace

void Texts::append(std::string_view text) {
    bytes_.append(text);
    ends_.append(bytes_.size());
}

std::string_view Texts::operator[](std::size_t i) const noexcept {
    const std::uint64_t begin = i > 0 ? ends_[i - 1] : 0;
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, ends_[i] - begin};
}

std::string free_name(const std::string& name, const std::vector<std::string>& taken) {
    std::string free = name;
    for (std::size_t i = 2; std::ranges::find(taken, free) != taken.end(); ++i) free = fmt::format("{}_{}", name, i);
    return free;
}

TextTable::TextTable(InputFile& file, TableOptions options)
    : options_(std::move(options)),
      delimiter_(options_.delimiter.value_or(is_named_tsv(file.name()) ? '\t' : ',')),
      bytes_(read_all(file)) {
    find_parts(file.name());
}

TextTable::TextTable(std::string name, TableOptions options, Read read, std::size_t piece_bytes)
    : options_(std::move(options)),
      delimiter_(options_.delimiter.value_or(is_named_tsv(name) ? '\t' : ',')),
      read_(std::move(read)),
      piece_bytes_(piece_bytes),
      is_whole_(false) {
    fill();
    find_parts(name);
}

void TextTable::find_parts(const std::string& name) {
    first_record_ = text().starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    parts_.push_back({name, 0, 0, text().size()});
    const std::size_t end = record_end(first_record_, text().size());
    parts_[0].first_data = has_header() ? end : first_record_;
    line_end_ = text().substr(0, end).ends_with("\r\n") ? "\r\n" : "\n";
}

/// Reads more records, as long as they and what is made of them fit.
void TextTable::fill() {
    constexpr std::size_t least = std::size_t{1} << 12, most = std::size_t{1} << 20;
    const std::size_t beside = bytes_beside_record(options_);
    auto records = static_cast<std::size_t>(std::ranges::count(text(), '\n'));
    const auto used = [&] { return bytes_.size() + records * beside; };
    while (!is_whole_ && used() < piece_bytes_) {
        // As much as fits if this text has as many lines as what was read before.
        const double room = static_cast<double>(piece_bytes_ - used()) * part_of_text_;
        const std::size_t step = room < most ? std::max(static_cast<std::size_t>(room), least) : most;
        auto* const to = reinterpret_cast<char*>(bytes_.room(step));
        const std::size_t got = read_(to, step);
        records += static_cast<std::size_t>(std::count(to, to + got, '\n'));
        bytes_.grew(got);
        is_whole_ = got < step;
        part_of_text_ = static_cast<double>(bytes_.size()) / static_cast<double>(std::max<std::size_t>(used(), 1));
    }
}

bool TextTable::next_piece(TextTable& before) {
    if (before.is_whole_) return false;
    const Part& last = before.parts_.front();
    lines_before_ = before.lines_before_ +
                    static_cast<std::uint64_t>(std::ranges::count(before.text(last.first_data, before.rest_), '\n'));
    const std::string_view left = before.text().substr(before.rest_);
    if (this != &before) {
        options_ = before.options_;
        delimiter_ = before.delimiter_;
        first_record_ = before.first_record_;
        parts_ = before.parts_;
        read_ = std::move(before.read_);
        piece_bytes_ = before.piece_bytes_;
        is_whole_ = false;
        part_of_text_ = before.part_of_text_;
        line_end_ = before.line_end_;
        bytes_.shrink(0);
        bytes_.append(before.head());
        bytes_.room(left.size());
    }
    Part& part = parts_.front();
    std::memmove(bytes_.data() + part.first_data, left.data(), left.size());
    bytes_.shrink(part.first_data + left.size());
    fill();
    part.end = text().size();
    return part.end > part.first_data;
}

void TextTable::append(InputFile& file) {
    // Without a header there may be one in the next file.
    if (text().size() == first_record_) {
        *this = TextTable(file, std::move(options_));
        return;
    }
    if (!options_.delimiter && is_named_tsv(file.name()) != is_tsv())
        throw BadInput(fmt::format("{} and {} have other delimiters by their names: say which by --delimiter",
                                   parts_.front().name, file.name()));
    if (Part& last = parts_.back(); !text().ends_with('\n')) {
        const bool has_records = last.first_data < last.end;
        bytes_.append(line_end());
        last.end = text().size();
        if (!has_records) last.first_data = last.end;
    }
    const std::size_t begin = text().size();
    read_all(file, bytes_);
    const std::size_t first = begin + (text().substr(begin).starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    parts_.push_back({file.name(), begin, first, text().size()});
    if (!has_header() || first == text().size()) return;
    Part& part = parts_.back();
    part.first_data = record_end(first, part.end);
    const std::string_view header = without_line_end(text(first_record_, parts_[0].first_data));
    if (header != without_line_end(text(first, part.first_data)))
        fail(first, fmt::format(" is another header than that of {}", parts_[0].name));
}

bool TextTable::has_header() const {
    const auto has_name = [](const auto& column) { return !column.name.number; };
    return options_.header || std::ranges::any_of(options_.columns, has_name) ||
           std::ranges::any_of(options_.values, has_name);
}

std::string_view TextTable::text() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

/// The first place of the character, or the end.
std::size_t TextTable::find(char wanted, std::size_t from, std::size_t end) const {
    const std::size_t found = text().substr(from, end - from).find(wanted);
    return found == std::string_view::npos ? end : from + found;
}

/// Whether a quote is the first character of a field, which it opens.
bool TextTable::opens_quote(std::size_t field, std::size_t end) const {
    return options_.quotes && field < end && text()[field] == quote;
}

/// The place after the quote that closes what a quote opens; none where there is no such quote in front of the end.
std::optional<std::size_t> TextTable::closed_quote(std::size_t field, std::size_t end) const {
    for (std::size_t next = field + 1; (next = find(quote, next, end)) < end; next += 2)
        if (next + 1 == end || text()[next + 1] != quote) return next + 1;
    return std::nullopt;
}

/// Where a field that is quoted as a whole ends, of a record that ends there; none where its quotes are text.
std::optional<std::size_t> TextTable::quoted_end(std::size_t field, std::size_t end) const {
    const auto closed = opens_quote(field, end) ? closed_quote(field, end) : std::nullopt;
    return closed && (*closed == end || text()[*closed] == delimiter_) ? closed : std::nullopt;
}

/// Where a field ends, of a record that ends there.
std::size_t TextTable::field_end(std::size_t field, std::size_t end) const {
    const auto closed = quoted_end(field, end);
    return closed ? *closed : find(delimiter_, field, end);
}

/// The place after the line end of a record.
std::size_t TextTable::record_end(std::size_t record, std::size_t file_end) const {
    std::size_t line = find('\n', record, file_end);
    // Most lines have no quotes, at least from some field on: then they need not be looked at field by field.
    std::size_t next_quote = options_.quotes && !is_tsv() ? find(quote, record, line) : line;
    for (std::size_t field = record; next_quote < line;) {
        std::size_t end = field;
        if (!opens_quote(field, line)) {
            end = find(delimiter_, field, line);
        } else {
            const auto closed = closed_quote(field, file_end);
            // Of a piece, the rest may be in the next one.
            if (!closed && !is_whole_) return file_end;
            if (!closed) fail(field, fmt::format(" begins a quoted field that never ends{}", without_quotes_hint));
            end = *closed;
            if (end > line) line = find('\n', end, file_end);
            const std::string_view more = without_line_end(text(end, line));
            if (!more.empty() && !more.starts_with(delimiter_)) {
                if (line == file_end && !is_whole_) return file_end;
                fail(field, fmt::format(" begins a quoted field that goes on after its closing quote with {}{}",
                                        shown(more), without_quotes_hint));
            }
        }
        if (end == line || text()[end] != delimiter_) break;
        field = end + 1;
        if (next_quote < field) next_quote = find(quote, field, line);
    }
    return std::min(line + 1, file_end);
}

/// Of a record that does not end in this piece, the quoted field that does not, if there is one.
std::optional<std::size_t> TextTable::open_field(std::size_t record) const {
    const std::size_t size = text().size();
    for (std::size_t field = record; field < size && !is_tsv(); ++field) {
        const auto closed = opens_quote(field, size) ? closed_quote(field, size) : find(delimiter_, field, size);
        if (!closed) return field;
        field = *closed;
    }
    return std::nullopt;
}

/// The field of a record that ends there, as it stands, or how many columns the record has where it lacks this one.
std::variant<std::string_view, std::uint64_t> TextTable::field_of(std::size_t record, std::size_t end,
                                                                  std::uint64_t column) const {
    end = record + without_line_end(text(record, end)).size();
    std::size_t field = record;
    for (std::uint64_t columns = 1;; ++columns) {
        const std::size_t next = field_end(field, end);
        if (columns > column) return text(field, next);
        if (next == end) return columns;
        field = next + 1;
    }
}

std::string_view TextTable::without_quotes(std::string_view field) const {
    const auto begin = static_cast<std::size_t>(field.data() - text().data());
    return quoted_end(begin, begin + field.size()) ? field.substr(1, field.size() - 2) : field;
}

std::string_view TextTable::number_text(std::size_t record, const KeyColumn& column) const {
    const auto field = field_of(record, record_end(record, text().size()), column.number);
    const std::string_view number = without_blanks(without_quotes(std::get<std::string_view>(field)));
    return column.is_times ? fraction_of_time(number) : number;
}

/// A field that says this, in quotes where it needs them.
std::string TextTable::as_field(std::string_view text) const {
    const char special[] = {delimiter_, quote, '\r', '\n'};
    if (!options_.quotes || text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos)
        return std::string(text);
    std::string field(1, quote);
    for (const char c : text) field.append(c == quote ? 2 : 1, c);
    return field + quote;
}

std::string_view TextTable::line_end() const { return line_end_; }

std::string TextTable::head_with_count() const {
    const std::string_view header = head().substr(first_record_);
    return fmt::format("{}{}{}", head().substr(0, first_record_),
                       header.empty() ? "" : as_field(free_name("count", column_names())) + delimiter_, header);
}

/// What the fields of a record say.
std::vector<std::string> TextTable::names_in(std::size_t record, std::size_t end) const {
    std::vector<std::string> names;
    if (record == end) return names;
    end = record + without_line_end(text(record, end)).size();
    for (std::size_t field = record;;) {
        const std::size_t next = field_end(field, end);
        const std::string_view name = text(field, next);
        names.push_back(quoted_end(field, end) ? without_doubled_quotes(without_quotes(name)) : std::string(name));
        if (next == end) return names;
        field = next + 1;
    }
}

std::string TextTable::name_of(const ColumnName& column) const {
    const std::vector<std::string> names = column_names();
    return names.empty() ? "" : names[find_column(column).number];
}

TextTable::Column TextTable::find_column(const ColumnName& asked) const {
    const auto& [name, number] = asked;
    const std::vector<std::string> names = column_names();
    const auto found = name ? std::ranges::find(names, *name) : names.end();
    if (found != names.end()) {
        if (const auto times = std::ranges::count(names, *name); times > 1)
            fail(first_record_,
                 fmt::format(" names {} columns {}: say which by its number, as in #1", times, shown(*name)));
        const auto index = static_cast<std::uint64_t>(found - names.begin());
        return {index, fmt::format("column {} ({})", index + 1, shown(*name))};
    }
    const std::uint64_t place = number.value_or(0);
    if (name && !names.empty() && (place == 0 || place > names.size()))
        fail(first_record_, fmt::format(" names no column {}, but {} (by number, the last is #{})", shown(*name),
                                        list_of(names), names.size()));
    if (place > 0) return {place - 1, fmt::format("column {}", place)};
    if (has_header())
        throw BadInput(fmt::format("{} is empty: it has no column {}", parts_.front().name, shown(*name)));
    throw BadInput(
        fmt::format("there is no column {}: columns count from 1 (if it is a name, say so by --header)", *name));
}

/// Without a header digits are a number. Refuses a first record that has no such column, but a field with that text.
void TextTable::require_no_name(std::size_t record, std::size_t end, const ColumnName& asked) const {
    const std::vector<std::string> fields = names_in(record, end);
    if (asked.name && std::ranges::find(fields, *asked.name) != fields.end())
        fail(record,
             fmt::format(" has {0} column{1}, so it has no column {2}, but a field {2}: if that is the name of a "
                         "column, give --header, else #{2}",
                         fields.size(), fields.size() == 1 ? "" : "s", *asked.name));
}

/// Reads the keys or values of one column, record by record.
class TextTable::ColumnReader {
public:
    ColumnReader(const TextTable& table, const SortColumn& key, ColumnState& state)
        : ColumnReader(table, key.name, kind_of(key.kind), true, state) {
        read_.order = key.order;
        read_.is_times = kind_ == Kind::times;
    }
    ColumnReader(const TextTable& table, const ValueColumn& value, ColumnState& state)
        : ColumnReader(table, value.name, value.is_numbers ? Kind::numbers : Kind::presence, false, state) {}
    ColumnReader(const ColumnReader&) = delete;
    ColumnReader& operator=(const ColumnReader&) = delete;

    void add(std::size_t record, std::size_t end) {
        const auto found = table_.field_of(record, end, column_.number);
        if (const auto* const columns = std::get_if<std::uint64_t>(&found)) {
            const bool is_blank = without_blanks(without_line_end(table_.text(record, end))).empty();
            if (!is_blank && !state_.first_short) {
                if (!state_.has_column) table_.require_no_name(record, end, name_);
                state_.first_short = {record, *columns};
            }
            if (!is_blank && missing_as_ == MissingAs::error) table_.fail_short(record, *columns, column_);
            return add_missing(record, {});
        }
        state_.has_column = true;
        const std::string_view field = table_.without_quotes(std::get<std::string_view>(found));
        if (kind_ == Kind::texts) {
            const bool is_quoted = field.size() < std::get<std::string_view>(found).size();
            if (is_word_for_missing(field)) add_missing(record, field);
            else add_text(field, is_quoted);
            state_.has_key = state_.has_key || !field.empty();
        } else if (const std::string_view number = without_blanks(field);
                   number.empty() || is_word_for_missing(number)) {
            add_missing(record, number);
        } else {
            if (kind_ == Kind::numbers) numbers_.add(without_sign_of_nan(number), record);
            if (kind_ == Kind::times) add_time(number, record);
            state_.has_key = true;
            ++count_;
        }
    }

    /// The keys or values; of a piece with more behind it, of the type that is found so far.
    KeyColumn finish() {
        auto& first = state_.first_short;
        if (table_.is_whole_ && !state_.has_column && first) table_.fail_short(first->place, first->columns, column_);
        if (is_key_ && table_.is_whole_ && count_ > 0 && !std::exchange(state_.has_key, true))
            tell(fmt::format("lanesort: {}: {} has no key in any line, so it orders nothing\n",
                             table_.parts_.front().name, column_.title));
        if (first && !table_.is_whole_ && first->place < lines) first->place = lines | table_.line_number(first->place);
        if (holds_numbers()) {
            state_.evidence = numbers_.evidence();
            read_.needs_digits = state_.evidence.needs_digits && (read_.is_times || state_.evidence.floats);
            read_.keys = is_key_ ? numbers_.finish() : numbers_.finish_rounded();
        }
        return std::move(read_);
    }

private:
    enum class Kind : std::uint8_t { numbers, texts, times, presence };

    static Kind kind_of(ColumnKind kind) {
        return kind == ColumnKind::texts ? Kind::texts : kind == ColumnKind::times ? Kind::times : Kind::numbers;
    }
    bool holds_numbers() const { return kind_ == Kind::numbers || kind_ == Kind::times; }

    ColumnReader(const TextTable& table, const ColumnName& name, Kind kind, bool is_key, ColumnState& state)
        : table_(table),
          state_(state),
          name_(name),
          column_(table.find_column(name)),
          kind_(kind),
          is_key_(is_key),
          missing_as_(is_key ? table.options_.missing_as : MissingAs::last),
          read_{{},
                TextKeys{IndexArray(table.offset_bytes_of_texts()), IndexArray(table.offset_bytes_of_texts())},
                {},
                column_.number},
          numbers_(kind == Kind::times ? lanesort::KeyType::i64 : state.type,
                   [this](std::size_t record, const std::string& words) { refuse(record, words); }) {
        numbers_.begin_with(state.evidence);
        if (const auto& words = table.options_.missing) missing_.assign(words->begin(), words->end());
        else if (kind_ != Kind::texts) missing_.assign(std::begin(usual_missing), std::end(usual_missing));
        const Part& first = table.parts_.front();
        if (first.first_data == table.first_record_) return;
        const auto field = table.field_of(table.first_record_, first.first_data, column_.number);
        if (const auto* const columns = std::get_if<std::uint64_t>(&field))
            table.fail_short(table.first_record_, *columns, column_);
        state_.has_column = true;
    }

    bool is_word_for_missing(std::string_view field) const {
        return std::ranges::find(missing_, field) != missing_.end();
    }

    void add_text(std::string_view field, bool is_quoted) {
        auto& [begins, ends, unquoted] = std::get<TextKeys>(read_.keys);
        auto begin = static_cast<std::uint64_t>(field.data() - table_.text().data()), size = field.size();
        if (is_quoted && field.find(quote) != std::string_view::npos) {
            const std::string text = without_doubled_quotes(field);
            begin = table_.text().size() + unquoted.size();
            size = text.size();
            unquoted.append(text);
        }
        begins.append(begin);
        ends.append(begin + size);
        ++count_;
    }

    void add_missing(std::size_t record, std::string_view word) {
        if (missing_as_ == MissingAs::error)
            refuse(record, word.empty() ? "is empty" : fmt::format("is missing: {}", shown(word)));
        if (missing_as_ == MissingAs::nan && kind_ == Kind::numbers) {
            numbers_.add("nan", record);
            ++count_;
            return;
        }
        read_.missing.resize(count_);
        read_.missing.push_back(true);
        if (kind_ == Kind::texts) return add_text(table_.text(record, record), false);
        if (holds_numbers()) numbers_.add_placeholder();
        ++count_;
    }

    void add_time(std::string_view text, std::size_t record) {
        const std::optional<std::int64_t> time = parse_iso_time(text);
        if (!time) refuse(record, fmt::format("is no ISO 8601 time: {}", shown(text)));
        numbers_.add_part(*time, fraction_of_time(text).size() > exact_fraction);
    }

    [[noreturn]] void refuse(std::size_t record, const std::string& words) const {
        const bool is_no_number = words.starts_with("is no ");
        if (table_.options_.lines)
            table_.fail(record, fmt::format(" {}{}", words,
                                            is_no_number ? " (--by-column 1 takes lines without a number)" : ""));
        const char* hint = "";
        if (is_no_number && record == table_.first_record_ && table_.lines_before_ == 0)
            hint = " (if it is a header, say so by --header)";
        else if (is_no_number)
            hint = is_key_ ? " (--missing gives words for what is missing; text needs :text behind the column)"
                           : " (--missing gives words for what is missing)";
        table_.fail(record, fmt::format(", {} {}{}", column_.title, words, hint));
    }

    /// Characters of the fraction of a second that a key holds, with its point.
    static constexpr std::size_t exact_fraction = 7;
    const TextTable& table_;
    ColumnState& state_;
    const ColumnName& name_;
    Column column_;
    Kind kind_;
    bool is_key_;
    MissingAs missing_as_;
    KeyColumn read_;
    KeyReader numbers_;
    std::vector<std::string_view> missing_;
    std::uint64_t count_ = 0;
};

TableKeys TextTable::read_keys(std::optional<lanesort::KeyType> type) const {
    ColumnState state;
    state.type = type;
    std::vector<ColumnState> states(options_.columns.size(), state);
    std::size_t rest = 0;
    return read_keys(states, rest);
}

TableKeys TextTable::read_piece(std::vector<ColumnState>& states) { return read_keys(states, rest_); }

TableKeys TextTable::read_keys(std::vector<ColumnState>& states, std::size_t& rest) const {
    std::deque<ColumnReader> readers;  // which does not move them
    for (std::size_t i = 0; i < states.size(); ++i) readers.emplace_back(*this, options_.columns[i], states[i]);
    std::vector<ColumnState> states_of_values(options_.values.size());
    for (std::size_t i = 0; i < options_.values.size(); ++i)
        readers.emplace_back(*this, options_.values[i], states_of_values[i]);
    TableKeys keys{IndexArray(offset_bytes()), {}, {}};
    rest = parts_.front().first_data;
    for (const Part& part : parts_)
        for (std::size_t record = part.first_data, end = record; record < part.end; record = end) {
            end = record_end(record, part.end);
            // The last record of a piece may go on in the next one.
            if (end == part.end && !is_whole_) break;
            rest = end;
            keys.records.append(record);
            for (ColumnReader& reader : readers) reader.add(record, end);
        }
    if (!is_whole_ && keys.records.size() == 0) {
        if (const auto open = open_field(rest))
            fail(*open, fmt::format(" begins a quoted field that does not end within memory with what --memory says{}",
                                    without_quotes_hint));
        fail(rest, " begins a record that does not fit into memory with what --memory says");
    }
    for (std::size_t i = 0; i < readers.size(); ++i)
        (i < states.size() ? keys.columns : keys.values).push_back(readers[i].finish());
    return keys;
}

/// Bytes of an index that holds the offset of every record, and its end.
std::size_t TextTable::offset_bytes() const noexcept {
    return text().size() <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

/// The same for texts, which take no more behind the end of the table than in it.
std::size_t TextTable::offset_bytes_of_texts() const noexcept {
    return text().size() <= std::numeric_limits<std::uint32_t>::max() / 2 ? sizeof(std::uint32_t)
                                                                          : sizeof(std::uint64_t);
}

std::string_view TextTable::text(const TextKeys& keys, std::uint64_t i) const noexcept {
    const std::uint64_t begin = keys.begins[i], size = keys.ends[i] - begin, end = text().size();
    if (begin < end) return text(begin, begin + size);
    return {reinterpret_cast<const char*>(keys.unquoted.data()) + (begin - end), size};
}

void TextTable::fetch_ahead(const IndexArray& records, const IndexArray& order, std::size_t i) const noexcept {
    constexpr std::size_t ahead = 16;
    if (i + ahead < order.size()) __builtin_prefetch(text().data() + records[order[i + ahead]]);
}

void TextTable::write(OutputFile& file, const IndexArray& records, const IndexArray& order,
                      const IndexArray* counts) const {
    BufferedWriter writer(file);
    if (counts) writer.write(head_with_count());
    else writer.write(head());
    for (std::size_t i = 0; i < order.size(); ++i) {
        fetch_ahead(records, order, i);
        const std::size_t record = records[order[i]], end = record_end(record, text().size());
        if (counts) writer.write(fmt::format("{}{}", (*counts)[i], options_.lines ? '\t' : delimiter_));
        writer.write(text(record, end));
        if (text()[end - 1] != '\n' && (options_.lines || i + 1 < order.size())) writer.write(line_end());
    }
    writer.flush();
}

void TextTable::write_columns(OutputFile& file, const IndexArray& records, const IndexArray& order,
                              const std::vector<AddedColumn>& added) const {
    std::vector<std::uint64_t> numbers;
    for (const SortColumn& key : options_.columns) numbers.push_back(find_column(key.name).number);
    BufferedWriter writer(file);
    const std::string_view delimiter = options_.lines ? "," : std::string_view(&delimiter_, 1);
    const auto write_line = [&](std::size_t record, std::size_t end, const auto& added_field) {
        std::string_view before;
        for (const std::uint64_t number : numbers) {
            writer.write(std::exchange(before, delimiter));
            const auto field = field_of(record, end, number);
            if (const auto* const words = std::get_if<std::string_view>(&field)) writer.write(*words);
        }
        for (const AddedColumn& column : added) {
            writer.write(delimiter);
            writer.write(added_field(column));
        }
        writer.write(line_end());
    };
    writer.write(head().substr(0, first_record_));
    if (const std::size_t end = head().size(); end > first_record_)
        write_line(first_record_, end, [&](const AddedColumn& column) { return as_field(column.name); });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t record = records[order[i]];
        write_line(record, record_end(record, text().size()),
                   [&](const AddedColumn& column) { return column.fields[i]; });
    }
    writer.flush();
}

std::vector<std::uint64_t> TextTable::records_of_files(const IndexArray& records) const {
    std::vector<std::uint64_t> counts(parts_.size());
    std::size_t part = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        while (records[i] >= parts_[part].end) ++part;
        ++counts[part];
    }
    return counts;
}

void TextTable::fail_short(std::size_t record, std::uint64_t columns, const Column& column) const {
    fail(record, fmt::format(" has {} column{}, so it has no {}", columns, columns == 1 ? "" : "s", column.title));
}

std::uint64_t TextTable::line_number(std::size_t place) const {
    if (place >= lines) return place - lines;
    const auto part =
        std::ranges::find_if(parts_, [&](const Part& one) { return place < one.end || &one == &parts_.back(); });
    const std::uint64_t before = place >= parts_.front().first_data ? lines_before_ : 0;
    return 1 + before + static_cast<std::uint64_t>(std::ranges::count(text(part->begin, place), '\n'));
}

std::string TextTable::line_of(std::size_t place) const {
    const auto part = std::ranges::find_if(
        parts_, [&](const Part& one) { return place < one.end || place >= lines || &one == &parts_.back(); });
    return fmt::format("{}, line {}", part->name, line_number(place));
}

void TextTable::fail(std::size_t place, const std::string& what) const { throw BadInput(line_of(place) + what); }
