// SPDX-License-Identifier: MIT
// Files of other formats: refused by name, as numbers, text and tables, unless raw numbers are meant.
#include <algorithm>
#include <string>
#include <utility>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;

TEST_CASE("a file of another format is refused by its name") {
    const Scene scene;
    const std::string more("\0\1\2\3 and so on", 13);
    const std::pair<std::string, std::string> files[] = {
        {"BZh91AY&SY", "is compressed by bzip2: decompress it first"},
        {"\xfd"s + "7zXZ\0"s, "is compressed by xz: decompress it first"},
        {"\x28\xb5\x2f\xfd", "is compressed by Zstandard: decompress it first"},
        {"\x04\x22\x4d\x18", "is compressed by LZ4: decompress it first"},
        {"PK\3\4", "is a zip archive, as .npz and .xlsx files are: unpack it first"},
        {"PK\5\6", "is an empty zip archive"},
        {"7z\xbc\xaf\x27\x1c", "is a 7z archive: unpack it first"},
        {"name" + std::string(253, '\0') + "ustar", "is a tar archive: unpack it first"},
        {"PAR1\x15", "is a Parquet file: write its numbers as .npy, text or CSV first"},
        {"ARROW1\0\0"s, "is an Arrow (Feather) file: write its numbers"},
        {"FEA1", "is a Feather file"},
        {"Obj\1", "is an Avro file"},
        {"\x89HDF\r\n\x1a\n", "is an HDF5 file: write its numbers"},
        {"MATLAB 5.0 MAT-file, Platform: ", "is a MATLAB file"},
        {"SQLite format 3\0"s, "is an SQLite database"},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Excel file"},
        {"\x7f"s + "ELF", "is an ELF program"},
        {"\x89PNG\r\n\x1a\n", "is a PNG picture"},
        {"%PDF-1.7\n", "is a PDF document"},
    };
    for (const auto& [start, part] : files) {
        const std::string bytes = start + more, in = scene.file("in", bytes);
        require_refused(scene.run({"sort", in, in}), part);
        require_refused(scene.run({"sort", "--type", "u8", in, in}), part);
        require_refused(scene.run({"argsort", "--type", "u8", "-", "-"}, bytes), part);
        require_refused(scene.run({"topk", "-k", "1", "--type", "u8", in, in}), "say so by --type and --raw");
        for (const std::string as : {"--text", "--by-column=1"}) {
            const Result result = scene.run({"sort", as, in, in});
            require_refused(result, part);
            CHECK(!contains(result.err, "--raw"));
        }
        CHECK(read_file(in) == bytes);
    }
}

TEST_CASE("raw numbers that look like another format are sorted where --type and --raw say so") {
    const Scene scene;
    const std::string bytes = "PAR1 and other bytes", in = scene.file("in", bytes);
    require_refused(scene.run({"sort", "--type", "u8", in, in}), "is a Parquet file");
    require_refused(scene.run({"sort", "--raw", in, in}), "--type");
    require_refused(scene.run({"sort", "--type", "u8", "--raw", "--text", in, in}), "--raw");
    require_refused(scene.run({"sort", "--type", "u8", "--raw", "--by-column", "1", in, in}), "--raw");
    CHECK(read_file(in) == bytes);
    if (no_device()) return;
    std::string sorted = bytes;
    std::ranges::sort(sorted);
    CHECK(scene.run({"sort", "--type", "u8", "--raw", in, in}).status == 0);
    CHECK(read_file(in) == sorted);
    CHECK(scene.run({"topk", "-k", "2", "--order", "asc", "--type", "u8", "--raw", "-", "-"}, bytes).out == "  ");
    CHECK(scene.run({"argsort", "--type", "u8", "--raw", "-", "-"}, bytes).status == 0);
}

TEST_CASE("text that begins like another format is text") {
    const Scene scene;
    for (const std::string mark : {"\xff\xfe", "\xfe\xff"})
        for (const std::string as : {"--text", "--by-column=1"})
            require_refused(scene.run({"sort", as, "-", "-"}, mark + "1\0\n\0"s),
                            "is text in UTF-16: turn it into UTF-8");
    if (no_device()) return;
    const std::string header = "PAR1,ARROW1\n";
    CHECK(scene.run({"sort", "--by-column", "PAR1", "-", "-"}, header + "2,a\n1,b\n").out == header + "1,b\n2,a\n");
}

}  // namespace
}  // namespace lanesort::test
