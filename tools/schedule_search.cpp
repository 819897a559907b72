// SPDX-License-Identifier: MIT
#include "schedule_search.hpp"

#include <lanesort/shape_table.hpp>

std::optional<std::uint64_t> find_distribution_limit(std::uint64_t least, std::uint64_t most, double needed,
                                                     const DistributionGain& gain) {
    const std::optional<double> of_most = gain(most);
    if (!of_most) return std::nullopt;
    if (*of_most < needed) return lanesort::ShapeTable::no_end;
    const auto is_faster = [&](std::uint64_t count) { return gain(count).value_or(0) >= needed; };
    std::uint64_t faster = most;
    while (faster / 2 >= least && is_faster(faster / 2)) faster /= 2;
    if (faster / 2 < least) return faster;
    for (std::uint64_t slower = faster / 2, step = 0; step < 2; ++step) {
        const std::uint64_t middle = slower + (faster - slower) / 2;
        (is_faster(middle) ? faster : slower) = middle;
    }
    return faster;
}
