// SPDX-License-Identifier: MIT
/* The first step of the merge of two sorted ranges that lie apart, such as in the memory of two devices: the first
 * elements of both go to the lower range, the others to the upper one.
 *
 *   lower:  .. a[-3] a[-2] a[-1]        a[-1 - k] meets b[k]: the smaller goes to the lower range
 *   upper:     b[0]  b[1]  b[2] ..
 *
 * It is what a merge's mirrored step does, so that its other steps, each on one of the ranges, are those of
 * tile_in_local.cl and tile_in_cache.cl. Of sorted ranges the pairs that change places are the first ones.
 * Requires: LANES = 1; any count, any element offset. Local memory and barriers: none.
 */
#include "common/elements.h"

#if LANES != 1 || RECORD_BYTES || HAS_INDICES
#error "LANES must be 1, and RECORD_BYTES and INDEX_BITS 0, to exchange elements."
#endif

/* A work-item waits for so many pairs at once: another device's memory is far away. */
#define PAIRS_AT_ONCE 4

INLINE element_t encoded(element_t e, uint coding, flip_t flip) {
    e.key = encode(e.key, coding, flip);
    return e;
}

/* `count` pairs, of which each work-group has a share of `share`. Where `skips`, a work-item whose first pair stays
 * does no more; else all are read and written, whatever they are. No work-item looks at another one's pairs.
 * Launched with a work-group for each share. */
KERNEL void exchange_ends(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                          offset_t values_offset, GLOBAL key_t* second_keys, offset_t second_keys_offset,
                          GLOBAL value_argument_t* second_values, offset_t second_values_offset, offset_t count,
                          uint share, uint coding, flip_t flip, uint skips) {
    AWAIT_LAST_LAUNCH();
    arrays_t lower = arrays_of(keys, keys_offset, values, values_offset, 0, 0);
    arrays_t upper = arrays_of(second_keys, second_keys_offset, second_values, second_values_offset, 0, 0);
    offset_t end = min(((offset_t)GROUP_ID + 1) * share, count), first = (offset_t)GROUP_ID * share + LOCAL_ID,
             last = count - 1;
    if (skips && first < end) {
        element_t a = encoded(load_element(lower, last - first, 0, 0), coding, flip);
        element_t b = encoded(load_element(upper, first, 0, 0), coding, flip);
        if (!BEFORE(b, a)) return;
    }
    for (offset_t i = first; i < end; i += PAIRS_AT_ONCE * WORK_ITEMS) {
        element_t a[PAIRS_AT_ONCE], b[PAIRS_AT_ONCE];
        UNROLL for (uint p = 0; p < PAIRS_AT_ONCE; ++p) {
            offset_t k = i + p * WORK_ITEMS;
            if (k >= end) continue;
            a[p] = load_element(lower, last - k, 0, 0);
            b[p] = load_element(upper, k, 0, 0);
        }
        UNROLL for (uint p = 0; p < PAIRS_AT_ONCE; ++p) {
            offset_t k = i + p * WORK_ITEMS;
            if (k >= end) continue;
            element_t lower_one = encoded(a[p], coding, flip), upper_one = encoded(b[p], coding, flip);
            uint changes = BEFORE(upper_one, lower_one) ? 1 : 0;
            store_element(ELEMENT(changes ? b[p].key : a[p].key, changes ? b[p].value : a[p].value, 0), lower,
                          last - k);
            store_element(ELEMENT(changes ? a[p].key : b[p].key, changes ? a[p].value : b[p].value, 0), upper, k);
        }
    }
}
