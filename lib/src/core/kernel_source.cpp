// SPDX-License-Identifier: MIT
#include "kernel_source.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/core.h>

#include <lanesort/error.hpp>

namespace lanesort::inline v0_1::detail {
namespace {

std::string file_text(const std::string& name) {
    if (const char* folder = std::getenv("LANESORT_KERNEL_DIR")) {
        const std::string path = fmt::format("{}/{}", folder, name);
        std::ifstream file(path, std::ios::binary);
        if (!file) throw Error(ErrorCode::build_failed, fmt::format("the kernel file {} cannot be read", path));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    const auto files = embedded_kernels();
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    if (file == files.end()) throw Error(ErrorCode::build_failed, fmt::format("there is no kernel file {}", name));
    return std::string(file->text);
}

void append(std::string& source, const std::string& name, const KernelText& text, std::set<std::string>& included) {
    if (!included.insert(name).second) return;
    if (name == "common/comparator.h" && !text.comparator.empty()) {
        source += text.comparator;
        return;
    }
    if (name == "common/parameters.h")
        for (const std::string& definition : text.definitions) {
            const std::size_t end = definition.find('=');
            source += fmt::format("#define {} {}\n", definition.substr(0, end), definition.substr(end + 1));
        }
    constexpr std::string_view directive = "#include \"";
    std::istringstream lines(file_text(name));
    source += fmt::format("#line 1 \"{}\"\n", name);
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
        if (line.starts_with(directive)) {
            append(source, line.substr(directive.size(), line.rfind('"') - directive.size()), text, included);
            source += fmt::format("#line {} \"{}\"\n", number + 1, name);
        } else {
            source += line + '\n';
        }
    }
}

}  // namespace

std::string kernel_source(const std::string& file, const KernelText& text) {
    std::string source;
    std::set<std::string> included;
    append(source, file, text, included);
    return source;
}

}  // namespace lanesort::inline v0_1::detail
