// Tables as text: CSV as in RFC 4180, TSV and their like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <lanesort/key_types.hpp>

#include "files.hpp"
#include "indices.hpp"
#include "key_reader.hpp"

/// The number of a column, from 1, or its name in the header.
using ColumnName = std::variant<std::uint64_t, std::string>;

/// How a table is written, and which of its columns holds the keys.
struct TableOptions {
    std::optional<ColumnName> column;  ///< none: it is no table
    std::optional<char> delimiter;     ///< if none, a comma, or a tab in a file whose name ends in .tsv
    bool header = false;               ///< the first record is a header; always so where the column has a name
    bool quotes = true;                ///< a field that begins with a quote goes on to the next one that is not doubled
    bool empty_last = false;           ///< records without a key are no error
};

/// What a table's column holds, and where.
struct KeyColumn {
    Numbers keys;
    IndexArray places;  ///< those of the keys, then those of records without one
};

/// A table in memory: its bytes, as they are in the file. Records end with LF or CRLF, the last one also without. A
/// quoted field may hold delimiters, line ends and doubled quotes; in other fields a quote is a character like any
/// other. A UTF-8 byte order mark belongs to the table, not to its first record.
class TextTable {
public:
    TextTable(InputFile& file, TableOptions options);

    /// The place of a record: the offset of its first byte in the file, or its number, from 0, not counting a header.
    enum class Place : std::uint8_t { offset, number };

    /// Reads the column that the options name, whose type is found if it is not given. Throws BadInput that names the
    /// line for a record that has no such column, nothing in it that a KeyReader takes (an empty field is no error with
    /// the option empty_last), or quotes that do not match; also for a name that is not in the header, or twice.
    KeyColumn read_column(std::optional<lanesort::KeyType> type, Place place, std::size_t place_bytes) const;

    /// Bytes of an index that holds the offset of every record.
    std::size_t offset_bytes() const noexcept;

    /// Writes the byte order mark, the header and the records at these offsets. A last record without a line end gets
    /// one like that of the first record, unless it comes last again.
    void write(OutputFile& file, const IndexArray& offsets) const;

private:
    /// The column of the keys: its number, from 0, and what to call it.
    struct Column {
        std::uint64_t number;
        std::string title;
    };

    std::string_view text() const noexcept;
    std::size_t find(char wanted, std::size_t from, std::size_t end) const;
    bool is_quoted(std::size_t field) const;
    std::size_t quoted_end(std::size_t field) const;
    std::size_t field_end(std::size_t field, std::size_t end) const;
    std::size_t record_end(std::size_t record) const;
    std::string_view field_of(std::size_t record, std::size_t end, const Column& column) const;
    std::string_view line_end() const;
    Column find_column() const;
    [[noreturn]] void fail(std::size_t place, const std::string& what) const;

    std::string name_;
    TableOptions options_;
    char delimiter_;
    Bytes bytes_;
    std::size_t first_record_;  ///< the header, if there is one
    std::size_t first_data_;
};
