// SPDX-License-Identifier: MIT
// What the tests of sorts across ranks share: cases, their results, and what MPI is asked to send.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/key_order.hpp>
#include <lanesort/mpi.hpp>

namespace lanesort::test {

/// What this rank sent, seen by MPI's profiling interface.
extern mpi::Traffic seen;

int ranks();
int rank();
/// So many that they take turns on a small machine, where each message waits for a turn: what does not depend on the
/// number of ranks is left to fewer.
inline bool are_many() { return ranks() > 5; }

/// No more than planned in any way.
bool is_within(const mpi::Traffic& some, const mpi::Traffic& planned);

using Counts = std::vector<std::uint64_t>;

std::uint64_t most_counts();

/// Counts that are equal, nearly so, all on one rank, ascending, random, with empty ranks, and none at all; so few that
/// blocks are merged, and enough for columns.
std::vector<Counts> cases();

inline const char* const distributions[] = {"random", "sorted", "reversed", "equal", "few values", "special bits"};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The same keys on all ranks, who take their parts of them; as ordered integers.
template <class Bits>
std::vector<Bits> keys_of(std::size_t distribution, std::size_t count) {
    std::mt19937_64 random(distribution * 1000 + count);
    std::vector<Bits> keys(count);
    for (Bits& key : keys)
        key = static_cast<Bits>(distribution == 3 ? 42 : distribution == 4 ? random() % 3 : random());
    if (distribution == 5)  // NaNs of both signs, infinities, zeros, the largest and the smallest
        for (Bits& key : keys) {
            const Bits ones = static_cast<Bits>(~Bits{0}), sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
            const Bits some[] = {ones,
                                 0,
                                 sign,
                                 static_cast<Bits>(ones >> 1),
                                 static_cast<Bits>(ones >> 2),
                                 static_cast<Bits>(ones - 1),
                                 static_cast<Bits>(ones << (sizeof(Bits) * 8 - 9 % (sizeof(Bits) * 8)))};
            key = some[random() % 7];
        }
    if (distribution == 1) std::sort(keys.begin(), keys.end());
    if (distribution == 2) std::sort(keys.begin(), keys.end(), std::greater<>());
    return keys;
}

/// The part of this rank.
template <class T>
std::vector<T> part(const std::vector<T>& all, const Counts& counts) {
    const auto me = static_cast<std::size_t>(rank());
    const auto begin =
        static_cast<std::ptrdiff_t>(std::accumulate(counts.begin(), counts.begin() + rank(), std::uint64_t{0}));
    return {all.begin() + begin, all.begin() + begin + static_cast<std::ptrdiff_t>(counts[me])};
}

std::size_t sum(const Counts& counts);
std::string text(const Counts& counts);

/// On the built-in device.
Sorter& sorter();

template <class Bits>
std::vector<std::size_t> sorted_places(const std::vector<Bits>& keys, KeyType type, Order order) {
    const KeyCoding how = key_coding(type, order);
    std::vector<std::size_t> places(keys.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return encode(keys[a], how) < encode(keys[b], how); });
    return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& all, const std::vector<std::size_t>& places) {
    std::vector<T> some;
    for (const std::size_t place : places) some.push_back(all[place]);
    return some;
}

template <class Function>
void with_bits(KeyType type, const Function& function) {
    switch (key_bytes(type)) {
        case 1: return function(std::uint8_t{});
        case 2: return function(std::uint16_t{});
        case 4: return function(std::uint32_t{});
        default: return function(std::uint64_t{});
    }
}

/// The code and the sentence of the error that the call throws.
template <class Call>
std::pair<std::optional<ErrorCode>, std::string> error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

}  // namespace lanesort::test
