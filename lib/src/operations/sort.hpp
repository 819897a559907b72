// Sorts and merges by the network, for operations that are made of them.
#pragma once

#include <memory>

#include "../core/planner.hpp"

namespace lanesort::detail {

/// The network for some elements and its kernels, compiled.
struct Network {
    Plan plan;
    std::shared_ptr<const Program> program;
    Slot segments = Slot::segments;   ///< where those begin and end, if it sorts any
    std::uint64_t first_segment = 0;  ///< integers before these
};

/// What a network of a distribution is for, and what it shares with another one.
struct NetworkUse {
    bool sorts_leaves = false;       ///< its segments are those of a distribution (kernels/rows.h)
    std::optional<Shape> like = {};  ///< the shape of another network for the same elements
};

/// The network that sorts, or merges, what the request describes, moving elements of such bytes.
Network make_network(Planner& planner, const Request& request, const ElementBytes& bytes, const NetworkUse& use = {});

/// Its launches, on keys, indices and values in those slots. Of the others it takes those that there are.
void add_network(Work& work, Network network, const Request& request, Slot keys, Slot indices,
                 Slot values = Slot::values);

/// The slot of keys that may be changed where the caller's may not.
Slot copy_of_keys(const Request& request, Work& work);

/// What a sort moves, where the indices of stable elements have so many bytes (0: they have none). Records have a
/// index of one byte where they have no other (kernels/elements.h).
ElementBytes element_bytes(const Request& request, std::size_t index_bytes) noexcept;

/// Bytes of an index of the request's elements.
std::size_t index_bytes_for(const Request& request) noexcept;

}  // namespace lanesort::detail
