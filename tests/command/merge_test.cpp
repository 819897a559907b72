// SPDX-License-Identifier: MIT
// lanesort merge and check: of raw numbers, .npy files, text and tables.
#include <algorithm>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST_CASE("merged files are what a sort makes of all of them") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for (const Order order : both_orders) {
        const Words how = {"--type", "f64", "--order", order == Order::ascending ? "asc" : "desc"};
        std::vector<double> all;
        Words files;
        for (const std::size_t count : {1000u, 0u, 1u, 3000u, 257u}) {
            const std::vector<double> keys = sorted(drawn_from(special_values<double>(), count, random), order);
            files.push_back(scene.file("in" + std::to_string(files.size()), bytes_of(keys)));
            all.insert(all.end(), keys.begin(), keys.end());
        }
        const Result merged = scene.run(with(with({"merge"}, how), files));
        CHECK_MESSAGE(merged.status == 0, merged.err);
        require_same_bytes(numbers_in<double>(merged.out), sorted(all, order));
        const Result distinct = scene.run(with(with({"merge", "-u"}, how), files));
        CHECK(distinct.out == scene.run(with({"sort", "-u"}, how), merged.out).out);
        CHECK(distinct.out.size() < merged.out.size());
    }
}

TEST_CASE("text, .npy files and tables are merged") {
    const Scene scene;
    const std::string a = scene.file("a", "1\n3"), b = scene.file("b", "0.5\n3\n");
    CHECK(scene.run({"merge", "--text", a, b, "-o", a}).status == 0);
    CHECK(read_file(a) == "0.5\n1\n3\n3\n");
    require_refused(scene.run({"merge", "--text", b, "-"}, "1\nx\n"), "standard input, line 2 is no number: \"x\"");

    const std::string header = "name,price\n";
    const std::string first = scene.file("1.csv", header + "a,1\nb,2"), second = scene.file("2.csv", header),
                      third = scene.file("3.csv", "\xef\xbb\xbf" + header + "c,1\nd,2\ne,\n"),
                      other = scene.file("4.csv", "name,cost\na,1\n"),
                      late = scene.file("5.csv", header + "a,1\n\"b\n\",3\nc,2\n");
    const Words by = {"merge", "--by-column", "price"};
    CHECK(scene.run(with(by, {second, first, third})).out == header + "a,1\nc,1\nb,2\nd,2\ne,\n");
    CHECK(scene.run(with(by, {first, second, third, "-u"})).out == header + "a,1\nb,2\ne,\n");
    require_refused(scene.run(with(by, {first, other})), "4.csv, line 1 is another header than that of ");
    require_refused(scene.run(with(by, {first, late})), "5.csv, line 5 is out of order: sort the file first");
    require_refused(scene.run(with(by, {scene.file("6.csv", header + "\"a,1\n"), first})), "never ends");

    // An empty file has no header, and takes none away.
    const std::string empty = scene.file("7.csv", ""), mark = scene.file("8.csv", "\xef\xbb\xbf");
    for (const Words& files : {Words{empty, first}, {mark, first}, {first, empty}, {first, mark}, {empty, mark, first}})
        for (const Words& how : {by, {"merge", "--header", "--by-column", "2"}}) {
            const Result merged = scene.run(with(how, files));
            CHECK_MESSAGE(merged.out == header + (files.back() == first ? "a,1\nb,2" : "a,1\nb,2\n"), merged.err);
        }
    CHECK(scene.run({"merge", "--by-column", "2", mark, mark, scene.file("9.csv", "b,2")}).out == "b,2");
    CHECK(scene.run({"merge", "--by-column", "2", mark, mark}).out == "\xef\xbb\xbf");
    require_refused(scene.run(with(by, {empty, mark})), "8.csv is empty: it has no column \"price\"");
    // One delimiter is that of all files.
    const std::string tabs = scene.file("12.tsv", "b\t2\n");
    require_refused(scene.run({"merge", "--by-column", "1:text", mark, first, tabs}), "have other delimiters");
    require_refused(scene.run({"merge", "--by-column", "1:text", tabs, "-"}, "a\t1\n"), "have other delimiters");
    CHECK(scene.run({"merge", "--by-column", "2", "-t", "tab", tabs, "-"}, "a\t1\n").out == "a\t1\nb\t2\n");
    // A quote is closed in its own file, or not at all.
    const std::string open = scene.file("10.csv", "1,\n2,\"x\n"), closing = scene.file("11.csv", "3,y\"\n");
    require_refused(scene.run({"merge", "--by-column", "1", open, closing}),
                    "10.csv, line 2 begins a quoted field that never ends");

    const auto npy = [&](const std::string& shape, const std::string& numbers) {
        std::string text = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
        text += std::string((64 - (11 + text.size()) % 64) % 64, ' ') + "\n";
        return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(text.size()) + '\0' + text + numbers;
    };
    const std::string x = scene.file("x.npy", npy("(3,)", "acd")), y = scene.file("y.npy", npy("(2,)", "bd"));
    const Result merged = scene.run({"merge", x, y});
    CHECK(merged.out.ends_with("\nabcdd"));
    CHECK(contains(merged.out, "'shape': (5,)"));
    CHECK(contains(scene.run({"merge", x, y, "--unique"}).out, "'shape': (4,)"));
    CHECK(contains(scene.run({"sort", "-u"}, merged.out).out, "'shape': (4,)"));
    const std::string rows = scene.file("rows.npy", npy("(2, 1)", "ba"));
    require_refused(scene.run({"merge", x, rows}), "rows.npy has rows");
    require_refused(scene.run({"sort", "-u", rows}), "rows.npy has rows");
    require_refused(scene.run({"merge", "--type", "u8", x, a}), "a is not of the type of");
}

