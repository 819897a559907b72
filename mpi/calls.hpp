// The calls, on ranks that anything may connect.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/ranks.hpp>
#include <lanesort/sorter.hpp>

#include "agreement.hpp"
#include "store.hpp"
#include "transport.hpp"

namespace lanesort::mpi {

/// The functions of mpi.hpp. Values are absent where `values` is null, indices where they have 0 bytes.
void sort(Ranks& ranks, Sorter& sorter, Keys keys, const Values* values, const Options& options);
void argsort(Ranks& ranks, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options);
void top_k(Ranks& ranks, Sorter& sorter, ConstKeys keys, Results best, Indices indices, const Options& options);

/// A sort in device memory, as data.
struct DeviceCall {
    const char* backend;  ///< of the sorter
    void* queue;          ///< or stream
    bool has_addresses;   ///< memory is told by addresses; else all elements pass through host memory
    AnyCall call;         ///< a sort of one range
};

/// Sorts in device memory. `is_staged`: MPI takes no addresses there.
void sort_on_device(Ranks& ranks, Sorter& sorter, const DeviceCall& call, const Options& options, bool is_staged);

/// A call as data: a sort, argsort or top_k of one range, on host memory. What it asks for besides is an error.
void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes);

// ---- What all ranks ask for is agreed on.

/// Sorts what each rank has in its store, as the schedule says.
void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// By columns or merge-splits.
void sort_in_blocks(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);
/// By splitters.
void sort_by_splitters(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given);

}  // namespace lanesort::mpi
