// SPDX-License-Identifier: MIT
/// @file
/// A call as data: what is to be done with how many keys of which kind. It is what is checked, planned, prepared,
/// recorded and counted, on host memory, a queue and a stream alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <lanesort/comparator.hpp>
#include <lanesort/plan.hpp>

namespace lanesort::inline v0_1 {

/// What a call does.
enum class Operation : std::uint8_t {
    sort,             ///< sort, partial_sort, nth_element and sort_by_key
    argsort,          ///< the indices that sort the keys
    merge,            ///< merge and merge_by_key
    top_k,            ///< the first keys, with or without their indices
    is_sorted,        ///< whether keys, or those of each row, are in order
    is_sorted_until,  ///< how many of them are
    unique,           ///< the distinct keys: unique and unique_by_key
    run_lengths,      ///< these and how often each comes
    reduce,           ///< a sum, the smallest or the largest key, or what an operator makes of them
    inclusive_scan,   ///< the sums, minima or maxima of the first key, the first two, ..
    exclusive_scan,   ///< those of no key, the first one, ..
    select,           ///< the elements whose flags say so
    partition,        ///< these, and the others behind them
    lower_bound,      ///< where keys belong in a sorted range, ahead of equal ones
    upper_bound,      ///< the same behind equal ones
    equal_range,      ///< both
    gather,           ///< values from where indices tell
    scatter,          ///< values to where indices tell
    permute,          ///< values in the order of indices, in place
    histogram,        ///< how many keys lie in each bin
    reduce_by_key,    ///< of sorted keys: the distinct ones, and what a reduction gives of their values
    group_by,         ///< the same of keys in any order, which are sorted with their values
    /// The sum of the products of two ranges, key by key, or what an operator makes of the pairs.
    transform_reduce,
    inclusive_scan_by_key,  ///< the same as inclusive_scan, of the values of each run of equal keys
    exclusive_scan_by_key,  ///< the same as exclusive_scan
};

/// What a reduction gives of a range, of each of its rows or segments, or of the values of equal keys.
enum class Reduction : std::uint8_t {
    sum,      ///< of integers in 64 bits, wrapping; of f16 and f32 in f32, of f64 in f64
    min,      ///< the smallest key; -0 is below +0, and NaN is only taken where all keys are
    max,      ///< the largest key, with the same rules
    arg_min,  ///< where the first of the smallest keys is, from 0 in each row
    arg_max,  ///< where the first of the largest keys is
    count,    ///< of equal keys: how many values there are, in 64 bits
    mean,     ///< of equal keys: the sum, which may have wrapped, divided by that; of integers in f64
};

/// The numbers that a reduction gives of numbers of that type.
constexpr KeyType reduced_type(KeyType type, Reduction reduction) noexcept {
    const bool is_float = type == KeyType::f16 || type == KeyType::f32 || type == KeyType::f64;
    const bool is_signed = type == KeyType::i8 || type == KeyType::i16 || type == KeyType::i32 || type == KeyType::i64;
    switch (reduction) {
        case Reduction::min:
        case Reduction::max: return type;
        case Reduction::sum:
        case Reduction::mean:
            if (is_float) return type == KeyType::f64 ? KeyType::f64 : KeyType::f32;
            if (reduction == Reduction::mean) return KeyType::f64;
            return is_signed ? KeyType::i64 : KeyType::u64;
        default: return KeyType::u64;
    }
}

/// What is done of a merge of two sorted ranges, where these lie in the memory of two devices. After the first step all
/// keys of the lower range come before all of the upper one, and each is merged by itself. Not for records and stable
/// merges.
enum class MergePart : std::uint8_t {
    whole,                    ///< all of it, of ranges in the memory of one device
    first_step,               ///< key k from the end of the lower range and key k of the upper one, in order
    first_step_where_needed,  ///< the same, but only the keys that change places are looked at, and a few more
    lower_half,               ///< the rest of it, of the lower range
    upper_half,               ///< the rest of it, of the upper range
};

/// How a sort of one range goes. All of them give the same bytes, and launch the same kernels whatever the keys are,
/// but where arrays are copied while they are sorted (docs/memory.md). The network and columns also compare the same
/// positions whatever the keys are (docs/reliability.md); a distribution does not.
enum class Schedule : std::uint8_t {
    /// What is the fastest on the device. That is a distribution on processors with AVX2 or AVX-512 from 16,385 keys,
    /// but for counts just below 2^15 and 2^16 (docs/tuning.md), by CUDA from 2^26 bytes on, with values, and
    /// by NVIDIA's OpenCL of keys of 4 bytes alone, from 2^27 bytes on, each where the device has the memory for it. It
    /// is also what goes on while keys are copied: of 2^30 bytes of numbers or more in host memory, alone, on a device
    /// with memory of its own, and of most arrays that exceed the device.
    automatic,
    network,  ///< the bitonic merge sort's passes, phase by phase
    /// Columns of tiles, as far as they suffice, then the network's phases; these alone where the shape has no columns.
    columns,
    /// By splitters into leaves of a tile, which the network sorts. On the built-in device and through PoCL, with AVX2
    /// or AVX-512, a quicksort: vectors are parted by pivots, and small ranges are left to the network. It serves keys
    /// of 4 and 8 bytes alone, and of 4 bytes with values or indices of 4. Through PoCL splitters serve all others;
    /// the built-in device refuses them.
    ///
    /// Memory: of a quicksort 8 bytes for each range that threads share out, 8 to 16 a thread or fewer, and 24 more.
    /// Else at most a hundredth of the array or, if that is more, the smaller of 32 MiB and an eighth of it. The array
    /// is the keys, the values and the indices, those of a stable sort among them. Request::extra_bytes is another
    /// limit, of either. SortReport::device_bytes counts this memory.
    /// Cost: reads and writes the array a few times at any count, where a network does so for each of its passes. The
    /// time depends on the keys; what is parted badly for long goes to the network, or all of it.
    /// Errors: Error(unsupported) for fewer keys than four tiles, unless it is a quicksort, or without the memory.
    /// Source: Axtmann, Witt, Ferizovic, Sanders, "Engineering In-place (Shared-memory) Sorting Algorithms", 2020;
    /// Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512 on Intel Skylake", 2017.
    distribution,
};

/// A call, but for where its arrays lie. Members that the operation does not use keep their defaults.
struct Request {
    Operation operation = Operation::sort;  ///< what is done
    std::uint64_t count = 0;                ///< keys
    /// Of numbers; records have the comparator's. Nothing: ascending, but the largest first for top_k.
    std::optional<Order> order = {};
    bool stable = false;          ///< elements with equal keys keep their order
    bool in_host_memory = false;  ///< the arrays are in host memory, else in the device's
    bool counts_syncs = false;    ///< the kernels count their hand-overs and barriers
    bool in_place = false;        ///< the results go to the place of the keys; of unique, to the front of them
    bool limited = false;         ///< of top_k: an integer in memory says how many of the `first` are wanted
    bool nan_last = false;        ///< of top_k: no NaN comes before a number, also where keys descend
    bool inverted = false;        ///< of select and partition: elements whose flag is 0 are selected
    /// Of a sort: what is sorted goes to arrays of its own, and the keys and values stay as they are. Of a merge: the
    /// ranges have arrays of their own, and are merged into a third.
    bool apart = false;
    std::uint64_t row_length = 0;    ///< keys of a row, which divide `count`; 0: no rows
    std::uint64_t segments = 0;      ///< segments, where `offset_bytes` says that there are any
    std::uint64_t longest = 0;       ///< the most keys of a segment
    std::uint64_t middle = 0;        ///< of a merge: the second range begins at this key
    std::uint64_t first = all_keys;  ///< keys that are to be in their places; of top_k: how many are wanted
    std::size_t offset_bytes = 0;    ///< of the offsets of segments, 4 or 8; 0: no segments
    std::size_t value_bytes = 0;     ///< of a value: 1, 2, 4, 8 or 16; 0: no values
    std::size_t index_bytes = 0;     ///< of an index of argsort, top_k, searches and moves, 4 or 8; 0: no indices
    std::size_t length_bytes = 0;    ///< of a length of run_lengths, or a count of histogram, 4 or 8
    Schedule schedule = Schedule::automatic;  ///< of a sort or argsort of one whole range
    Reduction reduction = Reduction::sum;     ///< of reduce, reduce_by_key, group_by and scans
    bool data_independent =
        false;  ///< of sorts: the same positions are compared whatever the keys are; of top_k: as many
    std::uint64_t extra_bytes = 0;      ///< device memory that a distribution may take; 0: as Schedule says
    MergePart part = MergePart::whole;  ///< of merge: what is done of it
    /// Of lower_bound, upper_bound and equal_range: keys that are looked for. Of gather and scatter: indices.
    std::uint64_t second_count = 0;
    std::uint64_t bins = 0;             ///< of histogram
    bool bounded = false;               ///< of histogram: keys in an array bound the bins
    std::uint64_t lower = 0;            ///< of histogram: the bits of the first key that even bins count
    std::uint64_t upper = 0;            ///< of histogram: the bits of the last one
    KeyKind value_type = KeyType::u32;  ///< of operations by key and group_by: what the `value_bytes` are
    KeyKind key = KeyType::u32;         ///< numbers of a type, records in an order, or what else KeyKind says

