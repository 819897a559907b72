// The command `lanesort`: what it was asked to do, and how it ends.
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include <fmt/format.h>

#include <lanesort/version.h>
#include <lanesort/error.hpp>

#include "command.hpp"
#include "files.hpp"

namespace {

enum ExitStatus : int { done = 0, failed = 1, bad_input = 2 };

/// Help without CLI11's mark behind the flags that switch something off.
class HelpFormatter : public CLI::Formatter {
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        return CLI::detail::find_and_replace(CLI::Formatter::make_option_name(option, is_positional), "{false}", "");
    }
};

void run(int argc, char** argv) {
    CLI::App app("Sorts numbers in place on an OpenCL device or an NVIDIA GPU.", "lanesort");
    app.set_version_flag("--version", "lanesort " LANESORT_VERSION);
    app.require_subcommand(0, 1);
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(41);
    formatter->label("REQUIRED", "(required)");
    app.formatter(formatter);
    app.footer(
        "Example: lanesort sort --type u32 numbers.bin sorted.bin\n"
        "Exit status: 0 done, 1 device or system failed (none there, disk full, no memory), 2 bad usage or bad input.");
    add_sort(app);
    add_argsort(app);
    add_topk(app);
    add_stats(app);
    add_plan(app);
    add_devices(app);
    add_doctor(app);
    add_tune(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return print(app.help());
    } catch (const CLI::CallForVersion& version) {
        return print(fmt::format("{}\n", version.what()));
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        throw BadInput(fmt::format("{}; see lanesort {}--help", error.what(),
                                   chosen.empty() ? "" : chosen.front()->get_name() + " "));
    }
    if (app.get_subcommands().empty()) throw BadInput("nothing to do; see lanesort --help");
}

ExitStatus exit_status(lanesort::ErrorCode code) {
    using enum lanesort::ErrorCode;
    switch (code) {
        case invalid_argument:
        case unknown_device:
        case unsupported:
        case too_large: return ExitStatus::bad_input;
        default: return ExitStatus::failed;
    }
}

int complain(ExitStatus status, const std::string& sentence, const std::string& details = {}) {
    tell(fmt::format("lanesort: {}\n{}", sentence, details));
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    occupy_standard_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error like any other
    try {
        run(argc, argv);
        return done;
    } catch (const BadInput& error) {
        return complain(bad_input, error.what());
    } catch (const lanesort::Error& error) {
        using enum lanesort::ErrorCode;
        const bool finds_none = error.code() == no_platform || error.code() == no_device;
        return complain(exit_status(error.code()),
                        fmt::format("{}{}", error.what(), finds_none ? "; `lanesort doctor` says what to do" : ""),
                        error.build_log());
    } catch (const std::bad_alloc&) {
        return complain(failed, "the keys do not fit into memory");
    } catch (const std::exception& error) {
        return complain(failed, error.what());
    }
}
