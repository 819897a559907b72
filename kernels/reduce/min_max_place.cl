// SPDX-License-Identifier: MIT
/* Where in ranges the smallest or the largest key is: of equal ones, the first. combine.h has the kernels, and min_max_order.h the
 * order. */
#include "common/min_max_order.h"

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

#if WORK_ITEMS == 1
#include "reduce/min_max_of.h"
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

#include "reduce/combine.h"
