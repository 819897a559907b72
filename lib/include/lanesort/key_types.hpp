// SPDX-License-Identifier: MIT
/// @file
/// The numbers that lanesort sorts, and their order.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lanesort::inline v0_1 {

/// An IEEE 754 binary16 number, by its bits; C++20 has no type for it.
struct half {
    std::uint16_t bits = 0;  ///< sign, 5 bits of exponent, 10 of fraction, from the highest bit down
    friend bool operator==(half, half) = default;
};

/// The type of a key: unsigned and signed integers and IEEE 754 numbers, little-endian in files.
enum class KeyType : std::uint8_t {
    u8 = 1,  ///< unsigned integers of 8 bits
    i8,      ///< signed integers (two's complement) of 8 bits
    u16,     ///< unsigned, 16 bits
    i16,     ///< signed, 16 bits
    u32,     ///< unsigned, 32 bits
    i32,     ///< signed, 32 bits
    u64,     ///< unsigned, 64 bits
    i64,     ///< signed, 64 bits
    f16,     ///< IEEE 754 binary16, half
    f32,     ///< IEEE 754 binary32, float
    f64,     ///< IEEE 754 binary64, double
};

/// Every type of a key, in the order of KeyType.
inline constexpr KeyType all_key_types[] = {KeyType::u8,  KeyType::i8,  KeyType::u16, KeyType::i16,
                                            KeyType::u32, KeyType::i32, KeyType::u64, KeyType::i64,
                                            KeyType::f16, KeyType::f32, KeyType::f64};

/// Ascending, or its exact reverse. Numbers ascend with -0 before +0 and every NaN, of either sign, after +infinity;
/// so NaNs come first when descending. Keys that differ in any bit are ordered, which makes every sort deterministic:
/// positive NaNs by ascending bits, after them negative ones by descending bits, as negative numbers are.
enum class Order : std::uint8_t {
    ascending,   ///< the smallest key first
    descending,  ///< the largest key first
};

/// Bytes of one key: 1, 2, 4 or 8.
constexpr std::size_t key_bytes(KeyType type) noexcept {
    switch (type) {
        case KeyType::u8:
        case KeyType::i8: return 1;
        case KeyType::u16:
        case KeyType::i16:
        case KeyType::f16: return 2;
        case KeyType::u32:
        case KeyType::i32:
        case KeyType::f32: return 4;
        case KeyType::u64:
        case KeyType::i64:
        case KeyType::f64: return 8;
    }
    return 0;
}

/// The short name: "u8" .. "f64".
std::string_view name(KeyType type) noexcept;

/// The type of that short name; nothing where there is none.
std::optional<KeyType> key_type_from_name(std::string_view name) noexcept;

namespace detail {
// The containers of calls differ with _GLIBCXX_DEBUG, so a program needs the library that was compiled alike: the
// linker finds no other.
#ifdef _GLIBCXX_DEBUG
extern const bool library_compiled_with_GLIBCXX_DEBUG;
[[gnu::used]] inline const bool& needed_library = library_compiled_with_GLIBCXX_DEBUG;
#else
extern const bool library_compiled_without_GLIBCXX_DEBUG;
[[gnu::used]] inline const bool& needed_library = library_compiled_without_GLIBCXX_DEBUG;
#endif

template <class T>
consteval std::optional<KeyType> key_type_of() {
    if constexpr (std::same_as<T, half>) return KeyType::f16;
    else if constexpr (std::same_as<T, float>) return KeyType::f32;
    else if constexpr (std::same_as<T, double>) return KeyType::f64;
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__) && (defined(__clang__) || __GNUC__ >= 13)
    else if constexpr (std::same_as<T, _Float16>) return KeyType::f16;
#endif
    else if constexpr (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8) {
        constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
        switch (sizeof(T)) {
            case 1: return is_signed ? KeyType::i8 : KeyType::u8;
            case 2: return is_signed ? KeyType::i16 : KeyType::u16;
            case 4: return is_signed ? KeyType::i32 : KeyType::u32;
            default: return is_signed ? KeyType::i64 : KeyType::u64;
        }
    } else return std::nullopt;
}
}  // namespace detail

/// A C++ type that is a key: integers of 1 to 8 bytes, float, double and lanesort::half.
template <class T>
concept Key = detail::key_type_of<T>()
.has_value();

/// The key type of a C++ type.
template <Key T>
inline constexpr KeyType key_type_v = *detail::key_type_of<T>();

/// Bins of equal width between two numbers of the keys' type, both of which are counted.
///
/// Of integers, the one at distance d from `lower` is in bin d * bins / (upper - lower + 1), rounded down, as if there
/// were no limit to the width of integers. Of floating-point numbers, x is in bin (x - lower) * (bins / (upper -
/// lower)), rounded down, or in the last one, with each operation rounded to f32 (of f64, to f64).
struct EvenBins {
    /// From `first` to `last`.
    template <Key T>
    constexpr EvenBins(T first, T last) noexcept : type(key_type_v<T>) {
        lower = bits_of(first);
        upper = bits_of(last);
    }
    /// Of a type that is known at run time, by their bits.
    constexpr EvenBins(KeyType of_type, std::uint64_t first_bits, std::uint64_t last_bits) noexcept
        : type(of_type), lower(first_bits), upper(last_bits) {}

    KeyType type;             ///< of the numbers
    std::uint64_t lower = 0;  ///< the bits of the first one
    std::uint64_t upper = 0;  ///< the bits of the last one

private:
    template <class T>
    static constexpr std::uint64_t bits_of(T number) noexcept {
        if constexpr (sizeof(T) == 1) return std::bit_cast<std::uint8_t>(number);
        else if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(number);
        else if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(number);
        else return std::bit_cast<std::uint64_t>(number);
    }
};

}  // namespace lanesort::inline v0_1
