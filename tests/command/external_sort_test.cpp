// SPDX-License-Identifier: MIT
// lanesort sort --memory: the same bytes as without, in little memory, and what happens where that cannot be.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "command_support.hpp"
#include "pipe.hpp"

namespace lanesort::test {
namespace {

constexpr std::size_t mebi = 1 << 20;

/// Bytes of numbers of any kind, NaNs counted in.
std::string random_bytes(std::size_t bytes) {
    Random random(seed() + bytes);
    std::vector<std::uint64_t> words(bytes / 8);
    for (std::uint64_t& word : words) word = random();
    return bytes_of(words);
}

template <class T>
std::string npy_of(const std::string& descr, const std::string& shape, const std::vector<T>& numbers) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    text.append(63 - (10 + text.size()) % 64, ' ') += '\n';
    const std::string length = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
    return std::string("\x93NUMPY\1\0", 8) + length + text + bytes_of(numbers);
}

/// Runs the command with and without a limit; gives what it says of the first.
std::string require_same(const Scene& scene, Words words, const std::string& in, const std::string& limit = "4M") {
    words.insert(words.begin(), {"sort", "--device", "built-in"});
    Words limited = words;
    limited.insert(limited.end(), {"--memory", limit, "--stats", in, scene.path("limited")});
    words.insert(words.end(), {in, scene.path("whole")});
    const Result whole = scene.run(words), within = scene.run(limited);
    INFO(whole.err, within.err);
    REQUIRE(whole.status == 0);
    REQUIRE(within.status == 0);
    CHECK(read_file(scene.path("limited")) == read_file(scene.path("whole")));
    return within.err;
}

/// With this a run of a table of 4 to 5 MB is sorted while the next one is read, which 4M are too little for.
constexpr const char* reads_ahead = "6M";

/// The number that --stats has behind this title.
std::uint64_t stat(const std::string& stats, const std::string& title) {
    const std::size_t line = stats.find("\n" + title + " ");
    REQUIRE_MESSAGE(line != std::string::npos, stats);
    const std::size_t digits = stats.find_first_of("0123456789", line + title.size() + 1);
    return std::stoull(stats.substr(digits));
}

/// The temporary bytes that were stated beforehand.
std::uint64_t stated(const std::string& stats) {
    constexpr std::string_view words = "takes up to ";
    const std::size_t at = stats.find(words);
    REQUIRE_MESSAGE(at != std::string::npos, stats);
    return std::stoull(stats.substr(at + words.size()));
}

TEST_CASE("--memory: raw numbers of every type and order") {
    const Scene scene;
    const std::string in = scene.file("in", random_bytes(5 * mebi));
    for_each_key_type([&]<class T>() {
        for (const char* const order : {"asc", "desc"}) {
            CAPTURE(order);
            const std::string type(name(key_type_v<T>));
            const std::string stats = require_same(scene, {"--type", type, "--order", order}, in);
            CHECK(stat(stats, "runs") == 3);
            CHECK(stat(stats, "merge passes") == 1);
        }
    });
}

TEST_CASE("--memory: several passes, as the standard library sorts") {
    const Scene scene;
    std::vector<std::uint32_t> numbers = numbers_in<std::uint32_t>(random_bytes(40 * mebi));
    const std::string in = scene.file("in", bytes_of(numbers)), out = scene.path("out");
    const Result result = scene.run({"sort", "--type", "u32", "-S", "4M", "--stats", in, out});
    REQUIRE_MESSAGE(result.status == 0, result.err);
    CHECK(stat(result.err, "merge passes") == 2);
    CHECK(stat(result.err, "temporary bytes") == stated(result.err));
    CHECK(stat(result.err, "keys") == numbers.size());
    std::ranges::sort(numbers);
    CHECK(read_file(out) == bytes_of(numbers));
    CHECK(scene.files() == 2);
}

TEST_CASE("--memory: equal numbers across runs, kept once and counted") {
    const Scene scene;
    const std::string in = scene.file("in", random_bytes(4 * mebi));
    require_same(scene, {"--type", "u16", "--unique"}, in);
    require_same(scene, {"--type", "u8", "--unique", "--reverse"}, in);
    std::string lines;
    Random random(seed());
    for (int i = 0; i < 600000; ++i) lines += std::to_string(random() % 1000) + "\n";
    const std::string text = scene.file("text", lines);
    CHECK(stat(require_same(scene, {"--text", "--count"}, text), "runs") > 1);
    require_same(scene, {"--text", "--unique", "--type", "i16"}, text);
    require_same(scene, {"--text", "--count"}, scene.file("empty", ""));
    // All halves: NaNs are equal, also where they come in several blocks.
    const std::string halves = scene.file("halves", random_bytes(8 * mebi));
    for (const char* const order : {"asc", "desc"}) {
        require_same(scene, {"--type", "f16", "--unique", "--order", order}, halves);
        const std::vector<std::uint16_t> distinct = numbers_in<std::uint16_t>(read_file(scene.path("whole")));
        CHECK(std::ranges::count_if(distinct, [](std::uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }) == 1);
    }
}

TEST_CASE("--memory: text whose type is found late") {
    const Scene scene;
    std::string integers;
    for (int i = 0; i < 200000; ++i) integers += "-0\r\n0\n-3\n+7\n";
    for (const char* const order : {"asc", "desc"}) {
        CAPTURE(order);
        const std::string floats = scene.file("floats", "\xef\xbb\xbf" + integers + "1.5\nnan\n-0\n");
        const std::string stats = require_same(scene, {"--text", "--order", order}, floats);
        CHECK(stat(stats, "runs") > 4);
        CHECK(stat(stats, "temporary bytes") <= stated(stats));
        require_same(scene, {"--text", "--order", order}, scene.file("i64", integers + "-9223372036854775808"));
    }
    std::string positive;
    for (int i = 0; i < 500000; ++i) positive += std::to_string(i) + "\n";
    require_same(scene, {"--text"}, scene.file("u64", positive + "18446744073709551615\n" + positive));
    const auto refused = [&](const std::string& lines, const std::string& part) {
        const std::string in = scene.file("refused", lines);
        require_refused(scene.run({"sort", "--text", "-S", "4M", in, scene.path("none")}), part);
        CHECK(!fs::exists(scene.path("none")));
    };
    refused(positive + "x\n", "refused, line 500001 is no number: ");
    require_same(scene, {"--text"}, scene.file("wide", "-1\n" + positive + "18446744073709551615\n"));
    require_same(scene, {"--text", "--count"},
                 scene.file("late", "9007199254740993\n" + positive + positive + "1.5\n"));
}

TEST_CASE("--memory: .npy files, their rows, and standard input") {
    const Scene scene;
    const auto words = numbers_in<std::int32_t>(random_bytes(6 * mebi));
    const std::size_t count = words.size();
    const auto npy_file = [&](const std::string& name, const std::string& descr, const std::string& shape) {
        return scene.file(name, npy_of(descr, shape, words));
    };
    const std::string flat = npy_file("flat", "<i4", fmt::format("({},)", count)), npy = read_file(flat);
    CHECK(stat(require_same(scene, {}, flat), "runs") == 4);
    require_same(scene, {"--reverse"}, npy_file("long", "<i4", fmt::format("(2, {})", count / 2)));
    require_same(scene, {}, npy_file("short", "<i4", fmt::format("({}, 8, 8)", count / 64)));
    require_same(scene, {}, scene.file("none", npy_of("<i4", "(5, 0)", std::vector<std::int32_t>())));
    const std::string few = npy_file("few", "|u1", fmt::format("({},)", 4 * count));
    require_same(scene, {"--unique"}, few);

    const Result piped = scene.run({"sort", "-S", "4M"}, npy);
    CHECK(piped.status == 0);
    scene.run({"sort", flat, scene.path("whole")});
    CHECK(piped.out == read_file(scene.path("whole")));
    require_refused(scene.run({"sort", "-S", "4M", "-", scene.path("out")}, npy.substr(0, npy.size() - 4)),
                    "its header says shape");
}

TEST_CASE("sort: standard input of which others have read the first bytes") {
    const Scene scene;
    const std::string bytes = random_bytes(6 * mebi);
    constexpr std::size_t before = 1'000'004;
    const std::string all = scene.file("all", bytes), rest = scene.file("rest", bytes.substr(before)),
                      out = scene.path("out"), expected = scene.path("expected");
    REQUIRE(scene.run({"sort", "--type", "u32", rest, expected}).status == 0);
    for (Words words : {Words{"sort", "--type", "u32"}, Words{"sort", "--type", "u32", "-S", "4M"}}) {
        words.insert(words.end(), {"-", out});
        const pid_t process =
            start(words, all, "/dev/null", scene.err(), [] { ::lseek(STDIN_FILENO, before, SEEK_SET); });
        CHECK_MESSAGE(wait_for(process) == 0, read_file(scene.err()));
        CHECK(read_file(out) == read_file(expected));
    }
}

/// A table of records with quoted line ends, missing keys and many equal ones.
std::string some_table(std::size_t records, const std::string& line_end) {
    Random random(seed());
    const auto word = [&] {
        std::string letters;
        for (std::uint64_t i = random() % 12; i > 0; --i) letters += static_cast<char>('a' + random() % 5);
        return letters;
    };
    std::string table = "\xef\xbb\xbf" + std::string("id,price,name,note") + line_end;
    for (std::size_t i = 0; i < records; ++i) {
        std::string price = std::to_string(static_cast<int>(random() % 200) - 50);
        if (random() % 8 == 0) price = random() % 2 == 0 ? "NA" : "";
        if (random() % 8 == 0) price = "-0";
        constexpr const char* decimals[] = {"1.5", "nan", "-NaN"};
        if (i > records / 2 && random() % 8 == 0) price = decimals[random() % std::size(decimals)];
        std::string name = word();
        if (random() % 3 == 0) name = fmt::format("\"{}\"\",\"\"{}{}\"", name, random() % 4 == 0 ? "\r\n" : "", word());
        table += fmt::format("{},{},{},{}{}", i, price, name, word(), i + 1 < records ? line_end : "");
    }
    return table;
}

TEST_CASE("--memory: tables, whole lines by their keys") {
    const Scene scene;
    const std::string table = scene.file("table.csv", some_table(150000, "\n"));
    const std::string stats = require_same(scene, {"--by-column", "price"}, table);
    CHECK(stat(stats, "runs") > 2);
    CHECK(stat(stats, "merge passes") == 1);
    CHECK(stat(stats, "temporary bytes") <= stated(stats));
    // Runs are as large as was said, but for the last one, and lines that are a little longer or shorter.
    constexpr std::string_view runs_of = "runs of ";
    const std::uint64_t run = std::stoull(stats.substr(stats.find(runs_of) + runs_of.size()));
    CHECK(run * (stat(stats, "runs") - 1) <= stat(stats, "temporary bytes") * 5 / 4);
    CHECK(run * stat(stats, "runs") >= stat(stats, "temporary bytes") * 4 / 5);
    // More memory, but runs that are half as long as it allows.
    CHECK(stat(require_same(scene, {"--by-column", "price"}, table, reads_ahead), "runs") == stat(stats, "runs"));
    for (const Words& columns :
         std::initializer_list<Words>{{"--by-column", "name:text", "--by-column", "price:desc"},
                                      {"--by-column", "price:desc", "--by-column", "note:text:desc"},
                                      {"--missing-as", "nan", "--by-column", "2", "--header"},
                                      {"--by-column", "note:text", "--missing", "a,b"}})
        for (const char* const flag : {"", "--reverse", "--unique", "--count"}) {
            Words words = columns;
            if (*flag != 0) words.push_back(flag);
            CAPTURE(flag);
            for (const char* const limit : {"4M", reads_ahead}) require_same(scene, words, table, limit);
        }
    require_same(scene, {"--by-column", "price", "--reverse"}, scene.file("dos.csv", some_table(120000, "\r\n")));
    Words five = {"--by-column", "name:text"};
    for (const char* const column : {"price", "id:desc", "note:text", "name:text"})
        five.insert(five.end(), {"--by-column", column});
    require_same(scene, five, table);
    require_same(scene, five, table, reads_ahead);
}

TEST_CASE("--memory: tables in several passes, without a header, whose type is found late") {
    const Scene scene;
    Random random(seed());
    std::string lines;
    for (int i = 0; i < 600000; ++i) lines += fmt::format("{}\t{}{}\n", random() % 1000, i % 1000 == 0 ? "\"" : "", i);
    for (const Words& words :
         std::initializer_list<Words>{{"--by-column", "1"}, {"--by-column", "1", "--type", "i32"}}) {
        const std::string stats = require_same(scene, words, scene.file("in.tsv", lines + "7\tlast"));
        CHECK(stat(stats, "merge passes") > 1);
        CHECK(stat(stats, "temporary bytes") <= stated(stats));
        CHECK(stat(stats, "keys") == 600001);
        require_same(scene, words, scene.file("in.tsv", lines + "1000\tlast"));
    }
    std::string zeros;
    for (int i = 0; i < 60000; ++i) zeros += fmt::format("0,{}\n-0,{}\n5,\n-3,\n", i, i);
    for (const char* const order : {"asc", "desc"})
        require_same(scene, {"--by-column", "1", "--order", order}, scene.file("zeros", zeros + "0.5,"));
}

TEST_CASE("--memory: what is wrong with a table is told in the same words") {
    const Scene scene;
    std::string lines = "key,note\n";
    for (int i = 0; i < 200000; ++i) lines += fmt::format("{},\"a\nb\"\n", i);
    const auto same_refusal = [&](const std::string& name, const std::string& text, const std::string& column) {
        const std::string in = scene.file(name, text), out = scene.path("out");
        const Result whole = scene.run({"sort", "--by-column", column, in, out});
        require_refused(whole, name);
        for (const char* const limit : {"4M", reads_ahead})
            CHECK(scene.run({"sort", "--by-column", column, "-S", limit, in, out}).err == whole.err);
        CHECK(!fs::exists(out));
    };
    same_refusal("no_number", lines + "x,\n" + lines, "key");
    same_refusal("open_quote", lines + "1,\"x", "key");
    same_refusal("behind_quote", lines + "1,\"x\"y\n" + lines, "key");
    same_refusal("stray_quote", lines + "1,\"odd\n" + lines, "key");
    for (const std::string& table : {"key\n9007199254740993\n" + lines.substr(9) + "1.5\n9007199254740992.5\n",
                                     lines + "1.5\n" + lines.substr(9) + "9007199254740993\n9007199254740992\n",
                                     lines + "-1,\n" + lines.substr(9) + "18446744073709551615,\n18446744073709551614"})
        require_same(scene, {"--by-column", "key"}, scene.file("digits", table));
    same_refusal("short", lines.substr(9), "3");
    same_refusal("no_such", lines, "other");
    const std::string in = scene.file("long", lines + "1," + std::string(8 * mebi, 'x') + "\n");
    require_refused(scene.run({"sort", "--by-column", "key", "-S", "4M", in, scene.path("out")}),
                    "long, line 400002 begins a record that does not fit into memory with what --memory says\n");
    const std::string quoted = scene.file("quoted", lines + "1,\"\n\",\"" + std::string(8 * mebi, 'x') + "\n");
    require_refused(scene.run({"sort", "--by-column", "key", "-S", "4M", quoted, scene.path("out")}),
                    "quoted, line 400003 begins a quoted field that does not end within memory with what --memory "
                    "says (with --no-quotes a quote is a character like any other)\n");
    const std::string wide = "1," + std::string(300 << 10, 'x') + "\n", many = lines.substr(9);
    const std::string few = scene.file("few", "2,\n" + wide + many.substr(0, many.find("\n50000,") + 1));
    require_same(scene, {"--by-column", "1"}, few);
    // Of a buffer of 256 KiB each of two pieces has a half.
    for (const std::size_t length : {300 << 10, 200 << 10, 128 << 10}) {
        const std::string line = "1," + std::string(length, 'x') + "\n";
        const std::string in_runs = scene.file("wide", "2,\n" + line + many + many + many + many);
        require_refused(scene.run({"sort", "--by-column", "1", "-S", "4M", in_runs, scene.path("out")}),
                        fmt::format("wide, line 2 begins a record of {} bytes, which does not fit into memory with "
                                    "what --memory says\n",
                                    line.size()));
    }
    // Nor is it too long where memory has room for it, however long the usual buffers are.
    std::string long_lines = "7," + std::string(2200 << 10, 'y') + "\n";
    for (int i = 0; i < 12000; ++i) long_lines += fmt::format("{},{}\n", i * 7919 % 12000, std::string(1000, 'z'));
    const std::string with_long = scene.file("with_long", long_lines);
    const std::string whole = scene.path("whole"), in_parts = scene.path("in_parts");
    REQUIRE(scene.run({"sort", "--by-column", "1", with_long, whole}).status == 0);
    REQUIRE(scene.run({"sort", "--by-column", "1", "-S", "24M", with_long, in_parts}).status == 0);
    CHECK((read_file(whole) == read_file(in_parts)));
    // A header comes with each piece.
    const std::string header = "key," + std::string(70 << 10, 'h') + "\n", line = "1," + std::string(71 << 10, 'x');
    const std::string with_header = header + many + many + many + many;
    require_same(scene, {"--by-column", "key"}, scene.file("header", with_header));
    require_refused(scene.run({"sort", "--by-column", "key", "-S", "4M",
                               scene.file("header", with_header + line + "\n"), scene.path("out")}),
                    "header, line 1600002 begins a record of 72707 bytes, which does not fit into memory with what "
                    "--memory says\n");
    require_refused(scene.run({"sort", "--by-column", "key", "-S", "4M",
                               scene.file("header", "key," + std::string(128 << 10, 'h') + "\n" +
                                                        with_header.substr(header.size())),
                               scene.path("out")}),
                    "header has a header of 131077 bytes, which does not fit into memory with what --memory says\n");
    const std::string shorter = "1," + std::string(127 << 10, 'x') + "\n";
    require_same(scene, {"--by-column", "1"}, scene.file("shorter", "2,\n" + shorter + many + many + many + many));
}

TEST_CASE("--memory: options that it cannot be with, a limit that is too small, a folder that is not there") {
    const Scene scene;
    const std::string in = scene.file("in", random_bytes(5 * mebi)), out = scene.file("out", "before");
    const auto refused = [&](Words words, const std::string& part) {
        words.insert(words.begin(), {"sort", "--type", "u32", in, out});
        require_refused(scene.run(words), part);
    };
    refused({"--memory", "1M"}, "--memory says 1048576 bytes, but a sort takes 4194304 at least\n");
    refused({"--memory", "much"}, "is not a size like ");
    refused({"--memory", "4M", "-T", scene.path("none")},
            "cannot make a temporary file in " + scene.path("none") + ": No such file");
    refused({"--memory", "4M", "--schedule", "columns"}, "cannot be used with");
    refused({"-T", "."}, "is only for use with ");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

/// The command, stopped as soon as it has read some of its standard input, which is that file.
pid_t stop_while_reading(const Scene& scene, const Words& words, const std::string& in) {
    const pid_t process = start(words, in, "/dev/null", scene.err());
    const auto position = [&] {
        std::ifstream info("/proc/" + std::to_string(process) + "/fdinfo/0");
        std::string word;
        std::uint64_t at = 0;
        info >> word >> at;
        return at;
    };
    while (position() < 3 * mebi && kill(process, 0) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    kill(process, SIGSTOP);
    int status = 0;
    REQUIRE(waitpid(process, &status, WUNTRACED) == process);
    REQUIRE_MESSAGE(WIFSTOPPED(status), "it ended before it was stopped");
    return process;
}

TEST_CASE("--memory: a file that grows, shrinks or is written to meanwhile") {
    const Scene scene;
    const std::string out = scene.file("out", "before");
    std::string bytes = random_bytes(64 * mebi);
    const auto refused = [&](const Words& words, const auto& change) {
        const std::string in = scene.file("in", bytes);
        const pid_t process = stop_while_reading(scene, words, in);
        change(in);
        kill(process, SIGCONT);
        CHECK(wait_for(process) == 2);
        CHECK(contains(read_file(scene.err()), "standard input was written to while it was read: of 67108864 bytes "));
        CHECK(read_file(out) == "before");
        CHECK(scene.files() == 2);
    };
    const Words words = {"sort", "--device", "built-in", "--type", "u32", "-S", "4M", "-", out};
    refused(words, [&](const std::string& in) { fs::resize_file(in, bytes.size() + 8); });
    refused(words, [&](const std::string& in) { fs::resize_file(in, bytes.size() - 8); });
    refused(words, [&](const std::string& in) { fs::resize_file(in, 0); });
    refused(words, [&](const std::string& in) { std::fstream(in) << "other"; });

    // What a table has then is no table.
    for (std::size_t at = 15; at < bytes.size(); at += 16) bytes.replace(at - 15, 16, "1234567,abcdefg\n");
    for (const char* const column : {"1", "2:text"})
        refused({"sort", "--device", "built-in", "--by-column", column, "-S", "4M", "-", out},
                [&](const std::string& in) {
                    fs::resize_file(in, 0);
                    fs::resize_file(in, bytes.size());
                });
}

TEST_CASE("sort: a file that is written to while it is read, all of which fits into memory") {
    const Scene scene;
    const std::string out = scene.file("out", "before");
    for (const bool is_table : {false, true}) {
        std::string text;
        while (text.size() < 64 * mebi) text += is_table ? "1234567,abcdefg\n" : "123456789012345\n";
        const std::string in = scene.file("in", text);
        Words words = {"sort", "--device", "built-in", "--text", "-", out};
        if (is_table) words[3] = "--by-column=1";
        const pid_t process = stop_while_reading(scene, words, in);
        std::fstream(in) << "other";
        kill(process, SIGCONT);
        CHECK(wait_for(process) == 2);
        CHECK(contains(read_file(scene.err()), "standard input was written to while it was read: of 67108864 bytes "));
        CHECK(read_file(out) == "before");
    }
}

TEST_CASE("--memory: no space for temporary files") {
    const Scene scene;
    const std::string bytes = random_bytes(24 * mebi), in = scene.file("in", bytes), out = scene.file("out", "before");
    const Words words = {"sort", "--device", "built-in", "--type", "u32", "-S", "4M", in, out};
    const auto check = [&](pid_t process, const std::string& part) {
        const int status = wait_for(process);
        if (status == 125) {
            MESSAGE("skipped: nothing can be mounted here");
            return;
        }
        CHECK(status == 1);
        CAPTURE(read_file(scene.err()));
        CHECK(contains(read_file(scene.err()), part));
        CHECK(read_file(in) == bytes);
        CHECK(read_file(out) == "before");
    };
    check(start(words, "/dev/null", "/dev/null", scene.err(),
                [] {
                    const rlimit less{8 * mebi, 8 * mebi};
                    if (setrlimit(RLIMIT_FSIZE, &less) != 0) _exit(126);
                }),
          "cannot write a temporary file in " + scene.folder().string() + ": File too large\n");
    CHECK(scene.files() == 2);

    static std::string small;
    small = scene.path("small");
    fs::create_directory(small);
    Words to_small = words;
    to_small.insert(to_small.end(), {"-T", small});
    check(start(to_small, "/dev/null", "/dev/null", scene.err(),
                [] {
                    const int own = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
                    if (unshare(own) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                        mount("tmpfs", small.c_str(), "tmpfs", 0, "size=8M") != 0)
                        _exit(125);
                }),
          " take up to 50331648 more bytes, but 8388608 are left there; --temporary-directory names another folder\n");
}

TEST_CASE("--memory: an OUT that is full, whichever thread writes it") {
    const Scene scene;
    const std::string raw = scene.file("raw", random_bytes(8 * mebi)), out = "cannot write /dev/full: No space left";
    std::string lines;
    for (int i = 0; i < 600000; ++i) lines += std::to_string(i) + "\n";
    const std::string text = scene.file("text", lines);
    const Words within = {"sort", "--device", "built-in", "-S", "4M"};
    for (Words words : {Words{"--type", "u64", raw}, {"--text", text}, {"--by-column", "1", text}}) {
        CAPTURE(words.front());
        words.insert(words.begin(), within.begin(), within.end());
        words.push_back("/dev/full");
        require_refused(scene.run(words), out, 1);
    }
}

TEST_CASE("--memory: where no thread may be started, one does all") {
    const Scene scene;
    fs::permissions(scene.folder(), fs::perms::all);
    const std::string bytes = random_bytes(8 * mebi);
    std::vector<std::uint64_t> sorted = numbers_in<std::uint64_t>(bytes);
    std::ranges::sort(sorted);
    std::string lines;
    for (const std::uint64_t number : sorted) lines += std::to_string(number) + "\n";
    const std::string in = scene.file("in", bytes), text = scene.file("text", lines), out = scene.path("out");
    const auto check = [&](const Words& words, const std::string& from, const std::string& expected) {
        CAPTURE(words.front());
        Words all = {"sort", "--device", "built-in", "-T", scene.folder().string(), "-S", reads_ahead};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"-", "-"});
        fs::remove(out);
        const int status = wait_for(start(all, from, out, scene.err(), [] {
            // Threads are processes to the kernel, which counts those of every user but root.
            constexpr uid_t nobody_else = 54321;
            const rlimit one{1, 1};
            if (setrlimit(RLIMIT_NPROC, &one) != 0 || setuid(nobody_else) != 0) _exit(125);
        }));
        if (status == 125 || status == 127) {
            MESSAGE("skipped: only root can be somebody else, who must be able to run the command");
            return;
        }
        CAPTURE(read_file(scene.err()));
        CHECK(status == 0);
        CHECK(read_file(out) == expected);
    };
    check({"--type", "u64"}, in, bytes_of(sorted));
    check({"--text", "--type", "u64"}, text, lines);
    check({"--by-column", "1", "--type", "u64"}, text, lines);
}

TEST_CASE("--memory: the process takes no more beside what it takes anyway") {
    const Scene scene;
    constexpr std::size_t limit = 16 * mebi, slack = 3 * mebi;
    const auto peak = [&](const Words& words) {
        const pid_t process = start(words, "/dev/null", "/dev/null", scene.err());
        int status = 0;
        rusage usage{};
        REQUIRE(wait4(process, &status, 0, &usage) == process);
        CAPTURE(read_file(scene.err()));
        REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
        return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    };
    // The numbers are written by and by, as a child's peak begins with that of its parent.
    std::ofstream raw(scene.path("raw"), std::ios::binary), text(scene.path("text"));
    Random random(seed());
    for (std::size_t i = 0; i < 12 * mebi; ++i) {
        const std::uint64_t number = random();
        raw.write(reinterpret_cast<const char*>(&number), sizeof number);
        if (i % 4 == 0) text << static_cast<std::uint32_t>(number) << '\n';
    }
    raw.close();
    text.close();
    const std::string few = scene.file("few", std::string(1 * mebi + 8, 'x'));
    const std::size_t base = peak({"sort", "--device", "built-in", "--type", "u64", few, "/dev/null"});
    const std::string of_limit = std::to_string(limit);
    for (const char* const type : {"u64", "u32", "u16", "u8"}) {
        CAPTURE(std::string(type));
        const std::size_t bytes =
            peak({"sort", "--device", "built-in", "--type", type, "-S", of_limit, scene.path("raw"), "/dev/null"});
        MESSAGE(std::string(type), ": ", bytes / 1024, " KiB, without keys ", base / 1024);
        CHECK(bytes <= base + limit + slack);
    }
    const std::size_t in_place =
        peak({"sort", "--device", "built-in", "--type", "u32", "-S", of_limit, "--in-place", scene.path("raw")});
    MESSAGE("in place: ", in_place / 1024, " KiB");
    CHECK(in_place <= base + limit + slack);
    for (const Words& words : std::initializer_list<Words>{{"--text", "--count"},
                                                           {"--by-column", "1"},
                                                           {"--by-column", "1:text"},
                                                           {"--by-column", "1", "--by-column", "1:text:desc"}}) {
        Words all = {"sort", "--device", "built-in", "-S", of_limit, scene.path("text"), "/dev/null"};
        all.insert(all.begin() + 1, words.begin(), words.end());
        const std::size_t bytes = peak(all);
        MESSAGE(words.back(), ": ", bytes / 1024, " KiB");
        CHECK(bytes <= base + limit + slack);
    }
}

}  // namespace
}  // namespace lanesort::test
