// SPDX-License-Identifier: MIT
// Keys in text and tables: the type that they find for themselves, and integers that a type would round.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

/// Sorts lines as text and, with a word in front, as the second column of a table.
void require_sorted(const Scene& scene, const Words& options, const std::string& lines, const std::string& expected) {
    const auto in_table = [](const std::string& text) {
        std::string table;
        for (std::size_t from = 0, end; from < text.size(); from = end + 1) {
            end = text.find('\n', from);
            table += "x," + text.substr(from, end - from) + "\n";
        }
        return table;
    };
    Words words = {"sort", "-", "-"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--text");
    const Result text = scene.run(words, lines);
    CAPTURE(lines);
    CHECK(text.err.empty());
    CHECK(text.out == expected);
    words.back() = "--by-column=2";
    const Result table = scene.run(words, in_table(lines));
    CHECK(table.err.empty());
    CHECK(table.out == in_table(expected));
}

TEST_CASE("keys without --type are i64 or u64 where all are integers") {
    if (no_device()) return;
    const Scene scene;
    // 2^53 + 1 and its like are no doubles.
    require_sorted(scene, {}, "9007199254740993\n9007199254740992\n", "9007199254740992\n9007199254740993\n");
    require_sorted(scene, {}, "-9007199254740992\n-9007199254740993\n0\n", "-9007199254740993\n-9007199254740992\n0\n");
    require_sorted(scene, {}, "9223372036854775807\n-9223372036854775808\n9223372036854775806\n",
                   "-9223372036854775808\n9223372036854775806\n9223372036854775807\n");
    require_sorted(scene, {}, "18446744073709551615\n0\n18446744073709551614\n9223372036854775808\n",
                   "0\n9223372036854775808\n18446744073709551614\n18446744073709551615\n");
    const auto lines = scene.run({"sort", "--text", "-", "-"}, " +7\r\n007\n-0\n+0\n-3\n");
    CHECK(lines.out == "-3\n-0\n+0\n +7\r\n007\n");
}

TEST_CASE("timestamps in nanoseconds come as std::stable_sort has them") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    std::vector<std::uint64_t> times(3001);
    for (auto& time : times) time = 1700000000000000000 + random() % 100000;
    const auto table_of = [](const std::vector<std::uint64_t>& all) {
        std::string table = "what,when\n";
        for (const auto time : all) table += "event," + std::to_string(time) + "\n";
        return table;
    };
    const std::string in = scene.file("in.csv", table_of(times)), out = scene.path("out.csv");
    CHECK(scene.run({"sort", "--by-column", "when", in, out}).status == 0);
    std::ranges::sort(times);
    CHECK((read_file(out) == table_of(times)));
}

TEST_CASE("one decimal makes all keys doubles, wherever it stands") {
    if (no_device()) return;
    const Scene scene;
    for (const std::string decimal : {"1.5", "1e0", "nan", "inf", "-.5", "1."}) {
        const std::string in = "x,2\nx," + decimal + "\nx,3\nx,-0\nx,0\n";
        const Result found = scene.run({"sort", "--by-column", "2", "--stats", "-", "-"}, in);
        const Result given = scene.run({"sort", "--by-column", "2", "--type", "f64", "-", "-"}, in);
        CHECK(contains(found.err, "5 of type f64\n"));
        CHECK(found.out == given.out);
    }
    // -0 is -0.0, also in front of the first decimal; 2^63 is a double, also beside negative integers.
    require_sorted(scene, {}, "0\n-0\n0.5\n-0\n0\n", "-0\n-0\n0\n0\n0.5\n");
    require_sorted(scene, {"--order", "desc"}, "-1\n9223372036854775808\n0.5\n", "9223372036854775808\n0.5\n-1\n");
    require_sorted(scene, {}, "9223372036854775808\n-1\n0.5\n", "-1\n0.5\n9223372036854775808\n");
    require_sorted(scene, {}, "36893488147419103232\n-1\n0.5\n", "-1\n0.5\n36893488147419103232\n");
    // Up to 2^53 all integers are doubles, and above it some.
    require_sorted(scene, {}, "9007199254740994\n9007199254740992\n0.1\n", "0.1\n9007199254740992\n9007199254740994\n");
    // Others are told apart by their digits, as are those that neither i64 nor u64 holds.
    require_sorted(scene, {}, "9007199254740993\n0.5\n9007199254740992\n", "0.5\n9007199254740992\n9007199254740993\n");
    require_sorted(scene, {}, "18446744073709551617\n1\n18446744073709551616\n",
                   "1\n18446744073709551616\n18446744073709551617\n");
    require_sorted(scene, {}, "18446744073709551615\n-2\n18446744073709551614\n-9223372036854775809\n",
                   "-9223372036854775809\n-2\n18446744073709551614\n18446744073709551615\n");
}

TEST_CASE("missing keys, headers and no keys at all leave the type alone") {
    if (no_device()) return;
    const Scene scene;
    const std::string low = "9007199254740992\n", high = "9007199254740993\n";
    const auto sort = [&](const Words& options, const std::string& table) {
        Words words = {"sort", "-", "-"};
        words.insert(words.end(), options.begin(), options.end());
        return scene.run(words, table).out;
    };
    CHECK(sort({"--by-column", "1"}, "\n" + high + "\n" + low) == low + high + "\n\n");
    CHECK(sort({"--by-column", "0.5"}, "0.5\n" + high + low) == "0.5\n" + low + high);
    CHECK(sort({"--by-column", "1", "--header"}, "0.5\n" + high + low) == "0.5\n" + low + high);
    CHECK(sort({"--by-column", "1", "--header"}, "0.5\n") == "0.5\n");
    CHECK(sort({"--text"}, "").empty());
}

