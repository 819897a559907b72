// SPDX-License-Identifier: MIT
// lanesort sort --by-column, given several times, and of texts: beside std::stable_sort of the same lines.
#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

struct Line {
    std::string text;
    std::int64_t number;
    bool is_missing;
    std::string all() const { return text + "," + (is_missing ? "NA" : std::to_string(number)) + "\n"; }
};

/// Texts of few letters, so that there are equal ones and common beginnings: some longer than the keys of the command.
std::vector<Line> random_lines(Random& random) {
    std::vector<Line> lines(20000);
    for (Line& line : lines) {
        line.text = "2013-";
        for (std::uint64_t length = random() % 13; length > 0; --length) line.text += "ab\xff"[random() % 3];
        if (random() % 4 == 0) line.text += std::string(random() % 3, '\0');
        line.number = static_cast<std::int64_t>(random() % 21) - 10;
        line.is_missing = random() % 10 == 0;
    }
    return lines;
}

std::string joined(const std::vector<Line>& lines) {
    std::string table;
    for (const Line& line : lines) table += line.all();
    return table;
}

std::strong_ordering by_text(const Line& a, const Line& b, bool descends) {
    return descends ? b.text <=> a.text : a.text <=> b.text;
}
std::strong_ordering by_number(const Line& a, const Line& b, bool descends) {
    if (a.is_missing || b.is_missing) return a.is_missing <=> b.is_missing;
    return descends ? b.number <=> a.number : a.number <=> b.number;
}

TEST_CASE("several columns, numbers and texts, each in its order") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const std::vector<Line> lines = random_lines(random);
    for (const bool text_descends : {false, true})
        for (const bool number_descends : {false, true})
            for (const bool text_first : {false, true}) {
                const std::string text = std::string("1:text") + (text_descends ? ":desc" : ":asc"),
                                  number = std::string("2") + (number_descends ? ":desc" : "");
                CAPTURE(text);
                CAPTURE(number);
                std::vector<Line> expected = lines;
                std::ranges::stable_sort(expected, [&](const Line& a, const Line& b) {
                    const auto texts = by_text(a, b, text_descends), numbers = by_number(a, b, number_descends);
                    return (text_first ? (texts != 0 ? texts : numbers) : (numbers != 0 ? numbers : texts)) < 0;
                });
                const Result result = scene.run(
                    {"sort", "--by-column", text_first ? text : number, "--by-column", text_first ? number : text},
                    joined(lines));
                CHECK_MESSAGE(result.status == 0, result.err);
                CHECK((result.out == joined(expected)));
            }
}

TEST_CASE("the first of equal keys, and how many they are") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    std::vector<Line> lines = random_lines(random);
    std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
        const auto numbers = by_number(a, b, false);
        return (numbers != 0 ? numbers : by_text(a, b, false)) < 0;
    });
    std::string distinct, counted = "count,text,number\n";
    for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
        for (end = begin; end < lines.size() && lines[end].all() == lines[begin].all();) ++end;
        distinct += lines[begin].all();
        counted += std::to_string(end - begin) + "," + lines[begin].all();
    }
    std::ranges::shuffle(lines, random);
    const Words by = {"sort", "--by-column", "2", "--by-column", "1:text"};
    const auto with = [&](const std::string& option) {
        Words words = by;
        words.push_back(option);
        return words;
    };
    CHECK((scene.run(with("--unique"), joined(lines)).out == distinct));
    Words counting = with("--header");
    counting.push_back("--count");
    CHECK((scene.run(counting, "text,number\n" + joined(lines)).out == counted));
    // All NaNs are equal.
    CHECK(
        scene.run({"sort", "--count", "--by-column", "1", "--by-column", "2"}, "-nan,2\nnan,1\n-nan,1\nnan,2\n").out ==
        "2,nan,1\n2,-nan,2\n");
    CHECK(scene.run({"check", "--by-column", "1"}, "-nan\nnan\n-nan\n").status == 0);
    CHECK(scene.run({"sort", "--count", "--text"}, "-nan\nnan\n1.5\n-nan\n").out == "1\t1.5\n3\t-nan\n");
    CHECK(scene.run({"sort", "-u", "--text", "-r"}, "-nan\nnan\n1.5\n-nan\n").out == "-nan\n1.5\n");
    // The first one is that which comes first in IN.
    CHECK(scene.run({"sort", "-u", "--by-column", "1"}, "2.0\n1\n2\n\n1e0\nNA\n").out == "1\n2.0\n\n");
    CHECK(scene.run({"sort", "--count", "--by-column", "1", "-t", ";"}, "2.0\n1\n2\n\n1e0\nNA").out ==
          "2;1\n2;2.0\n2;\n");
    // The new column has a name of its own.
    const Words count = {"sort", "--count", "--by-column", "#1", "--header"};
    CHECK(scene.run(count, "count,b\n2,\n2,\n").out == "count_2,count,b\n2,2,\n");
    CHECK(scene.run(count, "a,count_2,\"count\"\r\n").out == "count_3,a,count_2,\"count\"\r\n");
}

