// SPDX-License-Identifier: MIT
// How often each variant of the sort synchronises, as a picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lanesort/statistics.hpp>

/// A line: the counts of one variant for 2^from, 2^(from + 1) .. keys.
struct Series {
    std::string name;
    std::vector<lanesort::SyncCounts> counts;
};

/// Synchronisations by the CPU, and barriers, against the number of keys (of which `keys` tells the type), as SVG. All
/// series are of one length, of two or more.
std::string stats_picture(std::string_view keys, unsigned from, const std::vector<Series>& series);
