// SPDX-License-Identifier: MIT
/* Values in another order, in place: the one at indices[i] comes to place i. The indices of a row are 0 .. count - 1,
 * each once, and are used up: each becomes the number of its own place.
 *
 * Values move once, along the cycles of the permutation. A walk brings a value to its place, then to the place where
 * that one was the next, and so on. What it reads lies anywhere, so a work-item makes WALKS of them in turn, to wait
 * for all at once.
 *
 *   walk:   place <-- indices[place] <-- indices[of that] <-- ..      up to where a walk began
 *
 * Requires: WORK_ITEMS = 1; any count, any element offset. Local memory and barriers: none.
 */
#include "common/rows.h"

#if WORK_ITEMS != 1 || LANES != 1 || !VALUE_BITS || !STORES_INDICES
#error "WORK_ITEMS and LANES must be 1, and VALUE_BITS and INDEX_BITS not 0, to permute values."
#endif

#define WALKS 16

/* Where the walks of a work-item are: a value is still to come to `place`, and the one at `source` is to. */
typedef struct {
    position_t place, source;
} walk_t;

INLINE value_vec_t value_at(arrays_t arrays, position_t i) {
    return LOAD_GLOBAL_VECTOR(value_vec_t, arrays.values + i);
}
INLINE void put_value(value_vec_t value, arrays_t arrays, position_t i) {
    STORE_GLOBAL_VECTOR(value_vec_t, value, arrays.values + i);
}

/* The index at a place, which is used up. Where segments overlap that should not, it may be of another one. */
INLINE position_t take_index(arrays_t arrays, position_t count, position_t i) {
    position_t index = LOAD_GLOBAL_VECTOR(index_vec_t, arrays.indices + i);
    STORE_GLOBAL_VECTOR(index_vec_t, (index_t)i, arrays.indices + i);
    return min(index, count - 1);
}

/* A row has so many cuts for each of 2^group_bits work-groups, as far as it reaches, 2^bits elements apart. */
#define CUTS (8 * WALKS)
INLINE uint bits_between_cuts(position_t count, uint group_bits) {
    uint bits = 0;
    while ((position_t)CUTS << group_bits << bits < count) ++bits;
    return bits;
}

/* Walks from each cut to the next one on its cycle. What comes to the cuts themselves is saved, so that what is there
 * stays until no walk needs it.
 * Launched ahead of walk_cycles where rows are so few that several work-groups share each: with 2^group_bits for a
 * row. */
KERNEL void walk_from_cuts(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                           offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset, position_t count,
                           offset_t rows, offset_t end, uint group_bits, GLOBAL const segment_t* segments,
                           offset_t segments_offset, GLOBAL value_argument_t* saved, offset_t saved_offset) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, group_bits);
    values_t saved_values = VALUES_AT(saved) + saved_offset + (offset_t)GROUP_ID * CUTS;
    uint bits = bits_between_cuts(count, group_bits), begun = 0, walks = 0;
    walk_t walk[WALKS];
    for (position_t moves = 0; moves < count; ++moves) {
        while (walks < WALKS && begun < CUTS) {
            position_t cut = ((position_t)number * CUTS + begun) << bits;
            if (cut >= count) break;
            position_t source = take_index(arrays, count, cut);
            STORE_GLOBAL_VECTOR(value_vec_t, value_at(arrays, source), saved_values + begun);
            ++begun;
            if (LOW_BITS(source, bits) == 0) continue;
            walk[walks].place = source;
            walk[walks++].source = take_index(arrays, count, source);
        }
        if (walks == 0) return;
        for (uint w = 0; w < walks;) {
            position_t source = walk[w].source;
            put_value(value_at(arrays, source), arrays, walk[w].place);
            if (LOW_BITS(source, bits) == 0) {
                walk[w] = walk[--walks];
            } else {
                walk[w].place = source;
                walk[w++].source = take_index(arrays, count, source);
            }
        }
    }
}

/* Brings the saved values to the cuts, if there are any, then walks all cycles that are left: from each place whose
 * index is not its own. What is there is saved for the walk that comes there. Since each walk ends where one began,
 * there are never more such values than walks.
 * Launched with a work-group for each row. */
KERNEL void walk_cycles(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                        offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset, position_t count,
                        offset_t rows, offset_t end, uint group_bits, GLOBAL const segment_t* segments,
                        offset_t segments_offset, GLOBAL value_argument_t* saved, offset_t saved_offset,
                        uint has_cuts) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    (void)enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, 0);
    if (has_cuts) {
        values_t saved_values = VALUES_AT(saved) + saved_offset + ((offset_t)GROUP_ID << group_bits) * CUTS;
        uint bits = bits_between_cuts(count, group_bits);
        for (position_t i = 0; i << bits < count; ++i)
            put_value(LOAD_GLOBAL_VECTOR(value_vec_t, saved_values + i), arrays, i << bits);
    }
    position_t next = 0, began[WALKS];
    value_vec_t was_there[WALKS]; /* where walks began, in no order */
    walk_t walk[WALKS];
    uint walks = 0;
    for (position_t moves = 0; moves < count; ++moves) {
        for (; walks < WALKS && next < count; ++next) {
            position_t source = take_index(arrays, count, next);
            if (source == next) continue;
            began[walks] = walk[walks].place = next;
            was_there[walks] = value_at(arrays, next);
            walk[walks++].source = source;
        }
        if (walks == 0) return;
        for (uint w = 0; w < walks;) {
            position_t place = walk[w].place, source = walk[w].source, index = take_index(arrays, count, source);
            if (index != source) {
                put_value(value_at(arrays, source), arrays, place);
                walk[w].place = source;
                walk[w++].source = index;
                continue;
            }
            uint found = w;
            for (uint i = 0; i < walks && began[found] != source; ++i) found = i;
            put_value(was_there[found], arrays, place);
            --walks;
            began[found] = began[w];
            was_there[found] = was_there[w];
            began[w] = began[walks];
            was_there[w] = was_there[walks];
            walk[w] = walk[walks];
        }
    }
}
