// SPDX-License-Identifier: MIT
/* Sums of the integers of each run of equal keys, in 64 bits and modulo 2^64, and means of them, in f64. reduce_runs.h and mean_runs.h
 * have the kernels. `flip` is the sign bit of signed values. */
#include "common/min_max_order.h"

#define DIGITS 53
#include "reduce/quotient.h"

typedef ulong number_t, result_t;
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t leaf_of(vec_t value, order_t order) { return (ulong)(vec_t)(value ^ order.flip) - (ulong)order.flip; }
INLINE result_t result_of(number_t sum, order_t order) {
    (void)order;
    return sum;
}

INLINE result_t mean_of(ulong sum, ulong count, order_t order) {
    ulong sign = order.flip ? sum >> 63 : 0;
    return sum == 0 ? 0 : sign << 63 | nearest_quotient(sign ? 0 - sum : sum, 0, count);
}

#include "reduce/mean_runs.h"
