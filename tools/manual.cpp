// SPDX-License-Identifier: MIT
#include "manual.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <lanesort/version.h>

#include "join.hpp"

namespace {

/// All options of a sub-command.
std::vector<Option> options_of(const CommandLine& line, const SubCommand& command) {
    std::vector<Option> options = {line.help, line.help_all};
    options.insert(options.end(), command.options.begin(), command.options.end());
    return options;
}

/// What an option is called: "-r", "--reverse". Nothing of one that has only a place.
std::vector<std::string> names_of(const Option& option) {
    std::vector<std::string> names;
    for (std::string_view rest = option.names; !rest.empty();) {
        std::string_view name = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        if (name.starts_with('!')) name.remove_prefix(1);
        if (name.starts_with('-')) names.emplace_back(name.substr(0, name.find('{')));
    }
    return names;
}

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
    std::string quoted(text);
    std::erase(quoted, '\'');
    return fmt::format("'{}'", quoted);
}

}  // namespace

std::string manual_page(const CommandLine& line) {
    std::string page =
        fmt::format(".TH LANESORT 1 \"\" \"lanesort " LANESORT_VERSION
                    "\" \"User Commands\"\n.SH NAME\nlanesort \\- sort numbers and tables in place\n"
                    ".SH SYNOPSIS\n.B lanesort\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIIN\\fR] [\\fIOUT\\fR]\n"
                    ".SH DESCRIPTION\n{}\n.PP\n.nf\n{}\n.fi\n",
                    roff(line.description), roff(line.footer));
    for (const SubCommand& command : line.commands) {
        page += fmt::format(".SH {}\n{}.\n", roff("lanesort " + command.name), roff(command.description));
        const std::vector<Option> options = options_of(line, command);
        std::vector<std::string_view> groups;
        for (const Option& option : options)
            if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
        for (const std::string_view group : groups) {
            if (!group.empty()) page += fmt::format(".SS {}\n", roff(group));
            for (const Option& option : options) {
                if (option.group != group) continue;
                const std::vector<std::string> names = names_of(option);
                const std::string title = names.empty() ? option.names : join(names, ", ");
                const std::string value = names.empty() ? "" : option.value;
                page += fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(title), value.empty() ? "" : " ", roff(value),
                                    roff(option.help));
            }
        }
        page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
    }
    return page;
}

std::string bash_completion(const CommandLine& line) {
    std::vector<std::string> commands;
    std::string cases;
    for (const SubCommand& command : line.commands) {
        std::vector<std::string> words;
        for (const Option& option : options_of(line, command))
            for (const std::string& name : names_of(option)) words.push_back(name);
        commands.push_back(command.name);
        cases += fmt::format("        {}) words='{}' ;;\n", command.name, join(words, " "));
    }
    return fmt::format(
        "_lanesort() {{\n    local words=\n    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
        "    ((COMP_CWORD > 1)) || words='{}'\n    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)) || [[ $2 == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\"); "
        "fi\n"
        "}}\ncomplete -o default -F _lanesort lanesort\n",
        cases, join(commands, " "));
}

std::string fish_completion(const CommandLine& line) {
    std::string script;
    for (const SubCommand& command : line.commands) {
        script += fmt::format("complete -c lanesort -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                              in_quotes(command.description));
        for (const Option& option : options_of(line, command)) {
            const std::vector<std::string> names = names_of(option);
            if (names.empty()) continue;
            script += fmt::format("complete -c lanesort -n '__fish_seen_subcommand_from {}'", command.name);
            for (const std::string_view name : names)
                script += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                                 : fmt::format(" -s {}", name.substr(1));
            script += fmt::format("{} -d {}\n", option.is_flag() ? "" : " -r", in_quotes(beginning(option.help)));
        }
    }
    return script;
}

std::string zsh_completion(const CommandLine& line) {
    std::string commands, cases;
    for (const SubCommand& command : line.commands) {
        commands += fmt::format("        {}\n", in_quotes(command.name + ":" + command.description));
        cases += fmt::format("        {}) _arguments", command.name);
        for (const Option& option : options_of(line, command))
            for (const std::string& name : names_of(option))
                cases +=
                    fmt::format(" \\\n            {}",
                                in_quotes(fmt::format("*{}[{}]{}", name, replaced(beginning(option.help), "[]:", "\\"),
                                                      option.is_flag() ? "" : ":value:_files")));
        cases += " \\\n            '*:file:_files' ;;\n";
    }
    return fmt::format(
        "#compdef lanesort\n_lanesort() {{\n    local -a commands=(\n{}    )\n"
        "    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
        "    case $words[2] in\n{}    esac\n}}\n_lanesort \"$@\"\n",
        commands, cases);
}
