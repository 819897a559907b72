// SPDX-License-Identifier: MIT
#include "first_calls.h"

#include <stdio.h>

#include <lanesort/lanesort.h>

int sort_from_c(void) {
    lanesort_sorter* sorter = NULL;
    uint32_t keys[] = {3, 1, 2};
    const lanesort_request request = {.memory = keys, .count = 3, .type = LANESORT_U32};
    lanesort_status status = lanesort_create(&sorter, NULL, NULL);
    if (status == LANESORT_SUCCESS) status = lanesort_run(sorter, &request);
    lanesort_destroy(sorter);
    if (status == LANESORT_NO_PLATFORM) return 77;
    if (status != LANESORT_SUCCESS) fprintf(stderr, "%s\n", lanesort_last_error());
    return status != LANESORT_SUCCESS || keys[0] != 1 || keys[1] != 2 || keys[2] != 3;
}
