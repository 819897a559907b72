// The calls, on ranks that anything may connect.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/ranks.hpp>
#include <lanesort/sorter.hpp>

#include "agreement.hpp"
#include "elements.hpp"
#include "transport.hpp"

namespace lanesort::mpi {

/// The functions of mpi.hpp. Values are absent where `values` is null, indices where they have 0 bytes.
void sort(Ranks& ranks, Sorter& sorter, Keys keys, const Values* values, const Options& options);
void argsort(Ranks& ranks, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options);
void top_k(Ranks& ranks, Sorter& sorter, ConstKeys keys, Results best, Indices indices, const Options& options);

/// A call as data: a sort, argsort or top_k of one range, on host memory. What it asks for besides is an error.
void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes);

// ---- Ways to sort what each rank has. What all ranks ask for is agreed on.

/// By columns or merge-splits.
void sort_in_blocks(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given);
/// By splitters.
void sort_by_splitters(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given);

/// Sorts elements that one rank has.
void sort_alone(Sorter& sorter, const Elements& elements, std::uint64_t count, KeyType type, Order order);

}  // namespace lanesort::mpi
