// SPDX-License-Identifier: MIT
/* Reductions of ranges. combine.h has the kernels and the order that they combine in. NUMBERS:
 *   INTEGER        sums of integers and of products of two, in 64 bits and modulo 2^64. `flip` is the sign bit of
 *                   signed keys: with it inverted a key is larger by as much, which the count takes off in the end;
 *                   factors are extended instead
 *   FLOATING          sums of floating-point numbers and of products of two: of f16 and f32 in f32, of f64 in f64. A
 *                   sum that is NaN has the same bits everywhere
 *   MIN_MAX         the smallest or the largest key (min_max_order.h)
 *   MIN_MAX_PLACE  where that is: of equal ones, the first
 */
#include "common/key_order.h"

#if NUMBERS == MIN_MAX
#include "common/int_number.h"
#endif
#include "common/min_max_order.h"
#if NUMBERS == FLOATING
#include "common/float_number.h"
#include "common/multiply.h"
#endif

#define HAS_PRODUCTS (NUMBERS == INTEGER || NUMBERS == FLOATING)

#if NUMBERS == INTEGER
typedef ulong partial_t, result_t, number_t;
#define NUMBER_BITS 64
#define IDENTITY 0

INLINE partial_t combine(partial_t a, partial_t b) { return a + b; }
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    (void)place;
    return (vec_t)(key ^ order.flip);
}
INLINE ulong result_of(partial_t partial, position_t count, order_t order) {
    return partial - (ulong)count * order.flip;
}

INLINE ulong extended(vec_t key, order_t order) { return (ulong)(vec_t)(key ^ order.flip) - (ulong)order.flip; }
INLINE partial_t product_of(vec_t key, vec_t other, order_t order) {
    return extended(key, order) * extended(other, order);
}

#define combine_fours(a, b) ((a) + (b))
#define numbers_of_keys(keys, order) ((keys) ^ ALL_FOUR((order).flip))
#elif NUMBERS == FLOATING
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
#elif NUMBERS == MIN_MAX
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
#elif NUMBERS == MIN_MAX_PLACE
typedef struct {
    ulong key, place;
} partial_t;
typedef ulong result_t;
#define IDENTITY identity()

INLINE partial_t identity(void) {
    partial_t none = {~(ulong)0, ~(ulong)0};
    return none;
}
INLINE partial_t combine(partial_t a, partial_t b) {
    uint takes_b = (b.key < a.key) | ((b.key == a.key) & (b.place < a.place));
    partial_t first = {takes_b ? b.key : a.key, takes_b ? b.place : a.place};
    return first;
}
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    partial_t leaf = {ordered(key, order), place};
    return leaf;
}
INLINE ulong result_of(partial_t partial, position_t count, order_t order) {
    (void)count;
    (void)order;
    return partial.place;
}
#endif

#if WORK_ITEMS == 1 && (NUMBERS == MIN_MAX_PLACE || (NUMBERS == MIN_MAX && KEY_BITS < 32))
#include "reduce/min_max_of.h"
#endif

#if NUMBERS == MIN_MAX && WORK_ITEMS == 1 && KEY_BITS < 32
#define combine_alone least_of
#elif NUMBERS == MIN_MAX
#define combine_fours(a, b) MIN(a, b)
#define numbers_of_keys(keys, order) ordered_four(keys, order)
#elif NUMBERS == MIN_MAX_PLACE && WORK_ITEMS == 1
/* Keys of a tile. Where its least key is, is looked for only if that is less than all in front of the tile. */
#define LOOKED_AT ((1 << 17) / KEY_BITS)
INLINE partial_t combine_alone(GLOBAL const key_t* keys, position_t first, position_t end, order_t order) {
    partial_t all = identity();
    ROLLED for (position_t next; first < end; first = next) {
        next = end - first < LOOKED_AT ? end : first + LOOKED_AT;
        vec_t least = least_of(keys, first, next, order);
        if (least >= all.key && all.place < first) continue;
        all.key = least;
        all.place = place_of(least, keys, first, next, order);
    }
    return all;
}
#define combine_alone combine_alone
#endif

#ifdef combine_fours
#include "cpu/vector4.h"
/* Sums of narrower keys are combined faster in columns. */
#if HAS_FOURS && (NUMBERS == MIN_MAX || KEY_BITS >= 32)
#define combine_alone(keys, first, end, order) ((partial_t)combine_by_fours(keys, first, end, order))
#endif
#endif
#include "reduce/combine.h"
