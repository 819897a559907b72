// SPDX-License-Identifier: MIT
// The calls, on ranks that anything may connect.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/ranks.hpp>
#include <lanesort/sorter.hpp>

#include "agreement.hpp"
#include "core/sorter_core.hpp"
#include "store.hpp"
#include "transport.hpp"

namespace lanesort::inline v0_1::mpi {

/// A call as data, and where its memory is: keys of one range that are sorted, or their indices, or the first of them.
/// What it asks for besides is an error.
struct PlacedCall {
    const char* backend;  ///< of the sorter; null: the memory is the host's
    void* queue;          ///< or stream
    bool has_addresses;   ///< device memory is told by addresses; else all elements pass through host memory
    AnyCall call;
};

/// Runs a call in device memory. `is_staged`: MPI takes no addresses there.
void run_on_device(Ranks& ranks, Sorter& sorter, const PlacedCall& call, const Options& options, bool is_staged);

/// Runs a call on host memory.
void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes);

// ---- What all ranks ask for is agreed on.

/// Sorts what each rank has in its store, as the schedule says.
void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// Sorts keys and the numbers that they have over all ranks, which it writes to the places of their values.
void sort_indices(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& keys);
/// The first keys of all ranks, and their indices where values have bytes. `take_own` writes as many of this rank's to
/// host memory as it is told; `deliver` takes those of all from there.
void select_from_all(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all,
                     const std::function<void(std::uint64_t count, const Elements& found)>& take_own,
                     const std::function<void(const Elements& best)>& deliver);
/// By columns or merge-splits.
void sort_in_blocks(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// By splitters.
void sort_by_splitters(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);

}  // namespace lanesort::inline v0_1::mpi
