// SPDX-License-Identifier: MIT
// Standard streams that are closed, full or read by nobody: what is sorted, and how the command ends, stays the same.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_support.hpp"
#include "pipe.hpp"

namespace lanesort::test {
namespace {

void break_stderr() {
    int ends[2];
    if (pipe(ends) != 0 || close(ends[0]) != 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(126);
}

/// A standard error that takes nothing.
struct Mute {
    std::string what;
    fs::path path;
    void (*first)() = nullptr;
};

const Mute mutes[] = {{"closed", ""}, {"full", "/dev/full"}, {"a pipe without a reader", "/dev/null", break_stderr}};

TEST_CASE("standard error that cannot be written changes no exit status") {
    const Scene scene;
    const bool none = no_device();
    const std::string in = scene.file("in", "zyxa"), out = scene.path("out");
    for (const Mute& mute : mutes) {
        CAPTURE(mute.what);
        const auto status = [&](const Words& words) {
            return wait_for(start(words, "/dev/null", "/dev/null", mute.path, mute.first));
        };
        CHECK(status({"--version"}) == 0);
        CHECK(status({"sort", "--type", "u99", in, out}) == 2);
        CHECK(status({"sort", "--type", "u8", scene.path("missing"), out}) == 2);
        CHECK(status({"plan", "--count", "100"}) == 0);
        if (none) continue;
        CHECK(status({"sort", "--type", "u8", "--stats", in, out}) == 0);
        CHECK(read_file(out) == "axyz");
        fs::remove(out);
    }
}

TEST_CASE("no file takes the place of a standard stream that is closed") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyxa"), odd = scene.file("odd", "odd"), out = scene.path("out");
    const Words sort = {"sort", "--type", "u8", "--stats", in, out};
    CHECK(wait_for(start(sort, "", "", "")) == 0);
    CHECK(read_file(out) == "axyz");
    CHECK(read_file(in) == "zyxa");

    // IN would be 0 and the pipe 2, and be told what is wrong with IN.
    const std::string pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const pid_t refused = start({"sort", "--type", "u32", odd, pipe}, "", "/dev/null", "");
    CHECK(read_pipe(pipe, refused).empty());
    CHECK(wait_for(refused) == 2);

    // What is closed is neither empty nor written to.
    CHECK(wait_for(start({"sort", "--type", "u8", in, "-"}, "/dev/null", "", scene.err())) == 1);
    CHECK(contains(read_file(scene.err()), "cannot write standard output: Bad file descriptor\n"));
    CHECK(wait_for(start({"sort", "--type", "u8", "-", out}, "", "/dev/null", scene.err())) == 1);
    CHECK(contains(read_file(scene.err()), "cannot read standard input: Bad file descriptor\n"));
    CHECK(read_file(out) == "axyz");
}

}  // namespace
}  // namespace lanesort::test
