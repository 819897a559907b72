// SPDX-License-Identifier: MIT
// Sorts and merges by the network, for operations that are made of them.
#pragma once

#include <memory>

#include "core/planner.hpp"

namespace lanesort::inline v0_1::detail {

/// The network for some elements and its kernels, compiled.
struct Network {
    Plan plan;
    std::shared_ptr<const Program> program;
    std::shared_ptr<const Program> first_program =
        {};                           ///< of the first pass, where that reads other arrays than it writes
    std::uint64_t kept = all_keys;    ///< keys of a row that this one writes, where it is the only pass
    Slot segments = Slot::segments;   ///< where those begin and end, if it sorts any
    std::uint64_t first_segment = 0;  ///< integers before these
};

/// What a network is for, and what one of a distribution shares with another.
struct NetworkUse {
    bool sorts_leaves = false;       ///< its segments are those of a distribution (kernels/common/rows.h)
    std::optional<Shape> like = {};  ///< the shape of another network for the same elements
    bool apart = false;  ///< the first pass is to read other arrays than it writes, if the device compiles such kernels
    std::uint64_t kept = all_keys;  ///< of each row so many keys are to be written, if a tile holds a row
};

/// Keys and values that a sort reads, and does not change.
struct Sources {
    Slot keys, values = Slot::values;
};

/// The network that sorts, or merges, what the request describes, moving elements of such bytes.
Network make_network(Planner& planner, const Request& request, const ElementBytes& bytes, const NetworkUse& use = {});

/// Its launches, on keys, indices and values in those slots. Of the others it takes those that there are. Where it
/// reads `sources`, which a network has to be made for, these slots need not hold anything yet.
void add_network(Work& work, Network network, const Request& request, Slot keys, Slot indices,
                 Slot values = Slot::values, const Sources* sources = nullptr);

/// Copies what a sort is to read to where it writes, for what sorts in place alone.
void add_copies(Work& work, const Sources& sources, Slot keys, Slot values);

/// What a sort moves, where the indices of stable elements have so many bytes (0: they have none). Records have a
/// index of one byte where they have no other (kernels/common/elements.h).
ElementBytes element_bytes(const Request& request, std::size_t index_bytes) noexcept;

/// Bytes of an index of the request's elements.
std::size_t index_bytes_for(const Request& request) noexcept;

}  // namespace lanesort::inline v0_1::detail
