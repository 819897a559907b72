// SPDX-License-Identifier: MIT
// From a type of keys that is known when the command runs to its C++ type.
#pragma once

#include <cstdint>

#include <lanesort/key_types.hpp>

/// Calls the function with a value of the C++ type of the keys.
template <class Function>
auto with_type(lanesort::KeyType type, Function function) {
    using lanesort::KeyType;
    switch (type) {
        case KeyType::u8: return function(std::uint8_t{});
        case KeyType::i8: return function(std::int8_t{});
        case KeyType::u16: return function(std::uint16_t{});
        case KeyType::i16: return function(std::int16_t{});
        case KeyType::u32: return function(std::uint32_t{});
        case KeyType::i32: return function(std::int32_t{});
        case KeyType::u64: return function(std::uint64_t{});
        case KeyType::i64: return function(std::int64_t{});
        case KeyType::f16: return function(lanesort::half{});
        case KeyType::f32: return function(float{});
        case KeyType::f64: break;
    }
    return function(double{});
}
