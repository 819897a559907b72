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

/// The functions of mpi.hpp. Values are absent where `values` is null, indices where they have 0 bytes.
void sort(Ranks& ranks, Sorter& sorter, Keys keys, const Values* values, const Options& options);
void argsort(Ranks& ranks, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options);
void top_k(Ranks& ranks, Sorter& sorter, ConstKeys keys, Results best, Indices indices, const Options& options);

/// A call in device memory, as data.
struct DeviceCall {
    const char* backend;  ///< of the sorter
    void* queue;          ///< or stream
    bool has_addresses;   ///< memory is told by addresses; else all elements pass through host memory
    AnyCall call;         ///< a sort, argsort or top_k of one range
};

/// Runs a call in device memory. `is_staged`: MPI takes no addresses there.
void run_on_device(Ranks& ranks, Sorter& sorter, const DeviceCall& call, const Options& options, bool is_staged);

/// A call as data: a sort, argsort or top_k of one range, on host memory. What it asks for besides is an error.
void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes);

/// Throws Error(invalid_argument) for what there is not across ranks.
void check_request(const Request& request);

/// What a rank's sorter is asked for by itself, and the arrays of that: of the first keys of all, a rank may have few.
struct Alone {
    Alone(lanesort::detail::SorterCore& core, const Request& across);

    Request request;
    lanesort::detail::Arrays arrays;
};

// ---- What all ranks ask for is agreed on.

/// Sorts what each rank has in its store, as the schedule says.
void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// Sorts keys and the numbers that they have over all ranks, which it writes to the places of their values.
void sort_indices(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& keys);
/// The first keys of all ranks, and their indices where values have bytes. `select` writes as many of this rank's to
/// host memory as it is told; `deliver` takes those of all from there.
void select_from_all(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all,
                     const std::function<void(std::uint64_t count, const Elements& found)>& select,
                     const std::function<void(const Elements& best)>& deliver);
/// By columns or merge-splits.
void sort_in_blocks(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// By splitters.
void sort_by_splitters(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);

}  // namespace lanesort::inline v0_1::mpi
