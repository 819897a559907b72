// SPDX-License-Identifier: MIT
// Encoded keys: unsigned integers in the wanted order.
#include <lanesort/key_order.hpp>

#include "support.hpp"

namespace lanesort {
namespace {

using test::bits_of;
using test::BitsOf;

/// All keys of up to 16 bits; special, random and neighbouring ones of more.
template <Key T>
std::vector<T> sample() {
    std::vector<T> keys;
    if constexpr (sizeof(T) <= 2) {
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * sizeof(T)); ++bits)
            keys.push_back(test::key_of<T>(bits));
    } else {
        test::Random random(test::seed());
        keys = test::random_keys<T>(50000, random);
        for (const T value : test::special_values<T>())
            for (const int step : {-1, 0, 1})
                keys.push_back(test::key_of<T>(bits_of(value) + static_cast<std::uint64_t>(step)));
    }
    return keys;
}

TEST_CASE("key order: decoding gives every key back, payloads and signs of zero included") {
    test::for_each_key_type([]<class T>() {
        for (const Order order : test::both_orders) {
            const KeyCoding coding = key_coding(key_type_v<T>, order);
            for (const T key : sample<T>()) REQUIRE(decode(encode(bits_of(key), coding), coding) == bits_of(key));
        }
    });
}

TEST_CASE("key order: NaN last, numbers are ordered as they were, and NaNs behind them in their order") {
    test::for_each_key_type([]<class T>() {
        CAPTURE(name(key_type_v<T>));
        for (const Order order : test::both_orders) {
            const KeyCoding usual = key_coding(key_type_v<T>, order), last = key_coding(key_type_v<T>, order, true);
            std::vector<T> keys = test::sorted(sample<T>(), order);
            if constexpr (test::is_floating<T>)
                std::stable_partition(keys.begin(), keys.end(),
                                      [](T key) { return !std::isnan(test::number_of(key)); });
            for (std::size_t i = 0; i < keys.size(); ++i) {
                const auto bits = bits_of(keys[i]);
                REQUIRE(decode(encode(bits, last), last) == bits);
                if (i > 0 && bits_of(keys[i - 1]) != bits)
                    REQUIRE(encode(bits_of(keys[i - 1]), last) < encode(bits, last));
                if (order == Order::ascending || !test::is_floating<T>)
                    REQUIRE(encode(bits, last) == encode(bits, usual));
            }
        }
    });
}

TEST_CASE("key order: encoding 8 and 16 bits is a bijection") {
    test::for_each_key_type([]<class T>() {
        if constexpr (sizeof(T) <= 2)
            for (const Order order : test::both_orders) {
                std::vector<BitsOf<T>> encoded;
                for (const T key : sample<T>())
                    encoded.push_back(encode(bits_of(key), key_coding(key_type_v<T>, order)));
                std::ranges::sort(encoded);
                for (std::size_t i = 0; i < encoded.size(); ++i) REQUIRE(encoded[i] == i);
            }
    });
}

TEST_CASE("key order: encoded keys are ordered as the keys, and reversed when descending") {
    test::for_each_key_type([]<class T>() {
        CAPTURE(name(key_type_v<T>));
        const std::vector<T> keys = test::sorted(sample<T>(), Order::ascending);
        const KeyCoding ascending = key_coding(key_type_v<T>, Order::ascending);
        const KeyCoding descending = key_coding(key_type_v<T>, Order::descending);
        for (std::size_t i = 1; i < keys.size(); ++i) {
            const auto a = bits_of(keys[i - 1]), b = bits_of(keys[i]);
            if (a == b) continue;
            REQUIRE(encode(a, ascending) < encode(b, ascending));
            REQUIRE(encode(b, descending) < encode(a, descending));
        }
    });
}

TEST_CASE("key order: negative zero, positive zero, infinities and NaNs stand where they should") {
    const auto encoded = [](float key, Order order) { return encode(bits_of(key), key_coding(KeyType::f32, order)); };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN(), denormal = std::numeric_limits<float>::denorm_min();
    const float ascending[] = {-infinity, -1.f, -denormal, -0.f, 0.f,
                               denormal,  1.f,  infinity,  nan,  std::copysign(nan, -1.f)};
    for (std::size_t i = 1; i < std::size(ascending); ++i) {
        CAPTURE(i);
        CHECK(encoded(ascending[i - 1], Order::ascending) < encoded(ascending[i], Order::ascending));
        CHECK(encoded(ascending[i - 1], Order::descending) > encoded(ascending[i], Order::descending));
    }
}

TEST_CASE("key order: NaNs ascend by their bits with sign +, then descend by them with sign -") {
    const std::uint32_t ascending[] = {0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
                                       0xffffffff, 0xffc00000, 0xff800001};
    for (const Order order : test::both_orders) {
        std::vector<std::uint32_t> sorted(std::begin(ascending), std::end(ascending));
        std::ranges::sort(sorted, {},
                          [&](std::uint32_t bits) { return encode(bits, key_coding(KeyType::f32, order)); });
        if (order == Order::descending) std::ranges::reverse(sorted);
        CHECK(std::ranges::equal(sorted, ascending));
    }
}

}  // namespace
}  // namespace lanesort
