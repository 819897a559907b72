// SPDX-License-Identifier: MIT
/* Where segments begin, as head_flags.h has it, so that each can be scanned by itself. SEGMENT_BITS are those of the
 * offsets.
 * Launched with any number of work-groups; they share out the segments. `marks` are zeroes. Of an empty segment nothing
 * is left. inside[0] is where the first segment begins, and inside[1] where the last one ends. Whatever the offsets
 * say, nothing beyond the keys is marked. */
#include "common/head_flags.h"

/* Two marks at once, as there are atomic operations on 32 bits alone. */
KERNEL void mark_segments(GLOBAL const segment_t* offsets, offset_t offsets_offset, offset_t segments, position_t count,
                          GLOBAL uint* marks, offset_t marks_offset, GLOBAL ulong* inside, offset_t inside_offset) {
    offsets += offsets_offset;
    marks += marks_offset;
    inside += inside_offset;
#if WORK_ITEMS == 1
    /* Neighbours, whose offsets share lines of the cache. */
    offset_t share = (segments + GROUPS - 1) / GROUPS, first = GROUP_ID * share, last = MIN(first + share, segments),
             step = 1;
#else
    offset_t first = (offset_t)GROUP_ID * WORK_ITEMS + LOCAL_ID, last = segments, step = (offset_t)GROUPS * WORK_ITEMS;
#endif
    for (offset_t i = first; i < last; i += step) {
        ulong begin = offsets[i], end = offsets[i + 1];
        if (begin < end && begin < count) ATOMIC_ADD(marks + begin / 32, 1u << begin % 32);
        if (i == 0) inside[0] = MIN(begin, (ulong)count);
        if (i == segments - 1) inside[1] = MIN(end, (ulong)count);
    }
}
