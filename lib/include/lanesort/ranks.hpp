// SPDX-License-Identifier: MIT
/// @file
/// What sorts across ranks are given, and what they send. Needs no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <lanesort/key_types.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1::mpi {

/// What MPI is given of elements in device memory. Ranks may differ in it: the messages are the same.
enum class DeviceMessages : std::uint8_t {
    automatic,  ///< addresses in device memory where MPI says that it takes these (takes_cuda_memory), else copies
    direct,     ///< addresses in device memory: the caller knows that MPI takes them
    staged,     ///< copies in host memory
};

/// How a call goes. All ranks give the same.
struct Options {
    std::optional<Order> order = {};                 ///< ascending unless given, but the first keys are the largest
    std::size_t piece_bytes = std::size_t{8} << 20;  ///< of each of the two buffers that messages are packed in
    /// How ranks come to one order; all give the same bytes. `automatic` and `columns` are columns as far as they
    /// suffice, else rounds of exchanges between two ranks, which `network` demands. `distribution` goes by splitters,
    /// and is the only one whose messages depend on the keys. What selects the first keys has none.
    Schedule schedule = Schedule::automatic;
    DeviceMessages device_messages = DeviceMessages::automatic;  ///< of sorts and argsorts in device memory alone
    bool data_independent = false;  ///< the sorts and selections of single ranks are so, as SortOptions says
};

/// What a rank hands over in a sort for the other ranks, but for the allgather of 64 bytes and the allreduces of one
/// integer by which the ranks agree.
struct Traffic {
    std::uint64_t all_to_alls = 0;       ///< collectives, in each of which all messages have one size but for splitters
    std::uint64_t all_to_all_bytes = 0;  ///< sent in these
    std::uint64_t messages = 0;          ///< to single ranks
    std::uint64_t message_bytes = 0;     ///< sent in these
    std::uint64_t reductions = 0;        ///< sums over ranks, of a distribution alone
    std::uint64_t reduction_bytes = 0;   ///< of the numbers in these
    /// All bytes sent.
    std::uint64_t bytes() const noexcept { return all_to_all_bytes + message_bytes + reduction_bytes; }

    friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Returns what `rank` sends in a sort, for `counts[i]` keys on rank i; of a distribution, the most that it may send.
/// Indices are values of 8 bytes. Throws Error(invalid_argument) for a rank, widths or options that no sort has, and
/// Error(too_large) for more than 2^48 keys, or for 2^31 of a rank in a distribution.
Traffic traffic(std::span<const std::uint64_t> counts, std::uint64_t rank, std::size_t key_bytes,
                std::size_t value_bytes = 0, const Options& options = {});

}  // namespace lanesort::inline v0_1::mpi
