// Tables: a key and a place for every record, the places in order and inside the file, or a sentence that names a line.
#include "command.hpp"
#include "input.hpp"
#include "text_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr char delimiters[] = {',', '\t', ';', '"', ' ', 'a'};
    Choices choices({data, size});
    const auto type = choices.key_type();
    TableOptions options;
    options.column = ColumnName(std::uint64_t{choices.below(4) + 1u});
    options.delimiter = delimiters[choices.below(sizeof delimiters)];
    const unsigned switches = choices.below(32);
    options.header = switches & 1;
    options.quotes = switches & 2;
    options.empty_last = switches & 4;
    if (switches & 8) options.column = ColumnName(std::string("b"));
    const auto place = switches & 16 ? TextTable::Place::number : TextTable::Place::offset;
    const FileOf file(choices.rest());
    try {
        InputFile input(file.path());
        const TextTable table(input, options);
        const KeyColumn column = table.read_column(type, place, table.offset_bytes());
        const std::size_t keys = column.keys.count();
        require(column.keys.bytes.size() == keys * lanesort::key_bytes(column.keys.type));
        require(options.empty_last ? keys <= column.places.size() : keys == column.places.size());
        for (std::size_t i = 0; i < column.places.size(); ++i) {
            require(column.places[i] < choices.rest().size());
            require(i == 0 || i == keys || column.places[i - 1] < column.places[i]);
        }
    } catch (const BadInput& error) {
        require(!std::string(error.what()).empty());
    }
    return 0;
}
