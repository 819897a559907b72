// SPDX-License-Identifier: MIT
// Tables of aligned columns.
#pragma once

#include <span>
#include <string>
#include <vector>

struct Column {
    std::string name;
    std::string group = {};  ///< a common title above neighbouring columns; none where empty
    bool left = false;       ///< aligned to the left, as words are; numbers are not
};

using Row = std::vector<std::string>;

/// The lines of the table, its header included.
std::string table(std::span<const Column> columns, std::span<const Row> rows);
