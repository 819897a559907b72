// SPDX-License-Identifier: MIT
// Indices and offsets, narrow where that is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <lanesort/key_types.hpp>

#include "files.hpp"

/// Unsigned integers of 4 or 8 bytes, as the library takes and gives indices.
class IndexArray {
public:
    explicit IndexArray(std::size_t width) noexcept : width_(width) {}

    std::size_t width() const noexcept { return width_; }
    /// The type of the integers: u32 or u64.
    lanesort::KeyType type() const noexcept;
    std::size_t size() const noexcept { return bytes_.size() / width_; }
    std::uint64_t operator[](std::size_t i) const noexcept {
        return width_ == sizeof(std::uint32_t) ? integer<std::uint32_t>(i) : integer<std::uint64_t>(i);
    }
    /// An index that does not fit loses its upper half.
    void set(std::size_t i, std::uint64_t index) noexcept;
    void* data() noexcept { return bytes_.data(); }
    const Bytes& bytes() const noexcept { return bytes_; }

    void append(std::uint64_t index);
    void append(const IndexArray& others);
    /// Makes room for that many indices, which the caller fills.
    void grow(std::size_t count);
    /// Leaves the first ones only.
    void shrink(std::size_t count) noexcept { bytes_.shrink(count * width_); }

private:
    template <class T>
    T integer(std::size_t i) const noexcept {
        T integer;
        std::memcpy(&integer, bytes_.data() + i * sizeof integer, sizeof integer);
        return integer;
    }

    std::size_t width_;
    Bytes bytes_;
};
