// SPDX-License-Identifier: MIT
// lanesort sort --in-place: numbers of every kind, what is refused, and journals that are of something else.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

constexpr std::size_t mebi = 1 << 20;
constexpr std::size_t head_bytes = 4096;  // of a journal
constexpr std::size_t done_at = 8 + 7 * 8, is_writing_at = 8 + 8 * 8;

std::string head_of_journal(const std::string& in) {
    std::string head(head_bytes, '\0');
    std::ifstream(in + ".lanesort-journal", std::ios::binary).read(head.data(), head_bytes);
    return head;
}

std::string random_bytes(std::size_t bytes) {
    Random random(seed() + bytes);
    std::vector<std::uint64_t> words(bytes / 8 + 1);
    for (std::uint64_t& word : words) word = random();
    return bytes_of(words).substr(0, bytes);
}

Words in_place(const std::string& file, Words more = {"--type", "u32"}) {
    more.insert(more.begin(), {"sort", "--device", "built-in", "-S", "4M", "--in-place", file});
    return more;
}

/// The same bytes as a sort of the whole, in the same file, with nothing left beside it; gives what --stats says.
std::string require_same(const Scene& scene, const std::string& bytes, const Words& words) {
    const std::string in = scene.file("in", bytes), whole = scene.path("whole");
    struct stat before {
    }, after{};
    REQUIRE(::stat(in.c_str(), &before) == 0);
    Words all = {"sort", "--device", "built-in", in, whole}, limited = in_place(in, words);
    all.insert(all.end(), words.begin(), words.end());
    limited.emplace_back("--stats");
    REQUIRE(scene.run(all).status == 0);
    const Result result = scene.run(limited);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    CHECK(read_file(in) == read_file(whole));
    REQUIRE(::stat(in.c_str(), &after) == 0);
    CHECK(before.st_ino == after.st_ino);
    fs::remove(whole);
    CHECK(scene.files() == 1);
    return result.err;
}

TEST_CASE("in place: raw numbers of every type and order") {
    const Scene scene;
    const std::string bytes = random_bytes(3 * mebi);
    for_each_key_type([&]<class T>() {
        for (const char* const order : {"asc", "desc"}) {
            CAPTURE(order);
            require_same(scene, bytes, {"--type", std::string(name(key_type_v<T>)), "--order", order});
        }
    });
}

TEST_CASE("in place: as the standard library sorts, with a journal as large as was said") {
    const Scene scene;
    for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 1000, 466033, 466034, 2000003}) {
        CAPTURE(count);
        std::vector<std::uint32_t> numbers = numbers_in<std::uint32_t>(random_bytes(4 * count));
        const std::string in = scene.file("in", bytes_of(numbers));
        Words words = in_place(in);
        words.emplace_back("--stats");
        const Result result = scene.run(words);
        REQUIRE_MESSAGE(result.status == 0, result.err);
        std::ranges::sort(numbers);
        CHECK(read_file(in) == bytes_of(numbers));
        CHECK(scene.files() == 1);
        const std::size_t at = result.err.find("takes up to ");
        if (count == 0) continue;
        REQUIRE(at != std::string::npos);
        const std::uint64_t stated = std::stoull(result.err.substr(at + 12));
        CHECK(stated <= std::min(4 * mebi, 4 * count + head_bytes));
        CHECK(contains(result.err, fmt::format("{:<20}{}\n", "temporary bytes", stated)));
        CHECK(contains(result.err, fmt::format("{:<20}{} of type u32\n", "keys", count)));
    }
}

TEST_CASE("in place: .npy files, also rows that fit and rows that do not") {
    const Scene scene;
    const std::size_t count = 6 * mebi / 4;
    const auto npy = [&](const std::string& shape, std::size_t numbers) {
        std::string text = "{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + ", }";
        text.append(63 - (10 + text.size()) % 64, ' ') += '\n';
        const std::string length = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
        return std::string("\x93NUMPY\1\0", 8) + length + text + random_bytes(4 * numbers);
    };
    require_same(scene, npy(fmt::format("({},)", count), count), {});
    require_same(scene, npy(fmt::format("({}, 8, 8)", count / 64), count), {"--reverse"});
    require_same(scene, npy(fmt::format("(2, {})", count / 2), count), {});
    require_same(scene, npy("(5, 0)", 0), {});
}

TEST_CASE("in place: a symbolic link stays one, and its journal is beside the file") {
    const Scene scene;
    const std::string in = scene.file("in", random_bytes(5 * mebi));
    fs::create_symlink("in", scene.path("link"));
    scene.file("in.lanesort-journal", "other");
    require_refused(scene.run(in_place(scene.path("link"))), "in.lanesort-journal is damaged, or of another version");
    fs::remove(scene.path("in.lanesort-journal"));
    CHECK(scene.run(in_place(scene.path("link"))).status == 0);
    CHECK(fs::is_symlink(scene.path("link")));
    CHECK(std::ranges::is_sorted(numbers_in<std::uint32_t>(read_file(in))));
}

