// SPDX-License-Identifier: MIT
/// @file
/// Sorting keys that lie on the ranks of an MPI communicator, in host or device memory: `find_package(lanesort
/// COMPONENTS mpi)`.
///
/// All calls are collective: all ranks make those of a communicator in the same order. One thread of a rank may call
/// whatever level of threads MPI gives; threads that call at the same time need MPI_THREAD_MULTIPLE, and a communicator
/// and a sorter each. Calls send their messages on a duplicate of the communicator, so none of the caller's can be
/// taken for one of theirs. Which messages these are, and how long, is known from the counts and the options alone
/// (docs/scale.md), unless the options ask for a distribution.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <lanesort/cuda.hpp>
#include <lanesort/opencl.hpp>
#include <lanesort/ranks.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::inline v0_1::mpi {

/// @name Sorts
/// Rank 0 has the first keys of the order, and each rank as many after the call as before it. Numbers of every type;
/// counts may differ and be 0. The result has the same bytes for any number of ranks and any device.
///
/// Memory, of all of them: what the sorter takes for the keys of one rank; two buffers of Options::piece_bytes at most,
/// or of one element for each rank if that is more. Where the counts of the ranks are not all equal, an array of
/// ceil(N / P) elements on each rank, for N keys on P ranks; where they are equal, none: it is in place. Up to 500
/// bytes for each rank of the communicator, which is 2 MB of 4096 ranks, for what is known of them. Cost: three sorts
/// of each rank's keys and two all-to-alls of messages of one size if N / P >= 2 (P - 1)^2; each rank sends at most 3
/// times its keys then, those that even the counts out and restore them not counted in. Of fewer keys one sort, and in
/// each of lg P (lg P + 1) / 2 rounds an exchange and a merge of all keys with another rank's. A distribution
/// (Options::schedule) takes an array of each rank's keys; its cost is two sorts of them, one all-to-all in which each
/// key is sent once, and a few sums over all ranks, of at most some 1000 numbers on up to 1000 ranks, by which each
/// rank gets exactly its number of keys: one for each 4 bits of an element on up to 69 ranks, 2 on up to 342 and 1
/// beyond, or fewer where keys differ before. Errors: the same code on all ranks, before anything moves:
/// Error(invalid_argument) where two ranks differ in type, order, width of values or options, for options that are none
/// of their enumeration, for records, for a distribution that is to be `data_independent`, for what a rank's arguments
/// alone get wrong, for an intercommunicator, and where MPI is not running; Error(too_large) for 2^31 keys of a rank in
/// a distribution. After what happens later, what the arrays hold is unspecified: Error(device_failed) with the call
/// and its status where the communicator returns errors of MPI; Error(out_of_memory) and whatever a rank's sorter
/// throws on that rank alone, which all ranks learn of at the end: the others throw Error(device_failed). A rank takes
/// its memory before others wait for its messages, so none waits for a rank without memory; what MPI takes for itself
/// is MPI's affair. Source: Leighton, "Tight bounds on the complexity of parallel sorting", 1985; Knuth, "Sorting and
/// Searching", 5.2.2, algorithm M; for exact splitters Cheng, Shah, Gilbert, Edelman, "A novel parallel sorting
/// algorithm for contemporary architectures", 2007.
/// @{

/// Sorts the keys.
void sort(MPI_Comm communicator, Sorter& sorter, Keys keys, const Options& options = {});

/// Sorts keys together with the values that belong to them.
///
/// Order: pairs of equal keys come in the order of their values' bits, taken as unsigned little-endian integers and
/// ascending, whatever the order of the keys.
/// Errors: Error(invalid_argument) also where there are not as many values as keys.
void sort_by_key(MPI_Comm communicator, Sorter& sorter, Keys keys, Values values, const Options& options = {});

/// Writes the indices that would sort the keys of all ranks, which stay as they are. Indices have 8 bytes and count
/// from rank 0's first key on.
///
/// Order: stable; equal keys keep their order.
/// Memory: a copy of the keys, too.
/// Errors: Error(invalid_argument) also where there are not as many indices as keys, and for indices of 4 bytes.
void argsort(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options = {});

