// SPDX-License-Identifier: MIT
// What every suite uses: random keys, the order in which they must end up, and what a run tells at its end.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/key_types.hpp>

namespace lanesort::test {

/// Seed of every random test: the environment variable LANESORT_TEST_SEED, or a fixed one. main() prints it.
std::uint64_t seed();

/// How many device cases found no device; main() prints it.
unsigned& skipped_device_cases();

/// The devices that cases ran on, and how; main() prints them.
std::set<std::string>& ran_on();

using Random = std::mt19937_64;

// ---- types ---------------------------------------------------------------------------------------------------------

/// Calls visit.operator()<T>() with the C++ type of every key type.
template <class Visit>
void for_each_key_type(Visit visit) {
    const auto visit_all = [&]<class... T>() { (visit.template operator()<T>(), ...); };
    visit_all.template operator()<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                                  std::uint64_t, std::int64_t, half, float, double>();
}

template <Key T>
inline constexpr bool is_floating = std::floating_point<T> || std::same_as<T, half>;

namespace detail {
template <std::size_t bytes>
auto unsigned_of_bytes() {
    if constexpr (bytes == 1) return std::uint8_t{};
    else if constexpr (bytes == 2) return std::uint16_t{};
    else if constexpr (bytes == 4) return std::uint32_t{};
    else return std::uint64_t{};
}
}  // namespace detail

/// The unsigned integer as wide as T.
template <Key T>
using BitsOf = decltype(detail::unsigned_of_bytes<sizeof(T)>());

template <Key T>
BitsOf<T> bits_of(T key) {
    return std::bit_cast<BitsOf<T>>(key);
}

template <Key T>
T key_of(std::uint64_t bits) {
    return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

// ---- order, written without a look at the library's ----------------------------------------------------------------

inline double number_of(half key) {
    const int exponent = key.bits >> 10 & 31, fraction = key.bits & 1023;
    double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return key.bits >> 15 ? -magnitude : magnitude;
}
template <std::floating_point T>
T number_of(T key) {
    return key;
}

/// Whether `a` comes before `b` when ascending. Numbers by value, -0 before +0; then NaNs of positive sign by their
/// bits, then those of negative sign, mirrored as negative numbers are: the larger bits first.
template <Key T>
bool before(T a, T b) {
    if constexpr (is_floating<T>) {
        const auto x = number_of(a), y = number_of(b);
        const bool x_is_nan = std::isnan(x), y_is_nan = std::isnan(y);
        constexpr int sign_bit = sizeof(T) * 8 - 1;
        const bool a_is_negative = bits_of(a) >> sign_bit, b_is_negative = bits_of(b) >> sign_bit;
        if (x_is_nan != y_is_nan) return y_is_nan;
        if (!x_is_nan) return x != y ? x < y : a_is_negative && !b_is_negative;
        if (a_is_negative != b_is_negative) return b_is_negative;
        return a_is_negative ? bits_of(b) < bits_of(a) : bits_of(a) < bits_of(b);
    } else {
        return a < b;
    }
}

template <Key T>
bool comes_before(T a, T b, Order order) {
    return order == Order::ascending ? before(a, b) : before(b, a);
}

/// Sorts as the library must.
template <Key T>
std::vector<T> sorted(std::vector<T> keys, Order order) {
    std::ranges::sort(keys, [order](T a, T b) { return comes_before(a, b, order); });
    return keys;
}

/// The indices that sort the keys stably.
template <std::unsigned_integral Index, Key T>
std::vector<Index> stable_indices(const std::vector<T>& keys, Order order) {
    std::vector<Index> indices(keys.size());
    std::iota(indices.begin(), indices.end(), Index{0});
    std::ranges::stable_sort(indices, [&](Index i, Index j) { return comes_before(keys[i], keys[j], order); });
    return indices;
}

inline constexpr Order both_orders[] = {Order::ascending, Order::descending};

// ---- keys ----------------------------------------------------------------------------------------------------------

/// The values at which mistakes show: extremes and neighbours of zero; for floats also both zeros, infinities,
/// denormals and NaNs of either sign, quiet and signalling.
template <Key T>
std::vector<T> special_values() {
    std::vector<T> values;
    if constexpr (is_floating<T>) {
        constexpr int fraction_bits = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
        constexpr int sign_bit = sizeof(T) * 8 - 1;
        const std::uint64_t one = 1, infinity = (one << sign_bit) - (one << fraction_bits);
        const std::uint64_t unity = (infinity >> 1) & ~((one << fraction_bits) - 1);
        const std::uint64_t largest = (one << sign_bit) - 1, quiet = infinity | one << (fraction_bits - 1);
        for (const std::uint64_t bits :
             {std::uint64_t{0}, one, (one << fraction_bits) - 1, one << fraction_bits, unity, unity + 1, infinity - 1,
              infinity, infinity + 1, quiet - 1, quiet, quiet + 1, largest}) {
            values.push_back(key_of<T>(bits));
            values.push_back(key_of<T>(bits | one << sign_bit));
        }
    } else {
        using Limits = std::numeric_limits<T>;
        for (const T value : {Limits::min(), static_cast<T>(Limits::min() + 1), static_cast<T>(-1), T{0}, T{1},
                              static_cast<T>(Limits::max() / 2), static_cast<T>(Limits::max() - 1), Limits::max()})
            values.push_back(value);
    }
    return values;
}

enum class Pattern { random, all_equal, ascending, descending, organ_pipe, few_values, special_values };
inline constexpr Pattern all_patterns[] = {Pattern::random,        Pattern::all_equal,  Pattern::ascending,
                                           Pattern::descending,    Pattern::organ_pipe, Pattern::few_values,
                                           Pattern::special_values};

inline std::string name_of(Pattern pattern) {
    constexpr const char* names[] = {"random",     "all equal",  "ascending",     "descending",
                                     "organ pipe", "few values", "special values"};
    return names[static_cast<int>(pattern)];
}

/// Keys whose bits are random: floats of every kind.
template <Key T>
std::vector<T> random_keys(std::size_t count, Random& random) {
    std::vector<T> keys(count);
    std::ranges::generate(keys, [&] { return key_of<T>(random()); });
    return keys;
}

/// Of which sums are finite.
template <Key T>
std::vector<T> ordinary_keys(std::size_t count, Random& random) {
    std::vector<T> keys(count);
    for (T& key : keys) {
        if constexpr (std::same_as<T, half>) key = std::bit_cast<half>(static_cast<std::uint16_t>(random() & 0xbbff));
        else if constexpr (is_floating<T>)
            key = static_cast<T>(std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.4, int(random() % 40)));
        else key = static_cast<T>(random());
    }
    return keys;
}

/// Random keys, of which some come often: those are where values and indices go astray.
template <Key K>
std::vector<K> keys_with_twins(std::size_t count, Random& random) {
    std::vector<K> keys = random_keys<K>(count, random);
    for (std::size_t i = 0; i < count; ++i)
        if (random() % 3 == 0) keys[i] = keys[random() % std::min<std::size_t>(count, 9)];
    return keys;
}

template <Key T>
std::vector<T> drawn_from(const std::vector<T>& values, std::size_t count, Random& random) {
    std::vector<T> keys(count);
    std::ranges::generate(keys, [&] { return values[random() % values.size()]; });
    return keys;
}

template <Key T>
std::vector<T> make_keys(Pattern pattern, std::size_t count, Random& random) {
    switch (pattern) {
        case Pattern::random: return random_keys<T>(count, random);
        case Pattern::all_equal: return std::vector<T>(count, key_of<T>(random()));
        case Pattern::ascending: return sorted(random_keys<T>(count, random), Order::ascending);
        case Pattern::descending: return sorted(random_keys<T>(count, random), Order::descending);
        case Pattern::organ_pipe: {
            std::vector<T> keys = sorted(random_keys<T>(count, random), Order::ascending);
            std::ranges::reverse(keys.begin() + static_cast<std::ptrdiff_t>(count / 2), keys.end());
            return keys;
        }
        case Pattern::few_values: return drawn_from(random_keys<T>(3, random), count, random);
        case Pattern::special_values: return drawn_from(special_values<T>(), count, random);
    }
    return {};
}

/// The index of the first key whose bits differ; nothing where all are the same, byte for byte.
template <Key T>
std::optional<std::size_t> first_difference(const std::vector<T>& a, const std::vector<T>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (bits_of(a[i]) != bits_of(b[i])) return i;
    return std::nullopt;
}

/// Fails, naming the first key that is wrong, unless the bytes are the same.
template <Key T>
void require_same_bytes(const std::vector<T>& actual, const std::vector<T>& expected) {
    const auto wrong = first_difference(actual, expected);
    if (!wrong) return;
    FAIL("key ", *wrong, " of ", actual.size(), " has bits ", std::uint64_t{bits_of(actual[*wrong])}, " instead of ",
         std::uint64_t{bits_of(expected[*wrong])});
}

// ---- surroundings --------------------------------------------------------------------------------------------------

/// Sets an environment variable as long as it lives.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~ScopedVariable() {
        if (old_) setenv(name_, old_->c_str(), 1);
        else unsetenv(name_);
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

/// A new empty folder, removed in the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "lanesort-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder can be made");
        path_ = name;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace lanesort::test
