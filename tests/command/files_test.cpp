// SPDX-License-Identifier: MIT
// lanesort sort: where the numbers come from and go to, and what stays as it was when that fails.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "command_support.hpp"
#include "pipe.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("a file that cannot be read, or holds no whole number of keys, leaves OUT as it was") {
    if (no_device()) return;
    const Scene scene;
    const std::string out = scene.file("out", "before"), odd = scene.file("odd", "1234567890");
    require_refused(scene.run({"sort", "--type", "u32", odd, out}),
                    "odd has 10 bytes, which is no multiple of the 4 bytes of a u32: 2 left over at byte 8\n");
    require_refused(scene.run({"sort", "--type", "f64", odd, odd}), "2 left over at byte 8\n");
    require_refused(scene.run({"sort", "--type", "u32", "-", out}, "12345"), "standard input has 5 bytes");
    require_refused(scene.run({"sort", "--type", "u32", scene.path("none"), out}), "none: No such file or directory\n");
    require_refused(scene.run({"sort", "--type", "u8", scene.folder(), out}), ": Is a directory\n");
    require_refused(scene.run({"sort", "--text", "--type", "u8", scene.folder(), out}), ": Is a directory\n");
    CHECK(read_file(out) == "before");
    CHECK(read_file(odd) == "1234567890");
    CHECK(scene.files() == 2);
}

TEST_CASE("an OUT that cannot be written is named") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyx");
    const auto sort_to = [&](const std::string& out) { return scene.run({"sort", "--type", "u8", in, out}); };
    require_refused(sort_to(scene.path("none/out")), "cannot write " + scene.path("none/out") + ": No such file");
    require_refused(sort_to(scene.folder()), ": Is a directory\n");
    require_refused(sort_to("/proc/lanesort"), "cannot write /proc/lanesort: ");
    require_refused(sort_to(in + "/out"), ": Not a directory\n");
    require_refused(sort_to("/dev/full"), "cannot write /dev/full: No space left on device\n", 1);
    require_refused(sort_to(""), "cannot write ");
    fs::create_symlink("loop", scene.path("loop"));
    require_refused(sort_to(scene.path("loop")), ": Too many levels of symbolic links\n");

    if (geteuid() != 0) {
        const std::string locked = scene.file("locked", "before");
        fs::permissions(locked, fs::perms::owner_read);
        require_refused(sort_to(locked), ": Permission denied\n");
        CHECK(read_file(locked) == "before");
        fs::remove(locked);
    }
    CHECK(read_file(in) == "zyx");
    CHECK(scene.files() == 2);
}

TEST_CASE("IN and OUT may be the same file, which keeps its permissions") {
    if (no_device()) return;
    const Scene scene;
    const std::string file = scene.file("file", "zyxa");
    fs::permissions(file, fs::perms(0640));
    CHECK(scene.run({"sort", "--type", "u8", file, file}).status == 0);
    CHECK(read_file(file) == "axyz");
    CHECK(fs::status(file).permissions() == fs::perms(0640));
    CHECK(scene.files() == 1);

    const mode_t mask = umask(027);
    CHECK(scene.run({"sort", "--type", "u8", file, scene.path("new")}).status == 0);
    umask(mask);
    CHECK(fs::status(scene.path("new")).permissions() == fs::perms(0640));
}

TEST_CASE("a symbolic link keeps its target, which is sorted, or made") {
    if (no_device()) return;
    const Scene scene;
    fs::create_directory(scene.path("deep"));
    const std::string in = scene.file("in", "zyxa"), target = scene.file("deep/target", "before");
    fs::create_symlink("deep/second", scene.path("first"));
    fs::create_symlink("target", scene.path("deep/second"));
    CHECK(scene.run({"sort", "--type", "u8", in, scene.path("first")}).status == 0);
    CHECK(fs::is_symlink(scene.path("first")));
    CHECK(fs::is_symlink(scene.path("deep/second")));
    CHECK(!fs::is_symlink(target));
    CHECK(read_file(target) == "axyz");

    fs::create_symlink(scene.path("deep/made"), scene.path("dangling"));
    CHECK(scene.run({"sort", "--type", "u8", in, scene.path("dangling")}).status == 0);
    CHECK(fs::is_symlink(scene.path("dangling")));
    CHECK(read_file(scene.path("deep/made")) == "axyz");
}

TEST_CASE("OUT is a plain name in the current folder") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyxa");
    const fs::path before = fs::current_path();
    fs::current_path(scene.folder());
    const Result result = scene.run({"sort", "--type", "u8", "in", "out"});
    fs::current_path(before);
    CHECK_MESSAGE(result.status == 0, result.err);
    CHECK(read_file(scene.path("out")) == "axyz");
    CHECK(scene.files() == 2);
}