TEST_CASE("what is out of order is named") {
    const Scene scene;
    const std::string in = scene.file("in", "1\n3\n2\n0\n"), out = scene.file("out", "before");
    require_refused(scene.run({"merge", "--text", out, in, "-o", out}), "out, line 1 is no number");
    require_refused(scene.run({"merge", "--text", "-", in, "-o", out}), "in, line 3 is out of order: sort the file");
    require_refused(scene.run({"merge", "--text", "-o", out, "-"}, "1\n3\n2\n"),
                    "standard input, line 3 is out of order");
    CHECK(read_file(out) == "before");
    require_refused(scene.run({"check", "--text", in}), "in, line 3 is out of order", 1);
    require_refused(scene.run({"check", "--type", "u8", in}), "in, number 1 (from 0) is out of order", 1);
}

TEST_CASE("check ends with 0, 1 or 2, as sort -c does") {
    const Scene scene;
    const auto status = [&](const Words& words, std::string_view input) {
        const Result result = scene.run(with({"check"}, words), input);
        CHECK(result.out.empty());
        CHECK(result.err.empty() == (result.status == 0));
        return result.status;
    };
    CHECK(status({"--text"}, "") == 0);
    CHECK(status({"--text"}, "1\n1\n2\nnan\n") == 0);
    CHECK(status({"--text", "-r"}, "1\n1\n2\n") == 1);
    CHECK(status({"--text", "-r"}, "nan\n2\n1\n1") == 0);
    CHECK(status({"--text"}, "1\nx\n") == 2);
    CHECK(status({"--text", "no such file"}, "") == 2);
    CHECK(status({"--by-column", "a"}, "a,b\n1,2\n1,1\n,\nNA,0\n") == 0);
    CHECK(status({"--by-column", "a"}, "a,b\n1,2\n,\n1,1\n") == 1);
    CHECK(status({"--by-column", "a", "--by-column", "b"}, "a,b\n1,2\n1,1\n") == 1);
    CHECK(status({"--by-column", "a", "--by-column", "b:desc"}, "a,b\n1,2\n1,1\n") == 0);
    CHECK(status({"--by-column", "b:text"}, "a,b\n1,10\n1,9\n") == 0);
    CHECK(status({"--by-column", "c"}, "a,b\n") == 2);
    require_refused(scene.run({"check", "--by-column", "1"}, "1,\"x\ny\"\n3,\n2,\n0,\n"),
                    "standard input, line 4 is out of order", 1);
    // What the machine lacks is not said of the file.
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (scene.run({"devices", "--format", "json"}).out == "[]\n")
        CHECK(status({"--text", "--device", "0"}, "1\n") == 2);
}

}  // namespace
}  // namespace lanesort::test