    /// The order of numbers.
    Order order_or_usual() const noexcept {
        return order.value_or(operation == Operation::top_k ? Order::descending : Order::ascending);
    }
    /// Keys of the longest range that is sorted by itself.
    std::uint64_t length() const noexcept { return has_segments() ? longest : row_length > 0 ? row_length : count; }
    /// Rows of equal length, of which one range is one.
    std::uint64_t row_count() const noexcept { return row_length > 0 ? count / row_length : 1; }
    /// Rows or segments; 0 where it is one range.
    std::uint64_t rows() const noexcept { return has_segments() ? segments : row_length > 0 ? row_count() : 0; }
    /// Rows or segments, of which one range is one.
    std::uint64_t ranges() const noexcept { return has_segments() ? segments : row_count(); }
    /// The numbers that are results; nothing where they are records, or an operator's elements.
    std::optional<KeyType> result_type() const noexcept {
        if (key.is_record()) return std::nullopt;
        const bool reduces = operation == Operation::reduce || operation == Operation::transform_reduce;
        return reduces ? reduced_type(key.type(), reduction) : key.type();
    }
    /// Bytes of a result.
    std::size_t result_bytes() const noexcept {
        const std::optional<KeyType> type = result_type();
        return type ? key_bytes(*type) : key.bytes();
    }
    /// Bytes of a reduced value of reduce_by_key and group_by.
    std::size_t reduced_bytes() const noexcept { return key_bytes(reduced_type(value_type.type(), reduction)); }
    /// There are segments.
    bool has_segments() const noexcept { return offset_bytes > 0; }
    /// There are rows or segments.
    bool in_rows() const noexcept { return has_segments() || row_length > 0; }
    /// There is nothing that could be out of order.
    bool is_trivial() const noexcept {
        if (is_first_step()) return count == 0;
        return count < 2 || length() < 2 || (in_rows() && rows() == 0) ||
               (operation == Operation::merge && part == MergePart::whole && (middle == 0 || middle == count));
    }
    /// Pairs of keys of two ranges are brought in order.
    bool is_first_step() const noexcept {
        return part == MergePart::first_step || part == MergePart::first_step_where_needed;
    }

