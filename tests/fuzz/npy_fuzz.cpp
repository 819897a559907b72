// SPDX-License-Identifier: MIT
// .npy files: as many numbers as the header says, or a sentence that says what is wrong. What is written reads back.
#include <algorithm>

#include "command.hpp"
#include "formats.hpp"
#include "input.hpp"
#include "npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FileOf file({data, size});
    try {
        InputFile input(file.path());
        refuse_other_formats(input, ReadAs::raw);
        const std::optional<NpyHeader> header = read_npy_header(input);
        if (!header) return 0;
        const NumberFile read = read_npy(input, *header);
        const std::size_t rows = read.numbers.row_length;
        require(!header->shape.empty());
        require(header->bytes.size() + read.numbers.bytes.size() == size);
        require(rows == 0 || read.numbers.count() % rows == 0);

        const std::string written = npy_header(header->type, header->shape);
        require(written.size() % 64 == 0);
        const std::string bytes =
            written + std::string(reinterpret_cast<const char*>(read.numbers.bytes.data()), read.numbers.bytes.size());
        const FileOf again({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
        InputFile second(again.path());
        const auto same = read_npy_header(second);
        require(same && same->type == header->type && same->shape == header->shape && same->bytes == written);
    } catch (const BadInput& error) {
        require(!std::string(error.what()).empty());
    }
    return 0;
}
