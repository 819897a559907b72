// SPDX-License-Identifier: MIT
// Threads whose calls are the first ones of a process that have to do with a device: each finds it and sorts. Only a
// new process has first calls, so the program runs itself many times.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <lanesort/lanesort.hpp>

#include "first_calls.h"

namespace {

constexpr int skipped_for_ctest = 77;

int sort_from_cpp() {
    try {
        std::vector<unsigned> keys{3, 1, 2};
        lanesort::Sorter sorter(lanesort::find_device());
        sorter.sort(std::span(keys));
        return keys != std::vector{1u, 2u, 3u};
    } catch (const lanesort::Error& error) {
        if (error.code() == lanesort::ErrorCode::no_platform) return skipped_for_ctest;
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

/// The worst that any of the threads gave, which all begin at once.
int run_in_threads(int (*sort)()) {
    constexpr std::size_t number = 4;
    std::atomic<std::size_t> waiting = number;
    std::vector<int> results(number);
    std::vector<std::thread> threads;
    for (int& result : results)
        threads.emplace_back([&] {
            --waiting;
            while (waiting > 0) std::this_thread::yield();
            result = sort();
        });
    for (std::thread& thread : threads) thread.join();
    return std::ranges::max(results);
}

/// Runs this program with that argument; gives its exit status, or 128 and the signal that ended it.
int run_self(std::string argument) {
    std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    char* const arguments[] = {self.data(), argument.data(), nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) return run_in_threads(std::string(argv[1]) == "c" ? sort_from_c : sort_from_cpp);

    constexpr int runs = 20;
    const char* const required = std::getenv("LANESORT_REQUIRE_DEVICE");
    int failures = 0;
    for (const std::string language : {"c++", "c"})
        for (int run = 0; run < runs; ++run) {
            const int status = run_self(language);
            if (status == skipped_for_ctest && !(required && std::string(required) == "1")) return skipped_for_ctest;
            if (status == 0) continue;
            std::printf("%s, run %d: status %d\n", language.c_str(), run, status);
            ++failures;
        }
    std::printf("%d of %d runs failed\n", failures, 2 * runs);
    return failures > 0;
}
