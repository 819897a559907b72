// SPDX-License-Identifier: MIT
// Plain integers, one a line: a key for every line, of a type that holds all of them, or the same bytes once more.
#include <algorithm>
#include <span>

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
    InputFile input(file.path());
    const auto read = read_plain_integers(input, type);
    if (!read) {
        // Nothing of the file is lost.
        const Bytes again = read_all(input);
        require(std::ranges::equal(std::span(again.data(), again.size()), std::as_bytes(std::span(text))));
        return 0;
    }
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    const bool ends_in_a_line = text.size() > read->head.size() && text.back() != '\n';
    require(read->numbers.count() == lines + ends_in_a_line);
    // The type that was found holds the numbers as if it had been given.
    InputFile same(file.path());
    const auto given = read_plain_integers(same, type.value_or(read->numbers.type));
    require(given && std::ranges::equal(bytes_of(*given), bytes_of(*read)));
    return 0;
}
