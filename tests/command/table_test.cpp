// SPDX-License-Identifier: MIT
// lanesort sort --by-column: how tables are cut into records, and what stays as it was. Keys have 8 bytes in all of
// these cases, so that there is one kind of kernel to compile.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;

Result sort_table(const Scene& scene, const Words& options, std::string_view table) {
    Words words = {"sort", "-", "-"};
    words.insert(words.end(), options.begin(), options.end());
    return scene.run(words, table);
}

void require_table(const Scene& scene, const Words& options, std::string_view table, std::string_view expected) {
    const Result result = sort_table(scene, options, table);
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == expected);
}

TEST_CASE("lines stay whole and follow their numbers, of every kind") {
    if (no_device()) return;
    const Scene scene;
    const std::string table =
        "nan,not a number\n"
        "-1.5,\"negative\"\n"
        "inf,\n"
        " 2 ,blanks,and more columns\n"
        "1e-3,\tsmall\n"
        "-inf,lowest\n"
        "\"+7\",quoted\n"
        "-nan,last of all\n"
        "0,zero\n"
        "-0,before it\n";
    const std::string sorted =
        "-inf,lowest\n"
        "-1.5,\"negative\"\n"
        "-0,before it\n"
        "0,zero\n"
        "1e-3,\tsmall\n"
        " 2 ,blanks,and more columns\n"
        "\"+7\",quoted\n"
        "inf,\n"
        "nan,not a number\n"
        "-nan,last of all\n";
    require_table(scene, {"--by-column", "1"}, table, sorted);
    require_table(scene, {"--by-column", "1", "--type", "f64", "--order", "asc"}, table, sorted);
    // 2^53 + 1 is no double.
    const std::string close = "9007199254740993\n9007199254740992\n";
    require_table(scene, {"--by-column", "1", "--type", "u64"}, close, "9007199254740992\n9007199254740993\n");
}

TEST_CASE("lines with equal keys keep their order, also when descending") {
    if (no_device()) return;
    const Scene scene;
    const std::string table = "b,2\na,1\nd,2.0\nc,1e0\ne,2\n";
    require_table(scene, {"--by-column", "2"}, table, "a,1\nc,1e0\nb,2\nd,2.0\ne,2\n");
    require_table(scene, {"--by-column", "2", "--order", "desc"}, table, "b,2\nd,2.0\ne,2\na,1\nc,1e0\n");
}

TEST_CASE("quoted fields hold delimiters, doubled quotes and line breaks") {
    if (no_device()) return;
    const Scene scene;
    const std::string comma = "\"a, b\",4\n", doubled = "\"he said \"\"3,9\"\"\",3\n", only = "\"\"\"\",2,\"\"\n",
                      lines = "\"one\ntwo\r\n,9\n\n\",\"1\",\"\n\"\n", inside = "5\" pipe, 0\n";
    require_table(scene, {"--by-column", "2"}, comma + doubled + only + lines + inside,
                  inside + lines + only + doubled + comma);
    // A last record that ends with a quote.
    require_table(scene, {"--by-column", "2"}, comma + "\"x\n\",\"1\"", "\"x\n\",\"1\"\n" + comma);
}

TEST_CASE("with --no-quotes a quote is a character like any other") {
    if (no_device()) return;
    const Scene scene;
    require_table(scene, {"--by-column", "2", "--no-quotes"}, "\"a,2\n\"\"b\"c,1,\"\n", "\"\"b\"c,1,\"\n\"a,2\n");
    require_refused(sort_table(scene, {"--by-column", "1", "--no-quotes"}, "\"1\"\n"), R"(is no number: "\"1\"")");
}

