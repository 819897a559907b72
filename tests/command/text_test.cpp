// SPDX-License-Identifier: MIT
// lanesort sort --text: how numbers are read and written, and what is no number.
#include <charconv>
#include <cstdint>
#include <sstream>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;

Result sort_text(const Scene& scene, const std::string& type, std::string_view lines,
                 const std::string& order = "asc") {
    return scene.run({"sort", "--text", "--type", type, "--order", order, "-", "-"}, lines);
}

void require_text(const Scene& scene, const std::string& type, std::string_view lines, std::string_view expected) {
    const Result result = sort_text(scene, type, lines);
    INFO(type, " ", result.err);
    CHECK(result.status == 0);
    CHECK(result.out == expected);
}

TEST_CASE("integers as text") {
    if (no_device()) return;
    const Scene scene;
    require_text(scene, "u8", "255\n0\n7\n", "0\n7\n255\n");
    require_text(scene, "i8", "127\n-128\n0\n", "-128\n0\n127\n");
    require_text(scene, "u16", "65535\n1\n", "1\n65535\n");
    require_text(scene, "i16", "32767\n-32768\n", "-32768\n32767\n");
    require_text(scene, "u32", "4294967295\n0\n", "0\n4294967295\n");
    require_text(scene, "i32", "2147483647\n-2147483648\n", "-2147483648\n2147483647\n");
    require_text(scene, "u64", "18446744073709551615\n0\n", "0\n18446744073709551615\n");
    require_text(scene, "i64", "9223372036854775807\n-9223372036854775808\n",
                 "-9223372036854775808\n9223372036854775807\n");
}

TEST_CASE("lines as they come: CRLF, blanks, plus signs, no last new line, nothing at all") {
    if (no_device()) return;
    const Scene scene;
    require_text(scene, "u32", "3\r\n1\r\n2\r\n", "1\r\n2\r\n3\r\n");
    require_text(scene, "u32", "3\n1\n2", "1\n2\n3\n");
    require_text(scene, "u32", "3\n1\r", "1\r\n3\n");
    require_text(scene, "i32", " 3\n\t-1 \n+2\n-0\n", "\t-1 \n-0\n+2\n 3\n");
    require_text(scene, "u8", "-0\n007\n", "-0\n007\n");
    require_text(scene, "u32", "5", "5\n");
    require_text(scene, "u32", "", "");
    CHECK(sort_text(scene, "u32", "1\n2\n3\n", "desc").out == "3\n2\n1\n");
}

TEST_CASE("floats as text") {
    if (no_device()) return;
    const Scene scene;
    const std::string lines = "nan\n1.5\n-inf\n-nan\ninf\n0\n-0\n-2e-3\n+.5\nInfinity\nNaN\n";
    const std::string expected = "-inf\n-2e-3\n-0\n0\n+.5\n1.5\ninf\nInfinity\nnan\n-nan\nNaN\n";
    for (const char* const type : {"f16", "f32", "f64"}) require_text(scene, type, lines, expected);

    // What is too small becomes 0 or subnormal, with its sign.
    require_text(scene, "f64", "1e-400\n-1e-400\n5e-324\n1.7976931348623157e+308\n",
                 "-1e-400\n1e-400\n5e-324\n1.7976931348623157e+308\n");
    require_text(scene, "f32", "1e-60\n1e-45\n-3.4028235e+38\n0.1\n16777217.0\n",
                 "-3.4028235e+38\n1e-60\n1e-45\n0.1\n16777217.0\n");
}

