// SPDX-License-Identifier: MIT
// What gzip is to decompress: what zlib's own reader makes of it, however it is asked for, or a sentence.
#include <zlib.h>

#include <algorithm>

#include "command.hpp"
#include "files.hpp"
#include "input.hpp"

namespace {

/// The first bytes that zlib reads, which takes a file that ends too soon, and anything behind a whole one.
std::string read_by_zlib(const std::string& path, std::size_t bytes) {
    const gzFile file = gzopen(path.c_str(), "rb");
    require(file != nullptr);
    std::string text(bytes, '\0');
    const int got = gzread(file, text.data(), static_cast<unsigned>(bytes));
    text.resize(static_cast<std::size_t>(std::max(got, 0)));
    gzclose(file);
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    const std::size_t piece = 1 + choices.below(5000);
    const FileOf file(choices.rest());
    constexpr std::size_t most = std::size_t{1} << 20;
    try {
        InputFile input(file.path());
        input.decompress();
        std::string text;
        for (std::size_t got = piece; got == piece && text.size() < most;) {
            text.resize(text.size() + piece);
            got = input.read(text.data() + text.size() - piece, piece);
            text.resize(text.size() - piece + got);
        }
        // Behind padding there may be another file, which zlib's reader does not look for.
        require(text.starts_with(read_by_zlib(file.path(), text.size())));
    } catch (const BadInput& error) {
        require(std::string(error.what()).find("is compressed by gzip and ") != std::string::npos);
    }
    return 0;
}
