// What the hosts share where arrays go to the device part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backend.hpp"

namespace lanesort::detail {

using PassesOfWork = std::vector<std::vector<PartOfWork>>;

/// The bytes of each slot that any part needs.
inline std::array<std::uint64_t, slots> most_bytes(const PassesOfWork& passes) {
    std::array<std::uint64_t, slots> most = {};
    for (const auto& pass : passes)
        for (const PartOfWork& part : pass)
            for (std::size_t slot = 0; slot < slots; ++slot)
                most[slot] = std::max(most[slot], part.work->arrays[slot].size());
    return most;
}

/// The bytes of a slot's array, all of which the first pass goes through.
inline std::uint64_t bytes_of(const PassesOfWork& passes, std::size_t slot) {
    std::uint64_t bytes = 0;
    for (const PartOfWork& part : passes.front()) bytes += part.work->arrays[slot].size();
    return bytes;
}

/// What all of it launches; of the times and the memory nothing yet.
inline SortReport report_of(const PassesOfWork& passes) {
    SortReport report;
    report.schedule = Schedule::columns;
    for (const auto& pass : passes)
        for (const PartOfWork& part : pass) {
            report.launches += part.work->report.launches;
            report.hand_overs += part.work->report.hand_overs;
            report.barriers += part.work->report.barriers;
        }
    return report;
}

/// Parts of all passes.
inline std::size_t parts_of(const PassesOfWork& passes) {
    std::size_t parts = 0;
    for (const auto& pass : passes) parts += pass.size();
    return parts;
}

/// Where blocks of a part lie, in bytes: on the host, one every `pitch`; on the device, side by side.
struct BlocksOfBytes {
    std::byte* host;
    std::uint64_t on_device, width, height, pitch;
};

/// Calls `copy` with the blocks of a part of an array: with all whole ones, and with the shorter one at the end.
template <class Copy>
void each_blocks(const Part& part, void* array, std::uint64_t bytes, const Copy& copy) {
    std::byte* const first = static_cast<std::byte*>(array) + part.first * bytes;
    const std::uint64_t rows = part.rows(), rest = part.rest(), pitch = part.pitch * bytes;
    if (rows > 0) copy(BlocksOfBytes{first, 0, part.width * bytes, rows, pitch});
    if (rest > 0) copy(BlocksOfBytes{first + rows * pitch, rows * part.width * bytes, rest * bytes, 1, pitch});
}

}  // namespace lanesort::detail
