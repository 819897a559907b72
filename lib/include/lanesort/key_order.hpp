// SPDX-License-Identifier: MIT
/// @file
/// Keys as unsigned integers in their order, as the kernels compare them: for programs that compare keys themselves.
#pragma once

#include <climits>
#include <concepts>
#include <cstdint>

#include <lanesort/key_types.hpp>

namespace lanesort::inline v0_1 {

/// How the bits of a key become an ordered integer. The values are those of the kernels' `coding` argument.
enum class Coding : std::uint32_t {
    none = 0,      ///< as they are
    integer = 1,   ///< integers: KeyCoding::flip does it alone
    floating = 2,  ///< IEEE 754 numbers, NaNs of both signs at one end
    nan_last = 3,  ///< the same in descending order, NaNs last
};

/// How keys of one type and order become unsigned integers that ascend.
struct KeyCoding {
    Coding coding = Coding::none;  ///< how
    std::uint64_t flip =
        0;  ///< xor-ed last when encoding, but before the rotation of nan_last; only a key's bits count
};

/// The coding of keys of a type in an order. `nan_last`: no NaN comes before a number, also where numbers descend.
constexpr KeyCoding key_coding(KeyType type, Order order, bool nan_last = false) noexcept {
    const std::size_t bits = key_bytes(type) * CHAR_BIT;
    const std::uint64_t inverted = order == Order::descending ? ~std::uint64_t{0} >> (64 - bits) : 0;
    switch (type) {
        case KeyType::u8:
        case KeyType::u16:
        case KeyType::u32:
        case KeyType::u64: return {Coding::integer, inverted};
        case KeyType::i8:
        case KeyType::i16:
        case KeyType::i32:
        case KeyType::i64: return {Coding::integer, inverted ^ (std::uint64_t{1} << (bits - 1))};
        case KeyType::f16:
        case KeyType::f32:
        case KeyType::f64:
            return {nan_last && order == Order::descending ? Coding::nan_last : Coding::floating, inverted};
    }
    return {};
}

namespace detail {
/// NaNs of one sign: 2^(bits of the significand) - 1.
template <std::unsigned_integral Bits>
constexpr Bits nans_of_a_sign() noexcept {
    constexpr int significand = sizeof(Bits) == 8 ? 52 : sizeof(Bits) == 4 ? 23 : 10;
    return static_cast<Bits>((Bits{1} << significand) - 1);
}
}  // namespace detail

/// The integer of a key with these bits: of two keys, the first in order has the smaller one.
template <std::unsigned_integral Bits>
constexpr Bits encode(Bits bits, KeyCoding how) noexcept {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * CHAR_BIT - 1));
    if constexpr (sizeof(Bits) > 1)
        if (how.coding >= Coding::floating) {
            bits = bits & sign ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
            if (how.coding == Coding::nan_last)
                return static_cast<Bits>((bits ^ static_cast<Bits>(how.flip)) - detail::nans_of_a_sign<Bits>());
            bits = static_cast<Bits>(bits - detail::nans_of_a_sign<Bits>());
        }
    return static_cast<Bits>(bits ^ static_cast<Bits>(how.flip));
}

/// The bits of the key whose integer this is.
template <std::unsigned_integral Bits>
constexpr Bits decode(Bits key, KeyCoding how) noexcept {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * CHAR_BIT - 1));
    if (how.coding != Coding::nan_last) key = static_cast<Bits>(key ^ static_cast<Bits>(how.flip));
    if constexpr (sizeof(Bits) > 1)
        if (how.coding >= Coding::floating) {
            key = static_cast<Bits>(key + detail::nans_of_a_sign<Bits>());
            if (how.coding == Coding::nan_last) key = static_cast<Bits>(key ^ static_cast<Bits>(how.flip));
            key = key & sign ? static_cast<Bits>(key ^ sign) : static_cast<Bits>(~key);
        }
    return key;
}

}  // namespace lanesort::inline v0_1
