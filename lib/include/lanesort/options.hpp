// SPDX-License-Identifier: MIT
/// @file
/// What a sorter and its calls on host memory can be told (sorter.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include <lanesort/key_types.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/request.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

/// A sorter takes the shape of a sort from the first of these that has one: `shape`; `shape_file`, or else the file of
/// `lanesort tune`; choose_shape. Files are read once, when the sorter is made.
struct SorterOptions {
    /// The shape for all keys. Must fit the device.
    std::optional<Shape> shape = {};
    /// A file of shapes (tuning.hpp), instead of that of `lanesort tune`. All of them must fit the device.
    std::filesystem::path shape_file = {};
    /// Use what `lanesort tune` stored for this device (find_tuned). LANESORT_TUNED=0 in the environment forbids it to
    /// all sorters.
    bool use_tuned = true;
    /// Device memory that sorts and argsorts of arrays in host memory may take, in bytes: where the arrays take more,
    /// they are sorted in parts (docs/memory.md). 0: seven eighths of the device's; where it works in host memory, no
    /// limit but DeviceInfo::max_allocation_bytes. The built-in device takes none, whatever this says.
    std::uint64_t device_bytes = 0;
    /// Seed of the places where a distribution looks for its splitters and pivots. Drawn for each sorter unless given,
    /// so that no array can be made to mislead it. Times depend on it, and in parts counts in reports; results do not.
    std::optional<std::uint32_t> seed = {};
    /// Called by calls on host memory, in the calling thread, after each pass: with the passes done and all passes. Of
    /// arrays that are sorted in parts, after each part; of keys that are sorted while others are copied, after each of
    /// these 16 tiles and 16 buckets (docs/memory.md).
    std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// How the keys of a call are arranged and what order they get. An option that the call does not use is
/// Error(invalid_argument).
struct SortOptions {
    std::optional<Order> order = {};  ///< of numbers, ascending unless given; records have the comparator's
    /// Keys of a row: the keys are rows of so many, one after the other, each sorted by itself, all of them by the
    /// launches of one row; indices count from the row's first key. 0: no rows.
    std::size_t row_length = 0;
    /// Where segments begin, and where the last one ends, in ascending order, in keys: each is sorted by itself, all of
    /// them by the launches of the longest. Keys outside of them stay; indices count from the segment's first key.
    /// Empty: none.
    std::span<const std::uint64_t> segments = {};
    /// Records that the comparator calls equal, and pairs of equal keys, keep their order. This costs an index for each
    /// element: 4 bytes of device memory, 8 from 2^32 elements on, and the time to move it. Numbers without values cost
    /// nothing more: where they are equal, they are so in every bit.
    bool stable = false;
    /// Keys that are to be in their places: the first so many of the order, in order, of the range or of each row or
    /// segment. The others follow, in an order that depends on the shape. Up to half a tile of the shape (thousands)
    /// they take a fraction of the passes of a sort; more take a sort.
    std::size_t first = all_keys;
    /// How sorts and argsorts of one range go; not for rows, segments and `first`. One that is demanded and cannot be
    /// is Error(unsupported). What exceeds the device goes in parts, and docs/memory.md says how these are sorted.
    Schedule schedule = Schedule::automatic;
    /// Of sorts and argsorts: the same positions are compared whatever the keys are, so no distribution is taken.
    bool data_independent = false;
    /// Device memory that a distribution may take, in bytes, on every device; 0: as Schedule says. Where that is too
    /// little, another schedule is taken, or, if a distribution is demanded, the call is Error(unsupported). Where the
    /// call rules a distribution out, it is Error(invalid_argument).
    std::uint64_t extra_bytes = 0;
};

/// Which keys are selected. Unlike a sort, a selection descends unless told otherwise: the largest come first.
struct TopKOptions {
    std::optional<Order> order = {};  ///< of numbers, descending unless given; records have the comparator's
    std::size_t row_length = 0;       ///< keys of a row, as SortOptions says; 0: no rows
    bool data_independent = false;    ///< whatever the keys are, as many are read and compared
    /// Where segments begin and end, as SortOptions says: the best of each are found. Empty: none.
    std::span<const std::uint64_t> segments = {};
    /// No NaN comes before a number, also where keys descend. Has no effect on keys without NaN, such as integers.
    bool nan_last = false;
};

/// How keys that are reduced are arranged: one range, or rows or segments, each of which has a result of its own.
struct ReduceOptions {
    std::size_t row_length = 0;  ///< keys of a row, as SortOptions says; 0: no rows
    /// Where segments begin and end, as SortOptions says. One may be empty. Empty: no segments.
    std::span<const std::uint64_t> segments = {};
};

/// What a scan gives, and of which keys.
struct ScanOptions {
    /// Sum, min or max. A minimum or maximum has the rules of Reduction: -0 is below +0, and NaN is only taken where
    /// all keys so far are.
    Reduction reduction = Reduction::sum;
    std::size_t row_length = 0;  ///< keys of a row, as SortOptions says, each scanned by itself; 0: no rows
    /// Where segments begin and end, as SortOptions says: each is scanned by itself. Results of keys outside of them
    /// stay as they are. Empty: none.
    std::span<const std::uint64_t> segments = {};
};

}  // namespace lanesort::inline v0_1
