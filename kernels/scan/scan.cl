// SPDX-License-Identifier: MIT
/* Scans of a range or of rows and, with HAS_RUNS, of runs, each by itself. scan.h has the kernels and the order that
 * they combine in. NUMBERS:
 *   INTEGER     sums in the keys' own width, wrapping
 *   FLOATING       sums of f16 and f32 in f32, of f64 in f64, each rounded to the keys' type. A sum that is NaN has the
 *                same bits everywhere
 *   MIN_MAX      the smallest or the largest key up to each one (min_max_order.h)
 *   BY_OPERATOR  what the caller's operator makes of them; its identity leaves others as they are
 */
#include "common/key_order.h"

#if NUMBERS == BY_OPERATOR
#include "common/operator.h"
#endif
#if NUMBERS == INTEGER || NUMBERS == MIN_MAX
#include "common/int_number.h"
#endif
#if NUMBERS != BY_OPERATOR
#include "common/min_max_order.h"
#endif
#if NUMBERS == FLOATING
#include "common/float_number.h"
#endif

#if NUMBERS == INTEGER
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
#elif NUMBERS == FLOATING
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
#elif NUMBERS == MIN_MAX
#define LOOKS_BACK 1
#define IDENTITY ((number_t)ALL_BITS)

INLINE number_t combine(number_t a, number_t b) { return MIN(a, b); }
INLINE number_t number_of_key(vec_t key, order_t order) { return ordered(key, order); }
INLINE vec_t key_of(number_t least, order_t order) { return unordered((vec_t)least, order); }

#define combine_fours(a, b) MIN(a, b)
#define numbers_of_keys(keys, order) ordered_four(keys, order)
#define keys_of_numbers(numbers, order) unordered_four(numbers, order)
#elif NUMBERS == BY_OPERATOR
#define LOOKS_BACK 0
#define IDENTITY identity()

typedef vec_t number_t;
typedef struct {
    flip_t mask, flip, bias;
} order_t;

#define combine(a, b) combined(a, b)
INLINE number_t number_of_key(vec_t key, order_t order) {
    (void)order;
    return key;
}
INLINE vec_t key_of(number_t number, order_t order) {
    (void)order;
    return number;
}
#endif

#if LOOKS_BACK
#include "cpu/vector4.h"
#endif
#include "scan/scan.h"
