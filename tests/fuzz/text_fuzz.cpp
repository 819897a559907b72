// Text with one number a line: a key for every line, of a type that holds all of them, or a sentence that names one.
#include <algorithm>

#include "command.hpp"
#include "input.hpp"
#include "numbers.hpp"

namespace {

std::span<const std::byte> bytes_of(const NumberFile& file) {
    return {file.numbers.bytes.data(), file.numbers.bytes.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    const auto type = choices.key_type();
    const auto text = choices.rest();
    const FileOf file(text);
    try {
        InputFile input(file.path());
        const NumberFile read = read_text(input, type);
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
        const bool ends_in_a_line = text.size() > read.head.size() && text.back() != '\n';
        require(read.numbers.count() == lines + ends_in_a_line);
        // The type that was found holds the numbers as if it had been given.
        InputFile again(file.path());
        const NumberFile given = read_text(again, type.value_or(read.numbers.type));
        require(std::ranges::equal(bytes_of(given), bytes_of(read)));
    } catch (const BadInput& error) {
        require(std::string(error.what()).find("line ") != std::string::npos);
    }
    return 0;
}