    friend bool operator==(const Request&, const Request&) = default;
};

/// Every operation, in the order of Operation.
inline constexpr Operation all_operations[] = {Operation::sort,
                                               Operation::argsort,
                                               Operation::merge,
                                               Operation::top_k,
                                               Operation::is_sorted,
                                               Operation::is_sorted_until,
                                               Operation::unique,
                                               Operation::run_lengths,
                                               Operation::reduce,
                                               Operation::inclusive_scan,
                                               Operation::exclusive_scan,
                                               Operation::select,
                                               Operation::partition,
                                               Operation::lower_bound,
                                               Operation::upper_bound,
                                               Operation::equal_range,
                                               Operation::gather,
                                               Operation::scatter,
                                               Operation::permute,
                                               Operation::histogram,
                                               Operation::reduce_by_key,
                                               Operation::group_by,
                                               Operation::transform_reduce,
                                               Operation::inclusive_scan_by_key,
                                               Operation::exclusive_scan_by_key};

/// Every schedule, in the order of Schedule.
inline constexpr Schedule all_schedules[] = {Schedule::automatic, Schedule::network, Schedule::columns,
                                             Schedule::distribution};

/// "sort", "argsort", ...: as the enumerator is written.
const char* name(Operation operation) noexcept;
/// "automatic", "network", ...: as the enumerator is written.
const char* name(Schedule schedule) noexcept;

}  // namespace lanesort::inline v0_1
