// SPDX-License-Identifier: MIT
// NumPy's .npy files: what they hold is sorted, behind a header that fits; what cannot be sorted is refused.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;

/// A .npy file of version 1.0 with that header and contents, padded as NumPy does it.
std::string npy_of(const std::string& dictionary, const std::string& bytes) {
    std::string header = dictionary;
    header.append(63 - (10 + header.size()) % 64, ' ') += '\n';
    const char length[] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    return "\x93NUMPY\x01\x00"s + std::string(length, 2) + header + bytes;
}

template <class T>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& numbers) {
    return npy_of("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", bytes_of(numbers));
}

using U32 = std::vector<std::uint32_t>;

std::string run(const Scene& scene, const Words& words, const std::string& input) {
    const Result result = scene.run(words, input);
    INFO(result.err);
    CHECK(result.status == 0);
    return result.out;
}

TEST_CASE("a .npy file of every type is sorted behind its header") {
    if (no_device()) return;
    const Scene scene;
    const auto check = [&](const std::string& descr, auto number) {
        using T = decltype(number);
        const std::vector<T> keys = {T(3), T(1), T(2)}, expected = {T(1), T(2), T(3)};
        CAPTURE(descr);
        CHECK(run(scene, {"sort", "-", "-"}, npy(descr, "(3,)", keys)) == npy(descr, "(3,)", expected));
    };
    check("|u1", std::uint8_t{});
    check("<u1", std::uint8_t{});
    check("|i1", std::int8_t{});
    check("<u2", std::uint16_t{});
    check("<i2", std::int16_t{});
    check("<u4", std::uint32_t{});
    check("<i4", std::int32_t{});
    check("<u8", std::uint64_t{});
    check("<i8", std::int64_t{});
    check("<f4", float{});
    check("<f8", double{});
    const std::vector<std::uint16_t> halves = {0x4000, 0xbc00, 0x3c00}, in_order = {0xbc00, 0x3c00, 0x4000};
    CHECK(run(scene, {"sort", "-", "-"}, npy("<f2", "(3,)", halves)) == npy("<f2", "(3,)", in_order));
}

TEST_CASE("the header stays as it is, of every version and from a file onto itself") {
    if (no_device()) return;
    const Scene scene;
    const std::string dictionary = "{\"shape\":(3L,),'fortran_order' : True , 'descr':'<u4'}   ";
    const auto length = static_cast<char>(dictionary.size());
    const std::string headers[] = {
        "\x93NUMPY\x01\x00"s + length + "\0"s + dictionary,
        "\x93NUMPY\x02\x00"s + length + "\0\0\0"s + dictionary,
        "\x93NUMPY\x03\x00"s + length + "\0\0\0"s + dictionary,
    };
    for (const std::string& header : headers) {
        const std::string in = scene.file("in.npy", header + bytes_of(U32{7, 9, 8}));
        CHECK(run(scene, {"sort", "--order", "desc", in, in}, "").empty());
        CHECK(read_file(in) == header + bytes_of(U32{9, 8, 7}));
        CHECK(run(scene, {"sort", "--type", "u32", "-", "-"}, read_file(in)) == header + bytes_of(U32{7, 8, 9}));
    }
    CHECK(scene.files() == 1);
}

TEST_CASE("indices and the first numbers get a header of their own") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = npy("<u4", "(5,)", U32{7, 9, 8, 9, 1});
    CHECK(run(scene, {"argsort", "-", "-"}, in) == npy("<u4", "(5,)", U32{4, 0, 2, 1, 3}));
    CHECK(run(scene, {"argsort", "--index-bytes", "8", "-", "-"}, in) ==
          npy("<u8", "(5,)", std::vector<std::uint64_t>{4, 0, 2, 1, 3}));
    CHECK(run(scene, {"topk", "-k", "3", "-", "-"}, in) == npy("<u4", "(3,)", U32{9, 9, 8}));
    CHECK(run(scene, {"topk", "-k", "10", "--order", "asc", "-", "-"}, in) == npy("<u4", "(5,)", U32{1, 7, 8, 9, 9}));
    CHECK(run(scene, {"topk", "-k", "2", "--indices", "-", "-"}, in) == npy("<u4", "(2,)", U32{1, 3}));
    CHECK(run(scene, {"topk", "-k", "0", "-", "-"}, in) == npy("<u4", "(0,)", U32{}));
}

