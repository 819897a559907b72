// What a call does with the caller's memory, whatever that is: checked before anything is enqueued.
#pragma once

#include <cstdint>
#include <vector>

namespace lanesort::detail {

/// What kernels do with an array.
enum class Access : std::uint8_t { read, write, change };

/// An array of a call.
struct MemoryUse {
    const char* what;     ///< for a person: "keys"
    Access access;        ///< what is done with it
    std::uint64_t begin;  ///< its first byte: an address, or the number of bytes before it in `memory`
    std::uint64_t bytes;
    const void* memory = nullptr;  ///< what it is a part of; null where `begin` is an address
};

/// An array at an address.
inline MemoryUse used(const char* what, Access access, const void* address, std::uint64_t bytes) {
    return {what, access, reinterpret_cast<std::uintptr_t>(address), bytes};
}

/// Throws Error(invalid_argument) for one that has bytes at the address null, and for two with bytes in common unless
/// both are only read.
void check(const std::vector<MemoryUse>& uses);

}  // namespace lanesort::detail
