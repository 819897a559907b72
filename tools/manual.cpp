#include "manual.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lanesort/version.h>

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) { return app.get_subcommands({}); }

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool with_positionals) {
    return command.get_options([&](const CLI::Option* option) { return with_positionals || option->nonpositional(); });
}

/// "-r", "--reverse"
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

std::string replaced(std::string_view text, std::string_view characters, std::string_view before) {
    std::string result;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) result += before;
        result += c;
    }
    return result;
}

/// As text in a manual page: nothing of it is a request, and hyphens can be copied.
std::string roff(std::string_view text) {
    std::string result;
    bool begins_line = true;
    for (const char c : text) {
        if (begins_line && (c == '.' || c == '\'')) result += "\\&";
        begins_line = c == '\n';
        if (c == '\\') result += "\\e";
        else if (c == '-') result += "\\-";
        else result += c;
    }
    return result;
}

/// What comes before the first comma and the like: enough to choose by.
std::string_view beginning(std::string_view text) { return text.substr(0, text.find_first_of(",;:(")); }

std::string in_quotes(std::string_view text) {
    return "'" + CLI::detail::find_and_replace(std::string(text), "'", "") + "'";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
    std::string page =
        fmt::format(".TH LANESORT 1 \"\" \"lanesort " LANESORT_VERSION
                    "\" \"User Commands\"\n.SH NAME\nlanesort \\- sort numbers and tables in place\n"
                    ".SH SYNOPSIS\n.B lanesort\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIIN\\fR] [\\fIOUT\\fR]\n"
                    ".SH DESCRIPTION\n{}\n.PP\n.nf\n{}\n.fi\n",
                    roff(app.get_description()), roff(app.get_footer()));
    for (const CLI::App* const command : commands_of(app)) {
        page += fmt::format(".SH {}\n{}.\n", roff("lanesort " + command->get_name()), roff(command->get_description()));
        for (const std::string& group : command->get_groups()) {
            if (group != "Options" && group != "Positionals") page += fmt::format(".SS {}\n", roff(group));
            for (const CLI::Option* const option : options_of(*command, true)) {
                if (option->get_group() != group) continue;
                std::string names = fmt::format("{}", fmt::join(names_of(*option), ", "));
                if (names.empty()) names = option->get_name(true);
                const std::string value =
                    takes_value(*option) && option->nonpositional() ? option->get_type_name() : "";
                page += fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(names), value.empty() ? "" : " ", roff(value),
                                    roff(option->get_description()));
            }
        }
        page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command->get_footer()));
    }
    return page;
}

std::string bash_completion(const CLI::App& app) {
    std::vector<std::string> commands;
    std::string cases;
    for (const CLI::App* const command : commands_of(app)) {
        std::vector<std::string> words;
        for (const CLI::Option* const option : options_of(*command, false))
            for (const std::string& name : names_of(*option)) words.push_back(name);
        commands.push_back(command->get_name());
        cases += fmt::format("        {}) words='{}' ;;\n", command->get_name(), fmt::join(words, " "));
    }
    return fmt::format(
        "_lanesort() {{\n    local words=\n    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
        "    ((COMP_CWORD > 1)) || words='{}'\n    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)) || [[ $2 == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\"); "
        "fi\n"
        "}}\ncomplete -o default -F _lanesort lanesort\n",
        cases, fmt::join(commands, " "));
}

std::string fish_completion(const CLI::App& app) {
    std::string script;
    for (const CLI::App* const command : commands_of(app)) {
        script += fmt::format("complete -c lanesort -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                              in_quotes(command->get_description()));
        for (const CLI::Option* const option : options_of(*command, false)) {
            script += fmt::format("complete -c lanesort -n '__fish_seen_subcommand_from {}'", command->get_name());
            for (const std::string& name : option->get_snames()) script += " -s " + name;
            for (const std::string& name : option->get_lnames()) script += " -l " + name;
            script += fmt::format("{} -d {}\n", takes_value(*option) ? " -r" : "",
                                  in_quotes(beginning(option->get_description())));
        }
    }
    return script;
}

std::string zsh_completion(const CLI::App& app) {
    std::string commands, cases;
    for (const CLI::App* const command : commands_of(app)) {
        commands += fmt::format("        {}\n", in_quotes(command->get_name() + ":" + command->get_description()));
        cases += fmt::format("        {}) _arguments", command->get_name());
        for (const CLI::Option* const option : options_of(*command, false))
            for (const std::string& name : names_of(*option))
                cases += fmt::format(" \\\n            {}",
                                     in_quotes(fmt::format("*{}[{}]{}", name,
                                                           replaced(beginning(option->get_description()), "[]:", "\\"),
                                                           takes_value(*option) ? ":value:_files" : "")));
        cases += " \\\n            '*:file:_files' ;;\n";
    }
    return fmt::format(
        "#compdef lanesort\n_lanesort() {{\n    local -a commands=(\n{}    )\n"
        "    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
        "    case $words[2] in\n{}    esac\n}}\n_lanesort \"$@\"\n",
        commands, cases);
}
