// SPDX-License-Identifier: MIT
// Numbers in text and tables: compared to the last digit, and written as they stand.
#include <algorithm>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::string run(const Scene& scene, Words words, const std::string& input) {
    const Result result = scene.run(words, input);
    CAPTURE(input);
    CHECK(result.err.empty());
    CHECK(result.status == 0);
    return result.out;
}

/// As lines of text and as the first column of a table.
const std::vector<Words> both_kinds = {{"--text"}, {"--by-column", "1"}};

std::string run(const Scene& scene, const std::string& command, const Words& kind, const Words& more,
                const std::string& input) {
    Words words = {command};
    words.insert(words.end(), kind.begin(), kind.end());
    words.insert(words.end(), more.begin(), more.end());
    return run(scene, words, input);
}

/// Numbers in order, which f64 does not all tell apart.
const Lines ordered = {
    "-inf",
    "-2e400",
    "-1e400",
    "-1700000000.000000200",
    "-1700000000.000000100",
    "-0.10000000000000000001",
    "-0.1",
    "-1e-400",
    "-0.0",
    "0",
    "3e-401",
    "1e-400",
    "0.0999999999999999999999",
    "0.1",
    "0.10000000000000000001",
    "0.100000000000000000010000000000000000000001",
    "1e0",
    "1.00000000000000000000000000000000000000000000001",
    "1700000000.000000100",
    "1700000000.0000001001",
    "1700000000.000000200",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0000000000000000001",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709551617",
    "100000000000000000000000000000000000000000000000000000000000000000000000001",
    "100000000000000000000000000000000000000000000000000000000000000000000000002",
    "1e400",
    "10.0000000000000000000000000000000000000000000001e399",
    "2e400",
    "1e+99999999999",
    "inf",
    "nan",
};

TEST_CASE("decimals that f64 does not tell apart are compared to the last digit") {
    const Scene scene;
    Random random(seed());
    Lines shuffled = ordered, descending = ordered;
    std::ranges::shuffle(shuffled, random);
    std::ranges::reverse(descending);
    const std::string sorted = joined(ordered), in = joined(shuffled);
    for (const Words& kind : both_kinds) {
        CHECK(run(scene, "sort", kind, {}, in) == sorted);
        CHECK(run(scene, "sort", kind, {"-r"}, in) == joined(descending));
        CHECK(run(scene, "sort", kind, {"-u"}, in + in) == sorted);
        CHECK(run(scene, "sort", kind, {"--memory", "4M"}, in) == sorted);
        CHECK(run(scene, "check", kind, {}, sorted).empty());
        for (std::size_t n = 1; n <= ordered.size(); n += 3)
            CHECK(run(scene, "topk", kind, {"-n", std::to_string(n)}, in) ==
                  joined({descending.begin(), descending.begin() + static_cast<std::ptrdiff_t>(n)}));
        // Each neighbouring pair the other way round.
        for (std::size_t i = 1; i < ordered.size(); ++i) {
            CAPTURE(ordered[i]);
            Words words = {"check"};
            words.insert(words.end(), kind.begin(), kind.end());
            require_refused(scene.run(words, ordered[i] + "\n" + ordered[i - 1] + "\n"), "line 2 is out of order", 1);
        }
        Lines odd, even;
        for (std::size_t i = 0; i < ordered.size(); ++i) (i % 2 ? odd : even).push_back(ordered[i]);
        const std::string a = scene.file("odd", joined(odd)), b = scene.file("even", joined(even));
        CHECK(run(scene, "merge", kind, {a, b}, {}) == sorted);
        require_refused(scene.run({"merge", kind.front() == "--text" ? "--text" : "--by-column=1", a, "-"},
                                  "0.10000000000000000001\n0.1\n"),
                        "line 2 is out of order: sort the file first");
    }
}

