// SPDX-License-Identifier: MIT
/* Sums of integers and of products of two, in 64 bits and modulo 2^64. combine.h has the kernels.
 * `flip` is the sign bit of signed keys: with it inverted a key is larger by as much, which the count takes off in the end;
 * factors are extended instead. */
#include "common/min_max_order.h"

#define HAS_PRODUCTS
typedef ulong partial_t, result_t, number_t;
#define NUMBER_BITS 64
#define IDENTITY 0

INLINE partial_t combine(partial_t a, partial_t b) { return a + b; }
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    (void)place;
    return (vec_t)(key ^ order.flip);
}
INLINE ulong result_of(partial_t partial, position_t count, order_t order) { return partial - (ulong)count * order.flip; }

INLINE ulong extended(vec_t key, order_t order) { return (ulong)(vec_t)(key ^ order.flip) - (ulong)order.flip; }
INLINE partial_t product_of(vec_t key, vec_t other, order_t order) { return extended(key, order) * extended(other, order); }

#define combine_fours(a, b) ((a) + (b))
#define numbers_of_keys(keys, order) ((keys) ^ ALL_FOUR((order).flip))
#include "cpu/vector4.h"
#if HAS_FOURS && KEY_BITS >= 32
/* Narrower keys are combined faster in columns. */
#define combine_alone(keys, first, end, order) ((partial_t)combine_by_fours(keys, first, end, order))
#endif
#include "reduce/combine.h"
