// SPDX-License-Identifier: MIT
/* Sums and means of the floating-point numbers of each run of equal keys: of f16 and f32 in f32, of f64 in f64. reduce_runs.h has the
 * kernels and the order of additions, mean_runs.h the division. A sum that is NaN has the same bits everywhere, and one that is zero is +0. */
#include "common/min_max_order.h"
#include "common/float_number.h"

#define DIGITS (KEY_BITS == 64 ? 53 : 24)
#include "reduce/quotient.h"

typedef number_bits_t result_t;
#define IDENTITY 0
#define EXPONENT_BITS (KEY_BITS == 64 ? 11 : 8)

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t leaf_of(vec_t value, order_t order) {
    (void)order;
    return number_of(value);
}
INLINE result_t result_of(number_t sum, order_t order) {
    either_t both;
    (void)order;
    both.number = sum == 0 ? 0 : sum;
    return sum == sum ? both.bits : QUIET_NAN;
}

/* Infinities and NaN stay. */
INLINE result_t mean_of(result_t sum, ulong count, order_t order) {
    (void)order;
    result_t sign = sum >> (DIGITS + EXPONENT_BITS - 1), significand = sum & (((result_t)1 << (DIGITS - 1)) - 1);
    uint exponent = (uint)(sum >> (DIGITS - 1)) & ((1u << EXPONENT_BITS) - 1), most = (1u << EXPONENT_BITS) - 1;
    if (exponent == most || (exponent == 0 && significand == 0)) return sum;
    significand |= exponent > 0 ? (result_t)1 << (DIGITS - 1) : 0;
    int scale = (int)(exponent > 0 ? exponent : 1) - (int)(most / 2) - (DIGITS - 1);
    return sign << (DIGITS + EXPONENT_BITS - 1) | (result_t)nearest_quotient(significand, scale, count);
}

#include "reduce/mean_runs.h"