/// @}

/// Writes the first best.size() keys of a stable sort of all ranks' keys to `best`, on every rank: the largest, or the
/// smallest if the options ask for an ascending order. The keys stay as they are.
///
/// Memory: 2 k keys on each rank, and what Sorter::top_k takes.
/// Cost: a selection of each rank's keys, and a tree of lg P levels, in each of which a rank takes and sorts the best
/// of another; then a broadcast of k keys. Errors: as the sorts, and Error(invalid_argument) where ranks want different
/// numbers of keys or more than there are.
void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, const Options& options = {});
/// The same with the indices of these keys, of 8 bytes, counted from rank 0's first key on.
///
/// Order: of equal keys, those with the lowest indices.
/// Memory: 2 k indices on each rank, too.
void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, Indices indices,
           const Options& options = {});

/// @name Device memory
/// Each rank gives ranges in the memory of its device, and a stream or queue of that. What is done begins behind what
/// is on the stream, and has ended when the call returns. The range of keys says order, schedule and
/// `data_independent`, which all ranks give alike; the last is said of the sorts and selections of single ranks.
///
/// Order: that of the same call on host memory.
/// Memory: on the device what that takes on the host, up to one rank's share of a piece again, and 4 bytes for each of
/// its elements, but no copy where counts are equal; argsort a copy of the keys, too. Where messages are staged, host
/// memory of two pieces; of a distribution, and where counts are not equal, twice that of a rank's elements. Of an
/// OpenCL buffer all elements pass through host memory, which the sort takes a copy of. Of top_k, the first k keys and
/// indices of each rank pass through host memory, twice as many of which it takes there. The device memory that MPI is
/// given is the caller's, or was allocated by cuMemAlloc; a message is staged unless Options::device_messages or MPI
/// says that it takes these.
/// Cost: that of the same call on host memory, by the device; what is packed, merged and unpacked is so there, too.
/// Errors: as the same call on host memory and as enqueue() of the device, on all ranks before anything moves;
/// Error(invalid_argument) also for an order, schedule or `data_independent` in the options, a rank that gives host
/// memory meanwhile, records, a distribution that is to be `data_independent`, rows, segments, `first`, results that
/// lie `apart`, stable pairs, `limited`, `nan_last` and `extra_bytes`.
/// @{

/// Sorts keys in CUDA memory. What MPI is given is on the device of the sorter, whose context is current there only if
/// the caller made it so, which MPI may want (cudaSetDevice).
void sort(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys,
          const Options& options = {});
/// The same with values.
void sort_by_key(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys,
                 const cu::ValueRange& values, const Options& options = {});
/// Writes the indices that would sort the keys, of 8 bytes.
void argsort(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys,
             const cu::ValueRange& indices, const Options& options = {});
/// Writes the first k keys of all ranks, and their indices of 8 bytes if there is memory for them, on every rank.
void top_k(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys, std::size_t k,
           const cu::Selected& selected, const Options& options = {});
/// Sorts keys in an OpenCL buffer.
void sort(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
          const Options& options = {});
/// The same with values.
void sort_by_key(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
                 const opencl::ValueRange& values, const Options& options = {});
/// Writes the indices that would sort the keys, of 8 bytes.
void argsort(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
             const opencl::ValueRange& indices, const Options& options = {});
/// Writes the first k keys of all ranks, and their indices of 8 bytes if there is memory for them, on every rank.
void top_k(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys, std::size_t k,
           const opencl::Selected& selected, const Options& options = {});

/// Whether MPI says that it takes addresses in CUDA memory (MPIX_Query_cuda_support of OpenMPI, MPIX_GPU_query_support
/// of MPICH). Between MPI_Init and MPI_Finalize.
bool takes_cuda_memory() noexcept;

/// @}

}  // namespace lanesort::inline v0_1::mpi
