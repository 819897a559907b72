// SPDX-License-Identifier: MIT
// lanesort topk: the first of raw numbers, of text and of the lines of a table.
#include <algorithm>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("topk writes the first of what sort writes") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const std::vector<double> keys = drawn_from(special_values<double>(), 3001, random);
    const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
    const std::pair<std::string, std::size_t> few[] = {{"0", 0}, {"1", 1}, {"20", 20}, {"2K", 2048}, {"5000", 5000}};
    for (const auto& [text, count] : few) {
        const std::string k = text;
        CAPTURE(k);
        const Result result = scene.run({"topk", "-k", k, "--type", "f64", in, out});
        REQUIRE_MESSAGE(result.status == 0, result.err);
        std::vector<double> expected = sorted(keys, Order::descending);
        expected.resize(std::min<std::size_t>(expected.size(), count));
        require_same_bytes(numbers_in<double>(read_file(out)), expected);
        CHECK(read_file(in) == bytes_of(keys));
    }
}

TEST_CASE("topk of text, and its indices") {
    if (no_device()) return;
    const Scene scene;
    const std::string text = "2.5\n-1\n7\n2.5\n0\n";
    CHECK(scene.run({"topk", "-k", "3", "--text", "--type", "f64", "-", "-"}, text).out == "7\n2.5\n2.5\n");
    CHECK(scene.run({"topk", "-k", "3", "--indices", "--text", "--type", "f64", "-", "-"}, text).out == "2\n0\n3\n");
    CHECK(scene.run({"topk", "-k", "2", "--order", "asc", "--text", "--type", "f64", "-", "-"}, text).out == "-1\n0\n");
}

TEST_CASE("topk of a table keeps whole lines and the header, and leaves out lines without a key") {
    if (no_device()) return;
    const Scene scene;
    const std::string table = "name,price\nnut,3\n\"a\nb\",9\nbolt,\nscrew,3\nnail,1";
    const auto topk = [&](const std::string& k) {
        return scene.run({"topk", "-k", k, "--by-column", "price", "-", "-"}, table).out;
    };
    CHECK(topk("0") == "name,price\n");
    CHECK(topk("2") == "name,price\n\"a\nb\",9\nnut,3\n");
    CHECK(topk("4") == "name,price\n\"a\nb\",9\nnut,3\nscrew,3\nnail,1");
    CHECK(topk("9") == "name,price\n\"a\nb\",9\nnut,3\nscrew,3\nnail,1");

    const auto all = [&](Words words) {
        words.insert(words.begin(), {"topk", "--by-column"});
        return scene.run(words, "a,NA\nb,2\nc,\nd,3\ne,2\n").out;
    };
    CHECK(all({"2"}) == "d,3\nb,2\ne,2\n");
    CHECK(all({"2", "-n", "1", "--reverse"}) == "b,2\n");
    CHECK(all({"2:asc", "-n", "1"}) == "b,2\n");
    CHECK(all({"2", "--by-column", "1:text"}) == "d,3\ne,2\nb,2\n");
    CHECK(all({"2", "--missing-as", "nan", "-n", "3"}) == "a,NA\nc,\nd,3\n");
    CHECK(all({"1:text", "--missing", "d,c"}) == "e,2\nb,2\na,NA\n");
}

TEST_CASE("topk selects the same where it depends on no number") {
    if (no_device()) return;
    const Scene scene;
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10'007) + '\n';
    for (const std::string by : {"--text", "--indices"}) {
        Words words = {"topk", "-k", "70", "--text", "--type", "u32", "-", "-"};
        if (by != "--text") words.push_back(by);
        const std::string selected = scene.run(words, text).out;
        CHECK(selected.starts_with(by == "--text" ? "10006\n10006\n10005\n" : ""));
        CHECK(std::ranges::count(selected, '\n') == 70);
        words.push_back("--data-independent");
        CHECK(scene.run(words, text).out == selected);
    }
}

TEST_CASE("topk writes ten unless told otherwise") {
    const Scene scene;
    std::string text, last;
    for (int i = 0; i < 30; ++i) text += std::to_string(i) + "\n";
    for (int i = 29; i > 19; --i) last += std::to_string(i) + "\n";
    CHECK(scene.run({"topk", "--text"}, text).out == last);
    CHECK(scene.run({"topk", "--text", "-n", "1", "-r"}, text).out == "0\n");
}

TEST_CASE("topk refuses what cannot be") {
    const Scene scene;
    for (const std::string k : {"x", "-1", "1.5", "99999999999999999999"}) {
        CAPTURE(k);
        const Result result = scene.run({"topk", "-k", k, "--type", "u32", "-", "-"});
        CHECK(result.status == 2);
        CHECK(contains(result.err, "is not a count"));
    }
    const Result shaped = scene.run({"topk", "-k", "1", "--lanes", "1", "--type", "u32", "-", "-"});
    CHECK(shaped.status == 2);
    CHECK(contains(shaped.err, "--lanes"));
    CHECK(scene.run({"topk", "-k", "1", "--indices", "--by-column", "1", "-", "-"}).status == 2);
    const std::string help = scene.run({"topk", "--help"}).out;
    CHECK(contains(help, "Example"));
    CHECK(contains(help, "desc (as if not given) or asc"));
}

}  // namespace
}  // namespace lanesort::test
