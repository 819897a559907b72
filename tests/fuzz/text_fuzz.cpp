// Text with one number a line: a key for every line, or a sentence that names one.
#include <algorithm>

#include "command.hpp"
#include "input.hpp"
#include "numbers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    const auto type = static_cast<lanesort::KeyType>(choices.below(11));
    const auto text = choices.rest();
    const FileOf file(text);
    try {
        InputFile input(file.path());
        const Bytes keys = read_text(input, type);
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
        const bool ends_in_a_line = !text.empty() && text.back() != '\n';
        require(keys.size() == (lines + ends_in_a_line) * lanesort::key_bytes(type));
    } catch (const BadInput& error) {
        require(std::string(error.what()).find("line ") != std::string::npos);
    }
    return 0;
}
