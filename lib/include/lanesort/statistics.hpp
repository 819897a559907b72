// SPDX-License-Identifier: MIT
/// @file
/// How often a sort synchronises: as the patent prints it, as the plan counts it, as the device did it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/plan.hpp>

namespace lanesort::inline v0_1 {

/// Synchronisations of one sort.
struct SyncCounts {
    std::uint64_t by_cpu = 0;    ///< between two passes: launches - 1
    std::uint64_t all = 0;       ///< by_cpu and the hand-overs inside the passes, in which a work-group waits
    std::uint64_t barriers = 0;  ///< barrier instructions of these hand-overs, for each work-item

    friend bool operator==(const SyncCounts&, const SyncCounts&) = default;
};

/// What the formulas of patent CN102750131A give, for the next power of two; nothing where the patent has none, or the
/// number is negative. It is for comparison only: the network's steps, counted, are others (see exact_counts).
struct PrintedCounts {
    std::optional<std::int64_t> by_cpu;  ///< synchronisations by the CPU
    std::optional<std::int64_t> all;     ///< these and those inside work-groups
};

/// A row of the statistics table.
struct Variant {
    std::string name;  ///< what it changes, for a person
    Shape shape;       ///< the settings of the one kernel that make it
};

/// Returns what the patent's formulas give for that many keys in that shape.
PrintedCounts printed_counts(std::uint64_t count, const Shape& shape);

/// Returns what is counted from the plan. What an executor really does is always equal to it.
SyncCounts exact_counts(const Plan& plan);

/// Returns the rows of the statistics table, from the scalar baseline to several global steps a pass, one change after
/// the other: scalar with every step by the CPU; scalar with local barriers; L = 2, 4, 8, 16; M = 2, 4; remapping; the
/// bank swap; r = 2, 4. Work-groups have 256 work-items, as in the patent, or fewer where `local_bytes` of local memory
/// or `max_work_items` demand it; then lanes come down too.
std::vector<Variant> statistics_variants(std::size_t key_bytes, std::size_t local_bytes = 32768,
                                         unsigned max_work_items = 256);

}  // namespace lanesort::inline v0_1
