// SPDX-License-Identifier: MIT
// lanesort_mpi.h from C11, on all ranks. Each has 1000 keys of 0 to 1000 P - 1, none twice.
#include "c_interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanesort/lanesort_mpi.h>

enum { n = 1000 };

static int failures;

static void check(int holds, const char* what) {
    if (holds) return;
    ++failures;
    fprintf(stderr, "%s: %s\n", what, lanesort_last_error());
}
#define CHECK(condition) check(condition, #condition)

int failures_in_c(void) {
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const uint32_t all = (uint32_t)ranks * n, first = (uint32_t)rank * n;
    static uint32_t given[n], keys[n];
    static uint64_t values[n], indices[n];
    // A prime, so that no key comes twice.
    for (uint32_t i = 0; i < n; ++i) given[i] = (uint32_t)((uint64_t)(first + i) * 7919 % all);
    lanesort_sorter* sorter = NULL;
    CHECK(lanesort_create(&sorter, "built-in", &(lanesort_options){.ignore_tuned = 1}) == LANESORT_SUCCESS);

    const lanesort_schedule schedules[] = {LANESORT_AUTOMATIC, LANESORT_NETWORK, LANESORT_COLUMNS,
                                           LANESORT_DISTRIBUTION};
    for (size_t s = 0; s < sizeof schedules / sizeof schedules[0]; ++s) {
        memcpy(keys, given, sizeof keys);
        for (uint32_t i = 0; i < n; ++i) values[i] = 3 * given[i];
        lanesort_request request = {.memory = keys,
                                    .count = n,
                                    .type = LANESORT_U32,
                                    .values = {.memory = values, .bytes = 8},
                                    .schedule = schedules[s]};
        CHECK(lanesort_mpi_run(sorter, MPI_COMM_WORLD, &request, 0) == LANESORT_SUCCESS);
        int is_right = 1;
        for (uint32_t i = 0; i < n; ++i) is_right = is_right && keys[i] == first + i && values[i] == 3 * keys[i];
        CHECK(is_right);

        memcpy(keys, given, sizeof keys);
        request = (lanesort_request){.operation = LANESORT_ARGSORT,
                                     .memory = keys,
                                     .count = n,
                                     .type = LANESORT_U32,
                                     .schedule = schedules[s],
                                     .order = LANESORT_DESCENDING,
                                     .indices = {.memory = indices, .bytes = 8}};
        CHECK(lanesort_mpi_run(sorter, MPI_COMM_WORLD, &request, 512) == LANESORT_SUCCESS);
        for (uint32_t i = 0; i < n; ++i) is_right = is_right && indices[i] * 7919 % all == all - 1 - (first + i);
        CHECK(is_right);
        CHECK(memcmp(keys, given, sizeof keys) == 0);
    }

    uint32_t best[5];
    lanesort_request top = {.operation = LANESORT_TOP_K,
                            .memory = given,
                            .count = n,
                            .type = LANESORT_U32,
                            .k = 5,
                            .results = {.memory = best}};
    CHECK(lanesort_mpi_run(sorter, MPI_COMM_WORLD, &top, 0) == LANESORT_SUCCESS);
    for (uint32_t i = 0; i < 5; ++i) CHECK(best[i] == all - 1 - i);

    // What one rank gets wrong is an error on all of them.
    const int is_odd = rank == ranks - 1;
    const lanesort_request sort = {.memory = keys, .count = n, .type = LANESORT_U32};
    lanesort_request wrong[9];
    for (size_t i = 0; i < 9; ++i) wrong[i] = sort;
    wrong[0].operation = 99;
    wrong[1].operation = LANESORT_UNIQUE;
    wrong[2].row_length = 10;
    wrong[3].first = 10;
    wrong[4].type = 99;
    wrong[5].memory = NULL;
    wrong[6].schedule = LANESORT_DISTRIBUTION, wrong[6].data_independent = 1;
    wrong[7].k = 3;
    wrong[8].apart = 1, wrong[8].results.memory = indices;
    for (size_t i = 0; i < 9; ++i)
        CHECK(lanesort_mpi_run(sorter, MPI_COMM_WORLD, is_odd ? &wrong[i] : &sort, 0) == LANESORT_INVALID_ARGUMENT);
    // What one machine refuses is refused across ranks, with the same status.
    const lanesort_request argsort = {.operation = LANESORT_ARGSORT,
                                      .memory = keys,
                                      .count = n,
                                      .type = LANESORT_U32,
                                      .indices = {.memory = indices, .bytes = 8}};
    const lanesort_request selection = {.operation = LANESORT_TOP_K,
                                        .memory = keys,
                                        .count = n,
                                        .type = LANESORT_U32,
                                        .k = 2,
                                        .results = {.memory = best}};
    enum { sorts = 18, all_unused = sorts + 3 };
    lanesort_request unused[all_unused];
    for (size_t i = 0; i < all_unused; ++i) unused[i] = i < sorts ? sort : i < sorts + 2 ? argsort : selection;
    unused[0].offset = (size_t)1 << 62;
    unused[1].indices.memory = indices, unused[1].indices.bytes = 8;
    unused[2].lengths.memory = indices, unused[2].lengths.bytes = 8;
    unused[3].inverted = 1;
    unused[4].bins = 1;
    unused[5].bounded = 1;
    unused[6].second_count = 2;
    unused[7].lower = 3;
    unused[8].upper = 3;
    unused[9].reduction = LANESORT_MIN;
    unused[10].value_type = LANESORT_F32;
    unused[11].middle = 2;
    unused[12].k = 2;
    unused[13].in_place = 1;
    unused[14].second.memory = indices;
    unused[15].flags.memory = indices;
    unused[16].values.memory = values, unused[16].values.bytes = 3;
    unused[17].values.memory = values, unused[17].values.bytes = 8, unused[17].values.offset = (size_t)1 << 61;
    unused[18].indices.offset = (size_t)1 << 61;
    unused[19].values.memory = values, unused[19].values.bytes = 4;
    unused[20].results.offset = (size_t)1 << 62;
    for (size_t i = 0; i < all_unused; ++i) {
        const lanesort_status alone = lanesort_run(sorter, &unused[i]);
        const lanesort_status across = lanesort_mpi_run(sorter, MPI_COMM_WORLD, is_odd ? &unused[i] : &sort, 0);
        if (alone != LANESORT_SUCCESS && across == alone) continue;
        ++failures;
        fprintf(stderr, "request %zu: %d on one machine, %d across ranks\n", i, (int)alone, (int)across);
        memcpy(keys, given, sizeof keys);
    }
    CHECK(lanesort_mpi_run(is_odd ? NULL : sorter, MPI_COMM_WORLD, &sort, 0) == LANESORT_INVALID_ARGUMENT);
    CHECK(lanesort_mpi_run(sorter, MPI_COMM_WORLD, is_odd ? NULL : &sort, 0) == LANESORT_INVALID_ARGUMENT);
    CHECK(lanesort_mpi_run(sorter, MPI_COMM_NULL, &sort, 0) == LANESORT_INVALID_ARGUMENT);
    CHECK(lanesort_mpi_run_cuda(sorter, NULL, MPI_COMM_WORLD, &sort, 0, LANESORT_MPI_AUTOMATIC) ==
          LANESORT_UNSUPPORTED);
    // Each rank has an error of its own, of another backend or of its messages: the first rank's counts.
    CHECK(lanesort_mpi_run_cuda(sorter, NULL, MPI_COMM_WORLD, &sort, 0, is_odd ? 9 : LANESORT_MPI_STAGED) ==
          (ranks == 1 ? LANESORT_INVALID_ARGUMENT : LANESORT_UNSUPPORTED));
    const int takes = lanesort_mpi_takes_cuda_memory();
    CHECK(takes == 0 || takes == 1);
    CHECK(memcmp(keys, given, sizeof keys) == 0);
    lanesort_destroy(sorter);
    return failures;
}
