// SPDX-License-Identifier: MIT
/* Scans of integers: sums in their own width, wrapping. scan.h has the kernels. */
#include "common/int_number.h"
#include "common/min_max_order.h"

#ifndef HAS_RUNS
#define HAS_RUNS 0
#endif
#define LOOKS_BACK 1
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t number_of_key(vec_t key, order_t order) {
    (void)order;
    return key;
}
INLINE vec_t key_of(number_t sum, order_t order) {
    (void)order;
    return (vec_t)sum;
}

#define combine_fours(a, b) ((a) + (b))
#define numbers_of_keys(keys, order) (keys)
#define keys_of_numbers(numbers, order) (numbers)
#include "cpu/vector4.h"
#include "scan/scan.h"
