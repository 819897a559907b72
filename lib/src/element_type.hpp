// What a sort moves: keys, and the values that belong to them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <lanesort/key_types.hpp>

namespace lanesort::detail {

/// Keys and, if there are any, the values that belong to them. Elements are ordered by their keys, then by the bits of
/// their values.
struct ElementType {
    KeyType key = KeyType::u32;
    std::size_t value_bytes = 0;  ///< 0 (no values), 1, 2, 4, 8 or 16
    bool number_values = false;   ///< the values are not read but number the keys from 0; 4 or 8 bytes
};

/// What is sorted: one range, or rows.
struct Extent {
    std::uint64_t count = 0;       ///< all keys
    std::uint64_t row_length = 0;  ///< keys of a row, which divide `count`; 0: one range

    /// Nothing can be out of order.
    bool is_sorted() const noexcept { return count < 2 || row_length == 1; }
};

/// Throws Error(invalid_argument) for keys that do not fill their rows.
void check(const Extent& extent);

/// Throws Error(invalid_argument) for values of a width that cannot be.
void check(const ElementType& type);

/// Throws Error(too_large) for more keys in a range or row than indices of that width can number.
void check_index(const Extent& extent, std::size_t index_bytes);

}  // namespace lanesort::detail
