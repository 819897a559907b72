// SPDX-License-Identifier: MIT
// Which C++ types are keys, and what the types are called.
#include <lanesort/key_types.hpp>

#include "support.hpp"

namespace lanesort {
namespace {

enum class Colour : std::uint8_t { red };

static_assert(Key<char> && Key<signed char> && Key<unsigned char> && Key<short> && Key<long> &&
              Key<unsigned long long>);
static_assert(Key<half> && Key<float> && Key<double>);
static_assert(!Key<bool> && !Key<long double> && !Key<void*> && !Key<Colour> && !Key<std::nullptr_t>);
static_assert(key_type_v<long> == (sizeof(long) == 8 ? KeyType::i64 : KeyType::i32));
static_assert(key_type_v<unsigned char> == KeyType::u8 && key_type_v<signed char> == KeyType::i8);
static_assert(key_type_v<half> == KeyType::f16 && key_type_v<float> == KeyType::f32 &&
              key_type_v<double> == KeyType::f64);

TEST_CASE("key types: names lead there and back") {
    std::vector<std::string> names;
    for (const KeyType type : all_key_types) {
        names.emplace_back(name(type));
        CHECK(key_type_from_name(name(type)) == type);
    }
    CHECK(names == std::vector<std::string>{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"});
    for (const char* const unknown : {"", "u", "U32", "u32 ", "f8", "int"}) CHECK(!key_type_from_name(unknown));
}

TEST_CASE("key types: the C++ type, the key type and the bytes agree") {
    test::for_each_key_type([]<class T>() {
        CAPTURE(name(key_type_v<T>));
        CHECK(key_bytes(key_type_v<T>) == sizeof(T));
        CHECK(name(key_type_v<T>).substr(1) == std::to_string(sizeof(T) * 8));
        CHECK(name(key_type_v<T>).front() == (test::is_floating<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u'));
    });
}

}  // namespace
}  // namespace lanesort
