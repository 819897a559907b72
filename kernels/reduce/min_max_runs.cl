// SPDX-License-Identifier: MIT
/* The smallest or the largest value of each run of equal keys. reduce_runs.h has the kernels, and min_max_order.h the order. */
#include "common/min_max_order.h"

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

#include "reduce/reduce_runs.h"
