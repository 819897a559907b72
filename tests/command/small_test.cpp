// SPDX-License-Identifier: MIT
// Small inputs, which are sorted without a device: the same bytes as on one. And what a terminal shows meanwhile.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;

constexpr std::size_t most_without_device = std::size_t{1} << 20;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// Both from standard input to standard output.
void require_same_on_device(const Scene& scene, const Words& words, const std::string& input) {
    const Words streams = with(words, {"-", "-"});
    const Result small = scene.run(streams, input), on_device = scene.run(with(streams, {"--device", "0"}), input);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    INFO(line << "of " << input.size() << " bytes: " << small.err << on_device.err);
    REQUIRE(input.size() <= most_without_device);
    CHECK(small.status == 0);
    CHECK(on_device.status == 0);
    CHECK(small.out == on_device.out);
}

/// All special values and some random ones, each three times.
template <class T>
std::vector<T> keys_with_ties(Random& random) {
    std::vector<T> keys = special_values<T>();
    const std::vector<T> more = random_keys<T>(300, random);
    keys.insert(keys.end(), more.begin(), more.end());
    const std::vector<T> once = keys;
    for (int i = 0; i < 2; ++i) keys.insert(keys.end(), once.begin(), once.end());
    std::ranges::shuffle(keys, random);
    return keys;
}

TEST_CASE("small inputs: the bytes of a device, for every type") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for_each_key_type([&]<class T>() {
        const std::string keys = bytes_of(keys_with_ties<T>(random));
        for (const std::string order : {"asc", "desc"}) {
            const Words how = {"--raw", "--type", std::string(name(key_type_v<T>)), "--order", order};
            require_same_on_device(scene, with({"sort"}, how), keys);
            require_same_on_device(scene, with({"argsort"}, how), keys);
            require_same_on_device(scene, with({"topk", "-k", "20"}, how), keys);
            require_same_on_device(scene, with({"topk", "-k", "20", "--indices"}, how), keys);
            require_same_on_device(scene, with({"group"}, how), keys);
        }
    });
}

TEST_CASE("small inputs: the bytes of a device, for every count of keys and indices") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 100u, 4099u}) {
        const std::string keys = bytes_of(random_keys<std::uint32_t>(count, random));
        require_same_on_device(scene, {"sort", "--type", "u32"}, keys);
        require_same_on_device(scene, {"argsort", "--type", "u32", "--index-bytes", "8"}, keys);
        for (const std::string k : {"0", "1", "5000"})
            require_same_on_device(scene, {"topk", "--type", "u32", "--indices", "--index-bytes", "8", "-k", k}, keys);
    }
}

TEST_CASE("small inputs: the bytes of a device, for rows of .npy files") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto check = [&](const std::string& descr, const std::string& shape, const std::string& bytes) {
        std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
        header.resize(117, ' ');
        const std::string npy = "\x93NUMPY\x01\x00\x76\x00"s + header + '\n' + bytes;
        for (const std::string order : {"asc", "desc"}) {
            require_same_on_device(scene, {"sort", "--order", order}, npy);
            require_same_on_device(scene, {"argsort", "--order", order}, npy);
            require_same_on_device(scene, {"topk", "-k", "5", "--order", order}, npy);
            require_same_on_device(scene, {"topk", "-k", "5", "--indices", "--order", order}, npy);
        }
    };
    check("<f4", "(3, 4, 40)", bytes_of(make_keys<float>(Pattern::special_values, 480, random)));
    check("<i2", "(200, 3)", bytes_of(make_keys<std::int16_t>(Pattern::few_values, 600, random)));
    check("<u8", "(1, 300)", bytes_of(random_keys<std::uint64_t>(300, random)));
    check("<u8", "(0, 3)", "");
    check("<u8", "(3, 0)", "");
}