TEST_CASE("texts are what is between the quotes; empty ones come first, words are missing only where that is said") {
    if (no_device()) return;
    const Scene scene;
    const auto sort = [&](Words words, std::string_view table) {
        words.insert(words.begin(), "sort");
        const Result result = scene.run(words, table);
        CHECK_MESSAGE(result.status == 0, result.err);
        return result.out;
    };
    CHECK(sort({"--by-column", "1:text"}, "\"b,\"\nNA\n\nb\na\r\n\"a\",2\n") == "\nNA\na\r\n\"a\",2\nb\n\"b,\"\n");
    CHECK(sort({"--by-column", "1:text", "--missing", "NA,"}, "b\nNA\n\na\n") == "a\nb\nNA\n\n");
    CHECK(sort({"--by-column", "2:text:desc"}, "1,x\n2\n3,\n4,y") == "4,y\n1,x\n3,\n2\n");
    // Of a name only what is known is taken for more.
    CHECK(sort({"--by-column", "a:b:text"}, "a:b\n2\n1\n") == "a:b\n1\n2\n");
    CHECK(sort({"--by-column", "a:desc:asc"}, "a:desc\n2\n1\n") == "a:desc\n1\n2\n");
    CHECK(sort({"--by-column", "1:number", "-r"}, "10\n9\n") == "10\n9\n");
    // An order of a column's own is not reversed by that of the others.
    CHECK(sort({"--by-column", "1", "--by-column", "2:asc:text", "-r"}, "1,b\n2,2\n2,1\n1,\n") ==
          "2,1\n2,2\n1,\n1,b\n");
    require_refused(scene.run({"sort", "--by-column", "a", "--by-column", "b"}, "a\n1\n"), "names no column \"b\"");
    require_refused(scene.run({"sort", "--by-column", "1"}, "1\n2024-05-06\n"),
                    "line 2, column 1 is no number: \"2024-05-06\" (--missing gives words for what is missing; text "
                    "needs :text behind the column)");
}

TEST_CASE("quotes around texts and in them do not count in their order") {
    const Scene scene;
    const std::string in = "\"a\"\"c\",1\na\"b,2\n\"a\"\"b\",3\n\"a\",4\n\"\"\"a\",5\n\"\",6\n";
    const std::string sorted = "\"\",6\n\"\"\"a\",5\n\"a\",4\na\"b,2\n\"a\"\"b\",3\n\"a\"\"c\",1\n";
    for (const Words& more : {Words{}, Words{"-S", "4M"}}) {
        Words words = {"sort", "--by-column", "1:text"};
        words.insert(words.end(), more.begin(), more.end());
        CHECK(scene.run(words, in).out == sorted);
        words.emplace_back("-u");
        CHECK(scene.run(words, in).out == "\"\",6\n\"\"\"a\",5\n\"a\",4\na\"b,2\n\"a\"\"c\",1\n");
    }
    CHECK(scene.run({"group", "--by-column", "1:text"}, in).out ==
          "\"\",1\n\"\"\"a\",1\n\"a\",1\na\"b,2\n\"a\"\"c\",1\n");
}

TEST_CASE("a column without any key is told on standard error") {
    const Scene scene;
    const std::string told = "lanesort: standard input: column 2 has no key in any line, so it orders nothing\n";
    for (const std::string column : {"2", "2:text", "2:time"})
        for (const Words& more : {Words{}, Words{"-S", "4M"}}) {
            Words words = {"sort", "--by-column", column};
            words.insert(words.end(), more.begin(), more.end());
            const Result result = scene.run(words, "b,\na,\n");
            CHECK(result.status == 0);
            CHECK(result.out == "b,\na,\n");
            CHECK(result.err == told);
            CHECK(scene.run(words, "b,\na,2024-05-01\n").err.empty() == (column != "2"));
            CHECK(scene.run(words, "").err.empty());
        }
    require_refused(scene.run({"sort", "--by-column", "2"}, "b,1\na,+\n"), "is no number: \"+\"");
}

}  // namespace
}  // namespace lanesort::test
