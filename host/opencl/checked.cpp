#include "checked.hpp"

#include <charconv>
#include <regex>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace lanesort::opencl {
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

/// The number of a text of digits, 0 if it is too large. std::stoul, built on glibc 2.38, would need that to run.
std::size_t number(const std::string& digits) {
    std::size_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

/// NVIDIA's compiler does not heed #line directives, but counts all lines of "<kernel>".
std::string with_named_lines(const std::string& log, const std::string& text) {
    struct Place {
        std::string file;
        std::size_t line = 0;
    };
    std::vector<Place> places{{}};
    Place next{"kernel", 1};
    std::istringstream lines(text);
    const std::regex directive("#line (\\d+) \"(.*)\"");
    for (std::string line; std::getline(lines, line); ++next.line) {
        places.push_back(next);
        if (std::smatch match; std::regex_match(line, match, directive)) next = {match[2], number(match[1]) - 1};
    }
    std::string named;
    auto rest = log.cbegin();
    const std::regex counted("<kernel>:(\\d+)");
    for (std::sregex_iterator match(log.begin(), log.end(), counted), end; match != end; ++match) {
        const auto line = number((*match)[1]);
        named.append(rest, (*match)[0].first);
        named += line > 0 && line < places.size() ? fmt::format("{}:{}", places[line].file, places[line].line)
                                                  : match->str();
        rest = (*match)[0].second;
    }
    return named.append(rest, log.cend());
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

}  // namespace lanesort::opencl
