/* Sums of the floating-point numbers of each run of equal keys: of f16 and f32 in f32, of f64 in f64. reduce_runs.h has the kernels and
 * the order of additions. A sum that is NaN has the same bits everywhere, and one that is zero is +0. */
#include "least_order.h"
#include "numbers.h"

typedef number_bits_t result_t;
#define IDENTITY 0

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

#include "reduce_runs.h"
