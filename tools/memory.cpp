// SPDX-License-Identifier: MIT
#include "memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unknown = UINT64_MAX;

/// The number behind a word in a file.
std::optional<std::uint64_t> number_after(const fs::path& file, std::string_view word) {
    std::ifstream stream(file);
    for (std::string found; stream >> found;)
        if (std::uint64_t number = 0; found == word && stream >> number) return number;
    return std::nullopt;
}

/// The number that a file holds; nothing where it is not there, or says "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    return stream >> number ? std::optional(number) : std::nullopt;
}

/// What a group and those around it leave, which are folders below `mount`. What it has of files can be given back.
std::uint64_t left_by_group(const fs::path& mount, const fs::path& group, const char* limit, const char* usage,
                            const char* of_files) {
    std::uint64_t left = unknown;
    for (fs::path path = group;; path = path.parent_path()) {
        const fs::path folder = mount / path;
        const auto most = number_in(folder / limit), used = number_in(folder / usage);
        if (most && used) {
            const std::uint64_t needed =
                *used - std::min(*used, number_after(folder / "memory.stat", of_files).value_or(0));
            left = std::min(left, *most - std::min(*most, needed));
        }
        if (path.empty()) return left;
    }
}

std::uint64_t left_by_groups(const fs::path& root) {
    std::uint64_t left = unknown;
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // Number, controllers and path: "0::/user.slice" of the second version, "4:memory:/docker" of the first.
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const fs::path group = fs::path(line.substr(second + 1)).relative_path(), mount = root / "sys/fs/cgroup";
        if (controllers.empty())
            left = std::min(left, left_by_group(mount, group, "memory.max", "memory.current", "inactive_file"));
        else if (controllers == "memory")
            left = std::min(left, left_by_group(mount / "memory", group, "memory.limit_in_bytes",
                                                "memory.usage_in_bytes", "total_inactive_file"));
    }
    return left;
}

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
    constexpr std::uint64_t kibi = 1024;
    const fs::path info = root / "proc/meminfo";
    const auto available = number_after(info, "MemAvailable:");
    const std::uint64_t machine =
        available ? kibi * (*available + number_after(info, "SwapFree:").value_or(0)) : unknown;
    return std::min(machine, left_by_groups(root));
}
