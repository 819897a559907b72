// SPDX-License-Identifier: MIT
// lanesort argsort: the indices of raw numbers, of text and of the records of a table.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

/// With few values, so that many keys are equal.
template <std::unsigned_integral Index, Key T>
void check_argsort(const Scene& scene, const Words& options, Random& random) {
    const std::vector<T> keys = drawn_from(special_values<T>(), 3001, random);
    const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
    for (const Order order : both_orders) {
        Words words = {"argsort",
                       "--order",
                       order == Order::ascending ? "asc" : "desc",
                       "--type",
                       std::string(name(key_type_v<T>)),
                       in,
                       out};
        words.insert(words.end(), options.begin(), options.end());
        const Result result = scene.run(words);
        REQUIRE_MESSAGE(result.status == 0, result.err);
        CHECK(result.out.empty());
        CHECK(result.err.empty());
        require_same_bytes(numbers_in<Index>(read_file(out)), stable_indices<Index>(keys, order));
        CHECK(read_file(in) == bytes_of(keys));
    }
}

TEST_CASE("argsort gives the indices that std::stable_sort gives, and leaves IN alone") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    check_argsort<std::uint32_t, double>(scene, {}, random);
    check_argsort<std::uint32_t, std::int64_t>(scene, {"--index-bytes", "4"}, random);
    check_argsort<std::uint64_t, float>(scene, {"--index-bytes", "8"}, random);
    CHECK(scene.files() == 2);
}

TEST_CASE("indices as text") {
    if (no_device()) return;
    const Scene scene;
    const Words words = {"argsort", "--text", "--type", "f64", "-", "-"};
    CHECK(scene.run(words, "2.5\nnan\n-1\n2.5\n").out == "2\n0\n3\n1\n");
    CHECK(scene.run(words, "5\n").out == "0\n");
    CHECK(scene.run(words, "").out.empty());
    require_refused(scene.run(words, "1\nx\n"), "standard input, line 2 is no number of type f64: \"x\"");
}

TEST_CASE("IN and OUT may be the same file; none and one number") {
    if (no_device()) return;
    const Scene scene;
    const std::string file = scene.file("file", bytes_of(std::vector<double>{3, 1, 2}));
    CHECK(scene.run({"argsort", "--type", "f64", file, file}).status == 0);
    CHECK(numbers_in<std::uint32_t>(read_file(file)) == std::vector<std::uint32_t>{1, 2, 0});
    for (const std::string bytes : {"", "12345678"}) {
        scene.file("file", bytes);
        CHECK(scene.run({"argsort", "--type", "f64", "--index-bytes", "8", "--stats", file, file}).status == 0);
        CHECK(read_file(file) == std::string(bytes.size(), '\0'));
    }
    require_refused(scene.run({"argsort", "--type", "f64", "-", file}, "123"), "standard input has 3 bytes");
}

TEST_CASE("records of a table are counted from 0, without the header") {
    if (no_device()) return;
    const Scene scene;
    const auto argsort = [&](const Words& options, std::string_view table) {
        Words words = {"argsort", "-", "-"};
        words.insert(words.end(), options.begin(), options.end());
        return scene.run(words, table);
    };
    const std::string table = "name,price\n\"a\n,1\",3\nb,\nc,1\nd,3\ne,\"\"\n";
    CHECK(argsort({"--by-column", "price", "--text"}, table).out == "2\n0\n3\n1\n4\n");
    const Result descending = argsort({"--by-column", "price", "--order", "desc"}, table);
    CHECK(numbers_in<std::uint32_t>(descending.out) == std::vector<std::uint32_t>{0, 3, 2, 1, 4});
    require_refused(argsort({"--by-column", "price", "--missing-as", "error"}, table),
                    "standard input, line 4, column 2 (\"price\") is empty");

    // One key needs no sort, so none is compiled for it.
    const Result wide = argsort({"--by-column", "1", "--index-bytes", "8"}, "\n\n5\n\n");
    CHECK(numbers_in<std::uint64_t>(wide.out) == std::vector<std::uint64_t>{2, 0, 1, 3});
    CHECK(argsort({"--by-column", "1"}, "").out.empty());
    CHECK(argsort({"--by-column", "a", "--text"}, "a\n").out.empty());
}

}  // namespace
}  // namespace lanesort::test
