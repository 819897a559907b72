// SPDX-License-Identifier: MIT
// The same in C, by the shared library.
#include <lanesort/lanesort_mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    float keys[] = {3, 1, 2};
    lanesort_sorter* sorter = NULL;
    const lanesort_request sort = {.memory = keys, .count = 3, .type = LANESORT_F32};
    lanesort_status status = lanesort_create(&sorter, "built-in", NULL);
    if (status == LANESORT_SUCCESS) status = lanesort_mpi_run(sorter, MPI_COMM_WORLD, &sort, 0);
    lanesort_destroy(sorter);
    MPI_Finalize();
    return status == LANESORT_SUCCESS && keys[0] == 1 && keys[1] == 2 && keys[2] == 3 ? 0 : 1;
}