TEST_CASE("more dimensions are rows of the last one") {
    if (no_device()) return;
    const Scene scene;
    const U32 keys = {5, 4, 6, 1, 3, 2, 9, 9, 0, 7, 8, 7}, rows = {4, 5, 6, 1, 2, 3, 0, 9, 9, 7, 7, 8},
              indices = {1, 0, 2, 0, 2, 1, 2, 0, 1, 0, 2, 1}, best = {6, 5, 3, 2, 9, 9, 8, 7},
              best_indices = {2, 0, 1, 2, 0, 1, 1, 0};
    for (const std::string before : {"4", "2, 2", "1, 4", "2, 1, 2"}) {
        const auto of = [&](const std::string& last, const U32& numbers) {
            return npy("<u4", "(" + before + ", " + last + ")", numbers);
        };
        CAPTURE(before);
        CHECK(run(scene, {"sort", "-", "-"}, of("3", keys)) == of("3", rows));
        CHECK(run(scene, {"argsort", "-", "-"}, of("3", keys)) == of("3", indices));
        CHECK(run(scene, {"topk", "-k", "2", "-", "-"}, of("3", keys)) == of("2", best));
        CHECK(run(scene, {"topk", "-k", "2", "--indices", "-", "-"}, of("3", keys)) == of("2", best_indices));
    }
    const Result told = scene.run({"sort", "--stats", "-", "-"}, npy("<u4", "(4, 3)", keys));
    CHECK(contains(told.err, "keys                12 of type u32\n"));
}

TEST_CASE("empty arrays stay empty") {
    if (no_device()) return;
    const Scene scene;
    for (const std::string shape : {"(0,)", "(0, 7)", "(7, 0)", "(0, 99999999999, 99999999999)"}) {
        CAPTURE(shape);
        const std::string in = npy("<u4", shape, U32{});
        CHECK(run(scene, {"sort", "-", "-"}, in) == in);
        CHECK(run(scene, {"argsort", "-", "-"}, in) == in);
    }
    CHECK(run(scene, {"topk", "-k", "3", "-", "-"}, npy("<u4", "(0, 7)", U32{})) == npy("<u4", "(0, 3)", U32{}));
    CHECK(run(scene, {"topk", "-k", "3", "-", "-"}, npy("<u4", "(7, 0)", U32{})) == npy("<u4", "(7, 0)", U32{}));
}

