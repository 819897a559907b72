// SPDX-License-Identifier: MIT
/* Keys as integers whose least is the wanted one, without a branch: for a minimum in ascending order, for a maximum in
 * descending order, but with every NaN last in both. `mask` has all bits but the sign for floating-point numbers, else
 * none; `flip` has all bits for a maximum; `bias` is the sign bit of types that have one, less the NaNs of a sign.
 */
#ifndef MIN_MAX_ORDER_H
#define MIN_MAX_ORDER_H
#include "common/key_order.h"

typedef struct {
    flip_t mask, flip, bias;
} order_t;

INLINE vec_t if_negative(vec_t bits, vec_t mask) { return (vec_t)((vec_t)(0 - (bits >> (KEY_BITS - 1))) & mask); }
INLINE vec_t ordered(vec_t bits, order_t order) {
    return (vec_t)((vec_t)(bits ^ order.flip ^ if_negative(bits, order.mask)) + order.bias);
}
INLINE vec_t unordered(vec_t key, order_t order) {
    vec_t bits = (vec_t)((vec_t)(key - order.bias) ^ order.flip);
    return (vec_t)(bits ^ if_negative(bits, order.mask));
}

#endif
