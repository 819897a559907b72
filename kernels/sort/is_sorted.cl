// SPDX-License-Identifier: MIT
/* How far ranges are in order: is_sorted and is_sorted_until.
 *
 * `parts` work-groups look through each row, of which each has a share of `share` consecutive keys. Where there are
 * several, a second launch takes the least of what they found.
 * Every key is looked at, whatever the others are; the keys are only read. Arrays are given with the elements before
 * the first one.
 */
#include "common/group_scan.h"
#include "common/key_order.h"

INLINE uint comes_before(vec_t a, vec_t b, uint coding, flip_t flip) {
#if RECORD_BYTES
    (void)coding;
    (void)flip;
    return record_before(a, b);
#else
    return encode(a, coding, flip) < encode(b, coding, flip);
#endif
}

/* `in_order` of `count` keys: how many these are, or whether it is all of them. */
INLINE void store_in_order(GLOBAL ulong* result, ulong in_order, position_t count, uint yes_or_no) {
    *result = yes_or_no ? in_order == count : in_order;
}

/* The first key of each share that comes before the one in front of it; `count` where there is none.
 * Launched with parts * rows work-groups. Requires: any count, any element offset, LANES 1.
 * Local memory: 8 bytes a work-item. Barriers: one scan of the group. */
KERNEL void first_descents(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                           uint parts, uint coding, flip_t flip, uint yes_or_no, GLOBAL ulong* descents,
                           offset_t descents_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    keys += keys_offset + (offset_t)GROUP_ID / parts * count;
    position_t first = (position_t)((offset_t)GROUP_ID % parts) * share, end = end_of_share(first, share, count);
    position_t descent = count;
    for (position_t i = MAX(first, (position_t)1) + LOCAL_ID; i < end; i += WORK_ITEMS)
        if (comes_before(LOAD_GLOBAL_VECTOR(vec_t, keys + i), LOAD_GLOBAL_VECTOR(vec_t, keys + i - 1), coding, flip))
            descent = MIN(descent, i);
    ulong least = least_of_group(descent, shared);
    if (LOCAL_ID == 0) store_in_order(descents + descents_offset + GROUP_ID, least, count, yes_or_no);
}

/* The least of the `parts` descents of each row.
 * Launched after first_descents, with a work-group for each row. Local memory: 8 bytes a work-item. Barriers: one scan
 * of the group. */
KERNEL void least_descents(GLOBAL const ulong* descents, offset_t descents_offset, position_t count, uint parts,
                           uint yes_or_no, GLOBAL ulong* result, offset_t result_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    descents += descents_offset + (offset_t)GROUP_ID * parts;
    ulong least = count;
    for (uint part = LOCAL_ID; part < parts; part += WORK_ITEMS) least = MIN(least, descents[part]);
    least = least_of_group(least, shared);
    if (LOCAL_ID == 0) store_in_order(result + result_offset + GROUP_ID, least, count, yes_or_no);
}
