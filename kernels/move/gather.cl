// SPDX-License-Identifier: MIT
/* Elements from where they lie to where they are wanted, such as the values of keys that were selected.
 *
 *   to[i] = from[indices[i]]      of each row, up to k of them, a limit or its end
 *   to[indices[i]] = from[i]      of one range, where they are scattered
 *
 * An element is `words` keys of this program, since all that is done with it is to move it. Neighbouring work-items
 * move neighbouring words.
 * Requires: LANES = 1; INDEX_BITS of 32 or 64; any count, any element offset. Local memory and barriers: none.
 */
#include "common/rows.h"

#if LANES != 1 || !STORES_INDICES
#error "LANES must be 1, and INDEX_BITS not 0, to gather elements."
#endif

/* Each word w of each of so many elements e. To divide takes a processor longer than to move a word. */
#if WORK_ITEMS == 1
#define FOR_WORDS(e, w, elements, words)          \
    for (uint e = 0; e < (elements); ++e)         \
        for (uint w = 0; w < (words); ++w)
#else
#define FOR_WORDS(e, w, elements, words)                                             \
    for (uint i = LOCAL_ID, e, w; i < (elements) * (words); i += WORK_ITEMS)         \
        if (e = i / (words), w = i % (words), 1)
#endif

/* Moves k elements of each row, which has k places in `to`; where the row has fewer or, if it `is_limited`, the limit
 * is lower, the other places stay as they are. Their indices lie there as the row's own elements do, or are k of each
 * row. Where nobody asks for indices, element i of these goes to place i.
 * Launched last, with a work-group for each `share` of the places of a row. */
KERNEL void gather_elements(GLOBAL key_t* from, offset_t from_offset, GLOBAL key_t* to, offset_t to_offset,
                            GLOBAL index_t* indices, offset_t indices_offset, GLOBAL const segment_t* segments,
                            offset_t segments_offset, position_t count, offset_t rows, offset_t end, offset_t k,
                            uint words, uint share, uint parts, uint lie_in_rows, uint by_index,
                            GLOBAL const ulong* limit, offset_t limit_offset, uint is_limited) {
    AWAIT_LAST_LAUNCH();
    offset_t row = (uint)GROUP_ID / parts, first = (offset_t)((uint)GROUP_ID % parts) * share;
    arrays_t arrays = arrays_of(from, 0, 0, 0, indices, 0);
    (void)enter_row(&arrays, &count, row, segments + segments_offset, rows, end, 0);
    offset_t begin = (offset_t)(arrays.keys - from);
    offset_t found = min(k, (offset_t)count), lies = lie_in_rows ? begin : row * k;
    if (is_limited) found = min(found, (offset_t)limit[limit_offset]);
    uint moved = first < found ? (uint)min(found - first, (offset_t)share) : 0;
    FOR_WORDS(e, w, moved, words) {
        offset_t place = first + e, source = lies + place;
        /* Where segments overlap that should not, it may be the index of another one. */
        if (by_index) source = begin + min((offset_t)indices[indices_offset + source], (offset_t)count - 1);
        to[(to_offset + row * k + place) * words + w] = from[(from_offset + source) * words + w];
    }
}

/* Moves k elements of a range by as many indices: to the places that these tell, if it `scatters`, else from there. An
 * index beyond `count` elements moves none, and leaves zeros in its place where elements are gathered.
 * Launched with a work-group for each `share` of the indices. */
KERNEL void move_elements(GLOBAL const key_t* from, offset_t from_offset, GLOBAL key_t* to, offset_t to_offset,
                          GLOBAL const index_t* indices, offset_t indices_offset, offset_t count, offset_t k,
                          uint words, uint share, uint scatters) {
    AWAIT_LAST_LAUNCH();
    offset_t first = (offset_t)GROUP_ID * share;
    uint moved = first < k ? (uint)min(k - first, (offset_t)share) : 0;
    indices += indices_offset + first;
    FOR_WORDS(e, w, moved, words) {
        offset_t index = (offset_t)indices[e], place = first + e;
        offset_t source = scatters ? place : index, target = scatters ? index : place;
        if (index < count) to[(to_offset + target) * words + w] = from[(from_offset + source) * words + w];
        else if (!scatters) to[(to_offset + target) * words + w] = 0;
    }
}