TEST_CASE("a .npy file that cannot be sorted is refused, with the reason") {
    const Scene scene;
    const auto with = [](const std::string& descr, const std::string& order, const std::string& shape) {
        return npy_of("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }",
                      std::string(8, 'x'));
    };
    const std::string good = with("'<u4'", "False", "(2,)"), cut = "ends within its header";
    const auto text = [](const std::string& dictionary) { return npy_of(dictionary, std::string(8, 'x')); };
    const std::pair<std::string, std::string> wrong[] = {
        {with("'>u4'", "False", "(2,)"), "of big-endian numbers ('>u4'): save them as little-endian ones"},
        {with("'|O'", "False", "(2,)"), "of type \"|O\", but lanesort sorts |u1 |i1 <u2"},
        {with("'|b1'", "False", "(2,)"), "of type \"|b1\""},
        {with("'|u4'", "False", "(2,)"), "of type \"|u4\""},
        {with("'<f16'", "False", "(2,)"), "of type \"<f16\""},
        {with("'<U2'", "False", "(2,)"), "of type \"<U2\""},
        {with("'<M8[ns]'", "False", "(1,)"), "of type \"<M8[ns]\""},
        {with("''", "False", "(2,)"), "of type \"\""},
        {with("[('a', '<u4')]", "False", "(2,)"), "of records or arrays"},
        {with("('<u4', (2,))", "False", "(1,)"), "of records or arrays"},
        {with("'<u4'", "True", "(1, 2)"), "in Fortran order: save it in C order"},
        {with("'<u4'", "False", "()"), "of one number without a dimension"},
        {with("'<u4'", "False", "(3,)"),
         "with 8 bytes of numbers, but its header says shape (3,) and type u32: 12 bytes"},
        {with("'<u4'", "False", "(1,)"),
         "with 8 bytes of numbers, but its header says shape (1,) and type u32: 4 bytes"},
        {with("'<u4'", "False", "(4294967296, 4294967296)"), "shape (4294967296, 4294967296) and type u32: more bytes"},
        {with("'<u4'", "False", "(18446744073709551616,)"), "whose header cannot be read"},
        {with("'<u4'", "False", "(-2,)"), "whose header cannot be read"},
        {with("'<u4'", "False", "2"), "whose header cannot be read"},
        {with("'<u4'", "False", "(2"), "whose header cannot be read"},
        {with("'<u4'", "Falsch", "(2,)"), "whose header cannot be read"},
        {with("'<u4", "False", "(2,)"), "whose header cannot be read"},
        {with("<u4", "False", "(2,)"), "whose header cannot be read"},
        {with("'<u4'", "False", "(" + std::string(200, '1') + ",)"), "whose header cannot be read"},
        {text("{'descr': '<u4', 'shape': (2,)}"), "whose header cannot be read: \"{'descr': '<u4', 'shape': (2,)}"},
        {text("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'more': 1}"), "whose header cannot be read"},
        {text("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)} x"), "whose header cannot be read"},
        {text("{'descr': '<u4', 'fortran_order': False 'shape': (2,)}"), "whose header cannot be read"},
        {text(""), "whose header cannot be read"},
        {"\x93NUMPY\x04\x00"s + good.substr(8), "of version 4.0, but lanesort reads 1.0, 2.0 and 3.0"},
        {"\x93NUMPY\x01\x01"s + good.substr(8), "of version 1.1"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff"s, "with a header of 4294967295 bytes, but lanesort reads up to 65535"},
        {good.substr(0, 6), cut},
        {good.substr(0, 9), cut},
        {good.substr(0, 60), cut},
    };
    for (const auto& [bytes, part] : wrong) {
        const std::string in = scene.file("in", bytes);
        require_refused(scene.run({"sort", in, in}), part);
        require_refused(scene.run({"argsort", "-", "-"}, bytes), "standard input is a .npy file ");
        CHECK(read_file(in) == bytes);
    }
}

TEST_CASE("a .npy file from a pipe that ends early or late is refused") {
    if (no_device()) return;
    const Scene scene;
    const std::string out = scene.path("out");
    for (const auto& [numbers, sorts] : {std::pair(U32{2}, false), {U32{2, 1}, true}, {U32{2, 1, 3}, false}}) {
        const std::string in = scene.file("in", npy("<u4", "(2,)", numbers));
        const std::string piped =
            "cat " + in + " | " + LANESORT_COMMAND + " sort - " + out + " 2>" + scene.err().string();
        CHECK((std::system(piped.c_str()) == 0) == sorts);
        CHECK(contains(read_file(scene.err()), "bytes of numbers, but its header says shape (2,)") == !sorts);
        CHECK(fs::exists(out) == sorts);
        fs::remove(out);
    }
}

TEST_CASE("options that say something else of a .npy file") {
    const Scene scene;
    const std::string bytes = npy("<u4", "(2,)", U32{2, 1}), in = scene.file("in", bytes);
    require_refused(scene.run({"sort", "--type", "i32", in, in}), "in is a .npy file of type u32, but --type says i32");
    require_refused(scene.run({"argsort", "--type", "u64", in, in}), "in is a .npy file of type u32, but");
    require_refused(scene.run({"sort", "--text", in, in}), "in is a .npy file: leave out --text");
    require_refused(scene.run({"topk", "-k", "1", "--by-column", "1", in, in}),
                    "is a .npy file: leave out --by-column");
    CHECK(read_file(in) == bytes);
    if (no_device()) return;
    // Meant so, it is bytes like any other.
    CHECK(scene.run({"sort", "--type", "u8", "--raw", in, in}).status == 0);
    std::string sorted = bytes;
    std::ranges::sort(sorted, {}, [](char byte) { return static_cast<unsigned char>(byte); });
    CHECK(read_file(in) == sorted);
}

TEST_CASE("NumPy reads what the command writes, and the other way round") {
    if (no_device() || std::system("python3 -c 'import numpy' 2>/dev/null") != 0) return;
    const Scene scene;
    const auto python = [&](const std::string& script) {
        const std::string file =
            scene.file("script.py", "import numpy as np, os\nos.chdir('" + scene.folder().string() + "')\n" + script);
        CHECK(std::system(("python3 " + file).c_str()) == 0);
    };
    python("a = np.random.default_rng(1).integers(0, 99, (30, 70)).astype('<i4')\nnp.save('in.npy', a)\n");
    const std::string in = scene.path("in.npy");
    CHECK(scene.run({"sort", in, scene.path("sorted.npy")}).status == 0);
    CHECK(scene.run({"argsort", in, scene.path("indices.npy")}).status == 0);
    CHECK(scene.run({"topk", "-k", "5", in, scene.path("best.npy")}).status == 0);
    python(
        "a = np.load('in.npy')\n"
        "assert np.array_equal(np.load('sorted.npy'), np.sort(a))\n"
        "assert np.array_equal(np.load('indices.npy'), np.argsort(a, kind='stable'))\n"
        "assert np.array_equal(np.load('best.npy'), np.sort(a)[:, ::-1][:, :5])\n");
}

}  // namespace
}  // namespace lanesort::test