TEST_CASE("between tabs a quote that is not closed on its line, or not at the end of its field, is text") {
    if (no_device()) return;
    const Scene scene;
    const Words tabs = {"-t", "tab", "--by-column"};
    const auto require_tsv = [&](const std::string& column, std::string_view table, std::string_view expected) {
        Words options = tabs;
        options.push_back(column);
        CAPTURE(table);
        require_table(scene, options, table, expected);
        options.insert(options.end(), {"--memory", "4M"});
        require_table(scene, options, table, expected);
    };
    require_tsv("1", "3\t\"odd\n2\tx\n1\ty\n", "1\ty\n2\tx\n3\t\"odd\n");
    require_tsv("1", "3\t\"odd\n2\tx\n1\t\"y\"\n", "1\t\"y\"\n2\tx\n3\t\"odd\n");
    require_tsv("1", "3\t\"odd\n2\tx\"\n1\t\"\n", "1\t\"\n2\tx\"\n3\t\"odd\n");
    require_tsv("3", "\"a\tb\t2\n\"a\"b\tc\t1\n", "\"a\"b\tc\t1\n\"a\tb\t2\n");
    require_tsv("2", "\"a\tb\"\t2\n\"a\"\"\tb\"\t1\n", "\"a\"\"\tb\"\t1\n\"a\tb\"\t2\n");
    // In the order of their bytes a quote comes before all letters.
    require_tsv("1:text", "b\n\"b\"b\"\n\"c\"\n\"\"\"\n\"a\"\r\n\"z", "\"\"\"\n\"b\"b\"\n\"z\n\"a\"\r\nb\n\"c\"\n");
    require_tsv("\"x", "k\t\"x\n1\t2\n2\t1\n", "k\t\"x\n2\t1\n1\t2\n");
    require_tsv("k\tx", "\"k\tx\"\ty\n2\t\n1\t\n", "\"k\tx\"\ty\n1\t\n2\t\n");
    const std::string a = scene.file("a.tsv", "1\t\"odd\n3\tx\n"), b = scene.file("b.tsv", "2\ty\"\n4\t\"\n");
    CHECK(scene.run({"merge", "--by-column", "1", a, b}).out == "1\t\"odd\n2\ty\"\n3\tx\n4\t\"\n");
    CHECK(scene.run({"check", "--by-column", "1", a}).status == 0);
    CHECK(scene.run({"topk", "--by-column", "1", a}).out == "3\tx\n1\t\"odd\n");
    CHECK(scene.run({"group", "--by-column", "2:text", a}).out == "\"odd\t1\nx\t1\n");
    CHECK(scene.run({"argsort", "--by-column", "1", "-t", "tab", "--text"}, "3\t\"odd\n2\t\"\n").out == "1\n0\n");
}

TEST_CASE("line ends stay, and a last line without one gets one where it does not stay last") {
    if (no_device()) return;
    const Scene scene;
    const Words first = {"--by-column", "1"};
    require_table(scene, first, "2,b\r\n1,a\r\n", "1,a\r\n2,b\r\n");
    require_table(scene, first, "2\r\n3\n1\n", "1\n2\r\n3\n");
    require_table(scene, first, "2\n1", "1\n2\n");
    require_table(scene, first, "2\r\n1", "1\r\n2\r\n");
    require_table(scene, {"--by-column", "2"}, "\"a\n\",2\r\nb,1", "b,1\r\n\"a\n\",2\r\n");
    require_table(scene, first, "2\n1\n3", "1\n2\n3");
    require_table(scene, first, "7", "7");
    require_table(scene, {"--by-column", "a"}, "a\r\n2\r\n1", "a\r\n1\r\n2\r\n");
}

TEST_CASE("a byte order mark stays in front, and is no part of the first field") {
    if (no_device()) return;
    const Scene scene;
    const std::string mark = "\xef\xbb\xbf";
    require_table(scene, {"--by-column", "1"}, mark + "2\n1\n", mark + "1\n2\n");
    require_table(scene, {"--by-column", "a"}, mark + "a,b\n2\n1\n", mark + "a,b\n1\n2\n");
    require_table(scene, {"--by-column", "b"}, mark + "\"a\n\",b\n,2\n,1\n", mark + "\"a\n\",b\n,1\n,2\n");
    require_table(scene, {"--by-column", "1"}, mark, mark);
}

