// SPDX-License-Identifier: MIT
// Sorts numbers by the C interface and compares the result with that of qsort.
// usage: consumer VERSION (of lanesort, which header and library must tell, too)
// Exit status: 0 right, 1 wrong, 77 no device.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanesort/lanesort.h>
#include <lanesort/version.h>

enum { count = 10007 };

static int compare(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    if (argc != 2 || strcmp(argv[1], LANESORT_VERSION) != 0 || strcmp(argv[1], lanesort_version()) != 0) {
        fprintf(stderr, "consumer: the header is of version %s, the library of %s\n", LANESORT_VERSION,
                lanesort_version());
        return 1;
    }
    static uint32_t numbers[count], expected[count];
    for (uint32_t i = 0; i < count; ++i) expected[i] = numbers[i] = i * 2654435761u;
    qsort(expected, count, sizeof expected[0], compare);

    lanesort_sorter* sorter = NULL;
    lanesort_status status = lanesort_create(&sorter, NULL, NULL);
    if (status == LANESORT_NO_PLATFORM || status == LANESORT_NO_DEVICE) {
        printf("there is no device\n");
        return 77;
    }
    const lanesort_request request = {.memory = numbers, .count = count, .type = LANESORT_U32};
    if (status == LANESORT_SUCCESS) status = lanesort_run(sorter, &request);
    lanesort_destroy(sorter);
    if (status != LANESORT_SUCCESS) {
        fprintf(stderr, "consumer: %s\n", lanesort_last_error());
        return 1;
    }
    const int right = memcmp(numbers, expected, sizeof expected) == 0;
    printf("%d numbers: %s\n", count, right ? "sorted" : "WRONG");
    return right ? 0 : 1;
}
