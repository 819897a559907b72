// SPDX-License-Identifier: MIT
// Tables as text: CSV as in RFC 4180, TSV and their like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <lanesort/key_types.hpp>

#include "files.hpp"
#include "indices.hpp"
#include "key_reader.hpp"

/// A column as the user writes it. Digits are its name if the header has it, otherwise its number.
struct ColumnName {
    std::optional<std::string> name;      ///< in the header
    std::optional<std::uint64_t> number;  ///< from 1; 0 is that of no column

    bool operator==(const ColumnName&) const = default;
};

/// What keys are: texts are in the order of their bytes, times are as parse_iso_time reads them.
enum class ColumnKind : std::uint8_t { numbers, texts, times };

/// A column to sort by.
struct SortColumn {
    ColumnName name;
    ColumnKind kind = ColumnKind::numbers;
    std::optional<lanesort::Order> order;  ///< if none, that of the other options
};

/// A column of values beside the keys. A value that is missing is left out.
struct ValueColumn {
    ColumnName name;
    bool is_numbers = false;  ///< else it only matters which records have something there
};

/// What becomes of a record without a key.
enum class MissingAs : std::uint8_t {
    last,   ///< it comes last in either order
    nan,    ///< a number that is missing is a NaN
    error,  ///< the table is refused
};

/// How a table is written, and which of its columns hold the keys.
struct TableOptions {
    std::vector<SortColumn> columns;  ///< the first one counts most; none: it is no table
    std::vector<ValueColumn> values;  ///< read besides
    std::optional<char> delimiter;    ///< if none, a comma, or a tab in a file whose name ends in .tsv
    bool header = false;              ///< the first record is a header; always so where a column has no number
    bool quotes = true;  ///< a quoted field may hold delimiters and, between other ones than tabs, line ends
    std::optional<std::vector<std::string>> missing;  ///< words for a key that is missing; if none, usual_missing
    MissingAs missing_as = MissingAs::last;
    bool lines = false;  ///< it is no table but text with one number a line
};

