// SPDX-License-Identifier: MIT
// Keys, and values where there are any, as bytes of some width that are moved together.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <lanesort/key_order.hpp>

namespace lanesort::inline v0_1::mpi {

/// Calls `function` with an array of bytes as wide as an element.
template <class Function>
void with_width(std::size_t bytes, const Function& function) {
    switch (bytes) {
        case 1: return function(std::array<std::byte, 1>{});
        case 2: return function(std::array<std::byte, 2>{});
        case 4: return function(std::array<std::byte, 4>{});
        case 8: return function(std::array<std::byte, 8>{});
        default: return function(std::array<std::byte, 16>{});
    }
}

/// Where elements lie: keys, and values of 0 bytes where there are none.
struct Elements {
    std::byte* keys = nullptr;
    std::byte* values = nullptr;
    std::size_t key_bytes = 0, value_bytes = 0;

    std::size_t bytes() const noexcept { return key_bytes + value_bytes; }
    /// Those from the first on.
    Elements from(std::uint64_t first) const noexcept {
        return {keys + first * key_bytes, value_bytes ? values + first * value_bytes : values, key_bytes, value_bytes};
    }
    /// `capacity` keys and their values at `memory`, the wider ones first, so that all are aligned.
    Elements at(std::byte* memory, std::uint64_t capacity) const noexcept {
        if (value_bytes > key_bytes) return {memory + capacity * value_bytes, memory, key_bytes, value_bytes};
        return {memory, memory + capacity * key_bytes, key_bytes, value_bytes};
    }
    /// Calls `function(data, their data, width)` for keys and, where there are any, values.
    template <class Function>
    void each(const Elements& other, const Function& function) const {
        function(keys, other.keys, key_bytes);
        if (value_bytes) function(values, other.values, value_bytes);
    }
    /// Copies elements to another place, which does not overlap.
    void copy(const Elements& to, std::uint64_t count) const {
        if (count > 0)
            each(to, [&](const std::byte* a, std::byte* b, std::size_t width) { std::memcpy(b, a, count * width); });
    }
};

inline Elements elements(void* keys, std::size_t key_bytes, void* values = nullptr, std::size_t value_bytes = 0) {
    return {static_cast<std::byte*>(keys), static_cast<std::byte*>(values), key_bytes, value_bytes};
}

/// An element as one integer, whose order is that of elements: by their keys, then by their values' bits.
struct Ordered {
    std::uint64_t key = 0;            ///< encoded
    std::uint64_t high = 0, low = 0;  ///< halves of the value

    friend auto operator<=>(const Ordered&, const Ordered&) = default;
};

/// Reads elements as integers.
class Reader {
public:
    Reader(KeyType type, Order order) noexcept : how_(key_coding(type, order)) {}

    Ordered operator()(const Elements& of, std::uint64_t i) const noexcept {
        const Elements at = of.from(i);
        Ordered element{.key = key(at)};
        if (at.value_bytes > 0) std::memcpy(&element.low, at.values, std::min<std::size_t>(at.value_bytes, 8));
        if (at.value_bytes > 8) std::memcpy(&element.high, at.values + 8, 8);
        return element;
    }

private:
    template <class Bits>
    std::uint64_t encoded(const std::byte* key) const noexcept {
        Bits bits;
        std::memcpy(&bits, key, sizeof(bits));
        return encode(bits, how_);
    }
    std::uint64_t key(const Elements& at) const noexcept {
        switch (at.key_bytes) {
            case 1: return encoded<std::uint8_t>(at.keys);
            case 2: return encoded<std::uint16_t>(at.keys);
            case 4: return encoded<std::uint32_t>(at.keys);
            default: return encoded<std::uint64_t>(at.keys);
        }
    }

    KeyCoding how_;
};

}  // namespace lanesort::inline v0_1::mpi
