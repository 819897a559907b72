// SPDX-License-Identifier: MIT
#include "work.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <lanesort/error.hpp>

namespace lanesort::inline v0_1::detail {
namespace {

/// What an argument is that cannot be one of that type; null if it can.
const char* mistake_in(const Argument& argument, ArgumentType type, const KernelParameters& parameters,
                       const Arrays& arrays) {
    const bool is_an_array = argument.bytes == 0;
    if (is_an_array != is_array(type)) return is_an_array ? "an array" : "an integer";
    const std::size_t bytes = bytes_of(type, parameters), of_array = arrays[argument.slot].bytes;
    if (!is_an_array) return bytes < 8 && argument.value >> (8 * bytes) != 0 ? "a larger integer" : nullptr;
    if (bytes == 0 || of_array == 0) return nullptr;
    // Elements may also be moved, and counters be kept, by parts.
    const bool may_be_parts = type == ArgumentType::keys || type == ArgumentType::u32s;
    const bool fits = may_be_parts ? of_array % bytes == 0 : of_array == bytes;
    return fits ? nullptr : "an array of other elements";
}

}  // namespace

void add_launch(Work& work, std::size_t program, std::string_view kernel, std::uint64_t groups,
                std::span<const Argument> arguments) {
    const KernelParameters& parameters = work.programs[program]->parameters;
    const auto refuse = [&](const std::string& sentence) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the kernel {} of {} {}", kernel, kernel_file(parameters), sentence));
    };
    const std::vector<const KernelRow*> kernels = kernels_of(parameters);
    const auto row = std::ranges::find(kernels, kernel, &KernelRow::name);
    if (row == kernels.end()) refuse("is not in the program");
    const std::vector<ArgumentType> types = argument_types(**row, parameters);
    if (arguments.size() != types.size())
        refuse(fmt::format("takes {} arguments, but got {}", types.size(), arguments.size()));
    Launch launch{.program = static_cast<std::uint8_t>(program),
                  .kernel = static_cast<std::uint8_t>(row - kernels.begin()),
                  .awaits = (*row)->awaits,
                  .is_pass = (*row)->is_pass,
                  .groups = groups};
    for (const ArgumentType type : types) {
        Argument argument = arguments[launch.argument_count];
        if (const char* const mistake = mistake_in(argument, type, parameters, work.arrays))
            refuse(fmt::format("takes {} as argument {}, but got {}", name(type), launch.argument_count + 1, mistake));
        if (argument.bytes > 0) argument.bytes = static_cast<std::uint8_t>(bytes_of(type, parameters));
        argument.is_count = is_count(type);
        launch.arguments[launch.argument_count++] = argument;
    }
    work.commands.emplace_back(launch);
    ++work.report.launches;
}

}  // namespace lanesort::inline v0_1::detail
