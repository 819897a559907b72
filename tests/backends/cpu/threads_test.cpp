// SPDX-License-Identifier: MIT
// Threads that share out work-groups: each group runs once, whoever asks, also after a fork.
#include <doctest/doctest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/sorter.hpp>

#include "core/threads.hpp"
#include "large/staging.hpp"

namespace lanesort::test {
namespace {

std::vector<unsigned> random_keys(std::size_t count) {
    std::vector<unsigned> keys(count);
    std::mt19937 random(static_cast<unsigned>(count));
    std::ranges::generate(keys, random);
    return keys;
}

TEST_CASE("every work-group runs once, in as many launches as there are") {
    for (const unsigned count : {1u, 2u, 3u, 8u}) {
        detail::Threads threads(count);
        for (const std::uint64_t groups : {0, 1, 2, 3, 15, 16, 17, 1000, 4099}) {
            std::vector<std::atomic<int>> runs(groups);
            for (int launch = 1; launch <= 3; ++launch) {
                std::vector<std::atomic<int>> working(count);  // at a time, on the thread of each number
                std::atomic<bool> is_shared = false;
                threads.share_out(groups, [&](std::uint64_t first, std::uint64_t end, unsigned thread) {
                    if (thread >= count || ++working[thread] > 1) is_shared = true;
                    for (; first < end; ++first) ++runs[first];
                    if (thread < count) --working[thread];
                });
                CHECK_FALSE(is_shared);
                CHECK(std::ranges::all_of(runs, [&](const auto& run) { return run == launch; }));
            }
        }
    }
}

TEST_CASE("what one launch wrote, the next one reads, whichever thread does") {
    detail::Threads threads(4);
    std::vector<std::uint64_t> numbers(10'000, 1);
    for (int launch = 0; launch < 50; ++launch)
        threads.share_out(numbers.size(), [&](std::uint64_t first, std::uint64_t end, unsigned) {
            for (; first < end; ++first) numbers[numbers.size() - 1 - first] += 1;
        });
    CHECK(std::ranges::all_of(numbers, [](std::uint64_t number) { return number == 51; }));
}

TEST_CASE("a thread that wakes when a launch is over leaves the next one whole") {
    detail::Threads threads(8);
    for (unsigned launch = 0; launch < 1000; ++launch) {
        if (launch % 50 == 0) usleep(300);  // until all sleep
        std::array<std::atomic<unsigned>, 6> runs{};
        threads.share_out(2 + launch % 5, [&, launch](std::uint64_t first, std::uint64_t end, unsigned) {
            for (; first < end; ++first) runs[first] += launch + 1;
        });
        for (unsigned group = 0; group < runs.size(); ++group)
            REQUIRE(runs[group] == (group < 2 + launch % 5 ? launch + 1 : 0));
    }
}

TEST_CASE("sorters of several threads sort side by side") {
    std::vector<std::thread> threads;
    std::atomic<int> sorted = 0;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Sorter sorter(built_in_device());
            for (unsigned i = 0; i < 3; ++i) {
                std::vector<unsigned> keys = random_keys(200'000 + 1000 * t + i);
                sorter.sort(keys);
                sorted += std::ranges::is_sorted(keys);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(sorted == 12);
}

/// What a child process gives back.
template <class Run>
int exit_status_of(const Run& run) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // ends a child that hangs
        _exit(run() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST_CASE("a process that was forked off sorts with the parent's sorter and with its own") {
    Sorter sorter(built_in_device());
    std::vector<unsigned> keys = random_keys(1 << 19);
    sorter.sort(keys);  // starts the threads
    CHECK(std::ranges::is_sorted(keys));
    CHECK(exit_status_of([&] {
              std::vector<unsigned> of_child = random_keys(300'001), more = of_child;
              sorter.sort(of_child);
              Sorter(built_in_device()).sort(more);
              return std::ranges::is_sorted(of_child) && of_child == more;
          }) == 0);
    keys = random_keys(1 << 19);
    sorter.sort(keys);
    CHECK(std::ranges::is_sorted(keys));
}

cpu_set_t cpus_of(pid_t thread) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(thread, sizeof cpus, &cpus);
    return cpus;
}

cpu_set_t first_of(const cpu_set_t& cpus) {
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++cpu)
        if (CPU_ISSET(cpu, &cpus)) CPU_SET(cpu, &first);
    return first;
}

/// All threads of this process: an emulator and a sanitizer have some of their own.
std::vector<pid_t> threads_of_process() {
    std::vector<pid_t> threads;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        threads.push_back(std::stoi(task.path().filename()));
    return threads;
}

TEST_CASE("no more threads work than the process may run on, or than it says") {
    CHECK(exit_status_of([] {
              const cpu_set_t one = first_of(cpus_of(0));
              for (const pid_t thread : threads_of_process()) sched_setaffinity(thread, sizeof one, &one);
              return built_in_device().info().compute_units == 1;
          }) == 0);
    CHECK(exit_status_of([] {
              setenv("LANESORT_THREADS", "1", 1);
              return built_in_device().info().compute_units == 1;
          }) == 0);
    CHECK(exit_status_of([] {
              setenv("LANESORT_THREADS", "0", 1);
              return built_in_device().info().compute_units >= 1;
          }) == 0);
}

TEST_CASE("a process that was forked off and pins its caller to one CPU leaves all to the other threads") {
    CHECK(exit_status_of([] {
              unsetenv("LANESORT_THREADS");
              const cpu_set_t all = cpus_of(0), one = first_of(all);
              const auto cpus = static_cast<unsigned>(CPU_COUNT(&all));
              if (cpus < 2) return true;
              std::atomic<bool> is_over = false;
              std::thread other([&] { is_over.wait(false); });  // on all of them
              sched_setaffinity(0, sizeof one, &one);
              const Device device = built_in_device();
              Sorter sorter(device);
              std::vector<unsigned> keys = random_keys(1 << 20);
              sorter.sort(keys);  // starts the threads
              const auto is_pinned = [&](pid_t thread) {
                  const cpu_set_t of_thread = cpus_of(thread);
                  return CPU_EQUAL(&of_thread, &one) != 0;
              };
              const std::vector<pid_t> threads = threads_of_process();
              const bool is_right = std::ranges::is_sorted(keys) && device.info().compute_units == cpus &&
                                    detail::Staging::threads_that_copy() == std::min(cpus, 16u) &&
                                    threads.size() > cpus && std::ranges::count_if(threads, is_pinned) == 1;
              is_over = true;
              is_over.notify_all();
              other.join();
              return is_right;
          }) == 0);
}

TEST_CASE("its threads take no signals that the program waits for") {
    Sorter sorter(built_in_device());
    std::vector<unsigned> keys = random_keys(1 << 19);
    sorter.sort(keys);
    sigset_t mine, before;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mine, &before);
    kill(getpid(), SIGUSR1);  // would end the process, were there a thread that does not block it
    int received = 0;
    CHECK(sigwait(&mine, &received) == 0);
    CHECK(received == SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace lanesort::test
