// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "store.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

/// Calls `function(part, first element, elements)` for all elements of the parts, some of each part in turn: places
/// that lie side by side in a block belong to many parts, and are in the processor's cache then.
template <class Function>
void each_in_turn(std::span<const Packed> parts, std::size_t bytes, const Function& function) {
    constexpr std::uint64_t bytes_at_once = 32 << 10;
    std::uint64_t most = 0, stride = 1;
    for (const Packed& part : parts) {
        most = std::max(most, part.places.count);
        stride = std::max(stride, part.places.stride);
    }
    const std::uint64_t at_once = std::max<std::uint64_t>(bytes_at_once / (stride * bytes), 64);
    for (std::uint64_t first = 0; first < most; first += at_once)
        for (const Packed& part : parts)
            if (first < part.places.count) function(part, first, std::min(at_once, part.places.count - first));
}

/// Copies elements from every stride-th place to every other stride-th one.
void copy_strided(const std::byte* from, std::uint64_t stride, std::byte* to, std::uint64_t to_stride,
                  std::uint64_t count, std::size_t width) {
    with_width(width, [&](auto element) {
        constexpr std::size_t bytes = sizeof(element);
        for (std::uint64_t k = 0; k < count; ++k)
            std::memcpy(to + k * to_stride * bytes, from + k * stride * bytes, bytes);
    });
}

}  // namespace

std::byte* HostStore::allocate(std::uint64_t bytes) {
    return memory_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

void HostStore::number(std::byte* integers, std::uint64_t count, std::uint64_t first) {
    auto* const places = reinterpret_cast<std::uint64_t*>(integers);
    std::iota(places, places + count, first);
}

void HostStore::pack(const Elements& block, std::span<const Packed> parts) {
    each_in_turn(parts, block.bytes(), [&](const Packed& part, std::uint64_t first, std::uint64_t count) {
        const auto [begin, stride, all] = part.places;
        block.from(begin + first * stride)
            .each(part.side_by_side.from(first), [&, by = stride](auto* from, std::byte* to, std::size_t width) {
                copy_strided(from, by, to, 1, count, width);
            });
    });
}

void HostStore::unpack(const Elements& block, std::span<const Packed> parts) {
    each_in_turn(parts, block.bytes(), [&](const Packed& part, std::uint64_t first, std::uint64_t count) {
        const auto [begin, stride, all] = part.places;
        part.side_by_side.from(first).each(block.from(begin + first * stride),
                                           [&, by = stride](auto* from, std::byte* to, std::size_t width) {
                                               copy_strided(from, 1, to, by, count, width);
                                           });
    });
}

void HostStore::sort_here(const Elements& elements, std::uint64_t count) {
    const Keys keys(elements.keys, count, type_);
    const SortOptions options{.order = order_, .data_independent = data_independent_};
    if (elements.value_bytes > 0)
        sorter_.sort_by_key(keys, Values(elements.values, count, elements.value_bytes), options);
    else sorter_.sort(keys, options);
}

std::uint64_t HostStore::keep_half(const Elements& mine, const Elements& theirs, std::uint64_t count, bool is_low) {
    const auto changes = [&](std::uint64_t k) {
        return is_low ? read_(theirs, k) < read_(mine, count - 1 - k) : read_(mine, k) < read_(theirs, count - 1 - k);
    };
    std::uint64_t from = 0, to = count;
    while (from < to) {
        const std::uint64_t middle = from + (to - from) / 2;
        if (changes(middle)) from = middle + 1;
        else to = middle;
    }
    // The elements that change places are a number of first ones; they go in so that the others' order is reversed.
    for (std::uint64_t k = 0; k < from; ++k) {
        const std::uint64_t mirrored = count - 1 - k;
        theirs.from(is_low ? k : mirrored).copy(mine.from(is_low ? mirrored : k), 1);
    }
    return from;
}

void HostStore::restore_order(const Elements& elements, std::uint64_t count, std::uint64_t moved, bool is_low) {
    if (moved == 0) return;
    const std::uint64_t first = is_low ? count - moved : 0;
    const Elements turned = elements.from(first);
    turned.each(turned, [&](std::byte* data, std::byte*, std::size_t width) {
        with_width(width, [&](auto element) {
            auto* const some = reinterpret_cast<decltype(element)*>(data);
            std::reverse(some, some + moved);
        });
    });
    const std::uint64_t middle = is_low ? first : moved;
    const Keys keys(elements.keys, count, type_);
    if (elements.value_bytes > 0)
        sorter_.merge_by_key(keys, Values(elements.values, count, elements.value_bytes), middle, {.order = order_});
    else sorter_.merge(keys, middle, {.order = order_});
}

}  // namespace lanesort::inline v0_1::mpi
