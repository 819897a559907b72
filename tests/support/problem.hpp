// A call as data, what its arrays hold before it, and what the standard library says they must hold after it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
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
