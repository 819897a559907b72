// SPDX-License-Identifier: MIT
#include "arguments.hpp"

Option& SubCommand::add(Option option) { return options.emplace_back(std::move(option)); }

Option& SubCommand::add_flag(std::string_view names, bool& target, std::string_view help) {
    return add({.names = std::string(names), .help = std::string(help), .target = &target});
}

Option& SubCommand::add_text(std::string_view names, std::string_view value, std::string& target,
                             std::string_view help) {
    return add(
        {.names = std::string(names), .value = std::string(value), .help = std::string(help), .target = &target});
}

void SubCommand::exclude(std::string_view option, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others) exclusions.emplace_back(option, other);
}
