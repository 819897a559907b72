// SPDX-License-Identifier: MIT
// Where a rank's elements lie, and what is done with them there: host memory, or a device's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include <lanesort/sorter.hpp>

#include "agreement.hpp"
#include "elements.hpp"
#include "large/rank_layout.hpp"
#include "transport.hpp"

namespace lanesort::inline v0_1::mpi {

/// Places of a block, and where their elements lie side by side.
struct Packed {
    Share places;
    Elements side_by_side;
};

/// Memory is told by addresses, which the host may follow in a HostStore alone. All functions but those that send
/// throw where they fail.
class Store {
public:
    virtual ~Store() = default;
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Runs the steps of a sort. Messages go on after one that failed, since the other ranks wait for them.
    Steps steps;

    /// Memory beside the elements, as long as the store lives.
    virtual std::byte* allocate(std::uint64_t bytes) = 0;
    /// Says that one call will have no more messages than that, of so many bytes together, each way.
    virtual void expect_messages(std::uint64_t /*messages*/, std::uint64_t /*bytes*/) {}

    /// Writes the integers from `first` on, of 8 bytes, one behind the other.
    virtual void number(std::byte* integers, std::uint64_t count, std::uint64_t first) = 0;
    /// Copies elements to another place, which does not overlap.
    virtual void copy(const Elements& from, const Elements& to, std::uint64_t count) = 0;
    /// The same for the elements of many places of a block, and back.
    virtual void pack(const Elements& block, std::span<const Packed> parts) = 0;
    virtual void unpack(const Elements& block, std::span<const Packed> parts) = 0;

    virtual void sort_here(const Elements& elements, std::uint64_t count) = 0;
    /// Of two sorted ranges that lie on two ranks the first halves of a merge, or the last: pairs of elements that
    /// meet, key k of the upper range with the k-th from the end of the lower one. What belongs here stays or comes to
    /// `mine`. Returns how many came, or any number where restore_order() need not know.
    virtual std::uint64_t keep_half(const Elements& mine, const Elements& theirs, std::uint64_t count, bool is_low) = 0;
    /// After all pieces: brings the range in order, of which `moved` elements came to the end that met.
    virtual void restore_order(const Elements& elements, std::uint64_t count, std::uint64_t moved, bool is_low) = 0;

    /// Element i of sorted ones.
    virtual Ordered read(const Elements& sorted, std::uint64_t count, std::uint64_t i) = 0;

    // Messages between places of the store.
    virtual void all_to_all(Ranks& ranks, const std::byte* from, std::byte* to, std::uint64_t bytes) = 0;
    virtual void all_to_all(Ranks& ranks, const std::byte* from, const Parts& sent, std::byte* to,
                            const Parts& received, std::size_t width) = 0;
    virtual void exchange(Ranks& ranks, const std::vector<Message>& received, const std::vector<Message>& sent) = 0;
};

class HostStore final : public Store {
public:
    HostStore(Sorter& sorter, const Description& call)
        : sorter_(sorter),
          type_(call.type),
          order_(call.order),
          data_independent_(call.data_independent != 0),
          read_(call.type, call.order) {}

    std::byte* allocate(std::uint64_t bytes) override;
    void number(std::byte* integers, std::uint64_t count, std::uint64_t first) override;
    void copy(const Elements& from, const Elements& to, std::uint64_t count) override { from.copy(to, count); }
    void pack(const Elements& block, std::span<const Packed> parts) override;
    void unpack(const Elements& block, std::span<const Packed> parts) override;
    void sort_here(const Elements& elements, std::uint64_t count) override;
    std::uint64_t keep_half(const Elements& mine, const Elements& theirs, std::uint64_t count, bool is_low) override;
    void restore_order(const Elements& elements, std::uint64_t count, std::uint64_t moved, bool is_low) override;
    Ordered read(const Elements& sorted, std::uint64_t, std::uint64_t i) override { return read_(sorted, i); }
    void all_to_all(Ranks& ranks, const std::byte* from, std::byte* to, std::uint64_t bytes) override {
        ranks.all_to_all(from, to, bytes);
    }
    void all_to_all(Ranks& ranks, const std::byte* from, const Parts& sent, std::byte* to, const Parts& received,
                    std::size_t width) override {
        ranks.all_to_all(from, sent, to, received, width);
    }
    void exchange(Ranks& ranks, const std::vector<Message>& received, const std::vector<Message>& sent) override {
        ranks.exchange(received, sent);
    }

private:
    Sorter& sorter_;
    KeyType type_;
    Order order_;
    bool data_independent_;
    Reader read_;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace lanesort::inline v0_1::mpi