/// Words for a number or value that is missing, unless others are given. Nothing is always one, and a text is none.
inline constexpr std::string_view usual_missing[] = {"NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "\\N"};

/// Where texts are in the table, one for each record. Those with doubled quotes are behind its end, in `unquoted`.
struct TextKeys {
    IndexArray begins, ends;
    Bytes unquoted = {};
};

/// The keys or values of one column, one for each record, in the order of the file. One that is missing is arbitrary.
struct KeyColumn {
    std::optional<lanesort::Order> order;
    std::variant<Numbers, TextKeys> keys;  ///< empty where it only matters which are missing
    std::vector<bool> missing;             ///< of the records up to the last one without a key
    std::uint64_t number = 0;              ///< of the column, from 0
    bool is_times = false;                 ///< its numbers are those of parse_iso_time
    bool needs_digits = false;             ///< equal keys may be of different numbers: their texts decide

    bool is_missing(std::uint64_t record) const { return record < missing.size() && missing[record]; }
};

/// What the pieces of a table that were read until now say of a column of keys.
struct ColumnState {
    struct Short {
        std::uint64_t place, columns;
    };
    std::optional<lanesort::KeyType> type;  ///< of its numbers, if it is given
    KeyReader::Evidence evidence;           ///< of the type
    bool has_column = false;                ///< a record has it, or the header
    bool has_key = false;                   ///< a record has something there, or it was told that none has
    std::optional<Short> first_short;       ///< the first record without it
};

/// What is read of a table: where its records begin, their keys and their values.
struct TableKeys {
    IndexArray records{sizeof(std::uint64_t)};
    std::vector<KeyColumn> columns, values;
};

/// Texts, one behind the other in memory.
class Texts {
public:
    void append(std::string_view text);
    std::string_view operator[](std::size_t i) const noexcept;

private:
    Bytes bytes_;
    IndexArray ends_{sizeof(std::uint64_t)};
};

/// The name, or if one of those is the same, the first of name_2, name_3 .. that none is.
std::string free_name(const std::string& name, const std::vector<std::string>& taken);

/// A column that is written behind those of a table.
struct AddedColumn {
    std::string name;
    Texts fields;
};

/// A table in memory: its bytes, as they are in the file. Records end with LF or CRLF, the last one also without. A
/// quoted field may hold delimiters, line ends and doubled quotes. In other fields a quote is a character like any
/// other. Between tabs, every line end ends a record, and a quote that is not closed in front of it opens nothing. A
/// UTF-8 byte order mark belongs to the table, not to its first record.
class TextTable {
public:
    /// A place for a piece of a table, see next_piece.
    TextTable() = default;
    TextTable(InputFile& file, TableOptions options);

    /// Reads bytes as InputFile::read does.
    using Read = std::function<std::size_t(void* to, std::size_t bytes)>;
    /// The first piece of a table: its header, and records that with what they take besides come to about so many
    /// bytes of memory. Throws BadInput where no record fits.
    TextTable(std::string name, TableOptions options, Read read, std::size_t piece_bytes);
    /// Puts what follows the piece `before`, after its read_piece, in the place of what is here; `before`, which may be
    /// this table, stays as it is otherwise. False where there are no more records.
    bool next_piece(TextTable& before);
    /// As read_keys, of the records of this piece; numbers get the type that is found so far. After the last piece
    /// throws for what cannot be known sooner.
    TableKeys read_piece(std::vector<ColumnState>& states);
    /// The memory that a record takes besides its text while it is sorted by these columns, in bytes.
    static std::size_t bytes_beside_record(const TableOptions& options) noexcept {
        return 24 + 16 * options.columns.size();
    }
    /// Whether there is nothing behind this piece.
    bool is_whole() const noexcept { return is_whole_; }
    std::size_t size_of_piece() const noexcept { return text().size(); }
    /// One of the records of this piece, with its line end if it has one.
    std::string_view record(const IndexArray& records, std::size_t i) const {
        return text(records[i], i + 1 < records.size() ? records[i + 1] : rest_);
    }
    /// For who takes records in this order and is at the i-th: has one that comes soon fetched. They lie anywhere in
    /// memory; that took a sixth off the sort of two million lines.
    void fetch_ahead(const IndexArray& records, const IndexArray& order, std::size_t i) const noexcept;
    /// The line end of the first record.
    std::string_view line_end() const;
    /// The byte order mark and the header.
    std::string_view head() const noexcept { return text().substr(0, parts_.front().first_data); }
    /// What stands in front of the records where each gets a count.
    std::string head_with_count() const;
    char delimiter() const noexcept { return delimiter_; }
    /// What a column is called in the header: nothing without one.
    std::string name_of(const ColumnName& column) const;

    /// Puts what another file has, if anything, behind these records. Throws BadInput where its header is another one,
    /// and where its name says that it has another delimiter.
    void append(InputFile& file);

    /// Reads the columns that the options name; the type of their numbers is found, for each, if it is not given for
    /// the keys. Throws BadInput that names the line for a number that a KeyReader does not take and quotes that do not
    /// match, and for a name that is not in the header, or twice. A key is missing where the record has no such column,
    /// the field is one of the words for it or, of a number, empty; throws for that, too, if it is to be an error, and
    /// where no record has such a column, nor the header.
    TableKeys read_keys(std::optional<lanesort::KeyType> type) const;

    /// The text that begins and ends there.
    std::string_view text(std::uint64_t begin, std::uint64_t end) const noexcept {
        return text().substr(begin, end - begin);
    }

    /// The number of a record that has one in that column; of a time, the fraction of its second.
    std::string_view number_text(std::size_t record, const KeyColumn& column) const;

    /// One of these texts.
    std::string_view text(const TextKeys& keys, std::uint64_t i) const noexcept;

    /// Writes the byte order mark, the header and the records in this order. A last record without a line end gets one
    /// like that of the first record, unless it comes last again. With `counts`, each record gets a first column of
    /// these, and the header one of that name.
    void write(OutputFile& file, const IndexArray& records, const IndexArray& order,
               const IndexArray* counts = nullptr) const;

    /// Writes the byte order mark and, of the header and the records in this order, the columns of keys as they stand,
    /// with these behind them. A record has an empty field where it lacks a column.
    void write_columns(OutputFile& file, const IndexArray& records, const IndexArray& order,
                       const std::vector<AddedColumn>& added) const;

    /// Throws a BadInput that names the line of that place, which a sentence follows.
    [[noreturn]] void fail(std::size_t place, const std::string& what) const;
    /// "goods.csv, line 7"
    std::string line_of(std::size_t place) const;
    /// How many records of these belong to each file.
    std::vector<std::uint64_t> records_of_files(const IndexArray& records) const;

private:
    /// A file in the table.
    struct Part {
        std::string name;
        std::size_t begin, first_data, end;
    };
    /// A column of keys: its number, from 0, and what to call it.
    struct Column {
        std::uint64_t number;
        std::string title;
    };
    class ColumnReader;

    std::string_view text() const noexcept;
    std::size_t find(char wanted, std::size_t from, std::size_t end) const;
    bool is_tsv() const noexcept { return delimiter_ == '\t'; }
    bool opens_quote(std::size_t field, std::size_t end) const;
    std::optional<std::size_t> closed_quote(std::size_t field, std::size_t end) const;
    std::optional<std::size_t> quoted_end(std::size_t field, std::size_t end) const;
    std::size_t field_end(std::size_t field, std::size_t end) const;
    std::size_t record_end(std::size_t record, std::size_t file_end) const;
    std::optional<std::size_t> open_field(std::size_t record) const;
    std::variant<std::string_view, std::uint64_t> field_of(std::size_t record, std::size_t end,
                                                           std::uint64_t column) const;
    std::string_view without_quotes(std::string_view field) const;
    std::string as_field(std::string_view text) const;
    bool has_header() const;
    void find_parts(const std::string& name);
    void fill();
    TableKeys read_keys(std::vector<ColumnState>& states, std::size_t& rest) const;
    std::uint64_t line_number(std::size_t place) const;
    std::size_t offset_bytes() const noexcept;
    std::size_t offset_bytes_of_texts() const noexcept;
    std::vector<std::string> names_in(std::size_t record, std::size_t end) const;
    /// What the columns are called: nothing without a header.
    std::vector<std::string> column_names() const { return names_in(first_record_, parts_.front().first_data); }
    Column find_column(const ColumnName& asked) const;
    void require_no_name(std::size_t record, std::size_t end, const ColumnName& asked) const;
    [[noreturn]] void fail_short(std::size_t record, std::uint64_t columns, const Column& column) const;

    TableOptions options_;
    char delimiter_ = ',';
    Bytes bytes_;
    std::size_t first_record_ = 0;  ///< the header, if there is one
    std::vector<Part> parts_;

    // Of a table that is read piece by piece.
    Read read_;
    std::size_t piece_bytes_ = 0;
    bool is_whole_ = true;            ///< there is nothing behind these bytes
    std::size_t rest_ = 0;            ///< where the records end that are known to be whole
    double part_of_text_ = 0;         ///< of the memory that the records take
    std::uint64_t lines_before_ = 0;  ///< between the header and these records
    std::string line_end_;
};
