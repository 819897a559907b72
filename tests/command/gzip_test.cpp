// SPDX-License-Identifier: MIT
// Input that is compressed by gzip: as what it holds, or refused in a sentence.
#include <zlib.h>

#include <string>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

std::string compressed(const std::string& bytes) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string result(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

TEST_CASE("a file compressed by gzip is sorted as what it holds") {
    const Scene scene;
    std::string numbers, more, sorted;
    for (int i = 300000; i > 0; --i) (i > 100000 ? numbers : more) += std::to_string(i) + "\n";
    for (int i = 1; i <= 300000; ++i) sorted += std::to_string(i) + "\n";
    const std::string in = scene.file("in.gz", compressed(numbers) + compressed(more)), out = scene.path("out");
    CHECK(scene.run({"sort", "--text", in, out}).status == 0);
    CHECK((read_file(out) == sorted));
    CHECK((scene.run({"sort", "--text"}, read_file(in)).out == sorted));
    CHECK(scene.run({"sort", "--type", "u8"}, compressed("cab")).out == "abc");
    CHECK(scene.run({"sort", "--text"}, compressed("")).out.empty());
    const std::string table = scene.file("table.tsv.gz", compressed("a\tb\n2\t1\n1\t2\n"));
    CHECK(scene.run({"sort", "--by-column", "a", table}).out == "a\tb\n1\t2\n2\t1\n");
    CHECK(scene.run({"group", "--by-column", "a", "--reduce", "max:b", table}).out == "a\tmax_b\n1\t2\n2\t1\n");
    CHECK(scene.run({"group", "--type", "u8"}, compressed("\1\2\1")).out == "1,2\n2,1\n");
    CHECK(scene.run({"merge", "--text", in, "-"}, compressed("0\n")).status == 2);
    CHECK(scene.run({"merge", "--text", "-r", in, "-"}, compressed("0\n")).out.ends_with("\n1\n0\n"));
    // Blocks of a tape are filled with zeros.
    for (const std::size_t zeros : {1u, 512u, 1u << 20}) {
        const std::string padding(zeros, '\0');
        CHECK((scene.run({"sort", "--text"}, read_file(in) + padding).out == sorted));
        CHECK(scene.run({"sort", "--text"}, compressed("2\n") + padding + compressed("1\n")).out == "1\n2\n");
        require_refused(scene.run({"sort", "--text"}, compressed("2\n") + padding + "1\n"), "incorrect header");
    }
    // Raw numbers may well look so.
    const std::string raw = compressed("cab");
    std::string bytes = raw;
    std::ranges::sort(bytes, {}, [](char c) { return static_cast<unsigned char>(c); });
    CHECK(scene.run({"sort", "--type", "u8", "--raw"}, raw).out == bytes);
}

TEST_CASE("damaged gzip files are refused") {
    const Scene scene;
    const std::string whole = compressed("3\n1\n2\n");
    for (const std::size_t size : {std::size_t{3}, std::size_t{12}, whole.size() - 1}) {
        CAPTURE(size);
        require_refused(scene.run({"sort", "--text"}, whole.substr(0, size)),
                        "is compressed by gzip and ends too soon");
    }
    std::string wrong = whole;
    wrong[wrong.size() - 8] ^= 1;  // of the check sum
    require_refused(scene.run({"sort", "--text"}, wrong), "is compressed by gzip and damaged: incorrect data check");
    require_refused(scene.run({"sort", "--text"}, whole + "more"),
                    "is compressed by gzip and damaged: incorrect header");
}

}  // namespace
}  // namespace lanesort::test
