// Tables: a key of each column for every record, which lie in order and inside the file, or a sentence that names a
// line.
#include "command.hpp"
#include "input.hpp"
#include "text_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr char delimiters[] = {',', '\t', ';', '"', ' ', 'a'};
    Choices choices({data, size});
    const auto type = choices.key_type();
    TableOptions options;
    options.delimiter = delimiters[choices.below(sizeof delimiters)];
    const unsigned switches = choices.below(64);
    options.header = switches & 1;
    options.quotes = switches & 2;
    options.missing_as = switches & 4 ? MissingAs::last : switches & 32 ? MissingAs::nan : MissingAs::error;
    options.columns.push_back({ColumnName{std::nullopt, choices.below(4) + 1u}, (switches & 8) != 0, {}});
    if (switches & 16) options.columns.push_back({ColumnName{"b", std::nullopt}, false, {}});
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
                    (options.missing_as == MissingAs::nan && !numbers));
        }
        for (std::size_t i = 0; i < keys.records.size(); ++i)
            require(keys.records[i] < choices.rest().size() && (i == 0 || keys.records[i - 1] < keys.records[i]));
    } catch (const BadInput& error) {
        require(!std::string(error.what()).empty());
    }
    return 0;
}