TEST_CASE("numbers of one value are equal however they are spelled, and keep their order and their spelling") {
    const Scene scene;
    const std::string in =
        "100\n1e2\n+100\n100.00000000000000000000\n0.10\n0.1000000000000000055511151231257827\n.1\n1E-1\n0000000.1\n";
    const std::string sorted =
        "0.10\n.1\n1E-1\n0000000.1\n0.1000000000000000055511151231257827\n100\n1e2\n+100\n100.00000000000000000000\n";
    const std::string first = "0.10\n0.1000000000000000055511151231257827\n100\n";
    for (const Words& kind : both_kinds) {
        CHECK(run(scene, "sort", kind, {}, in) == sorted);
        CHECK(run(scene, "sort", kind, {"-u"}, in) == first);
        CHECK(run(scene, "sort", kind, {"-u", "-S", "4M"}, in) == first);
        CHECK(run(scene, "group", kind, {}, in) == "0.10,4\n0.1000000000000000055511151231257827,1\n100,4\n");
        const std::string with_counts = run(scene, "sort", kind, {"--count"}, in);
        const std::string between = kind.front() == "--text" ? "\t" : ",";
        CHECK(with_counts ==
              "4" + between + "0.10\n1" + between + "0.1000000000000000055511151231257827\n4" + between + "100\n");
        CHECK(run(scene, "sort", kind, {"--count", "-S", "4M"}, in) == with_counts);
    }
}

TEST_CASE("several columns, each to the last digit") {
    const Scene scene;
    const std::string in =
        "0.30000000000000000002,1700000000.000000200\n"
        "0.30000000000000000001,1700000000.000000200\n"
        "0.30000000000000000001,1700000000.000000100\n"
        "0.30000000000000000002,1700000000.000000200\n";
    const Words columns = {"--by-column", "1:desc", "--by-column", "2"};
    const std::string sorted =
        "0.30000000000000000002,1700000000.000000200\n"
        "0.30000000000000000002,1700000000.000000200\n"
        "0.30000000000000000001,1700000000.000000100\n"
        "0.30000000000000000001,1700000000.000000200\n";
    CHECK(run(scene, "sort", columns, {}, in) == sorted);
    CHECK(run(scene, "group", columns, {}, in) ==
          "0.30000000000000000002,1700000000.000000200,2\n"
          "0.30000000000000000001,1700000000.000000100,1\n"
          "0.30000000000000000001,1700000000.000000200,1\n");
    CHECK(run(scene, "argsort", columns, {"--text"}, in) == "0\n3\n2\n1\n");
    CHECK(run(scene, "argsort", {"--text"}, {}, "0.10000000000000000002\n0.10000000000000000001\n") == "1\n0\n");
    CHECK(run(scene, "topk", {"--text"}, {"-n", "1", "--indices"},
              "0.10000000000000000001\n0.10000000000000000002\n") == "1\n");
}

TEST_CASE("a missing number that is a NaN has no digits") {
    const Scene scene;
    const std::string in = "NA,1\n0.10000000000000000002,2\n\nnan,3\n0.10000000000000000001,4\n";
    const Words options = {"--by-column", "1", "--missing-as", "nan"};
    const std::string sorted = "0.10000000000000000001,4\n0.10000000000000000002,2\nNA,1\n\nnan,3\n";
    CHECK(run(scene, "sort", options, {}, in) == sorted);
    CHECK(run(scene, "sort", options, {"-S", "4M"}, in) == sorted);
    CHECK(run(scene, "sort", options, {"-u"}, in) == "0.10000000000000000001,4\n0.10000000000000000002,2\nNA,1\n");
}

