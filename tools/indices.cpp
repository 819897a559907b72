// SPDX-License-Identifier: MIT
#include "indices.hpp"

#include <bit>
#include <cstring>

static_assert(std::endian::native == std::endian::little, "the lower half of an index comes first");

lanesort::KeyType IndexArray::type() const noexcept {
    return width_ == sizeof(std::uint32_t) ? lanesort::KeyType::u32 : lanesort::KeyType::u64;
}

void IndexArray::set(std::size_t i, std::uint64_t index) noexcept {
    std::memcpy(bytes_.data() + i * width_, &index, width_);
}

void IndexArray::append(std::uint64_t index) {
    std::memcpy(bytes_.room(width_), &index, width_);
    bytes_.grew(width_);
}

void IndexArray::append(const IndexArray& others) {
    for (std::size_t i = 0; i < others.size(); ++i) append(others[i]);
}

void IndexArray::grow(std::size_t count) {
    bytes_.room(count * width_);
    bytes_.grew(count * width_);
}
