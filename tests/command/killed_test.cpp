// SPDX-License-Identifier: MIT
// lanesort sort IN IN, killed: IN is what it was or what it is to be, and what is left behind is in nobody's way.
// lanesort sort --in-place IN, killed: the next one finishes it.
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

/// Numbers as text, of several megabytes so that they are written in pieces, and the same in order.
struct Numbers {
    std::string before, after;
};

Numbers some_numbers() {
    Random random(seed());
    std::vector<std::uint32_t> numbers = random_keys<std::uint32_t>(300000, random);
    const auto text = [&] {
        std::string lines;
        for (const std::uint32_t number : numbers) lines += std::to_string(number) + "\n";
        return lines;
    };
    Numbers made;
    made.before = text();
    std::ranges::sort(numbers);
    made.after = text();
    return made;
}

Words sort_in_place(const std::string& file) { return {"sort", "--text", "--type", "u32", file, file}; }

/// The process is at a system call that gives a file another name, or whose first argument is a file in this folder.
bool changes_files(pid_t process, const __ptrace_syscall_info& info, const fs::path& folder) {
#ifdef SYS_rename
    if (info.entry.nr == SYS_rename) return true;
#endif
    if (info.entry.nr == SYS_renameat || info.entry.nr == SYS_renameat2) return true;
    std::error_code none;
    const fs::path file = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(info.entry.args[0]);
    return fs::read_symlink(file, none).parent_path() == folder;
}

/// The command, started to be watched by this thread.
pid_t start_watched(const Words& words, const Scene& scene) {
    return start(words, "/dev/null", "/dev/null", scene.err(), [] {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
    });
}

enum class End { killed, by_itself, not_watched };

/// Kills the command when it enters or leaves a call that changes_files, at the time with that number, from 1 on.
End kill_at_call(pid_t process, std::size_t number, const fs::path& folder) {
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    if (!WIFSTOPPED(status)) return End::not_watched;
    REQUIRE(ptrace(PTRACE_SETOPTIONS, process, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
    std::size_t times = 0;
    bool changes = false;
    int signal = 0;
    while (ptrace(PTRACE_SYSCALL, process, nullptr, signal) == 0 && waitpid(process, &status, 0) == process) {
        if (!WIFSTOPPED(status)) return End::by_itself;
        const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        signal = at_call ? 0 : WSTOPSIG(status);
        if (!at_call) continue;
        __ptrace_syscall_info info{};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0) break;
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) changes = changes_files(process, info, folder);
        if (changes && ++times == number) {
            kill(process, SIGKILL);
            waitpid(process, &status, 0);
            return End::killed;
        }
    }
    FAIL("the command cannot be watched");
    return End::not_watched;
}

/// IN in a folder in which commands were killed.
class Killed {
public:
    explicit Killed(const Numbers& numbers) : numbers_(numbers) { scene_.file("in", numbers.before); }

    const Scene& scene() const { return scene_; }
    std::string in() const { return scene_.path("in"); }

    /// Checks the file and puts it back; says whether it was sorted.
    bool check() const {
        const std::string found = read_file(in());
        const bool is_sorted = found == numbers_.after;
        CHECK((is_sorted || found == numbers_.before));
        scene_.file("in", numbers_.before);
        return is_sorted;
    }

    /// Every file left behind has the name that docs/command.md gives, and the next sort is none the worse for them.
    void check_next() const {
        const std::size_t files = scene_.files();
        for (const auto& entry : fs::directory_iterator(scene_.folder()))
            CHECK((entry.path() == in() || entry.path().filename().string().starts_with(".lanesort-")));
        CHECK(scene_.run(sort_in_place(in())).status == 0);
        CHECK(check());
        CHECK(scene_.files() == files);
    }

private:
    const Numbers& numbers_;
    Scene scene_;
};

TEST_CASE("killed before and after each call that changes a file") {
    if (no_device()) return;
    const Numbers numbers = some_numbers();
    const Killed killed(numbers);
    std::size_t sorted_files = 0, number = 1;
    for (;; ++number) {
        CAPTURE(number);
        const End end = kill_at_call(start_watched(sort_in_place(killed.in()), killed.scene()), number,
                                     fs::canonical(killed.scene().folder()));
        if (end == End::not_watched) {
            MESSAGE("skipped: processes cannot be watched here");
            return;
        }
        const bool is_sorted = killed.check();
        if (end == End::by_itself) {
            CHECK(is_sorted);
            break;
        }
        sorted_files += is_sorted;
    }
    MESSAGE("killed at ", number - 1, " places, sorted at ", sorted_files, " of them, ", killed.scene().files() - 1,
            " files left");
    // Several pieces, and at least the return from what puts the new file in the place of the old one.
    CHECK(number > 8);
    CHECK(sorted_files > 0);
    killed.check_next();
}

