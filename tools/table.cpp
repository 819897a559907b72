// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace {

constexpr std::size_t gap = 2;

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string line_of(std::span<const Column> columns, std::span<const std::size_t> widths, const Row& cells) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].left) line += fmt::format("{:<{}}", cells[i], widths[i]);
        else line += fmt::format("{:>{}}", cells[i], widths[i]);
        line.append(gap, ' ');
    }
    trim_end(line);
    return line + "\n";
}

}  // namespace

std::string table(std::span<const Column> columns, std::span<const Row> rows) {
    Row names;
    std::vector<std::size_t> widths;
    for (const Column& column : columns) {
        names.push_back(column.name);
        std::size_t width = column.name.size();
        for (const Row& row : rows) width = std::max(width, row[widths.size()].size());
        widths.push_back(width);
    }

    std::string groups;
    for (std::size_t first = 0, next = 0; first < columns.size(); first = next) {
        const std::string& title = columns[first].group;
        std::size_t width = 0;
        for (; next < columns.size() && columns[next].group == title; ++next) width += widths[next] + gap;
        for (std::size_t i = first; width < title.size() + gap; i = i + 1 < next ? i + 1 : first, ++width) ++widths[i];
        groups += fmt::format("{:^{}}", title, width - gap) + std::string(gap, ' ');
    }
    trim_end(groups);
    std::string lines = groups.empty() ? "" : groups + "\n";
    lines += line_of(columns, widths, names);
    for (const Row& row : rows) lines += line_of(columns, widths, row);
    return lines;
}
