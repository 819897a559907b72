// SPDX-License-Identifier: MIT
#include "input.hpp"

#include <bit>
#include <climits>
#include <concepts>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

namespace lanesort::bench {
namespace {

constexpr std::size_t few = 16;

std::string size_name(std::size_t count) {
    return std::has_single_bit(count) ? "2^" + std::to_string(std::bit_width(count) - 1) : std::to_string(count);
}

template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// Key `i` of `count` that ascend evenly over all integers of the type, or from -1e9 to 1e9.
template <class T>
T even_key(std::size_t i, std::size_t count) {
    if constexpr (std::floating_point<T>) {
        return static_cast<T>((static_cast<double>(i) / static_cast<double>(count) - 0.5) * 2e9);
    } else {
        constexpr int bits = sizeof(T) * CHAR_BIT;
        constexpr auto lowest = static_cast<std::uint64_t>(std::is_signed_v<T>) << (bits - 1);
        if constexpr (bits == 64) return static_cast<T>(lowest ^ i * (~std::uint64_t{0} / count));
        else return static_cast<T>(lowest ^ (std::uint64_t{i} << bits) / count);
    }
}

template <class T>
void fill(std::span<T> keys, Distribution distribution) {
    const std::size_t count = keys.size();
    std::mt19937_64 random(count);
    switch (distribution) {
        case Distribution::random:
            for (T& key : keys)
                if constexpr (std::floating_point<T>) key = static_cast<T>(static_cast<std::int64_t>(random())) / 3;
                else key = static_cast<T>(random());
            break;
        case Distribution::few_values:
            for (T& key : keys) key = even_key<T>(random() % few, few);
            break;
        case Distribution::all_equal: std::ranges::fill(keys, even_key<T>(5, few)); break;
        case Distribution::reversed:
            for (std::size_t i = 0; i < count; ++i) keys[i] = even_key<T>(count - 1 - i, count);
            break;
        case Distribution::sorted:
        case Distribution::nearly_sorted:
            for (std::size_t i = 0; i < count; ++i) keys[i] = even_key<T>(i, count);
            if (distribution == Distribution::nearly_sorted)
                for (std::size_t i = 0; i < count / 200 + 1; ++i)
                    std::swap(keys[random() % count], keys[random() % count]);
            break;
    }
}

/// The sum over all keys of a mix of their bits: the same for every order of the same keys.
template <class T>
std::uint64_t fingerprint(const T* keys, std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t bits = std::bit_cast<BitsOf<T>>(keys[i]) + 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 31) * 0xd6e8feb86659fd93u;
        bits = (bits ^ bits >> 29) * 0xa0761d6478bd642fu;
        sum += bits ^ bits >> 32;
    }
    return sum;
}

}  // namespace

std::string_view name(Distribution distribution) noexcept {
    constexpr std::string_view names[] = {"random", "sorted", "reversed", "few-values", "all-equal", "nearly-sorted"};
    return names[static_cast<std::size_t>(distribution)];
}

std::optional<Distribution> distribution_from_name(std::string_view wanted) noexcept {
    for (const Distribution distribution : all_distributions)
        if (name(distribution) == wanted) return distribution;
    return std::nullopt;
}

std::string to_string(const Problem& problem) {
    std::string text = std::string(lanesort::name(problem.type)) + "/" + std::string(name(problem.distribution)) + "/" +
                       size_name(problem.count);
    if (problem.row != problem.count) text += " in rows of " + size_name(problem.row);
    return text;
}

Input::Input(const Problem& problem) : problem_(problem), keys_(problem.bytes()) {
    with_type(problem.type, [&]<class T>(T*) {
        auto* const keys = reinterpret_cast<T*>(keys_.data());
        for (std::size_t row = 0; row < problem.rows(); ++row) {
            if (problem.distribution != Distribution::random)
                fill(std::span(keys + row * problem.row, problem.row), problem.distribution);
            else if (row == 0) fill(std::span(keys, problem.count), problem.distribution);
            fingerprints_.push_back(fingerprint(keys + row * problem.row, problem.row));
        }
    });
}

std::size_t Input::turn(std::size_t repetition) const noexcept {
    const bool any_order =
        problem_.distribution == Distribution::random || problem_.distribution == Distribution::few_values;
    if (!any_order || problem_.rows() != 1) return 0;
    constexpr double golden_ratio = 0.6180339887498949;
    const double turns = golden_ratio * static_cast<double>(repetition + 1);
    const double part = turns - static_cast<double>(static_cast<std::size_t>(turns));
    return std::min(static_cast<std::size_t>(part * static_cast<double>(problem_.count)), problem_.count - 1);
}

std::string Input::fault(std::span<const std::byte> result) const {
    if (result.size() != keys_.size()) return "the result has another size than the input";
    return with_type(problem_.type, [&]<class T>(T*) -> std::string {
        const auto* const keys = reinterpret_cast<const T*>(result.data());
        for (std::size_t row = 0; row < problem_.rows(); ++row) {
            const T* const begin = keys + row * problem_.row;
            const T* const end = begin + problem_.row;
            const T* const unsorted = std::is_sorted_until(begin, end);
            if (unsorted != end) return "key " + std::to_string(unsorted - keys) + " is smaller than the one before it";
            if (fingerprint(begin, problem_.row) != fingerprints_[row])
                return "the result is in order, but its keys are not those of the input";
        }
        return {};
    });
}

}  // namespace lanesort::bench