TEST_CASE("small inputs: the bytes of a device, for text and tables") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    std::string integers, decimals = "\xef\xbb\xbfnan\n-nan\n-inf\n", table = "name,key\n";
    for (int i = 0; i < 300; ++i) {
        const auto number = static_cast<int>(random() % 100) - 50;
        integers += std::to_string(number) + '\n';
        decimals += number == 0 ? "-0\n0\n0.0\n" : std::to_string(0.25 * number) + '\n';
        table += "\"line " + std::to_string(i) + "\"," + (number % 7 == 0 ? "" : std::to_string(number)) + '\n';
    }
    const Words by_key = {"--by-column", "key"};
    for (const std::string order : {"asc", "desc"}) {
        for (const std::string& text : {integers, decimals, ""s}) {
            require_same_on_device(scene, {"sort", "--text", "--order", order}, text);
            require_same_on_device(scene, {"argsort", "--text", "--order", order}, text);
            require_same_on_device(scene, {"topk", "--text", "-k", "50", "--order", order}, text);
            require_same_on_device(scene, {"group", "--text", "--order", order}, text);
            require_same_on_device(scene, {"group", "--by-column", "1", "--reduce", "mean:1", "--order", order}, text);
        }
        for (const std::string& lines : {table, "name,key\n"s, "name,key\na,\nb,\n"s}) {
            require_same_on_device(scene, with({"sort", "--order", order}, by_key), lines);
            require_same_on_device(scene, with({"argsort", "--order", order}, by_key), lines);
            for (const std::string k : {"20", "290"})
                require_same_on_device(scene, with({"topk", "-k", k, "--order", order}, by_key), lines);
            for (const std::string what : {"count", "sum", "min", "max", "mean"})
                require_same_on_device(scene, {"group", "--by-column", "name:text", "--reduce", what + ":key"}, lines);
        }
    }
}

TEST_CASE("small inputs need no device, unless it is asked for") {
    const Scene scene;
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (scene.run({"devices", "--format", "json"}).out != "[]\n") return;  // not every loader knows the variable
    const std::string in = scene.file("in", "zyxa"), out = scene.path("out");
    const Words sort = {"sort", "--type", "u8", in, out};
    CHECK(scene.run(sort).status == 0);
    CHECK(read_file(out) == "axyz");
    CHECK(scene.run({"argsort", "--by-column", "1", "--text", "-", "-"}, "7\n9\n8\n").out == "0\n2\n1\n");
    CHECK(scene.run({"topk", "-k", "2", "--text", "-", "-"}, "7\n9\n8\n").out == "9\n8\n");
    fs::remove(out);
    for (const Words& asking : {Words{"--device", "0"}, {"--stats"}, {"--work-items", "64"}})
        require_refused(scene.run(with(sort, asking)), "no platform is installed", 1);

    const std::string most(most_without_device, 'x'), more = most + 'x';
    CHECK(scene.run({"sort", "--type", "u8", "-", "-"}, most).out == most);
    require_refused(scene.run({"sort", "--type", "u8", "-", out}, more), "no platform is installed", 1);
    require_refused(scene.run({"sort", "--type", "u8", scene.file("more", more), out}), "no platform is installed", 1);
    CHECK(!fs::exists(out));
}

/// What the command says where standard error is a terminal; nothing where none can be had.
std::optional<std::string> shown_by(const Words& words) {
    const int screen = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) return std::nullopt;
    CHECK(wait_for(start(words, "/dev/null", "/dev/null", ptsname(screen))) == 0);
    std::string shown;
    char some[4096];
    // What was written stays to be read when nobody writes any more; then comes an error.
    for (ssize_t got = 0; (got = read(screen, some, sizeof some)) > 0;)
        shown.append(some, static_cast<std::size_t>(got));
    close(screen);
    return shown;
}

TEST_CASE("a terminal shows when kernels are compiled, and nothing of it stays") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyxa"), out = scene.path("out");
    const std::optional<std::string> without_device = shown_by({"sort", "--type", "u8", in, out});
    if (!without_device) {
        MESSAGE("skipped: no terminal can be had");
        return;
    }
    CHECK(without_device->empty());
    for (const Words& words : {Words{"sort", "--type", "u8", "--device", "0", in, out},
                               {"argsort", "--type", "u8", "--device", "0", in, out},
                               {"topk", "-k", "2", "--type", "u8", "--device", "0", in, out},
                               {"stats", "--count", "100", "--measure"},
                               {"doctor"}}) {
        CAPTURE(words.front());
        const std::string shown = shown_by(words).value();
        CHECK(shown.starts_with("compiling (once per machine and kind of key)"));
        CHECK(shown.ends_with("\r\033[K"));
        CHECK(!contains(shown, "\n"));
        CHECK(scene.run(words).err.empty());
    }
}

}  // namespace
}  // namespace lanesort::test
