// SPDX-License-Identifier: MIT
// Keys and other elements as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lanesort::test {

/// Bytes as a vector, since those of a device come and go whole.
using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& items) {
    const auto bytes = std::as_bytes(std::span(items));
    return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> keys_of(const Bytes& bytes) {
    std::vector<T> keys(bytes.size() / sizeof(T));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(keys)).begin());
    return keys;
}

}  // namespace lanesort::test
