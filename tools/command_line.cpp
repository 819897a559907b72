// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <lanesort/version.h>

#include "command.hpp"
#include "files.hpp"
#include "options.hpp"

namespace {

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

/// Adds the option, whose value goes where its target says.
void add(CLI::App& command, const Option& option) {
    const auto add_with = [&](const auto& to) -> CLI::Option* {
        using Target = std::remove_cvref_t<decltype(to)>;
        if constexpr (std::is_same_v<Target, bool*>) return command.add_flag(option.names, *to, option.help);
        else if constexpr (std::is_same_v<Target, std::optional<bool>*>)
            return command.add_flag_function(
                option.names, [to](std::int64_t given) { *to = given > 0; }, option.help);
        else if constexpr (std::is_same_v<Target, std::function<void()>>)
            return command.add_flag_callback(option.names, to, option.help);
        else if constexpr (std::is_pointer_v<Target>) return command.add_option(option.names, *to, option.help);
        else {
            if (option.values == Option::Values::one)
                return command.add_option_function<std::string>(option.names, to, option.help);
            const auto each = [to](const std::vector<std::string>& given) {
                for (const std::string& one : given) to(one);
            };
            return command.add_option_function<std::vector<std::string>>(option.names, each, option.help)
                ->allow_extra_args(option.values == Option::Values::several);
        }
    };
    CLI::Option* const added = std::visit(add_with, option.target);
    if (!option.is_flag()) added->type_name(option.value)->required(option.is_required);
    if (option.range) added->check(CLI::Range(option.range->first, option.range->second).description(""));
    if (!option.needs.empty()) added->needs(option.needs);
    if (!option.group.empty()) added->group(option.group);
}

std::unique_ptr<CLI::App> parser_of(const CommandLine& line) {
    auto app = std::make_unique<CLI::App>(line.description, "lanesort");
    app->set_help_flag(line.help.names, line.help.help);
    app->set_version_flag("--version", "lanesort " LANESORT_VERSION);
    app->set_help_all_flag(line.help_all.names, line.help_all.help);
    app->require_subcommand(0, 1);
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(41);
    formatter->label("REQUIRED", "(required)");
    app->formatter(formatter);
    app->footer(line.footer);
    for (const SubCommand& command : line.commands) {
        CLI::App* const added = app->add_subcommand(command.name, command.description);
        for (const Option& option : command.options) add(*added, option);
        for (const auto& [option, other] : command.exclusions) added->get_option(option)->excludes(other);
        added->footer(command.footer);
        added->callback(command.run);
    }
    return app;
}

/// What is wrong with the arguments, in a sentence.
std::string sentence_of(const CLI::ParseError& error) {
    using CLI::detail::find_and_replace;
    std::string sentence = error.what();
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

}  // namespace

std::string help_of(const CommandLine& line, const std::string& command) {
    const std::unique_ptr<CLI::App> app = parser_of(line);
    if (command.empty()) return app->help();
    const auto asked = app->get_subcommands([&](const CLI::App* one) { return one->get_name() == command; });
    if (asked.empty()) throw BadInput(fmt::format("there is no sub-command {:?}; see lanesort --help", command));
    return asked.front()->help(app->get_name());
}

void run(const CommandLine& line, int argc, char** argv) {
    const std::unique_ptr<CLI::App> app = parser_of(line);
    const auto refuse = [&](const std::string& sentence) {
        const auto chosen = app->get_subcommands();
        throw BadInput(
            fmt::format("{}; see lanesort {}--help", sentence, chosen.empty() ? "" : chosen.front()->get_name() + " "));
    };
    try {
        app->parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return print(app->help());
    } catch (const CLI::CallForAllHelp&) {
        return print(app->help("", CLI::AppFormatMode::All));
    } catch (const CLI::CallForVersion& version) {
        return print(fmt::format("{}\n", version.what()));
    } catch (const CLI::ParseError& error) {
        refuse(sentence_of(error));
    } catch (const BadUsage& error) {
        refuse(error.what());
    }
    if (app->get_subcommands().empty()) throw BadInput("nothing to do; see lanesort --help");
}
