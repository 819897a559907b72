// SPDX-License-Identifier: MIT
// What mpi_test runs of lanesort_mpi.h.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Checks that failed on this rank.
int failures_in_c(void);

#ifdef __cplusplus
}
#endif
