// SPDX-License-Identifier: MIT
// A call as data, what its arrays hold before it, and what the standard library says they must hold after it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanesort/request.hpp>

#include "bytes.hpp"
#include "support.hpp"

namespace lanesort::test {

/// Where segments begin, and where the last one ends.
using Offsets = std::vector<std::uint64_t>;

/// What the arrays of a call hold; one that it does not have is empty.
struct Contents {
    Bytes keys = {}, values = {}, second_keys = {}, second_values = {}, indices = {}, segments = {}, results = {},
          result_values = {}, lengths = {}, answers = {}, limit = {}, flags = {}, parameter = {};
};

struct Problem {
    Request request;
    Contents before, after;
    /// Brings what may be in any order into one; may be empty.
    std::function<void(Contents&)> settle = {};
};

/// Bytes that tell one place from the next.
Bytes other_bytes(std::size_t count);

/// Whether one key comes before another, by their bytes.
using IsBefore = std::function<bool(const std::byte*, const std::byte*)>;

/// Makes the arrays of a call on these keys, and solves it. Values that are not given are drawn from few. `limit` is
/// that of a request that is `limited`, `second` the keys that are looked for, or that bound bins.
Problem problem_of_bytes(Request request, Bytes keys, IsBefore is_before, const Offsets& segments, Bytes values,
                         std::uint64_t limit = 0, Bytes second = {});

/// A problem of values that are moved by indices: gathered from among `count`, scattered to so many places, or
/// permuted.
Problem problem_of_indices(Request request, std::uint64_t count, Bytes values,
                           const std::vector<std::uint64_t>& indices);

/// A problem of records, or of numbers in an order that is not the library's. The request need not say how many keys,
/// segments and values there are, nor of which kind.
template <class T, class Before>
Problem problem_of(Request request, const KeyKind& kind, const std::vector<T>& keys, Before is_before,
                   const Offsets& segments = {}, Bytes values = {}, std::uint64_t limit = 0, Bytes second = {}) {
    request.key = kind;
    const auto of_bytes = [is_before](const std::byte* a, const std::byte* b) {
        T x, y;
        std::memcpy(&x, a, sizeof(T));
        std::memcpy(&y, b, sizeof(T));
        return is_before(x, y);
    };
    return problem_of_bytes(std::move(request), bytes_of(keys), of_bytes, segments, std::move(values), limit,
                            std::move(second));
}

template <Key T>
bool is_nan(T key) {
    if constexpr (is_floating<T>) return std::isnan(number_of(key));
    else return false;
}

/// A problem of numbers.
template <Key K>
Problem problem_of(const Request& request, const std::vector<K>& keys, const Offsets& segments = {}, Bytes values = {},
                   std::uint64_t limit = 0, Bytes second = {}) {
    const auto is_before = [order = request.order_or_usual(), nan_last = request.nan_last](K a, K b) {
        if (nan_last && is_nan(a) != is_nan(b)) return is_nan(b);
        return comes_before(a, b, order);
    };
    return problem_of(request, key_type_v<K>, keys, is_before, segments, std::move(values), limit, std::move(second));
}

/// The first key of each range, row or segment of a call, and the one behind it.
std::vector<std::pair<std::size_t, std::size_t>> ranges_of(const Request& request, const Bytes& segments);

/// A reduction of these elements by an operator that does what `combine` does, or, with as many `others`, of what
/// `transform` makes of pairs.
template <class T, class Combine, class Transform = std::nullptr_t>
Problem reduction_by(Request request, const BinaryOperator& combining, const std::vector<T>& elements, T identity,
                     Combine combine, const Offsets& segments = {}, const std::vector<T>& others = {},
                     Transform transform = {}) {
    request.operation = others.empty() ? Operation::reduce : Operation::transform_reduce;
    request.key = combining;
    Problem problem = problem_of_bytes(
        request, bytes_of(elements), [](auto...) { return false; }, segments, {}, 0, bytes_of(others));
    std::vector<T> combined = elements, results;
    if constexpr (!std::is_null_pointer_v<Transform>)
        std::transform(elements.begin(), elements.end(), others.begin(), combined.begin(), transform);
    for (const auto& [begin, end] : ranges_of(problem.request, problem.before.segments))
        results.push_back(std::accumulate(combined.begin() + static_cast<std::ptrdiff_t>(begin),
                                          combined.begin() + static_cast<std::ptrdiff_t>(end), identity, combine));
    problem.after.results = bytes_of(results);
    return problem;
}

/// Affine maps, which no order but their own composes to the same.
struct Affine {
    std::uint32_t factor, term;
};
extern const BinaryOperator composition;
/// The same, where a pair becomes the composition of its maps.
extern const BinaryOperator composition_of_pairs;
inline Affine composed(Affine a, Affine b) { return {a.factor * b.factor, a.term * b.factor + b.term}; }
std::vector<Affine> random_maps(std::size_t count, Random& random);

/// Sorts the two ranges that a merge needs, in the order of `is_before`.
template <class T, class Before>
void sort_two(std::vector<T>& keys, std::size_t middle, Before is_before) {
    const auto second = keys.begin() + static_cast<std::ptrdiff_t>(middle);
    std::stable_sort(keys.begin(), second, is_before);
    std::stable_sort(second, keys.end(), is_before);
}

/// In place of this merge, that of two ranges that lie apart; in place of this sort, one to another place.
Problem apart(Problem problem);

/// A problem for each operation and for each way that it takes, on so many keys, of which many are equal.
struct NamedProblem {
    std::string name;
    Problem problem;
};
std::vector<NamedProblem> problems_of_every_operation(std::size_t count, Random& random);

}  // namespace lanesort::test
