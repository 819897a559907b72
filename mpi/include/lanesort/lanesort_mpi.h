// SPDX-License-Identifier: MIT
/// @file
/// lanesort across the ranks of an MPI communicator, in C: the requests of lanesort.h, run by all ranks together.
/// mpi.hpp says what each operation does, which memory it takes and what it costs.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <lanesort/lanesort.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a request on what all ranks have in host memory: LANESORT_SORT, LANESORT_ARGSORT and LANESORT_TOP_K of one
/// range. Collective. Blocks. `indices` have 8 bytes and count over all ranks; `schedule` is that of mpi.hpp's Options,
/// and LANESORT_DISTRIBUTION alone has messages that depend on the keys. `piece_bytes` are those of each of the two
/// buffers that messages are packed in; 0: 8 MiB.
///
/// Errors: as mpi.hpp says, on all ranks before anything moves, also where one rank alone gives a null sorter or a
/// request that is none. What lanesort_run refuses is refused with the same status, members that the operation does not
/// use among it. LANESORT_INVALID_ARGUMENT for rows, segments, records, `first`, `apart`, `stable` pairs,
/// `limited`, `nan_last`, `extra_bytes`, values of LANESORT_TOP_K, and a LANESORT_DISTRIBUTION that is to be
/// `data_independent`, which is said of the sorts of single ranks.
LANESORT_API lanesort_status lanesort_mpi_run(lanesort_sorter* sorter, MPI_Comm communicator,
                                              const lanesort_request* request, size_t piece_bytes);

/// What MPI is given of elements in CUDA memory: DeviceMessages of ranks.hpp.
typedef int32_t lanesort_mpi_messages;
enum {
    LANESORT_MPI_AUTOMATIC = 0,  ///< addresses in device memory where MPI says that it takes these, else copies
    LANESORT_MPI_DIRECT = 1,     ///< addresses in device memory: the caller knows that MPI takes them
    LANESORT_MPI_STAGED = 2      ///< copies in host memory
};

/// The same for CUDA memory, behind what is on the stream (null: the default stream). Blocks until all is done. Errors:
/// also those of lanesort_cuda_enqueue, on all ranks.
LANESORT_API lanesort_status lanesort_mpi_run_cuda(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                   MPI_Comm communicator, const lanesort_request* request,
                                                   size_t piece_bytes, lanesort_mpi_messages messages);

/// The same for OpenCL buffers, all of which pass through host memory, but of LANESORT_TOP_K the first keys alone.
LANESORT_API lanesort_status lanesort_mpi_run_opencl(lanesort_sorter* sorter, cl_command_queue queue,
                                                     MPI_Comm communicator, const lanesort_request* request,
                                                     size_t piece_bytes);

/// Returns 1 where MPI says that it takes CUDA memory, else 0. Between MPI_Init and MPI_Finalize.
LANESORT_API int lanesort_mpi_takes_cuda_memory(void);

#ifdef __cplusplus
}
#endif