TEST_CASE("numbers in runs on a file are compared to the last digit, too") {
    const Scene scene;
    Random random(seed());
    // Integers first, of which some are equal as f64, then decimals beside them.
    Lines lines;
    for (int i = 0; i < 150000; ++i) lines.push_back("90071992547409" + std::to_string(900 + random() % 100));
    for (int i = 0; i < 60000; ++i)
        lines.push_back("90071992547409" + std::to_string(900 + random() % 100) + "." + std::to_string(random() % 4));
    const std::string in = scene.file("in", joined(lines));
    const auto value = [](const std::string& line) { return line.find('.') == line.npos ? line + ".0" : line; };
    Lines expected = lines;
    std::ranges::stable_sort(expected, {}, value);
    Lines distinct;
    for (const std::string& line : expected)
        if (distinct.empty() || value(distinct.back()) != value(line)) distinct.push_back(line);
    for (const Words& kind : both_kinds) {
        const Result result = scene.run({"sort", kind.front(), kind.size() > 1 ? "1" : "--stats", in, "-S", "4M"});
        CHECK(result.status == 0);
        CHECK((result.out == joined(expected)));
        CHECK((run(scene, "sort", kind, {in, "-S", "4M", "-u"}, {}) == joined(distinct)));
        CHECK((run(scene, "sort", kind, {in}, {}) == joined(expected)));
    }
}

TEST_CASE("with --type numbers are rounded to it, and are written as they stand") {
    const Scene scene;
    for (const Words& kind : both_kinds) {
        CHECK(run(scene, "sort", kind, {"--type", "f64"}, "0.10000000000000000001\n0.1\n") ==
              "0.10000000000000000001\n0.1\n");
        CHECK(run(scene, "sort", kind, {"--type", "f32", "-u"}, "0.10000000001\n0.1\n") == "0.10000000001\n");
        CHECK(run(scene, "sort", kind, {"--type", "u8"}, "007\n+5\n6\n") == "+5\n6\n007\n");
    }
}

TEST_CASE("text is written as it stands") {
    const Scene scene;
    const auto sorted = [&](const std::string& in) {
        const std::string out = run(scene, "sort", {"--text"}, {}, in);
        CHECK(run(scene, "sort", {"--text"}, {"-S", "4M"}, in) == out);
        return out;
    };
    CHECK(sorted("100000.5\n100000\n1700000000.000000100\n") == "100000\n100000.5\n1700000000.000000100\n");
    CHECK(sorted("3\n007\n+5\n-0\n") == "-0\n3\n+5\n007\n");
    CHECK(sorted("30.00\n1e1\n") == "1e1\n30.00\n");
    CHECK(sorted(" 3\n\t2 \r\n1\n") == "1\n\t2 \r\n 3\n");
    CHECK(sorted("0.2\n0.1") == "0.1\n0.2\n");
    CHECK(sorted("0.1\n0.2") == "0.1\n0.2\n");
    CHECK(sorted("\xef\xbb\xbf"
                 "7\n2\n5.50") ==
          "\xef\xbb\xbf"
          "2\n5.50\n7\n");
    CHECK(run(scene, "topk", {"--text"}, {"-n", "1"}, "100000.0\n7\n") == "100000.0\n");
    const std::string a = scene.file("a", "1\n3\n"), b = scene.file("b", "02\n4");
    CHECK(run(scene, {"merge", "--text", a, b}, {}) == "1\n02\n3\n4\n");
    CHECK(run(scene, {"merge", "--text", b, a, "-u"}, {}) == "1\n02\n3\n4\n");
}

TEST_CASE("an exponent that nothing can be compared with is refused") {
    const Scene scene;
    for (const std::string number : {"1e100000000000000000000", "-1e-99999999999999999999"})
        for (const Words& kind : both_kinds) {
            Words words = {"sort"};
            words.insert(words.end(), kind.begin(), kind.end());
            require_refused(scene.run(words, "1\n" + number + "\n"), "is out of range: \"" + number + "\"");
        }
    CHECK(run(scene, "sort", {"--text"}, {}, "1e00000000000000000000000000002\n7\n") ==
          "7\n1e00000000000000000000000000002\n");
}

}  // namespace
}  // namespace lanesort::test
