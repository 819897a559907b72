// What a sort moves, and how it is laid out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <lanesort/comparator.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::detail {

/// Keys, with the values and numbers that belong to them, if there are any. Elements are ordered by their keys, then by
/// their numbers, or else by the bits of their records and values.
struct ElementType {
    KeyKind key = KeyType::u32;
    std::size_t value_bytes = 0;   ///< 0 (no values), 1, 2, 4, 8 or 16
    std::size_t number_bytes = 0;  ///< 0 (no numbers), 4 or 8; the first pass numbers the elements of each row from 0

    /// What the kernels move: records have a number of one byte where they have no other (kernels/elements.h).
    ElementBytes bytes() const noexcept {
        const bool is_record = key.comparator() != nullptr;
        return {key.bytes(), value_bytes, number_bytes == 0 && is_record ? 1 : number_bytes, is_record};
    }
};

/// What is sorted: one range, rows of equal length, or segments.
struct Extent {
    std::uint64_t count = 0;       ///< all keys
    std::uint64_t row_length = 0;  ///< keys of a row, which divide `count`; 0: no rows
    std::size_t offset_bytes = 0;  ///< of the offsets that tell where segments begin, 4 or 8; 0: no segments
    std::uint64_t segments = 0;    ///< segments: one less than the offsets
    std::uint64_t longest = 0;     ///< the most keys of a segment
    /// Two sorted ranges are merged, of which the second begins at this key; nothing: they are sorted.
    std::optional<std::uint64_t> middle = {};
    std::uint64_t first = all_keys;  ///< keys of each that are to be in their places

    /// Keys of the longest sort among them.
    std::uint64_t length() const noexcept { return offset_bytes > 0 ? longest : row_length > 0 ? row_length : count; }
    /// Rows or segments; 0 where it is one range.
    std::uint64_t rows() const noexcept { return offset_bytes > 0 ? segments : row_length > 0 ? row_count() : 0; }
    /// Rows of equal length, of which one range is one.
    std::uint64_t row_count() const noexcept { return row_length > 0 ? count / row_length : 1; }
    bool in_rows() const noexcept { return offset_bytes > 0 || row_length > 0; }
    /// Nothing can be out of order.
    bool is_sorted() const noexcept {
        return count < 2 || length() < 2 || (in_rows() && rows() == 0) ||
               (middle && (*middle == 0 || *middle == count));
    }
};

/// Throws Error(invalid_argument) for keys that do not fill their rows, for rows and segments at once, and for what
/// cannot be merged; Error(out_of_range) for a middle behind the end.
void check(const Extent& extent);

/// Throws Error(invalid_argument) for a comparator that cannot be compiled, and for a type that is none.
void check(const KeyKind& key);

/// Throws Error(invalid_argument) for an order that is none.
void check(Order order);

/// Throws Error(invalid_argument) for offsets of segments of a width that cannot be.
void check_offsets(std::size_t offset_bytes);

/// The extent of a caller's range in device memory, with segments if it is `segmented`. Throws as the checks of both
/// do.
template <class KeyRange>
Extent extent_of(const KeyRange& range, bool segmented, std::optional<std::uint64_t> middle = {}) {
    Extent extent{range.count, range.row_length};
    if (segmented) {
        check_offsets(range.segments.bytes);
        extent.offset_bytes = range.segments.bytes;
        extent.segments = range.segments.count;
        extent.longest = std::min<std::uint64_t>(range.segments.longest, range.count);
    }
    extent.first = range.first;
    extent.middle = middle;
    check(extent);
    check(range.type);
    check(range.order);
    return extent;
}

/// Throws Error(invalid_argument) for values of a width that cannot be.
void check_values(std::size_t value_bytes);

/// Throws Error(invalid_argument) for indices of a width that cannot be, Error(too_large) for more keys in a row than
/// they can number.
void check_index(const Extent& extent, std::size_t index_bytes);

/// The same for the lengths of runs, as one of which all keys may count.
void check_lengths(const Extent& extent, std::size_t length_bytes);

/// The elements of a sort or a merge. Stable ones have numbers, but for keys alone, whose equals are equal in every
/// bit.
ElementType element_of(const KeyKind& key, std::size_t value_bytes, const Extent& extent, bool stable) noexcept;

/// Bytes of the numbers that a selection needs, if indices of so many bytes are wanted (0: none): records have numbers
/// in any case, since what one launch leaves for the next may be beyond the end.
std::size_t selected_number_bytes(const Extent& extent, const KeyKind& kind, std::size_t index_bytes) noexcept;

}  // namespace lanesort::detail