TEST_CASE("standard streams, pipes and devices") {
    if (no_device()) return;
    const Scene scene;
    const Result both = scene.run({"sort", "--type", "u16", "-", "-"}, "b1a1");
    CHECK(both.status == 0);
    CHECK(both.out == "a1b1");
    const std::string in = scene.file("in", "zyxa");
    CHECK(scene.run({"sort", "--type", "u8", in, "/dev/null"}).status == 0);

    // What is redirected there already stays.
    const std::string log = scene.file("log", "head ");
    CHECK(scene.run_to({"sort", "--type", "u8", in, "/dev/stdout"}, log) == 0);
    CHECK(read_file(log) == "head axyz");

    const std::string pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const pid_t sort = start({"sort", "--type", "u8", in, pipe}, "/dev/null", "/dev/null", scene.err());
    CHECK(read_pipe(pipe, sort) == "axyz");
    CHECK(wait_for(sort) == 0);
    CHECK(fs::is_fifo(pipe));
}

TEST_CASE("the first numbers alone: none and one, raw") {
    if (no_device()) return;
    const Scene scene;
    for (const std::string bytes : {"", "1234"}) {
        const std::string in = scene.file("in", bytes);
        const Result result = scene.run({"sort", "--type", "u32", "--stats", in, scene.path("out")});
        CHECK_MESSAGE(result.status == 0, result.err);
        CHECK(read_file(scene.path("out")) == bytes);
    }
}

TEST_CASE("a signal leaves OUT as it was and no temporary file") {
    if (no_device()) return;
    const Scene scene;
    const std::string out = scene.file("out", "before"), pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const auto without_core = [] {
        const rlimit none{0, 0};
        if (setrlimit(RLIMIT_CORE, &none) != 0) _exit(126);
    };
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU,
                             SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR}) {
        CAPTURE(signal);
        // The command waits for numbers that never come.
        const pid_t sort =
            start({"sort", "--type", "u8", pipe, out}, "/dev/null", "/dev/null", scene.err(), without_core);
        const int writer = open_to_write(pipe);
        for (int tries = 0; scene.files() < 3 && tries < 1000; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        REQUIRE(scene.files() == 3);
        // It may still be on its way from the temporary file to the wait.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        kill(sort, signal);
        close(writer);
        CHECK(wait_for(sort) == 128 + signal);
        CHECK(scene.files() == 2);
        CHECK(read_file(out) == "before");
    }
}

TEST_CASE("signals that the caller ignores stay ignored, and a file that grows too large is an error") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", std::string(9 << 20, 'x')), out = scene.file("out", "before");
    const pid_t sort = start({"sort", "--type", "u8", in, out}, "/dev/null", "/dev/null", scene.err(), [] {
        constexpr rlim_t limit = 8 << 20;  // more than a device's compiler writes
        const rlimit less{limit, limit};
        if (setrlimit(RLIMIT_FSIZE, &less) != 0) _exit(126);
    });
    CHECK(wait_for(sort) == 1);
    CHECK(contains(read_file(scene.err()), "cannot write " + out + ": File too large\n"));
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);

    const std::string pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const pid_t waiting = start({"sort", "--type", "u8", pipe, out}, "/dev/null", "/dev/null", scene.err(),
                                [] { std::signal(SIGHUP, SIG_IGN); });
    const int writer = open_to_write(pipe);
    for (int tries = 0; scene.files() < 4 && tries < 1000; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(waiting, SIGHUP);
    REQUIRE(write(writer, "ba", 2) == 2);
    close(writer);
    CHECK(wait_for(waiting) == 0);
    CHECK(read_file(out) == "ab");
}

TEST_CASE("output that cannot be written is never taken for done") {
    const Scene scene;
    for (const Words& words :
         {Words{"--help"}, {"--version"}, {"devices"}, {"plan", "--count", "9"}, {"stats", "--count", "9"}}) {
        CAPTURE(words.front());
        CHECK(scene.run_to(words, "/dev/full") == 1);
        CHECK(read_file(scene.err()).ends_with("lanesort: cannot write standard output: No space left on device\n"));
    }
    if (no_device()) return;
    scene.file("in", "zyxa");
    CHECK(scene.run_to({"sort", "--type", "u8", scene.path("in"), "-"}, "/dev/full") == 1);
    CHECK(contains(read_file(scene.err()), "cannot write standard output: No space left on device"));
}

TEST_CASE("the command ends by the signal, as other tools do, when nobody reads on") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", std::string(1 << 20, 'x')), pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    // More than a pipe holds, so that the command is still writing when its reader leaves.
    const pid_t sort = start({"sort", "--type", "u8", in, "-"}, "/dev/null", pipe, scene.err());
    std::ifstream(pipe).get();
    CHECK(wait_for(sort) == 128 + SIGPIPE);

    // Where the caller ignores the signal, it is an error.
    const pid_t ignoring =
        start({"sort", "--type", "u8", in, "-"}, "/dev/null", pipe, scene.err(), [] { std::signal(SIGPIPE, SIG_IGN); });
    std::ifstream(pipe).get();
    CHECK(wait_for(ignoring) == 1);
    CHECK(contains(read_file(scene.err()), "cannot write standard output: Broken pipe\n"));
}

}  // namespace
}  // namespace lanesort::test
