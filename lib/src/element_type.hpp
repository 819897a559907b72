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

/// Throws Error(invalid_argument) for values of a width that cannot be.
void check(const ElementType& type);

/// Throws Error(too_large) for more keys than indices of that width can number.
void check_index(std::uint64_t count, std::size_t index_bytes);

}  // namespace lanesort::detail
