// SPDX-License-Identifier: MIT
/* The least of keys, and where it is, by the one work-item of a processor. */
#ifndef MIN_MAX_OF_H
#define MIN_MAX_OF_H
#include "common/min_max_order.h"

/* Keys that a processor looks at together: some of its vectors. */
#define TOGETHER ((1 << 11) / KEY_BITS)

INLINE vec_t smaller(vec_t a, vec_t b) { return MIN(a, b); }

/* The least of keys first .. end - 1; of none, the one that is last. */
OUTLINED vec_t least_of(GLOBAL const key_t* keys, position_t first, position_t end, order_t order) {
    vec_t least = ALL_BITS;
    /* Short rows would wait for columns that have no keys. */
    if (end - first >= TOGETHER) {
        vec_t columns[TOGETHER];
        for (uint c = 0; c < TOGETHER; ++c) columns[c] = ALL_BITS;
        ROLLED for (; end - first >= TOGETHER; first += TOGETHER)
            for (uint c = 0; c < TOGETHER; ++c) columns[c] = smaller(columns[c], ordered(keys[first + c], order));
        ROLLED for (uint apart = TOGETHER / 2; apart > 0; apart /= 2)
            for (uint c = 0; c < apart; ++c) columns[c] = smaller(columns[c], columns[c + apart]);
        least = columns[0];
    }
    ROLLED for (; first < end; ++first) least = smaller(least, ordered(keys[first], order));
    return least;
}

/* The first place in front of `end` of a key that is there. */
OUTLINED position_t place_of(vec_t key, GLOBAL const key_t* keys, position_t first, position_t end, order_t order) {
    ROLLED for (; end - first >= TOGETHER; first += TOGETHER) {
        vec_t is_there = 0;
        for (uint c = 0; c < TOGETHER; ++c) is_there |= ordered(keys[first + c], order) == key;
        if (is_there) break;
    }
    ROLLED while (ordered(keys[first], order) != key) ++first;
    return first;
}

#endif
