// SPDX-License-Identifier: MIT
// The command `lanesort`: what it was asked to do, and how it ends.
#include <malloc.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <lanesort/error.hpp>

#include "command.hpp"
#include "command_line.hpp"
#include "files.hpp"
#include "manual.hpp"

namespace {

enum ExitStatus : int { done = 0, failed = 1, not_in_order = 1, bad_input = 2 };

class HelpCommand {
public:
    HelpCommand(SubCommand& command, const CommandLine& line) : line_(line) {
        command.add_text("COMMAND", "", name_, "the sub-command");
        command.add_flag("--man", man_, "print all of it as a manual page, for man");
        command.exclude("--man", {"COMMAND"});
        command.footer = "Example: lanesort help sort";
    }

    void run() const { print(man_ ? manual_page(line_) : help_of(line_, name_)); }

private:
    const CommandLine& line_;
    std::string name_;
    bool man_ = false;
};

class CompletionCommand {
public:
    CompletionCommand(SubCommand& command, const CommandLine& line) : line_(line) {
        command.add_text("SHELL", "", shell_, "bash, fish or zsh").is_required = true;
        command.footer = "Example: lanesort completion bash";
    }

    void run() const {
        if (shell_ == "bash") return print(bash_completion(line_));
        if (shell_ == "fish") return print(fish_completion(line_));
        if (shell_ == "zsh") return print(zsh_completion(line_));
        throw BadInput(fmt::format("{:?} is not bash, fish or zsh", shell_));
    }

private:
    const CommandLine& line_;
    std::string shell_;
};

void run(int argc, char** argv) {
    CommandLine line{
        .description = "Sorts numbers and tables in place, on the processor, an OpenCL device or an NVIDIA GPU.",
        .footer =
            "Example: lanesort sort --type u32 numbers.bin sorted.bin\n"
            "Exit status: 0 done, 1 device or system failed (none there, disk full, no memory), 2 bad usage or bad "
            "input;\n"
            "of check: 0 in order, 1 not in order, 2 all else.",
        .help = {.names = "-h,--help", .help = "Print this help message and exit", .target = {}},
        .help_all = {.names = "--help-all",
                     .help = "Print this help message and the options for the shape of a sort, and exit",
                     .target = {}}};
    const auto add = [&](SubCommand command) { line.commands.push_back(std::move(command)); };
    add(sort_command());
    add(argsort_command());
    add(topk_command());
    add(group_command());
    add(merge_command());
    add(check_command());
    add(stats_command());
    add(plan_command());
    add(devices_command());
    add(doctor_command());
    add(tune_command());
    add(make_command<CompletionCommand>("completion", "Print a script by which a shell completes words", line));
    add(make_command<HelpCommand>("help", "Show how lanesort, or one of its sub-commands, is used", line));
    run(line, argc, argv);
}

ExitStatus exit_status(lanesort::ErrorCode code, ExitStatus failure) {
    using enum lanesort::ErrorCode;
    switch (code) {
        case invalid_argument:
        case unknown_device:
        case unsupported:
        case too_large: return ExitStatus::bad_input;
        default: return failure;
    }
}

int complain(ExitStatus status, const std::string& sentence, const std::string& details = {}) {
    tell(fmt::format("lanesort: {}\n{}", sentence, details));
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    occupy_standard_streams();
    // Else glibc keeps freed blocks of up to 32 MiB, which --memory does not count: of a table in 500M that was 94 MB.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error like any other
    // Of `check`, as of sort -c, the status 1 says one thing alone.
    const ExitStatus failure = argc > 1 && argv[1] == std::string_view("check") ? bad_input : failed;
    try {
        run(argc, argv);
        return done;
    } catch (const NotInOrder& found) {
        return complain(not_in_order, found.what());
    } catch (const BadInput& error) {
        return complain(bad_input, error.what());
    } catch (const lanesort::Error& error) {
        using enum lanesort::ErrorCode;
        const bool is_known = error.code() == no_platform || error.code() == no_device || error.code() == build_failed;
        return complain(exit_status(error.code(), failure),
                        fmt::format("{}{}", error.what(), is_known ? "; `lanesort doctor` says what to do" : ""),
                        error.build_log());
    } catch (const std::bad_alloc&) {
        return complain(failure, "the keys do not fit into memory");
    } catch (const std::exception& error) {
        return complain(failure, error.what());
    }
}