TEST_CASE("in place: what it is not for") {
    const Scene scene;
    const std::string bytes = random_bytes(5 * mebi), in = scene.file("in", bytes), out = scene.path("out");
    const auto refused = [&](const Words& words, const std::string& part) {
        CAPTURE(part);
        require_refused(scene.run(words), part);
        CHECK(read_file(in) == bytes);
        CHECK(!fs::exists(in + ".lanesort-journal"));
    };
    refused(in_place(in, {"--type", "u32", out}), "OUT cannot be used with --in-place");
    refused(in_place(in, {"--text"}), "cannot be used with");
    refused(in_place(in, {"--by-column", "1"}), "cannot be used with");
    refused(in_place(in, {"--type", "u32", "-T", "."}), "cannot be used with");
    refused(in_place(in, {"--type", "u32", "--unique"}), "cannot be used with");
    refused({"sort", "--type", "u32", "--in-place", in}, "is only for use with ");
    refused(in_place("-"), "IN is to be the name of one");
    refused(in_place("/dev/null"), "is no file that can be sorted in place");
    refused(in_place(scene.path("none")), "No such file");
    refused(in_place(scene.file("odd", "12345")), "5 bytes");
    refused(in_place(scene.file(
                "gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string("\x03\0\0\0\0\0\0\0\0\0", 10))),
            "is compressed by gzip");
    const std::string large = scene.path("large");
    std::ofstream(large).close();
    fs::resize_file(large, std::size_t{16} << 30);
    // The limit that it takes is the least: with more it is a journal's room that is missed.
    const auto told = [&](const std::string& limit) {
        Words words = in_place(large);
        *std::ranges::find(words, "4M") = limit;
        const pid_t process = start(words, "/dev/null", "/dev/null", scene.err(), [] {
            const rlimit less{mebi, mebi};
            if (setrlimit(RLIMIT_FSIZE, &less) != 0) _exit(126);
        });
        wait_for(process);
        return read_file(scene.err());
    };
    const std::string before_limit = " keys to sort in place, which takes ";
    refused(in_place(large), before_limit);
    const std::string said = told("4M");
    REQUIRE(contains(said, before_limit));
    const auto least = std::stoull(said.substr(said.find(before_limit) + before_limit.size()));
    CHECK(contains(told(std::to_string(least)), "for which there is no room"));
    CHECK(contains(told(std::to_string(least - 1)), before_limit));
    CHECK(scene.files() == 4);
    const int file = ::open(in.c_str(), O_RDONLY);
    REQUIRE(::flock(file, LOCK_EX) == 0);
    refused(in_place(in), "another command sorts it in place");
    ::close(file);
}

TEST_CASE("in place: no room for the journal") {
    const Scene scene;
    const std::string bytes = random_bytes(8 * mebi), in = scene.file("in", bytes);
    const pid_t process = start(in_place(in), "/dev/null", "/dev/null", scene.err(), [] {
        const rlimit less{mebi, mebi};
        if (setrlimit(RLIMIT_FSIZE, &less) != 0) _exit(126);
    });
    CHECK(wait_for(process) == 1);
    CAPTURE(read_file(scene.err()));
    CHECK(contains(read_file(scene.err()), "for which there is no room: File too large\n"));
    CHECK(read_file(in) == bytes);
    CHECK(scene.files() == 1);
}

/// A sort of IN in place, stopped after its journal was there, but not while a part is written: what another program
/// writes then cannot be told from that.
pid_t stop_in_the_middle(const Scene& scene, const std::string& in, unsigned more_microseconds) {
    const pid_t process = start(in_place(in), "/dev/null", "/dev/null", scene.err());
    while (!fs::exists(in + ".lanesort-journal") && kill(process, 0) == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(more_microseconds));
    while (true) {
        kill(process, SIGSTOP);
        int status = 0;
        REQUIRE(waitpid(process, &status, WUNTRACED) == process);
        REQUIRE_MESSAGE(WIFSTOPPED(status), "it ended before it was stopped");
        if (head_of_journal(in)[is_writing_at] == 0) return process;
        kill(process, SIGCONT);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

TEST_CASE("in place: a file of two names") {
    const Scene scene;
    const std::string bytes = random_bytes(8 * mebi), in = scene.file("in", bytes);
    fs::create_hard_link(in, in + ".other");
    const pid_t process = start(in_place(in), "/dev/null", "/dev/null", scene.err());
    CHECK(wait_for(process) == 2);
    CHECK(contains(read_file(scene.err()), "has other names (hard links)"));
    CHECK(read_file(in) == bytes);
}

TEST_CASE("in place: a file that grows, shrinks or is written to meanwhile") {
    const Scene scene;
    const std::string bytes = random_bytes(96 * mebi);
    unsigned delay = 3000;
    for (const std::size_t size : {bytes.size() + 8, bytes.size() - 8, std::size_t{0}, bytes.size()}) {
        CAPTURE(size);
        const std::string in = scene.file("in", bytes);
        const pid_t process = stop_in_the_middle(scene, in, delay += 2000);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // times of files are told that coarsely
        if (size == bytes.size()) std::fstream(in) << "other";
        else fs::resize_file(in, size);
        kill(process, SIGCONT);
        const int status = wait_for(process);
        CAPTURE(read_file(scene.err()));
        CHECK((status == 2 || status == 1));
        const std::string said = read_file(scene.err());
        CHECK(
            (contains(said, "was written to, moved or replaced while it was sorted") || contains(said, "cannot read")));
        fs::remove(in + ".lanesort-journal");
    }
}

TEST_CASE("in place: a file that is replaced meanwhile") {
    const Scene scene;
    const std::string in = scene.file("in", random_bytes(96 * mebi));
    const pid_t process = stop_in_the_middle(scene, in, 9000);
    fs::rename(scene.file("other", "others' bytes"), in);
    kill(process, SIGCONT);
    CHECK(wait_for(process) == 2);
    CHECK(contains(read_file(scene.err()), "was written to, moved or replaced while it was sorted"));
    CHECK(read_file(in) == "others' bytes");
    CHECK(!fs::exists(in + ".lanesort-journal"));
}

/// Leaves a journal of some steps, and of one more that is writing if asked.
void kill_in_the_middle(const Scene& scene, const std::string& in, const std::string& bytes, bool writing) {
    const auto is_there = [&] {
        const std::string head = head_of_journal(in);
        return head[done_at] != 0 && (head[is_writing_at] != 0) == writing;
    };
    do {
        scene.file("in", bytes);
        fs::remove(in + ".lanesort-journal");
        const pid_t process = start(in_place(in), "/dev/null", "/dev/null", scene.err());
        // It may have ended without being seen in the middle.
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (!is_there() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        kill(process, SIGKILL);
        wait_for(process);
    } while (!is_there());
}

TEST_CASE("in place: a journal of a file that is another one now is refused") {
    const Scene scene;
    const std::string bytes = random_bytes(24 * mebi);
    const std::string in = scene.path("in"), journal = in + ".lanesort-journal";
    const auto refused = [&](const Words& words, const std::string& part) {
        CAPTURE(part);
        const std::string before = read_file(in), kept = read_file(journal);
        require_refused(scene.run(words), part);
        CHECK(read_file(in) == before);
        CHECK(read_file(journal) == kept);
    };
    for (const bool writing : {false, true}) {
        CAPTURE(writing);
        kill_in_the_middle(scene, in, bytes, writing);
        refused(in_place(in, {"--type", "i32"}), "by --type u32 --order asc was ended, and is to be finished first");
        refused(in_place(in, {"--type", "u32", "--reverse"}), "is to be finished first");
        for (const char* const command : {"sort", "argsort", "check", "topk"})
            refused({command, "--type", "u32", in}, "is half sorted in place");
        refused({"sort", "--type", "u32", scene.file("other", random_bytes(8)), in}, "is half sorted in place");
        fs::remove(scene.path("other"));
        const auto size = fs::file_size(in);
        fs::resize_file(in, size + 4);
        refused(in_place(in), "it had 25165824 bytes, and has 25165828");
        fs::resize_file(in, size);
        if (!writing) {
            refused(in_place(in), "was written to since its sort was ended; remove ");
        } else {
            // Any bytes that were neither there before nor are to be there.
            const std::string left = read_file(in);
            std::string other = left;
            for (char& byte : other) byte = static_cast<char>(byte ^ 0x55);
            scene.file("in", other);
            refused(in_place(in), "has numbers that were sorted then");
            scene.file("in", left);
            CHECK(scene.run(in_place(in)).status == 0);
            CHECK(std::ranges::is_sorted(numbers_in<std::uint32_t>(read_file(in))));
        }
    }
    // A step that had nothing written yet of a file that was put back: the earlier tiles are no longer in order.
    kill_in_the_middle(scene, in, bytes, true);
    std::string kept = read_file(journal);
    scene.file("in", bytes);
    const Result result = scene.run(in_place(in));
    CHECK((result.status == 0 || result.status == 2));
    CHECK(scene.run(in_place(in)).status == (fs::exists(journal) ? 2 : 0));
    fs::remove(journal);
    CHECK(scene.run(in_place(in)).status == 0);

    kept[20] = static_cast<char>(kept[20] + 1);
    scene.file("in.lanesort-journal", kept);
    refused(in_place(in), "is damaged, or of another version of lanesort, which can finish that sort");
    scene.file("in.lanesort-journal", std::string(100, '\0'));  // it was ended before it began
    CHECK(scene.run(in_place(in)).status == 0);
    CHECK(scene.files() == 1);
}

}  // namespace
}  // namespace lanesort::test