TEST_CASE("argsort and topk find the type, too") {
    if (no_device()) return;
    const Scene scene;
    const std::string lines = "9007199254740992\n9007199254740993\n9007199254740992\n";
    const auto run = [&](Words words) {
        words.insert(words.end(), {"-", "-"});
        const Result result = scene.run(words, lines);
        CHECK(result.err.empty());
        return result.out;
    };
    CHECK(run({"argsort", "--text"}) == "0\n2\n1\n");
    CHECK(run({"argsort", "--text", "--by-column", "1"}) == "0\n2\n1\n");
    CHECK(run({"topk", "-k", "1", "--text"}) == "9007199254740993\n");
    CHECK(run({"topk", "-k", "1", "--text", "--indices"}) == "1\n");
    CHECK(run({"topk", "-k", "1", "--by-column", "1"}) == "9007199254740993\n");
    CHECK(scene.run({"argsort", "--text", "-", "-"}, lines + "0.5\n").out == "3\n0\n2\n1\n");
    CHECK(scene.run({"topk", "-k", "1", "--text", "-", "-"}, lines + "0.5\n").out == "9007199254740993\n");
}

TEST_CASE("an integer that the type would round is named, with the type to use") {
    if (no_device()) return;
    const Scene scene;
    struct Wrong {
        std::string type, lines, part;
    };
    const std::string one = "\"9007199254740993\"", rounded = "with .0 at its end it is rounded)\n";
    const Wrong wrong[] = {
        {"f64", "1\n9007199254740993\n",
         "line 2 is an integer that f64 does not hold exactly: " + one + " (--type i64 does; " + rounded},
        {"f64", "0.1\n-9007199254740993\n", "line 2 is an integer that f64 does not hold exactly: \"-9007"},
        {"f64", "+0009007199254740993\n", "line 1 is an integer that f64 does not hold exactly: \"0009007"},
        {"f64", "18446744073709551615\n",
         "is an integer that f64 does not hold exactly: \"18446744073709551615\" (--type u64 does; "},
        {"f64", "18446744073709551617\n",
         "is an integer that f64 does not hold exactly: \"18446744073709551617\" (with .0 at its end it is rounded)\n"},
        {"f32", "16777216\n16777217\n",
         "line 2 is an integer that f32 does not hold exactly: \"16777217\" (--type f64"},
        {"f32", "9007199254740993\n", "line 1 is an integer that f32 does not hold exactly: " + one + " (--type i64"},
        {"f16", "2048\n2049\n", "line 2 is an integer that f16 does not hold exactly: \"2049\" (--type f64 does; "},
        {"", "1\ntwo\n", "line 2 is no number: \"two\""},
        {"", "1\n\n2\n", "line 2 is empty"},
        {"", "1\n-\n", "line 2 is no number: \"-\""},
    };
    for (const auto& [type, text, part] : wrong) {
        const std::string lines = text;
        CAPTURE(lines);
        Words words = {"sort", "-", "-"};
        if (!type.empty()) words.insert(words.end(), {"--type", type});
        words.push_back("--text");
        require_refused(scene.run(words, lines), part);
        words.back() = "--by-column=1";
        if (!contains(part, "empty")) require_refused(scene.run(words, lines), part.substr(part.find("is ")));
    }
    // Halves and floats are exact up to there.
    CHECK(scene.run({"sort", "--text", "--type", "f16", "-", "-"}, "65504\n-2048\n2050\n").out ==
          "-2048\n2050\n65504\n");
    CHECK(scene.run({"sort", "--text", "--type", "f32", "-", "-"}, "16777218\n16777216\n").status == 0);
}

TEST_CASE("text keeps its byte order mark in front") {
    if (no_device()) return;
    const Scene scene;
    const std::string mark = "\xef\xbb\xbf";
    const auto run = [&](Words words, const std::string& lines) {
        words.insert(words.end(), {"--text", "-", "-"});
        const Result result = scene.run(words, lines);
        CHECK(result.err.empty());
        return result.out;
    };
    CHECK(run({"sort", "--type", "u32"}, mark + "2\r\n1") == mark + "1\r\n2\r\n");
    CHECK(run({"sort"}, mark + "0.5\n-1\n") == mark + "-1\n0.5\n");
    CHECK(run({"sort", "--type", "u32"}, mark) == mark);
    CHECK(run({"topk", "-k", "1"}, mark + "1\n2\n") == mark + "2\n");
    // Indices are no lines of IN.
    CHECK(run({"topk", "-k", "1", "--indices"}, mark + "1\n2\n") == "1\n");
    CHECK(run({"argsort", "--type", "u32"}, mark + "2\n1\n") == "1\n0\n");
    require_refused(scene.run({"sort", "--text", "-", "-"}, "1\n" + mark + "2\n"), "line 2 is no number");
    require_refused(scene.run({"sort", "--text", "-", "-"}, mark + "1\nx\n"), "line 2 is no number");
}

}  // namespace
}  // namespace lanesort::test
