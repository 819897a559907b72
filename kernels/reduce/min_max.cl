// SPDX-License-Identifier: MIT
/* The smallest or the largest key of ranges. combine.h has the kernels, and min_max_order.h the order. */
#include "common/int_number.h"
#include "common/min_max_order.h"

typedef vec_t partial_t;
typedef key_t result_t;
#define IDENTITY ALL_BITS

INLINE partial_t combine(partial_t a, partial_t b) { return MIN(a, b); }
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    (void)place;
    return ordered(key, order);
}
INLINE vec_t result_of(partial_t partial, position_t count, order_t order) {
    (void)count;
    return unordered(partial, order);
}

#if WORK_ITEMS == 1 && KEY_BITS < 32
#include "reduce/min_max_of.h"
#define combine_alone least_of
#else
#define combine_fours(a, b) MIN(a, b)
#define numbers_of_keys(keys, order) ordered_four(keys, order)
#include "cpu/vector4.h"
#if HAS_FOURS
/* Short rows of wide keys, too, are faster so. */
#define combine_alone(keys, first, end, order) ((partial_t)combine_by_fours(keys, first, end, order))
#endif
#endif
#include "reduce/combine.h"
