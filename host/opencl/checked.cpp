// SPDX-License-Identifier: MIT
#include "checked.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace lanesort::inline v0_1::opencl {
namespace {

ErrorCode code_of(cl_int status) {
    switch (status) {
        case CL_OUT_OF_HOST_MEMORY:
        case CL_OUT_OF_RESOURCES:
        case CL_MEM_OBJECT_ALLOCATION_FAILURE: return ErrorCode::out_of_memory;
        case CL_INVALID_CONTEXT: return ErrorCode::wrong_context;
        default: return ErrorCode::device_failed;
    }
}

/// Takes a number off the front of the text; it is 0 if it is too large. Nothing if the text begins with none.
std::optional<std::size_t> take_number(std::string_view& text) {
    std::size_t value = 0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    if (end == text.data()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// Takes the word off the front of the text, if it begins with it.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

struct Place {
    std::string_view file;
    std::size_t line;
};

/// The place that a directive gives to the line behind it: #line 7 "common/key_order.h".
std::optional<Place> named_place(std::string_view line) {
    if (!take(line, "#line ")) return std::nullopt;
    const auto number = take_number(line);
    if (!number || !take(line, " \"") || !line.ends_with('"')) return std::nullopt;
    return Place{line.substr(0, line.size() - 1), *number};
}

/// NVIDIA's compiler does not heed #line directives, but counts all lines of "<kernel>".
std::string with_named_lines(std::string_view log, std::string_view text) {
    std::vector<Place> places{{}};
    for (Place next{"kernel", 1}; !text.empty(); ++next.line) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        places.push_back(next);
        if (const auto place = named_place(line)) next = {place->file, place->line - 1};
    }
    constexpr std::string_view kernel = "<kernel>:";
    std::string named;
    for (std::size_t at; (at = log.find(kernel)) != std::string_view::npos;) {
        named += log.substr(0, at);
        log.remove_prefix(at + kernel.size());
        const std::string_view behind = log;
        const std::size_t line = take_number(log).value_or(0);
        named += line > 0 && line < places.size()
                     ? fmt::format("{}:{}", places[line].file, places[line].line)
                     : fmt::format("{}{}", kernel, behind.substr(0, behind.size() - log.size()));
    }
    return named.append(log);
}

}  // namespace

Error to_error(const cl::Error& failure) {
    return Error(code_of(failure.err()), fmt::format("{} failed with OpenCL status {}", failure.what(), failure.err()),
                 failure.what(), failure.err());
}

Error build_error(cl_int status, const std::string& log, const detail::KernelParameters& parameters,
                  const std::string& text) {
    return detail::build_error(parameters, fmt::format("OpenCL status {}", status), "clBuildProgram", status,
                               with_named_lines(log, text));
}

}  // namespace lanesort::inline v0_1::opencl
