// SPDX-License-Identifier: MIT
// The schedule of a selection: the first k elements of an array or of each of its rows
// (kernels/top_k/top_k_candidates.h). Pure.
#pragma once

#include <cstdint>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/report.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1::detail {

/// One launch: `parts` work-groups for each row.
struct TopKPass {
    enum class Kind : std::uint8_t { select_best, best_of_buckets };  ///< the kernel

    Kind kind = Kind::select_best;
    bool reads_keys = false;       ///< the caller's; else what the pass before it left
    std::uint64_t count = 0;       ///< elements of a row of what it reads, buckets of which it may select among
    std::uint64_t share = 0;       ///< elements of a work-group
    std::uint64_t parts = 0;       ///< work-groups of a row
    unsigned bucket_bits = 0;      ///< lg of the elements of a bucket; 0: it selects among all elements of the row
    std::uint64_t read_place = 0;  ///< of the first one that the pass before it left, in the array of what passes leave
    std::uint64_t left = 0;        ///< elements of a row that it leaves
    std::uint64_t left_place = 0;  ///< of the first one, in the same array, but for the last pass, whose are the result

    friend bool operator==(const TopKPass&, const TopKPass&) = default;
};

struct TopKSchedule {
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< elements of a row
    std::uint64_t k = 0;      ///< of them are wanted, fewer than `count`
    bool skips = false;       ///< work-items that select by themselves pass over what cannot be among the first k
    ElementBytes bytes;       ///< of the elements as they are selected, which may have numbers that nobody asked for
    Shape shape;              ///< a work-item has `vectors` vectors and reads `register_vectors` at a time
    std::vector<TopKPass> passes;

    /// Elements that passes leave for each other; the last one's are the result.
    std::uint64_t left_over() const noexcept;
    /// Its launches, and where the work-items of a group synchronise in them.
    SortReport report() const noexcept;
};

/// The most elements that can be selected among `count` on that device; a sort is to be used for more.
std::uint64_t most_selected(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) noexcept;

/// Needs 0 < k <= most_selected() and k < count. Many more elements than k are read once, for the first of each bucket
/// of them; then it selects among these, and among the elements of k buckets. Processors do so only where it may depend
/// on no key: else they pass over most elements. Each pass leaves k elements of each work-group, until there is one for
/// a row.
TopKSchedule make_top_k_schedule(const DeviceInfo& device, ElementBytes bytes, std::uint64_t rows, std::uint64_t count,
                                 std::uint64_t k, bool data_independent = true);

/// Bytes of local memory that a work-group takes.
std::size_t top_k_local_bytes(const Shape& shape, ElementBytes bytes) noexcept;

}  // namespace lanesort::inline v0_1::detail
