// The command `lanesort`: what it was asked to do, and how it ends.
#include <malloc.h>

#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <lanesort/version.h>
#include <lanesort/error.hpp>

#include "command.hpp"
#include "files.hpp"
#include "manual.hpp"
#include "options.hpp"

namespace {

enum ExitStatus : int { done = 0, failed = 1, not_in_order = 1, bad_input = 2 };

/// Help for people: the options for the shape of a sort are only in --help-all, and neither CLI11's mark behind the
/// flags that switch something off nor what an option needs or excludes is in it, which groups and texts say.
class HelpFormatter : public CLI::Formatter {
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (mode != CLI::AppFormatMode::Sub)
            shows_all_ = mode == CLI::AppFormatMode::All;  // else it is part of another
        return CLI::Formatter::make_help(app, std::move(name), mode);
    }
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override {
        if (!shows_all_ && group == ShapeOptions::group) return {};
        return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
    }
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        return CLI::detail::find_and_replace(CLI::Formatter::make_option_name(option, is_positional), "{false}", "");
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string text;
        if (!option->get_type_name().empty()) text += " " + option->get_type_name();
        if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
        if (option->get_required()) text += " " + get_label("REQUIRED");
        return text;
    }

    mutable bool shows_all_ = false;
};

void add_help(CLI::App& app) {
    CLI::App* const command = app.add_subcommand("help", "Show how lanesort, or one of its sub-commands, is used");
    const auto name = std::make_shared<std::string>();
    const auto man = std::make_shared<bool>(false);
    CLI::Option* const named = command->add_option("COMMAND", *name, "the sub-command")->type_name("");
    command->add_flag("--man", *man, "print all of it as a manual page, for man")->excludes(named);
    command->footer("Example: lanesort help sort");
    command->callback([&app, name, man] {
        if (*man) return print(manual_page(app));
        // That of the app itself would be that of the sub-command which runs.
        if (name->empty())
            return print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
        const auto asked = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == *name; });
        if (asked.empty()) throw BadInput(fmt::format("there is no sub-command {:?}; see lanesort --help", *name));
        print(asked.front()->help(app.get_name()));
    });
}

void add_completion(CLI::App& app) {
    CLI::App* const command = app.add_subcommand("completion", "Print a script by which a shell completes words");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, fish or zsh")->type_name("")->required();
    command->footer("Example: lanesort completion bash");
    command->callback([&app, shell] {
        if (*shell == "bash") return print(bash_completion(app));
        if (*shell == "fish") return print(fish_completion(app));
        if (*shell == "zsh") return print(zsh_completion(app));
        throw BadInput(fmt::format("{:?} is not bash, fish or zsh", *shell));
    });
}

/// What is wrong with the arguments, in a sentence.
std::string sentence_of(const CLI::ParseError& error) {
    using CLI::detail::find_and_replace;
    const std::string sentence = error.what();
    if (dynamic_cast<const CLI::RequiresError*>(&error))
        return find_and_replace(sentence, " requires ", " is only for use with ");
    if (dynamic_cast<const CLI::ExcludesError*>(&error))
        return find_and_replace(find_and_replace(sentence, "--output excludes ", "OUT excludes "), " excludes ",
                                " cannot be used with ");
    // An option is given twice; OUT has a name and a place.
    if (const std::size_t at = sentence.find(": At Most 1 required"); at != std::string::npos)
        return sentence.substr(0, at) + " may be given once";
    return sentence;
}

void run(int argc, char** argv) {
    CLI::App app("Sorts numbers and tables in place, on the processor, an OpenCL device or an NVIDIA GPU.", "lanesort");
    app.set_version_flag("--version", "lanesort " LANESORT_VERSION);
    app.set_help_all_flag("--help-all", "Print this help message and the options for the shape of a sort, and exit");
    app.require_subcommand(0, 1);
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(41);
    formatter->label("REQUIRED", "(required)");
    app.formatter(formatter);
    app.footer(
        "Example: lanesort sort --type u32 numbers.bin sorted.bin\n"
        "Exit status: 0 done, 1 device or system failed (none there, disk full, no memory), 2 bad usage or bad input;\n"
        "of check: 0 in order, 1 not in order, 2 all else.");
    add_sort(app);
    add_argsort(app);
    add_topk(app);
    add_group(app);
    add_merge(app);
    add_check(app);
    add_stats(app);
    add_plan(app);
    add_devices(app);
    add_doctor(app);
    add_tune(app);
    add_completion(app);
    add_help(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return print(app.help());
    } catch (const CLI::CallForAllHelp&) {
        return print(app.help("", CLI::AppFormatMode::All));
    } catch (const CLI::CallForVersion& version) {
        return print(fmt::format("{}\n", version.what()));
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        throw BadInput(fmt::format("{}; see lanesort {}--help", sentence_of(error),
                                   chosen.empty() ? "" : chosen.front()->get_name() + " "));
    }
    if (app.get_subcommands().empty()) throw BadInput("nothing to do; see lanesort --help");
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