TEST_CASE("halves are rounded to nearest, to even in the middle, and only once") {
    if (no_device()) return;
    const Scene scene;
    const std::pair<std::string, std::string> numbers[] = {
        {"65504", "65504"},                       // the largest
        {"65519.999999999999999999", "65504"},    // a double would be 65520, which overflows
        {"2049.0", "2048"},                       // the middle: to even, down
        {"2051.0", "2052"},                       // the middle: to even, up
        {"2049.0000000000000000000001", "2050"},  // a double would be in the middle
        {"2050.9999999999999999999999", "2050"},  // from below, too
        {"-2049.0000000000000000000001", "-2050"},
        {"1e-7", "1e-07"},                   // subnormal
        {"5.9604644775390625e-8", "6e-08"},  // the smallest
        {"2.98023223876953125e-8", "0"},     // half of it: to even
        {"2.980232238769531250000001e-8", "6e-08"},
        {"-1e-9", "-0"},
        {"6.1035e-05", "6.104e-05"},  // the smallest normal
        {"6.0976e-05", "6.1e-05"},    // the largest subnormal
        {"0.1", "0.1"},
        {"0.333333333", "0.3333"},
        {"1000", "1000"},
        {"4095.9", "4096"},  // carries into the exponent
    };
    for (const auto& [text, expected] : numbers) {
        const Result result = scene.run({"sort", "--text", "--type", "f16", "-u"}, text + "\n" + expected + "\n");
        CHECK(result.out == text + "\n");
    }
    require_refused(sort_text(scene, "f16", "65520"),
                    "line 1 is out of range: \"65520\", but f16 holds -65504 to 65504");
    require_refused(sort_text(scene, "f16", "1\n-1e400"), "line 2 is out of range");
}

/// As `group` writes raw ones.
template <class T>
std::string distinct_numbers(const Scene& scene, const std::vector<T>& numbers) {
    const Result result = scene.run({"group", "--type", std::string(name(key_type_v<T>)), "-", "-"}, bytes_of(numbers));
    REQUIRE(result.status == 0);
    std::string written;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) written += line.substr(0, line.find(',')) + "\n";
    return written;
}

TEST_CASE("every half is written so that it reads back") {
    if (no_device()) return;
    const Scene scene;
    std::vector<half> halves;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const half value{static_cast<std::uint16_t>(bits)};
        if ((bits & 0x7c00) == 0x7c00) continue;
        halves.push_back(value);
    }
    const std::string written = distinct_numbers(scene, halves);
    CHECK(scene.run({"sort", "--text", "--type", "f16", "-u"}, written).out == written);

    std::istringstream lines(written);
    const std::vector<half> expected = sorted(halves, Order::ascending);
    std::size_t wrong = 0, longest = 0;
    for (const half value : expected) {
        std::string line;
        std::getline(lines, line);
        longest = std::max(longest, line.size());
        // Nearer to its own half than to any other: less than half of the distance to a neighbour.
        const double number = number_of(value), read = std::stod(line);
        const double next = number_of(half{static_cast<std::uint16_t>(value.bits ^ 1)});
        wrong += std::abs(read - number) > std::abs(next - number) / 2 || std::signbit(read) != std::signbit(number);
    }
    CHECK(wrong == 0);
    CHECK(longest == std::string_view("-6.1035e-05").size());  // five digits tell all halves apart
}

TEST_CASE("floats of every size are written so that they read back to the same bits") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto check = [&]<class T>(T) {
        std::vector<T> keys = random_keys<T>(2000, random);
        std::erase_if(keys, [](T key) { return std::isnan(key); });
        keys.insert(keys.end(), {T(100000), T(1e6), T(0.0001)});
        const std::string written = distinct_numbers(scene, keys);
        for (const std::string line : {"\n100000\n", "\n1000000\n", "\n0.0001\n"}) CHECK(contains(written, line));
        std::istringstream read(written);
        std::vector<T> back;
        for (std::string line; std::getline(read, line);)
            std::from_chars(line.data(), line.data() + line.size(), back.emplace_back());
        std::vector<T> expected = sorted(keys, Order::ascending);
        const auto same = [](T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; };
        expected.erase(std::unique(expected.begin(), expected.end(), same), expected.end());
        require_same_bytes(back, expected);
    };
    check(float{});
    check(double{});
}

TEST_CASE("text over many chunks, with long runs of the same number") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    std::vector<std::uint64_t> keys(200000);
    for (auto& key : keys) key = random() % 4 == 0 ? random() : random() % 3;
    const auto text_of = [](const std::vector<std::uint64_t>& all) {
        std::string text;
        for (const auto key : all) text += std::to_string(key) + "\n";
        return text;
    };
    const std::string lines = text_of(keys);
    std::ranges::sort(keys);
    const Result result = sort_text(scene, "u64", lines);
    CHECK(result.status == 0);
    CHECK(result.out == text_of(keys));
}