TEST_CASE("killed at any time") {
    if (no_device()) return;
    const Numbers numbers = some_numbers();
    const Killed killed(numbers);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(killed.scene().run(sort_in_place(killed.in())).status == 0);
    const auto whole = std::chrono::steady_clock::now() - begin;
    CHECK(killed.check());
    Random random(seed());
    std::size_t sorted_files = 0;
    constexpr int times = 30;
    for (int time = 0; time < times; ++time) {
        const auto delay = whole * (random() % 1000) / 900;
        CAPTURE(time);
        const pid_t process = start(sort_in_place(killed.in()), "/dev/null", "/dev/null", killed.scene().err());
        std::this_thread::sleep_for(delay);
        kill(process, SIGKILL);
        wait_for(process);
        sorted_files += killed.check();
    }
    MESSAGE("killed ", times, " times, sorted ", sorted_files, " times, ", killed.scene().files() - 1, " files left");
    killed.check_next();
}

/// IN of several parts that are sorted in place, and what was left of it by the command that was killed.
class KilledInPlace {
public:
    KilledInPlace() : before_(random_keys<std::uint32_t>(1300021, random_)), after_(before_) {
        std::ranges::sort(after_);
        put();
    }

    Random& random() { return random_; }
    const Scene& scene() const { return scene_; }
    Words words() const {
        return {"sort", "--device", "built-in", "--type", "u32", "-S", "4M", "--in-place", scene_.path("in")};
    }
    void put() const { scene_.file("in", bytes_of(before_)); }

    /// Finishes the sort; checks the file.
    void finish() const {
        const Result result = scene_.run(words());
        REQUIRE_MESSAGE(result.status == 0, result.err);
        check();
    }
    void check() const {
        REQUIRE(read_file(scene_.path("in")) == bytes_of(after_));
        REQUIRE(scene_.files() == 1);
    }

private:
    Random random_{seed()};
    std::vector<std::uint32_t> before_, after_;
    Scene scene_;
};

TEST_CASE("in place, killed before and after calls that change a file or read it") {
    KilledInPlace killed;
    const fs::path folder = fs::canonical(killed.scene().folder());
    std::size_t calls = 3000, all = 0;
    constexpr int times = 40;
    for (int time = 0; time < times; ++time) {
        // The last calls, too, whose number is not known yet.
        const std::size_t number = 1 + killed.random()() % calls;
        CAPTURE(number);
        const End end = kill_at_call(start_watched(killed.words(), killed.scene()), number, folder);
        if (end == End::not_watched) {
            MESSAGE("skipped: processes cannot be watched here");
            return;
        }
        if (end == End::by_itself) {
            killed.check();
            calls = std::max<std::size_t>(number, 2);
        } else {
            ++all;
            // As well while it finishes what another one began.
            if (killed.random()() % 2 == 0)
                kill_at_call(start_watched(killed.words(), killed.scene()), 1 + killed.random()() % 40, folder);
            killed.finish();
        }
        killed.put();
    }
    MESSAGE("killed at ", all, " places of about ", calls);
    CHECK(all > times / 2);
}

TEST_CASE("in place, killed at any time, again and again") {
    KilledInPlace killed;
    const auto begin = std::chrono::steady_clock::now();
    killed.finish();
    const auto whole = std::chrono::steady_clock::now() - begin;
    std::size_t times = 0;
    for (int round = 0; round < 10; ++round) {
        CAPTURE(round);
        killed.put();
        for (;;) {
            const pid_t process = start(killed.words(), "/dev/null", "/dev/null", killed.scene().err());
            std::this_thread::sleep_for(whole * (killed.random()() % 1000) / 1000);
            kill(process, SIGKILL);
            const int status = wait_for(process);
            if (status == 0) break;
            REQUIRE_MESSAGE(status == 128 + SIGKILL, read_file(killed.scene().err()));
            ++times;
        }
        killed.check();
    }
    MESSAGE("killed ", times, " times in 10 sorts");
}

}  // namespace
}  // namespace lanesort::test
