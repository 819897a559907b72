// SPDX-License-Identifier: MIT
#include "formats.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "command.hpp"

namespace {

using namespace std::string_view_literals;

constexpr const char* decompress = "decompress it first";
constexpr const char* unpack = "unpack it first";
constexpr const char* convert = "write its numbers as .npy, text or CSV first";
constexpr const char* nothing = "lanesort sorts numbers and tables";

struct FileFormat {
    const char* what;
    std::string_view magic;
    std::size_t offset;  ///< of the magic bytes in the file
    const char* advice;
};

constexpr FileFormat formats[] = {
    {"compressed by bzip2", "1AY&SY"sv, 4, decompress},
    {"compressed by xz",
     "\xfd"
     "7zXZ\0"sv,
     0, decompress},
    {"compressed by Zstandard", "\x28\xb5\x2f\xfd"sv, 0, decompress},
    {"compressed by LZ4", "\x04\x22\x4d\x18"sv, 0, decompress},
    {"a zip archive, as .npz and .xlsx files are", "PK\3\4"sv, 0, unpack},
    {"an empty zip archive", "PK\5\6"sv, 0, unpack},
    {"a 7z archive", "7z\xbc\xaf\x27\x1c"sv, 0, unpack},
    {"a tar archive", "ustar"sv, 257, unpack},
    {"a Parquet file", "PAR1"sv, 0, convert},
    {"an Arrow (Feather) file", "ARROW1"sv, 0, convert},
    {"a Feather file", "FEA1"sv, 0, convert},
    {"an Avro file", "Obj\1"sv, 0, convert},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n"sv, 0, convert},
    {"a MATLAB file", "MATLAB 5.0 MAT-file"sv, 0, convert},
    {"an SQLite database", "SQLite format 3\0"sv, 0, convert},
    {"an old Excel file", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, 0, convert},
    {"an ELF program",
     "\x7f"
     "ELF"sv,
     0, nothing},
    {"a PNG picture", "\x89PNG\r\n\x1a\n"sv, 0, nothing},
    {"a PDF document", "%PDF-"sv, 0, nothing},
};

constexpr std::size_t start_bytes = 512;

/// Whether nothing in it is foreign to text: a table may well have a first column PAR1.
bool is_text(std::string_view start) {
    return std::ranges::all_of(start, [](unsigned char c) { return c >= ' ' || c == '\t' || c == '\r' || c == '\n'; });
}

}  // namespace

void refuse_other_formats(InputFile& file, ReadAs as) {
    const std::string_view start = file.peek(start_bytes);
    if (as == ReadAs::text) {
        for (const std::string_view mark : {"\xff\xfe"sv, "\xfe\xff"sv})
            if (start.starts_with(mark))
                throw BadInput(fmt::format("{} is text in UTF-16: turn it into UTF-8 first", file.name()));
        if (is_text(start)) return;
    }
    for (const auto& [what, magic, offset, advice] : formats)
        if (start.substr(std::min(offset, start.size())).starts_with(magic))
            throw BadInput(fmt::format(
                "{} is {}: {}{}", file.name(), what, advice,
                as == ReadAs::raw ? "; if its bytes as they are shall be sorted, say so by --type and --raw" : ""));
}
