// SPDX-License-Identifier: MIT
// Tables: a key of each column for every record, which lie in order and inside the file, or a sentence that names a
// line.
#include "command.hpp"
#include "decimal.hpp"
#include "input.hpp"
#include "text_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr char delimiters[] = {',', '\t', ';', '"', ' ', 'a'};
    Choices choices({data, size});
    const auto type = choices.key_type();
    TableOptions options;
    options.delimiter = delimiters[choices.below(sizeof delimiters)];
    const unsigned switches = choices.below(128);
    options.header = switches & 1;
    options.quotes = switches & 2;
    options.missing_as = switches & 4 ? MissingAs::last : switches & 32 ? MissingAs::nan : MissingAs::error;
    const ColumnKind kind = switches & 8 ? ColumnKind::texts : switches & 64 ? ColumnKind::times : ColumnKind::numbers;
    options.columns.push_back({ColumnName{std::nullopt, choices.below(4) + 1u}, kind, {}});
    if (switches & 16) options.columns.push_back({ColumnName{"b", std::nullopt}, ColumnKind::numbers, {}});
    const FileOf file(choices.rest());
    try {
        InputFile input(file.path());
        const TextTable table(input, options);
        const TableKeys keys = table.read_keys(type);
        require(keys.columns.size() == options.columns.size());
        for (const KeyColumn& column : keys.columns) {
            const auto* const numbers = std::get_if<Numbers>(&column.keys);
            require((numbers ? numbers->count() : std::get<TextKeys>(column.keys).ends.size()) == keys.records.size());
            require(column.missing.empty() || options.missing_as == MissingAs::last ||
                    (options.missing_as == MissingAs::nan && (!numbers || column.is_times)));
        }
        // The text of each number whose digits decide is one.
        for (const KeyColumn& column : keys.columns)
            for (std::size_t i = 0; column.needs_digits && i < keys.records.size(); ++i)
                if (!column.is_missing(i) && options.missing_as != MissingAs::nan)
                    require(Decimal(table.number_text(keys.records[i], column)) ==
                            Decimal(table.number_text(keys.records[i], column)));
        for (std::size_t i = 0; i < keys.records.size(); ++i)
            require(keys.records[i] < choices.rest().size() && (i == 0 || keys.records[i - 1] < keys.records[i]));
    } catch (const BadInput& error) {
        require(!std::string(error.what()).empty());
    }
    return 0;
}
