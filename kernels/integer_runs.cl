/* Sums of the integers of each run of equal keys, in 64 bits and modulo 2^64. reduce_runs.h has the kernels.
 * `flip` is the sign bit of signed values. */
#include "least_order.h"

typedef ulong number_t, result_t;
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t leaf_of(vec_t value, order_t order) { return (ulong)(vec_t)(value ^ order.flip) - (ulong)order.flip; }
INLINE result_t result_of(number_t sum, order_t order) {
    (void)order;
    return sum;
}

#include "reduce_runs.h"
