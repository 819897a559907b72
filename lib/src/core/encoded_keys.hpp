// SPDX-License-Identifier: MIT
// The keys of a request as integers in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <lanesort/key_order.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

/// Records are ordered as they are.
inline KeyCoding coding_of(const Request& request) noexcept {
    return request.key.is_record() ? KeyCoding{Coding::integer, 0}
                                   : key_coding(request.key.type(), request.order_or_usual(), request.nan_last);
}

/// The kernels' coding argument: the keys' coding in a pass that encodes or decodes, none in the others.
constexpr std::uint32_t coding_if(KeyCoding coding, bool applies) noexcept {
    return static_cast<std::uint32_t>(applies ? coding.coding : Coding::none);
}

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
