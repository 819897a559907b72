// SPDX-License-Identifier: MIT
// What is sorted, and how to tell that it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanesort/key_types.hpp>

namespace lanesort::bench {

enum class Distribution : std::uint8_t { random, sorted, reversed, few_values, all_equal, nearly_sorted };

inline constexpr Distribution all_distributions[] = {Distribution::random,    Distribution::sorted,
                                                     Distribution::reversed,  Distribution::few_values,
                                                     Distribution::all_equal, Distribution::nearly_sorted};

/// "random", "sorted", "reversed", "few-values" (16 of them), "all-equal", "nearly-sorted" (1 % swapped).
std::string_view name(Distribution distribution) noexcept;
std::optional<Distribution> distribution_from_name(std::string_view name) noexcept;

/// What a peer is asked to sort. Rows are sorted each by itself; one range is one row.
struct Problem {
    KeyType type = KeyType::u32;
    Distribution distribution = Distribution::random;
    std::size_t count = 0;  ///< keys in all
    std::size_t row = 0;    ///< keys of a row; divides count

    std::size_t rows() const noexcept { return count / row; }
    /// As lanesort's SortOptions say: 0 for one range.
    std::size_t row_length() const noexcept { return rows() == 1 ? 0 : row; }
    std::size_t bytes() const noexcept { return count * key_bytes(type); }

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// "u32/random/2^20" or "u32/random/2^26 in rows of 2^10".
std::string to_string(const Problem& problem);

/// The keys of a problem; no floating-point key is a NaN or -0, whose place the peers leave undefined.
class Input {
public:
    explicit Input(const Problem& problem);

    const Problem& problem() const noexcept { return problem_; }
    std::span<const std::byte> keys() const noexcept { return keys_; }

    /// How far the keys are to be turned round before that repetition, so that no branch predictor sees the same order
    /// twice; 0 where the distribution is an order, or where keys would change rows.
    std::size_t turn(std::size_t repetition) const noexcept;

    /// Why these bytes are not the keys in order; empty if they are. Rows are told by a fingerprint of their keys.
    std::string fault(std::span<const std::byte> result) const;

private:
    Problem problem_;
    std::vector<std::byte> keys_;
    std::vector<std::uint64_t> fingerprints_;  ///< of each row
};

/// Calls `run` with a null pointer of the C++ type that has this key's size and order.
template <class Run>
auto with_type(KeyType type, Run&& run) {
    switch (type) {
        case KeyType::u8: return run(static_cast<std::uint8_t*>(nullptr));
        case KeyType::i8: return run(static_cast<std::int8_t*>(nullptr));
        case KeyType::u16: return run(static_cast<std::uint16_t*>(nullptr));
        case KeyType::i16: return run(static_cast<std::int16_t*>(nullptr));
        case KeyType::u64: return run(static_cast<std::uint64_t*>(nullptr));
        case KeyType::i64: return run(static_cast<std::int64_t*>(nullptr));
        case KeyType::i32: return run(static_cast<std::int32_t*>(nullptr));
        case KeyType::f32: return run(static_cast<float*>(nullptr));
        case KeyType::f64: return run(static_cast<double*>(nullptr));
        default: return run(static_cast<std::uint32_t*>(nullptr));
    }
}

}  // namespace lanesort::bench