TEST_CASE("the header stays first, and names the column") {
    if (no_device()) return;
    const Scene scene;
    const std::string header = "id,\"say \"\"x\"\", y\", price,2\n", rows = "1,4,8,5\n2,3,7,6\n",
                      turned = "2,3,7,6\n1,4,8,5\n";
    for (const std::string column : {"say \"x\", y", " price"})
        require_table(scene, {"--by-column", column}, header + rows, header + turned);
    require_table(scene, {"--by-column", "#2", "--header"}, header + rows, header + turned);
    require_table(scene, {"--by-column", "id", "--order", "desc"}, header + rows, header + turned);
    require_table(scene, {"--by-column", "4", "--header"}, header + turned, header + rows);
    require_table(scene, {"--by-column", ""}, ",a\n2\n1\n", ",a\n1\n2\n");

    for (const std::string only : {"id,price", "id,price\n", "id,price\r\n", "id,\"price\"\n"}) {
        require_table(scene, {"--by-column", "price"}, only, only);
        require_table(scene, {"--by-column", "1", "--header"}, only, only);
    }
    require_table(scene, {"--by-column", "1"}, "", "");
    require_table(scene, {"--by-column", "1", "--header"}, "", "");
}

TEST_CASE("digits are a name if the header has it, else a number, as they always are behind #") {
    if (no_device()) return;
    const Scene scene;
    const std::string header = "id,2019,\"2\"\n", a = "1,5,9\n", b = "2,6,8\n", c = "3,4,7\n";
    const auto require_years = [&](const std::string& column, const std::string& rows) {
        CAPTURE(column);
        require_table(scene, {"--header", "--by-column", column}, header + a + b + c, header + rows);
    };
    require_years("2019", c + a + b);
    require_years("2019:desc", b + a + c);
    require_years("2", c + b + a);
    require_years("2:text:desc", a + b + c);
    require_years("#2", c + a + b);
    require_years("#2:desc", b + a + c);
    require_years("3", c + b + a);
    // A name that can be nothing else says that there is a header for all columns.
    require_table(scene, {"--by-column", "id:desc", "--by-column", "2019"}, header + a + b, header + b + a);
    require_table(scene, {"--by-column", "0", "--header"}, "0,1\n2,\n1,\n", "0,1\n1,\n2,\n");
    require_table(scene, {"--by-column", "20190101000000000000", "--header"}, "20190101000000000000\n2\n1\n",
                  "20190101000000000000\n1\n2\n");
    require_table(scene, {"--by-column", "#"}, "#,#2x\n2,\n1,\n", "#,#2x\n1,\n2,\n");
    require_table(scene, {"--by-column", "#2x"}, "#,#2x\n,2\n,1\n", "#,#2x\n,1\n,2\n");
    // Without a header digits are a number, whatever the first line says.
    require_table(scene, {"--by-column", "2"}, "2,3\n1,2\n", "1,2\n2,3\n");
    require_table(scene, {"--by-column", "#2"}, "2,3\n1,2\n", "1,2\n2,3\n");
    require_table(scene, {"--by-column", "#3"}, "3\n1,2,4\n1,2,3\n", "1,2,3\n1,2,4\n3\n");
    CHECK(scene
              .run({"group", "--header", "--by-column", "2019", "--reduce", "sum:2", "--reduce", "sum:#2"},
                   header + a + b)
              .out == "2019,sum_2,sum_2019\n5,9,5\n6,8,6\n");
    CHECK(scene.run({"topk", "-n", "1", "--header", "--by-column", "2"}, header + a + b).out == header + a);
    CHECK(scene.run({"argsort", "--text", "--header", "--by-column", "2"}, header + a + b).out == "1\n0\n");
    CHECK(scene.run({"check", "--header", "--by-column", "2"}, header + b + a).status == 0);
    const std::string first = scene.file("a", header + b), second = scene.file("b", header + a);
    CHECK(scene.run({"merge", "--header", "--by-column", "2", second, first}).out == header + b + a);
}

