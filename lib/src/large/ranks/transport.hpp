// SPDX-License-Identifier: MIT
// What a sort across ranks asks of what connects them: MPI (communicator.hpp), or MPI by way of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lanesort::inline v0_1::mpi {

/// Bytes that go to a rank, or come from it.
struct Message {
    std::uint64_t rank;
    std::byte* data;
    std::uint64_t bytes;
};

/// Elements for each rank, or from it, in an all-to-all, and where the first one lies.
struct Parts {
    std::vector<int> counts, begins;
};

/// The ranks of a call. Every function but `exchange` is called by all of them, in the same order. What fails throws.
class Ranks {
public:
    virtual ~Ranks() = default;

    virtual std::uint64_t rank() const = 0;
    virtual std::uint64_t size() const = 0;

    /// The same number of bytes of every rank, in the order of the ranks.
    virtual void all_gather(const std::byte* mine, std::byte* all, std::uint64_t bytes) = 0;
    /// Each number becomes the sum over all ranks.
    virtual void add(std::span<std::uint64_t> numbers) = 0;
    /// Each number becomes the sum over the ranks below.
    virtual void add_below(std::span<std::uint64_t> numbers) = 0;
    /// As many bytes to and from every rank.
    virtual void all_to_all(const std::byte* from, std::byte* to, std::uint64_t bytes) = 0;
    /// Elements of that many bytes, to and from every rank.
    virtual void all_to_all(const std::byte* from, const Parts& sent, std::byte* to, const Parts& received,
                            std::size_t width) = 0;
    /// From rank 0.
    virtual void broadcast(std::byte* data, std::uint64_t bytes) = 0;
    /// Takes the memory for exchanges of so many messages, in all, of most_bytes at most.
    virtual void expect_messages(std::uint64_t /*messages*/) {}
    /// Messages that are on their way together; returns when all have come and gone.
    virtual void exchange(const std::vector<Message>& received, const std::vector<Message>& sent) = 0;

    /// Whether this is so on any rank.
    bool any(bool mine) {
        std::uint64_t ranks = mine ? 1 : 0;
        add({&ranks, 1});
        return ranks > 0;
    }
};

/// The most bytes of a message or a broadcast: MPI takes their number as an int.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
/// Keys of all ranks: more have no memory anywhere.
inline constexpr std::uint64_t most_keys = std::uint64_t{1} << 48;

/// Messages that so many bytes take.
constexpr std::uint64_t messages_of(std::uint64_t bytes) noexcept { return (bytes + most_bytes - 1) / most_bytes; }

/// Calls `function(first byte, bytes)` for each of these.
template <class Function>
void in_messages(std::uint64_t bytes, const Function& function) {
    for (std::uint64_t at = 0; at < bytes; at += most_bytes)
        function(at, static_cast<int>(bytes - at < most_bytes ? bytes - at : most_bytes));
}

}  // namespace lanesort::inline v0_1::mpi
