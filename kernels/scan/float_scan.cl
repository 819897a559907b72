// SPDX-License-Identifier: MIT
/* Scans of floating-point numbers: sums of f16 and f32 in f32, of f64 in f64, each rounded to the keys' type. scan.h has the kernels and
 * the order of additions. A sum that is NaN has the same bits everywhere. */
#include "common/min_max_order.h"
#include "common/float_number.h"

#ifndef HAS_RUNS
#define HAS_RUNS 0
#endif
#define LOOKS_BACK 0
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE vec_t key_of(number_t sum, order_t order) {
    either_t both;
    (void)order;
    both.number = sum;
#if HAS_RUNS
    /* As one that begins with the identity, no sum is -0. */
    both.number = combine(IDENTITY, sum);
#endif
    if (sum != sum) both.bits = QUIET_NAN;
#if KEY_BITS == 16
    return half_of_float_bits(both.bits);
#else
    return (vec_t)both.bits;
#endif
}

INLINE number_t number_of_key(vec_t key, order_t order) {
    (void)order;
    return number_of(key);
}
#include "scan/scan.h"