TEST_CASE("delimiters: a comma, a tab in .tsv, or what is given") {
    if (no_device()) return;
    const Scene scene;
    const auto sort_file = [&](const std::string& name, Words options, const std::string& table) {
        const std::string in = scene.file(name, table);
        options.insert(options.begin(), {"sort", "--by-column", "2", in, in});
        const Result result = scene.run(options);
        CHECK_MESSAGE(result.status == 0, result.err);
        return read_file(in);
    };
    CHECK(sort_file("t.tsv", {}, "a,9\t2\nb,8\t1\n") == "b,8\t1\na,9\t2\n");
    CHECK(sort_file("t.TSV", {}, "a,9\t2\nb,8\t1\n") == "b,8\t1\na,9\t2\n");
    CHECK(sort_file("t.csv", {"--delimiter", "\\t"}, "a,9\t2\nb,8\t1\n") == "b,8\t1\na,9\t2\n");
    CHECK(sort_file("t.tsv", {"--delimiter", "comma"}, "a,9\t\nb,8\t\n") == "b,8\t\na,9\t\n");
    CHECK(sort_file("t.csv", {"--delimiter", "tab"}, "\t2\n\t1\n") == "\t1\n\t2\n");
    CHECK(sort_file("t.csv", {"--delimiter", ","}, ",2\n,1\n") == ",1\n,2\n");
    CHECK(sort_file("t.csv", {"--delimiter", "semicolon"}, "\"a;\";2\nb;1\n") == "b;1\n\"a;\";2\n");
    CHECK(sort_file("t.csv", {"--delimiter", "|"}, "a|2\nb|1|\n") == "b|1|\na|2\n");
    CHECK(sort_file("t.csv", {"--delimiter", " "}, "a 2\nb 1\n") == "b 1\na 2\n");
    CHECK(scene.files() == 3);
}

TEST_CASE("lines without a number come last, in their order") {
    if (no_device()) return;
    const Scene scene;
    const std::string table = "d,\nb,2\ne, \t\nnan,nan\na,1\nf,\"\"", empty = "d,\ne, \t\nf,\"\"";
    require_table(scene, {"--by-column", "2"}, table, "a,1\nb,2\nnan,nan\n" + empty);
    require_table(scene, {"--by-column", "2", "--order", "desc"}, table, "nan,nan\nb,2\na,1\n" + empty);
    require_table(scene, {"--by-column", "b"}, "a,b\n2\n1\n", "a,b\n2\n1\n");
    require_table(scene, {"--by-column", "1"}, "\n\n7\n", "7\n\n\n");
    require_table(scene, {"--by-column", "1"}, "\n\n", "\n\n");
    require_table(scene, {"--by-column", "2"}, "a,2\n\nb,1\n \n", "b,1\na,2\n\n \n");
    require_table(scene, {"--by-column", "2"}, "b\na,2\n,1\n", ",1\na,2\nb\n");
    require_table(scene, {"--by-column", "2"}, "a,NA\nb, null \nc,\"N/A\"\nd,0\ne,\\N\n",
                  "d,0\na,NA\nb, null \nc,\"N/A\"\ne,\\N\n");
    require_table(scene, {"--by-column", "1", "--missing", "-,none"}, "-\n2\n\n none\n1\n", "1\n2\n-\n\n none\n");
    require_refused(sort_table(scene, {"--by-column", "1", "--missing", "-"}, "1\nNA\n"),
                    "line 2, column 1 is no number: \"NA\" (--missing gives words");
}

TEST_CASE("a missing number is an error, or a NaN, on request") {
    if (no_device()) return;
    const Scene scene;
    const std::string table = "NA\n2\nnan\n\n1.5\n-nan\n";
    require_table(scene, {"--by-column", "1", "--missing-as", "nan"}, table, "1.5\n2\nNA\nnan\n\n-nan\n");
    require_table(scene, {"--by-column", "1", "--missing-as", "nan", "-r"}, table, "NA\nnan\n\n-nan\n2\n1.5\n");
    const std::tuple<std::string, std::string, std::string> wrong[] = {
        {"2", "a,1\nb,\nc,3\n", "in, line 2, column 2 is empty\n"},
        {"2", "a,1\nb,\" \"\n", "in, line 2, column 2 is empty\n"},
        {"1", "1\n\n", "in, line 2, column 1 is empty\n"},
        {"3", "1,2,3\n1,2\n", "in, line 2 has 2 columns, so it has no column 3\n"},
        {"2", "1,2\r\n\r\n", "in, line 2, column 2 is empty\n"},
        {"2", "1,2\r\n1,NA\r\n", "in, line 2, column 2 is missing: \"NA\"\n"},
    };
    for (const auto& [column, lines, part] : wrong) {
        const std::string in = scene.file("in", lines);
        require_refused(scene.run({"sort", in, in, "--by-column", column, "--missing-as", "error"}), part);
    }
}

