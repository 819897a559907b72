// SPDX-License-Identifier: MIT
// Arrays of keys of any width, as integers in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "key_order.hpp"

namespace lanesort::inline v0_1 {

inline std::vector<std::uint64_t> encode_keys(std::span<const std::byte> keys, std::size_t key_bytes,
                                              KeyCoding coding) {
    std::vector<std::uint64_t> encoded(keys.size() / key_bytes);
    const auto encode_all = [&]<class Bits>(Bits) {
        const auto* const bits = reinterpret_cast<const Bits*>(keys.data());
        std::ranges::transform(bits, bits + encoded.size(), encoded.begin(),
                               [coding](Bits key) { return encode(key, coding); });
    };
    switch (key_bytes) {
        case 1: encode_all(std::uint8_t{}); break;
        case 2: encode_all(std::uint16_t{}); break;
        case 4: encode_all(std::uint32_t{}); break;
        default: encode_all(std::uint64_t{});
    }
    return encoded;
}

}  // namespace lanesort::inline v0_1
