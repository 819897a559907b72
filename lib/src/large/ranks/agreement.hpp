// SPDX-License-Identifier: MIT
// What the ranks tell each other before anything moves, and how all learn that one failed.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/keys.hpp>
#include <lanesort/ranks.hpp>

#include "large/rank_layout.hpp"
#include "transport.hpp"

namespace lanesort::inline v0_1::mpi {

/// What the ranks must agree on, and what each needs to know of the others.
struct Description {
    std::uint64_t count, wanted, piece_bytes, value_bytes;
    Operation operation;
    KeyType type;
    Order order;
    Schedule schedule;
    std::uint8_t data_independent, on_device, is_refused = 0, refusal = 0;
    std::uint8_t unused[24] = {};

    /// Both are parts of one call.
    bool agrees(const Description& other) const noexcept {
        return wanted == other.wanted && piece_bytes == other.piece_bytes && value_bytes == other.value_bytes &&
               operation == other.operation && type == other.type && order == other.order &&
               schedule == other.schedule && data_independent == other.data_independent && on_device == other.on_device;
    }
    std::string text() const;
};
static_assert(sizeof(Description) == 64 && std::is_trivially_copyable_v<Description>);

/// Throws Error(invalid_argument) with that sentence unless the condition holds.
void require(bool holds, const char* sentence);

/// Runs steps that may fail on one rank alone; after the first that did it runs none.
class Steps {
public:
    template <class Step>
    void operator()(const Step& step) noexcept {
        if (failure_) return;
        try {
            step();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    /// Throws on all ranks if a step failed on any.
    void agree(Ranks& ranks) const;
    const std::exception_ptr& failure() const noexcept { return failure_; }
    /// Throws what failed, std::bad_alloc as Error(out_of_memory): its sentence takes memory, so no rank waits then.
    [[noreturn]] void rethrow() const;

private:
    std::exception_ptr failure_;
};

/// Throws Error(invalid_argument) for options that no sort across ranks has.
void check_way(std::uint64_t piece_bytes, Schedule schedule, bool data_independent);
/// The same for what are to be DeviceMessages.
void check_messages(std::int64_t messages);
/// Throws Error(too_large) for a rank that has more keys than a distribution takes.
void check_splitters(std::uint64_t count);

/// Throws on all ranks unless they all ask for the same and none has failed: then the code of the first that did, with
/// a sentence of its own on each that did. Returns what they ask for.
std::vector<Description> agreed(Ranks& ranks, Description mine, Steps& steps);

/// Tells the other ranks that this one is refused, and throws why.
void refuse(Ranks& ranks, const std::exception_ptr& why);

Intervals intervals_of(const std::vector<Description>& all);

}  // namespace lanesort::inline v0_1::mpi