TEST_CASE("what is wrong with a table is named, with its line, and leaves OUT as it was") {
    if (no_device()) return;
    const Scene scene;
    struct Wrong {
        Words options;
        std::string table, part;
    };
    const std::string hint = " (--missing gives words for what is missing; text needs :text behind the column)\n";
    const Wrong wrong[] = {
        {{"2"}, "a,1\nb,two\n", "in, line 2, column 2 is no number: \"two\"" + hint},
        {{"2"}, "\"\n\n\",1\nb,\"1\"\"\"\n", "in, line 4, column 2 is no number: \"1\\\"\\\"\"" + hint},
        {{"2"}, "a,1\n\"\n\n\",1.5.\n", "in, line 2, column 2 is no number: \"1.5.\"" + hint},
        {{"b"}, "a,b\n1,x\n", "in, line 2, column 2 (\"b\") is no number: \"x\"" + hint},
        {{"2", "--type", "f64"}, "a,1\nb,1e999\n", "in, line 2, column 2 is out of range: \"1e999\", but f64 holds"},
        {{"2", "--type", "u64"}, "a,1\nb,-1\n", "in, line 2, column 2 is out of range: \"-1\", but u64 holds"},
        {{"2", "--type", "i64"}, "a,1\nb,0.5\n", "in, line 2, column 2 is no number of type i64: \"0.5\"" + hint},
        {{"2"},
         "name,price\nnut,1\n",
         "in, line 1, column 2 is no number: \"price\" (if it is a header, say so by --header)\n"},
        {{"9", "--header"},
         "a,b\n",
         "in, line 1 names no column \"9\", but \"a\", \"b\" (by number, the last is #2)\n"},
        {{"#9", "--header"}, "a,b\n", "in, line 1 has 2 columns, so it has no column 9\n"},
        {{"2019"},
         "id,2019\n1,2\n",
         "in, line 1 has 2 columns, so it has no column 2019, but a field 2019: if that is the name of a column, give "
         "--header, else #2019\n"},
        {{"3"}, "1,\"3\"\n1,2,3\n", "in, line 1 has 2 columns, so it has no column 3, but a field 3: "},
        {{"#2019"}, "id,2019\n1,2\n", "in, line 1 has 2 columns, so it has no column 2019\n"},
        {{"2", "--header"}, "2,2\n1,1\n", "in, line 1 names 2 columns \"2\": say which by its number, as in #1\n"},
        {{"0"}, "0,1\n", "there is no column 0: columns count from 1 (if it is a name, say so by --header)\n"},
        {{"0"}, "", "there is no column 0: columns count from 1"},
        {{"#0"}, "1\n", "\"#0\" is not a column: they count from #1; "},
        {{"#99999999999999999999"}, "1\n", "is not a column: they count from #1; "},
        {{"0", "--header"}, "", "in is empty: it has no column \"0\"\n"},
        {{"18446744073709551615"}, "1\n", "in, line 1 has 1 column, so it has no column 18446744073709551615\n"},
        {{"3"}, "1,2\n1\n", "in, line 1 has 2 columns, so it has no column 3\n"},
        {{"c"}, "a,\"b\"\n1,2\n", "in, line 1 names no column \"c\", but \"a\", \"b\" (by number, the last is #2)\n"},
        {{"A"}, "a\n1\n", "in, line 1 names no column \"A\", but \"a\" (by number, the last is #1)\n"},
        {{"z"}, "a,b,c,d,e,f,g,h,i,j,k,l,m,n\n", "\"k\", \"l\", ... (by number, the last is #14)\n"},
        {{"a"}, "a,b,\"a\"\n1,2,3\n", "in, line 1 names 2 columns \"a\": say which by its number, as in #1\n"},
        {{"a"}, "", "in is empty: it has no column \"a\"\n"},
        {{"2"}, "a,1\nb,\"2\nc,3\n", "in, line 2 begins a quoted field that never ends"},
        {{"1"}, "1,\"\n\n\",\"x\n", "in, line 3 begins a quoted field that never ends"},
        {{"1"}, "1,\"\"\"\n", "in, line 1 begins a quoted field that never ends"},
        {{"a"}, "a,\"b\n1,2\n", "in, line 1 begins a quoted field that never ends"},
        {{"1"},
         "1\n2,\"a\nb\"c,\"d\"\n",
         "in, line 2 begins a quoted field that goes on after its closing quote with \"c,\\\"d\\\"\" (with --no-quotes "
         "a quote is a character like any other)\n"},
        {{"1"}, "3,\"odd\n4,x\n5,\"y\n", "in, line 1 begins a quoted field that goes on after its closing quote"},
        {{"1"}, "1\n\"a\"\rb\n", "in, line 2 begins a quoted field that goes on after its closing quote with \"\\rb\""},
        {{"1"}, "1,\"a\nb\",\"c\nd", "in, line 2 begins a quoted field that never ends"},
    };
    const std::string out = scene.file("out", "before");
    for (const auto& [options, lines, part] : wrong) {
        const std::string table = lines;
        CAPTURE(table);
        const std::string in = scene.file("in", table);
        Words words = {"sort", in, out, "--by-column"};
        words.insert(words.end(), options.begin(), options.end());
        require_refused(scene.run(words), part);
        CHECK(read_file(in) == table);
    }
    require_refused(sort_table(scene, {"--by-column", "1"}, "1\nx\n"), "standard input, line 2, column 1 is no number");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("a large table, as std::stable_sort sorts it, in place and through pipes") {
    if (no_device()) return;
    struct Line {
        std::int64_t key;
        std::string text;
    };
    const Scene scene;
    Random random(seed());
    std::vector<Line> lines(100000);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::int64_t key = static_cast<std::int64_t>(random() % 4001) - 2000;
        const std::string number = std::to_string(i), word(random() % 50, 'w');
        const std::string comment = i % 5 == 0 ? "\"" + word + "\n\"\"" + number + "\"\", \"" : word + number;
        lines[i] = {key, comment + "," + std::to_string(key) + "," + word + (i % 7 == 0 ? "\r\n" : "\n")};
    }
    const std::string header = "comment,key,word\n";
    const auto table_of = [&](const std::vector<Line>& all) {
        std::string table = header;
        for (const Line& line : all) table += line.text;
        return table;
    };
    const std::string table = table_of(lines);
    for (const Order order : both_orders) {
        const bool ascending = order == Order::ascending;
        const Words options = {"--by-column", "key", "--order", ascending ? "asc" : "desc"};
        std::vector<Line> expected = lines;
        std::ranges::stable_sort(
            expected, [&](std::int64_t a, std::int64_t b) { return ascending ? a < b : b < a; }, &Line::key);
        const Result piped = sort_table(scene, options, table);
        CHECK_MESSAGE(piped.status == 0, piped.err);
        CHECK((piped.out == table_of(expected)));

        const std::string file = scene.file("table.csv", table);
        Words words = {"sort", file, file};
        words.insert(words.end(), options.begin(), options.end());
        CHECK(scene.run(words).status == 0);
        CHECK((read_file(file) == piped.out));
        CHECK(scene.files() == 1);
    }
}

TEST_CASE("--device, --stats and shape options, as for numbers") {
    if (no_device()) return;
    const Scene scene;
    const std::string table = "a,2\nb,1\nc,\n";
    const Result result = sort_table(scene, {"--by-column", "2", "--device", "0", "--stats"}, table);
    CHECK(result.status == 0);
    CHECK(result.out == "b,1\na,2\nc,\n");
    for (const char* const part : {"device ", "shape ", "keys                2 of type i64\n", "time ", "launches "})
        CHECK_MESSAGE(contains(result.err, part), result.err);
    require_refused(sort_table(scene, {"--by-column", "2", "--device", "abacus"}, table), "abacus");
    require_refused(sort_table(scene, {"--by-column", "2", "--work-items", "3"}, table), "a power of two");
}

}  // namespace
}  // namespace lanesort::test
