// SPDX-License-Identifier: MIT
/* Sums and maxima over the work-items of a group. */
#ifndef GROUP_SCAN_H
#define GROUP_SCAN_H
#include "common/look_back_words.h"

#define SUM 0
#define LARGEST 1
#define COMBINED(what, a, b) ((what) == SUM ? (a) + (b) : MAX(a, b))

/* The sum or the largest of the values of the work-items before this one, 0 for the first; *all: of all of them.
 * Local memory: `shared`, 8 bytes a work-item. Barriers: two, and without shuffles two more for each doubling up to the
 * work-items; none where a group has one. */
INLINE ulong scan_group(uint what, ulong value, LOCAL ulong* shared, ulong* all) {
#if WORK_ITEMS == 1
    (void)what;
    (void)shared;
    *all = value;
    return 0;
#elif HAS_SHUFFLES && WORK_ITEMS >= 32
    ulong to_here = value, before = 0, sum = 0;
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        ulong earlier = SHUFFLE_UP(to_here, apart);
        to_here = LOCAL_ID % 32 >= apart ? COMBINED(what, earlier, to_here) : to_here;
    }
    if (LOCAL_ID % 32 == 31) shared[LOCAL_ID / 32] = to_here;
    ulong earlier = SHUFFLE_UP(to_here, 1);
    BARRIER();
    UNROLL for (uint w = 0; w < WORK_ITEMS / 32; ++w) {
        before = w == LOCAL_ID / 32 ? sum : before;
        sum = COMBINED(what, sum, shared[w]);
    }
    BARRIER();
    *all = sum;
    return LOCAL_ID % 32 > 0 ? COMBINED(what, before, earlier) : before;
#else
    shared[LOCAL_ID] = value;
    BARRIER();
    for (uint distance = 1; distance < WORK_ITEMS; distance *= 2) {
        ulong before = LOCAL_ID >= distance ? shared[LOCAL_ID - distance] : 0;
        BARRIER();
        shared[LOCAL_ID] = COMBINED(what, shared[LOCAL_ID], before);
        BARRIER();
    }
    *all = shared[WORK_ITEMS - 1];
    ulong before = LOCAL_ID > 0 ? shared[LOCAL_ID - 1] : 0;
    BARRIER();
    return before;
#endif
}

INLINE ulong least_of_group(ulong value, LOCAL ulong* shared) {
    ulong all;
    scan_group(LARGEST, ~value, shared, &all);
    return ~all;
}

/* Where a work-group's share of `share` keys ends that begins at `first`. */
INLINE position_t end_of_share(position_t first, position_t share, position_t count) {
    return first < count && share < count - first ? first + share : count;
}

#endif
