// SPDX-License-Identifier: MIT
// What the command line may say, as data: command_line.hpp reads it, and manual.hpp shows it.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// An option of a sub-command.
struct Option {
    enum class Values { one, one_each_time, several };

    /// "-r,--reverse". A name without hyphens is a place, and a flag's name behind ! means the opposite.
    std::string names;
    std::string value = {};  ///< what the help calls its value
    std::string help;
    /// Where its value goes, or what gets each value. The first three are flags, which have none.
    std::variant<bool*, std::optional<bool>*, std::function<void()>, std::string*, unsigned*, std::optional<unsigned>*,
                 std::function<void(const std::string& value)>>
        target;
    Values values = Values::one;
    std::optional<std::pair<unsigned, unsigned>> range = {};  ///< of a number
    bool is_required = false;
    std::string needs = {};  ///< another option
    std::string group = {};  ///< its title in the help, if it is not among the first ones

    bool is_flag() const noexcept { return target.index() < 3; }
};

/// A sub-command: its name, what it does, its options, and what runs if it is chosen.
struct SubCommand {
    std::string name, description, footer = {};
    std::vector<Option> options = {};
    std::vector<std::pair<std::string, std::string>> exclusions = {};  ///< of two options
    std::function<void()> run = {};

    Option& add(Option option);
    Option& add_flag(std::string_view names, bool& target, std::string_view help);
    Option& add_text(std::string_view names, std::string_view value, std::string& target, std::string_view help);
    void exclude(std::string_view option, std::initializer_list<std::string_view> others);
};

/// The sub-command that an object of that class, made with `more`, adds its options to and runs.
template <class Command, class... More>
SubCommand make_command(const char* name, const char* description, const More&... more) {
    SubCommand made{name, description};
    const auto command = std::make_shared<Command>(made, more...);
    made.run = [command] { command->run(); };
    return made;
}

struct CommandLine {
    std::string description, footer;
    Option help, help_all;  ///< every sub-command has these two
    std::vector<SubCommand> commands = {};
};
