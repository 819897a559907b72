// SPDX-License-Identifier: MIT
/* Where many keys belong in a sorted range: lower_bound, upper_bound and equal_range.
 *
 *   indices[step * i] = how many keys of the range come before needles[i] or, if it is `upper`, do not come after it
 *
 * Requires: LANES = 1; INDEX_BITS of 32 or 64; any counts, any element offset; a sorted range, or the indices mean
 * nothing.
 */
#include "common/elements.h"
#include "common/binary_search.h"

#if LANES != 1 || !STORES_INDICES
#error "LANES must be 1, and INDEX_BITS not 0, to look for keys."
#endif

/* Needles that a work-item looks for at once. Other work-items of a graphics card hide its waits, and of several
 * needles the last steps would drive each other out of the first-level cache. */
#if WORK_ITEMS == 1
#define NEEDLES_AT_ONCE AT_ONCE
#else
#define NEEDLES_AT_ONCE 1
#endif

/* Launched with a work-group for each `share` of the needles. Local memory: SAMPLE keys. Barriers: one. */
KERNEL void find_places(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, GLOBAL const key_t* needles,
                        offset_t needles_offset, offset_t needle_count, uint share, position_t stride, uint samples,
                        uint coding, flip_t flip, uint upper, GLOBAL index_t* indices, offset_t indices_offset,
                        uint step) {
    AWAIT_LAST_LAUNCH();
    DECLARE_LOCAL(register_key_t, sample, SAMPLE, 0);
    sorted_t in = {keys + keys_offset, sample, count, stride, samples, coding, flip, upper};
    load_sample(in, sample);
    indices_t places_of_all = INDICES_AT(indices) + (long)indices_offset;
    offset_t first = (offset_t)GROUP_ID * share;
    offset_t end = first < needle_count && share < needle_count - first ? first + share : needle_count;
    needles += needles_offset;
    for (offset_t i = first + LOCAL_ID; i < end; i += NEEDLES_AT_ONCE * WORK_ITEMS) {
        vec_t wanted[NEEDLES_AT_ONCE];
        position_t places[NEEDLES_AT_ONCE];
        /* Beyond the end, the last needle is looked for once more. */
        UNROLL for (uint j = 0; j < NEEDLES_AT_ONCE; ++j)
            wanted[j] = encode(LOAD_GLOBAL_VECTOR(vec_t, needles + MIN(i + j * WORK_ITEMS, end - 1)), coding, flip);
        find_bounds(wanted, places, NEEDLES_AT_ONCE, in);
        UNROLL for (uint j = 0; j < NEEDLES_AT_ONCE; ++j)
            if (i + j * WORK_ITEMS < end)
                STORE_GLOBAL_VECTOR(index_vec_t, (index_t)places[j],
                                    places_of_all + (long)((i + j * WORK_ITEMS) * step));
    }
}
