// SPDX-License-Identifier: MIT
#include "memory_check.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include <fmt/core.h>

#include <lanesort/request.hpp>

#include "integers.hpp"
#include "require.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// An array's bytes in an area of memory.
struct BytesInArea {
    const Array* array;
    std::uintptr_t area;
    std::uint64_t begin, end;
};

/// "keys of type u32", "values of 4 bytes".
std::string described(const Array& array, const Arrays& arrays, const Request& request) {
    const bool holds_keys =
        (&array == &arrays[Slot::keys] || &array == &arrays[Slot::second_keys] || &array == &arrays[Slot::results]) &&
        array.bytes == request.key.bytes();
    return fmt::format("{} of {}", array.name, holds_keys ? request.key.name() : fmt::format("{} bytes", array.bytes));
}

/// Why a device's limit is what it is, to end a sentence.
const char* why_limited(const DeviceInfo& device) {
    return device.platform == "Portable Computing Language"
               ? "; PoCL's limit goes by the memory that is free when it starts, and by POCL_MEMORY_LIMIT (in GiB)"
               : "";
}

void require_apart(const BytesInArea* first, const BytesInArea* last) {
    for (const BytesInArea* a = first; a != last; ++a)
        for (const BytesInArea* b = first; b != a; ++b)
            require(a->area != b->area || a->end <= b->begin || b->end <= a->begin ||
                        !(a->array->is_written() || b->array->is_written()),
                    ErrorCode::invalid_argument, "the {} and the {} overlap in memory, but have to be apart",
                    b->array->name, a->array->name);
}

}  // namespace

void check_sizes(const Arrays& arrays, Slot first, const DeviceInfo& device, const Request& request) {
    for (const Array& array : std::span(arrays).subspan(static_cast<std::size_t>(first)))
        if (product_exceeds(array.count, array.bytes, device.max_allocation_bytes))
            throw Error(ErrorCode::too_large,
                        fmt::format("{} {} exceed the {} bytes that {} can allocate at once{}", array.count,
                                    described(array, arrays, request), device.max_allocation_bytes, device.name,
                                    why_limited(device)));
}

void check_end(const Array& array, const Binding& binding) {
    const auto address = reinterpret_cast<std::uintptr_t>(binding.memory);
    const std::uint64_t room = (std::numeric_limits<std::uintptr_t>::max() - address) / array.bytes;
    require(binding.offset <= room && array.count <= room - binding.offset, ErrorCode::out_of_range,
            "{} {} at offset {} reach past the last address", array.count, array.name, binding.offset);
}

void check_host_memory(const Arrays& arrays, const Bindings& bindings, const DeviceInfo& device, const Request& request,
                       bool in_parts) {
    if (!in_parts) check_sizes(arrays, Slot::keys, device, request);
    BytesInArea places[slots], *last = places;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Array& array = arrays[slot];
        if (array.count == 0) continue;
        require(bindings[slot].memory != nullptr, ErrorCode::invalid_argument, "the pointer to the {} is null",
                array.name);
        check_end(array, bindings[slot]);
        const auto begin =
            reinterpret_cast<std::uintptr_t>(bindings[slot].memory) + bindings[slot].offset * array.bytes;
        *last++ = {&array, 0, begin, begin + array.size()};
    }
    require_apart(places, last);
}

void check_device_memory(const Arrays& arrays, const Bindings& bindings, const Backend& backend,
                         const Request& request) {
    BytesInArea places[slots], *last = places;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Array& array = arrays[slot];
        const auto [memory, offset] = bindings[slot];
        if (array.bytes == 0 || (array.count == 0 && memory == nullptr)) continue;
        const MemoryFacts facts = backend.inspect(memory);
        require(!array.is_written() || facts.writable, ErrorCode::not_writable,
                "the memory of the {} is read-only for kernels", array.name);
        require(facts.readable || !(array.is_read() || array.is_reread), ErrorCode::invalid_argument,
                "the memory of the {} is write-only for kernels, but they have to read it", array.name);
        const std::size_t alignment = std::min(array.bytes & (~array.bytes + 1), facts.alignment);
        if (facts.begin % alignment != 0)
            throw Error(ErrorCode::invalid_argument, fmt::format("the memory of the {} is not aligned to {}",
                                                                 array.name, described(array, arrays, request)));
        const std::uint64_t capacity = facts.bytes / array.bytes;
        if (offset > capacity || array.count > capacity - offset)
            throw Error(ErrorCode::out_of_range,
                        fmt::format("{} {} at offset {} reach past the end of their memory, which holds {} {}",
                                    array.count, array.name, offset, capacity, described(array, arrays, request)));
        const std::uint64_t begin = facts.begin + offset * array.bytes;
        if (array.count > 0) *last++ = {&array, facts.area, begin, begin + array.size()};
    }
    require_apart(places, last);
}

}  // namespace lanesort::inline v0_1::detail
