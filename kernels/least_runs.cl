/* The smallest or the largest value of each run of equal keys. reduce_runs.h has the kernels, and least_order.h the order. */
#include "least_order.h"

typedef vec_t number_t;
typedef key_t result_t;
#define IDENTITY ALL_BITS

INLINE number_t combine(number_t a, number_t b) { return MIN(a, b); }
INLINE number_t leaf_of(vec_t value, order_t order) { return ordered(value, order); }
INLINE vec_t result_of(number_t least, order_t order) { return unordered(least, order); }

#include "reduce_runs.h"
