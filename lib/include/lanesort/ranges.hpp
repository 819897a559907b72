// SPDX-License-Identifier: MIT
/// @file
/// Ranges in the memory of a device. `Memory` is what the device knows memory by: a cl_mem, or a pointer of CUDA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <lanesort/comparator.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

/// Where segments begin and end: `count` + 1 offsets, which are unsigned integers of `bytes` bytes (4 or 8). They count
/// keys from the first key of the range, and begin `offset` integers after the start of the memory. Segment i has the
/// keys from offset i up to offset i + 1. The device reads them when the call runs and the host never does, so the
/// caller states the longest segment, for whose launches and work-groups each segment pays. Of a longer one only the
/// first `longest` keys are sorted, selected from or reduced. Whatever the offsets say, nothing beyond the range is
/// touched.
template <class Memory>
struct SegmentRange {
    Memory memory = nullptr;  ///< of the offsets; null: no segments
    std::size_t offset = 0;   ///< integers before the first one
    std::size_t count = 0;    ///< segments, one less than the offsets
    std::size_t longest = 0;  ///< keys of the longest segment, or more; 0: as many as there are keys
    std::size_t bytes = 0;    ///< of an offset: 4 or 8
};

/// Elements of one width, beginning `offset` of them (not bytes) after the start of the memory: values, indices,
/// lengths, results, or integers of 64 bits that a call reads or writes.
template <class Memory>
struct ValueRangeIn {
    Memory memory = nullptr;  ///< may be that of the keys, where the two do not overlap
    std::size_t offset = 0;   ///< elements before the first one
    /// Of an element. State it for values, indices and lengths. For anything else the call knows it.
    std::optional<std::size_t> bytes = {};
    std::optional<std::size_t> count = {};  ///< elements. Nothing: there are enough
    std::optional<KeyType> type = {};       ///< of numbers, which a call that gives others refuses. Nothing: any
};

/// Keys: `count` numbers or records of that type, beginning `offset` keys (not bytes) after the start of the memory.
template <class Memory>
struct KeyRangeIn {
    Memory memory = nullptr;                  ///< of the keys
    std::size_t offset = 0;                   ///< keys before the first one
    std::size_t count = 0;                    ///< keys
    KeyKind type;                             ///< numbers of a type, records, or elements of a predicate or an operator
    std::optional<Order> order = {};          ///< of numbers, as Request says; records have the comparator's
    std::size_t row_length = 0;               ///< keys of a row, as SortOptions says; 0: the range is one
    SegmentRange<Memory> segments = {};       ///< each sorted by itself, all by the launches of the longest; null: none
    bool stable = false;                      ///< as SortOptions says
    std::size_t first = all_keys;             ///< keys that are to be in their places, as SortOptions says
    Schedule schedule = Schedule::automatic;  ///< as SortOptions says
    bool data_independent = false;            ///< as SortOptions says
    std::uint64_t extra_bytes = 0;            ///< as SortOptions says
    bool nan_last = false;                    ///< as TopKOptions says
    ValueRangeIn<Memory> parameter = {};      ///< of a predicate that has one; read when the call runs
};

/// Where selected keys go, and their indices if `indices.memory` is not null. Of a segment with fewer than k keys, and
/// behind the limit if there is one, places stay as they are.
template <class Memory>
struct SelectedIn {
    Memory memory = nullptr;            ///< with room for k keys of each row or segment
    std::size_t offset = 0;             ///< keys before the first one
    ValueRangeIn<Memory> indices = {};  ///< of 4 or 8 bytes, counted from 0 in each row or segment
    /// One integer, which the device reads when the call runs: no more keys of a row or segment than that are written.
    /// k is the most that it can say, and a larger one is k. Null: there is none.
    ValueRangeIn<Memory> limit = {};
    std::optional<std::size_t> bytes = {};  ///< of a key, as of ValueRangeIn
    std::optional<std::size_t> count = {};  ///< keys that there is room for
    std::optional<KeyType> type = {};       ///< of a key, as of ValueRangeIn
};

/// Where the distinct keys go, with room for as many as there are keys, and their number.
template <class Memory>
struct DistinctIn {
    Memory memory = nullptr;                ///< of the distinct keys
    std::size_t offset = 0;                 ///< keys before the first one
    ValueRangeIn<Memory> number = {};       ///< one integer: how many distinct keys there are
    std::optional<std::size_t> bytes = {};  ///< of a key, as of ValueRangeIn
    std::optional<std::size_t> count = {};  ///< keys that there is room for
    std::optional<KeyType> type = {};       ///< of a key, as of ValueRangeIn
};

/// Bytes that say of each element whether it is selected: one that is not 0, or, if `inverted`, one that is.
template <class Memory>
struct FlagRangeIn {
    Memory memory = nullptr;                ///< of the flags
    std::size_t offset = 0;                 ///< flags before the first one
    bool inverted = false;                  ///< elements whose flag is 0 are selected
    std::optional<std::size_t> count = {};  ///< flags. Nothing: one for each element
};

/// Where counts go, one for each bin.
template <class Memory>
struct CountsIn {
    Memory memory = nullptr;  ///< apart from the keys
    std::size_t offset = 0;   ///< counts before the first one
    std::size_t bins = 0;     ///< bins, and so counts
    std::size_t bytes = 0;    ///< of a count: 4 or 8
};

}  // namespace lanesort::inline v0_1
