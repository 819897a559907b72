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
/// request that is none. LANESORT_INVALID_ARGUMENT for rows, segments, records, `first`, `stable` pairs, `limited`,
/// `nan_last`, `extra_bytes`, values of LANESORT_TOP_K, and a LANESORT_DISTRIBUTION that is to be `data_independent`.
LANESORT_API lanesort_status lanesort_mpi_run(lanesort_sorter* sorter, MPI_Comm communicator,
                                              const lanesort_request* request, size_t piece_bytes);

#ifdef __cplusplus
}
#endif
