// SPDX-License-Identifier: MIT
/* Sums of floating-point numbers and of products of two: of f16 and f32 in f32, of f64 in f64. combine.h has the
 * kernels and the order of additions. A sum that is NaN has the same bits everywhere. */
#include "common/min_max_order.h"
#include "common/float_number.h"
#include "common/multiply.h"

#define HAS_PRODUCTS
typedef number_t partial_t;
typedef number_bits_t result_t;
#define IDENTITY 0

INLINE partial_t combine(partial_t a, partial_t b) { return a + b; }
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    (void)place;
    (void)order;
    return number_of(key);
}
INLINE result_t result_of(partial_t partial, position_t count, order_t order) {
    either_t both;
    (void)count;
    (void)order;
    both.number = partial;
    return partial == partial ? both.bits : QUIET_NAN;
}

/* Rounded before it is added, on every device. */
INLINE partial_t product_of(vec_t key, vec_t other, order_t order) {
    (void)order;
    return ROUNDED_PRODUCT(number_of(key), number_of(other));
}

#include "reduce/combine.h"
