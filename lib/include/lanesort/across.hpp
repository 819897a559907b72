// SPDX-License-Identifier: MIT
/// @file
/// One order over ranges in the memory of several devices of one host. opencl.hpp and cuda.hpp enqueue it on the
/// caller's queues and streams; here it is for the built-in device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::inline v0_1 {

/// What a sort across devices did.
struct AcrossReport {
    SortReport all;  ///< of all devices together, but for times
    /// Bytes that went from device i to device j, at i * devices + j. Where the schedule may depend on keys, the most
    /// that exchanges may have moved.
    std::vector<std::uint64_t> link_bytes = {};
};

/// Returns AcrossReport::link_bytes of a sort of ranges of these counts, in elements of so many bytes, values counted
/// in: each time that two devices exchange, as many elements both ways as the smaller of their blocks has, and what
/// evening out unequal counts and restoring them moves. docs/several-devices.md has the formula.
std::vector<std::uint64_t> link_bytes_across(std::span<const std::uint64_t> counts, std::size_t element_bytes);

/// A range of the order in host memory, and the sorter that works on it.
struct HostPart {
    Sorter& sorter;                     ///< of the built-in device
    Keys keys;                          ///< any number of them, also none
    std::optional<Values> values = {};  ///< of sort_by_key_across(), one for each key
};

/// Sorts ranges in host memory, each by its sorter of the built-in device, into one order: part 0 gets the first keys.
/// Blocks. What enqueue_sort_across() of opencl.hpp and cuda.hpp does on their devices it does here, one part after the
/// other.
///
/// Order: that of Sorter::sort() of all keys as one range.
/// Memory: as enqueue_sort_across().
/// Cost: that of Sorter::sort() of each part, and a phase of the network for each round.
/// Errors: as enqueue_sort_across(), and Error(unsupported) for a sorter of another device.
AcrossReport sort_across(std::span<const HostPart> parts, const SortOptions& options = {});

/// The same for keys together with the values that belong to them. Order and errors are also those of
/// Sorter::sort_by_key().
AcrossReport sort_by_key_across(std::span<const HostPart> parts, const SortOptions& options = {});

namespace detail {

/// A part of a sort across devices: a sort of it alone, where that is enqueued, and its event as in enqueue().
struct PartAcross {
    Sorter* sorter;
    Queue queue;
    AnyCall call;
    void** event;
};

/// Throws Error(invalid_argument) for values of a part of which keys alone are sorted.
void refuse_values(std::size_t part, const void* values);

/// What enqueue_sort_across() does, for sorters of that backend.
AcrossReport enqueue_across(std::span<const PartAcross> parts, const char* backend);

/// The same for parts as device_calls.inc has them. `sort` makes the sort of one, of that number.
template <class Part, class Sort>
AcrossReport enqueue_across(std::span<const Part> parts, const char* backend, const Sort& sort) {
    std::vector<PartAcross> all;
    for (const Part& part : parts)
        all.push_back({&part.sorter, {part.queue, handles_of(part.wait_list)}, sort(all.size(), part), nullptr});
    AcrossReport report;
    // Each event's place is there only within a call of its own.
    const auto from = [&](const auto& self, std::size_t i) -> SortReport {
        if (i == all.size()) return (report = enqueue_across(all, backend)).all;
        return parts[i].event.after([&](void** event) {
            all[i].event = event;
            return self(self, i + 1);
        });
    };
    from(from, 0);
    return report;
}

}  // namespace detail
}  // namespace lanesort::inline v0_1
