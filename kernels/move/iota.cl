// SPDX-License-Identifier: MIT
/* Integers that count on from a first one: the places of a part's elements in all of the array.
 *
 *   integers[i] = first + i
 *
 * Requires: LANES = 1; INDEX_BITS of 32 or 64; any count, any element offset. Local memory and barriers: none.
 */
#include "common/dialect.h"

#if LANES != 1 || !INDEX_BITS
#error "LANES must be 1, and INDEX_BITS not 0, to count."
#endif

/* Each work-group writes `share` of the integers.
 * Launched with a work-group for each share. */
KERNEL void write_iota(GLOBAL index_t* integers, offset_t integers_offset, offset_t count, offset_t first, uint share) {
    AWAIT_LAST_LAUNCH();
    offset_t begin = (offset_t)GROUP_ID * share, end = min(begin + share, count);
    for (offset_t i = begin + LOCAL_ID; i < end; i += WORK_ITEMS) integers[integers_offset + i] = (index_t)(first + i);
}
