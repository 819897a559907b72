// SPDX-License-Identifier: MIT
// A pipe with a name, between a test and the command.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "command_support.hpp"

namespace lanesort::test {

/// What the process writes to the pipe, which it opens by its name; nothing where it ends without that, as a command
/// may that is broken: a test that waited for it would wait for ever.
inline std::string read_pipe(const std::string& path, pid_t writer) {
    const int pipe = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(pipe >= 0);
    const auto has_ended = [&] {
        siginfo_t ended{};
        return waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
    };
    std::string text;
    for (;;) {
        pollfd event{pipe, POLLIN, 0};
        constexpr int milliseconds = 100;
        if (poll(&event, 1, milliseconds) == 0 && !has_ended()) continue;
        char piece[4096];
        const ssize_t got = read(pipe, piece, sizeof piece);
        if (got <= 0) break;
        text.append(piece, static_cast<std::size_t>(got));
    }
    close(pipe);
    return text;
}

/// The end of a pipe to write to. To open it waits for no reader.
inline int open_to_write(const std::string& path) {
    const int pipe = open(path.c_str(), O_RDWR);
    REQUIRE(pipe >= 0);
    return pipe;
}

}  // namespace lanesort::test
