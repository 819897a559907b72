// SPDX-License-Identifier: MIT
/* The values of each run of equal keys, reduced to one. reduce_runs.h has the kernels and the order that they combine
 * in, mean_runs.h the means. NUMBERS:
 *   INTEGER  sums of integers, in 64 bits and modulo 2^64, and their means, in f64. `flip` is the sign bit of signed
 *   values
 *   FLOATING    sums and means of floating-point numbers: of f16 and f32 in f32, of f64 in f64. A sum that is NaN has
 *             the same bits everywhere, and one that is zero is +0
 *   MIN_MAX   the smallest or the largest value (min_max_order.h)
 */
#include "common/min_max_order.h"
#if NUMBERS == FLOATING
#include "common/float_number.h"
#endif

#if NUMBERS == INTEGER
#define DIGITS 53
#else
#define DIGITS (KEY_BITS == 64 ? 53 : 24)
#endif
#if NUMBERS != MIN_MAX
#include "reduce/quotient.h"
#endif

#if NUMBERS == INTEGER
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
#elif NUMBERS == FLOATING
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
#elif NUMBERS == MIN_MAX
/* Of 32 bits at least: PoCL 3.1 cannot compile close_runs for narrower ones. */
#if KEY_BITS < 32
typedef uint number_t;
#else
typedef vec_t number_t;
#endif
typedef key_t result_t;
#define IDENTITY ((number_t)ALL_BITS)

INLINE number_t combine(number_t a, number_t b) { return MIN(a, b); }
INLINE number_t leaf_of(vec_t value, order_t order) { return ordered(value, order); }
INLINE vec_t result_of(number_t least, order_t order) { return unordered((vec_t)least, order); }
#endif

#include "reduce/reduce_runs.h"
#if NUMBERS != MIN_MAX
#include "reduce/mean_runs.h"
#endif
