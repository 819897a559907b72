// SPDX-License-Identifier: MIT
/// @file
/// One order over ranges in the memory of several devices of one host: enqueued on the caller's queues or streams, or
/// in host memory for the built-in device.
#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/device_calls.hpp>
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
/// Blocks. What enqueue_sort_across() does on other devices it does here, one part after the other.
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

/// The same for parts in the memory of a device. `make` gives the sort of one, of that number.
template <class Parts, class Make>
AcrossReport enqueue_parts(const Parts& parts, const Make& make) {
    using Memory = typename std::ranges::range_value_t<Parts>::Memory;
    std::vector<PartAcross> all;
    for (const auto& part : parts)
        all.push_back({&part.sorter, {part.queue, handles_of(part.wait_list)}, make(all.size(), part), nullptr});
    AcrossReport report;
    // Each event's place is there only within a call of its own.
    const auto from = [&](const auto& self, std::size_t i) -> SortReport {
        if (i == all.size()) return (report = enqueue_across(all, BackendOf<Memory>::name)).all;
        return parts[i].event.after([&](void** event) {
            all[i].event = event;
            return self(self, i + 1);
        });
    };
    from(from, 0);
    return report;
}

}  // namespace detail

/// A range of an order that lies on several devices, on the device of its sorter.
template <class M>
struct DevicePartIn {
    using Memory = M;                    ///< of the device
    Sorter& sorter;                      ///< of the device that has the memory; several parts may have one sorter
    typename BackendOf<M>::Queue queue;  ///< of that device
    KeyRangeIn<M> keys;                  ///< any number of them, also none
    ValueRangeIn<M> values = {};         ///< of enqueue_sort_by_key_across(), one for each key
    typename BackendOf<M>::WaitList wait_list = {};  ///< events that the part is ready after
    typename BackendOf<M>::EndEvent event = {};      ///< of the end of all parts
};

/// Enqueues a sort of ranges that lie on several devices, each in its own memory, into one order: part 0 gets the first
/// keys, and so on, each as many as it had. Each device sorts its range; then it and others exchange keys in place, in
/// lg P (lg P + 1) / 2 rounds for P devices, after each of which it does the rest of a merge in its own memory
/// (docs/several-devices.md). What all parts do begins after the earlier work of their queues and their wait lists. A
/// part's queue goes on, and its event comes, when all are done. The ranges agree in type, order and schedule; one that
/// is `data_independent` exchanges all keys of a round, else only those that change places and a few more.
///
/// Order: that of Sorter::sort() of all keys as one range, equal keys among values included.
/// Memory: what the sort of each part takes. With CUDA kernels reach the other device's memory, so there is nothing
/// more where counts are even: where all are n / P rounded up, but for the last ones. With OpenCL elements cross in
/// buffers of up to 4 MiB, one for each device, which the runtime brings from device to device, through host memory
/// where it has no other way. Other counts are evened out first and restored last, for which each device takes memory
/// for n / P elements. The report counts all of it.
/// Cost: the sort of n / P keys, and a phase of the network and an exchange of n / P elements for each round. With
/// OpenCL queues are flushed, as one waits for another's events.
/// Errors, before anything is enqueued: as enqueue(), for each part; Error(invalid_argument) also for parts that
/// disagree or overlap, for rows, segments, `first` and stable sorts, and for values; Error(unsupported) for records,
/// and with CUDA for devices without access to each other's memory, or memory of a pool that does not allow it;
/// Error(wrong_context) for OpenCL devices of two contexts. After Error(device_failed), or Error(out_of_memory) in the
/// middle, the elements are unspecified.
/// Source: Batcher, "Sorting networks and their applications", 1968; Baudet and Stevenson, "Optimal sorting algorithms
/// for parallel computers", 1978.
template <std::ranges::contiguous_range Parts>
AcrossReport enqueue_sort_across(const Parts& parts) {
    return detail::enqueue_parts(parts, [](std::size_t number, const auto& part) {
        detail::refuse_values(number, part.values.memory);
        return sort(part.keys);
    });
}
/// The same for keys together with the values that belong to them. Order and errors are also those of
/// Sorter::sort_by_key().
template <std::ranges::contiguous_range Parts>
AcrossReport enqueue_sort_by_key_across(const Parts& parts) {
    return detail::enqueue_parts(parts,
                                 [](std::size_t, const auto& part) { return sort_by_key(part.keys, part.values); });
}

}  // namespace lanesort::inline v0_1