TEST_CASE("a line that is no number, or out of range, is named") {
    if (no_device()) return;
    const Scene scene;
    struct Wrong {
        std::string type, lines, part;
    };
    const Wrong wrong[] = {
        {"u32", "1\n2\nthree\n", "in, line 3 is no number of type u32: \"three\""},
        {"u32", "1\n1.5\n", "in, line 2 is no number of type u32: \"1.5\""},
        {"u32", "1 2\n", "in, line 1 is no number of type u32: \"1 2\""},
        {"u32", "+-1\n", "in, line 1 is no number of type u32: \"+-1\""},
        {"u32", "--1\n", "in, line 1 is no number of type u32: \"--1\""},
        {"u32", "-\n", "in, line 1 is no number of type u32: \"-\""},
        {"u32", "0x10\n", "in, line 1 is no number"},
        {"u32", "1\n\x1b[31m\n", "in, line 2 is no number of type u32: \"\\x1b[31m\""},
        {"u32", "1\n\n2\n", "in, line 2 is empty\n"},
        {"u32", "1\n \t\r\n2\n", "in, line 2 is empty\n"},
        {"u32", "1\n\n", "in, line 2 is empty\n"},
        {"u32", "1\n" + "2\0"s + "\n", "in, line 2 is no number"},
        {"f32", "1\nnan(1)\n", "in, line 2 is no number"},
        {"f32", "1e\n", "in, line 1 is no number"},
        {"f32", "1,5\n", "in, line 1 is no number"},
        {"f64", "infinite\n", "in, line 1 is no number"},
        {"u8", "0\n256\n", "in, line 2 is out of range: \"256\", but u8 holds 0 to 255 (--type i64 holds it)\n"},
        {"u8", "0\n-1\n", "in, line 2 is out of range: \"-1\", but u8 holds 0 to 255 (--type i64 holds it)\n"},
        {"i8", "128\n", "in, line 1 is out of range: \"128\", but i8 holds -128 to 127 (--type i64 holds it)\n"},
        {"i8", "-129\n", "but i8 holds -128 to 127 (--type i64 holds it)\n"},
        {"u16", "65536\n", "but u16 holds 0 to 65535 (--type i64 holds it)\n"},
        {"i16", "-32769\n", "but i16 holds -32768 to 32767 (--type i64 holds it)\n"},
        {"u32", "4294967296\n", "but u32 holds 0 to 4294967295 (--type i64 holds it)\n"},
        {"i32", "2147483648\n", "but i32 holds -2147483648 to 2147483647 (--type i64 holds it)\n"},
        {"u64", "18446744073709551616\n", "but u64 holds 0 to 18446744073709551615 (--type f64 holds it)\n"},
        {"i64", "9223372036854775808\n",
         "but i64 holds -9223372036854775808 to 9223372036854775807 (--type u64 holds it)\n"},
        {"f32", "1\n1e39\n", "in, line 2 is out of range: \"1e39\", but f32 holds -3.4028235e+38 to 3.4028235e+38"},
        {"f64", "-1e309\n", "but f64 holds -1.7976931348623157e+308 to 1.7976931348623157e+308"},
        {"u32", std::string(3000000, '1'), "line 1 is out of range: \"" + std::string(40, '1') + "\"..., but"},
        {"u32", "1\n" + std::string(100, '9'), "line 2 is out of range: \"" + std::string(40, '9') + "\"..., but"},
    };
    const std::string out = scene.file("out", "before");
    for (const auto& [type, lines, part] : wrong) {
        const std::string in = scene.file("in", lines);
        require_refused(scene.run({"sort", "--text", "--type", type, in, out}), part);
        CHECK(read_file(in) == lines);
    }
    // Far into the file, and from standard input.
    std::string many;
    for (int line = 1; line < 300000; ++line) many += "123456\n";
    require_refused(sort_text(scene, "u32", many + "x"), "standard input, line 300000 is no number of type u32: \"x\"");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

}  // namespace
}  // namespace lanesort::test
