// Keys, and values where there are any, as bytes of some width that are moved together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "key_order.hpp"

namespace lanesort::mpi {

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

/// Whether an element comes before another: by the keys' order, then by the values' bits.
class Before {
public:
    Before(KeyType type, Order order) noexcept : how_(key_coding(type, order)) {}

    bool operator()(const Elements& a, std::uint64_t i, const Elements& b, std::uint64_t j) const noexcept {
        const std::uint64_t x = key(a, i), y = key(b, j);
        if (x != y) return x < y;
        const Elements left = a.from(i), right = b.from(j);
        for (std::size_t at = a.value_bytes; at-- > 0;)
            if (left.values[at] != right.values[at]) return left.values[at] < right.values[at];
        return false;
    }

private:
    template <class Bits>
    std::uint64_t encoded(const std::byte* key) const noexcept {
        Bits bits;
        std::memcpy(&bits, key, sizeof(bits));
        return encode(bits, how_);
    }
    std::uint64_t key(const Elements& of, std::uint64_t i) const noexcept {
        const std::byte* at = of.keys + i * of.key_bytes;
        switch (of.key_bytes) {
            case 1: return encoded<std::uint8_t>(at);
            case 2: return encoded<std::uint16_t>(at);
            case 4: return encoded<std::uint32_t>(at);
            default: return encoded<std::uint64_t>(at);
        }
    }

    KeyCoding how_;
};

}  // namespace lanesort::mpi
