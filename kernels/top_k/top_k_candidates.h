// SPDX-License-Identifier: MIT
/* What both ways to select share: where the elements come from, and the best of buckets.
 *
 * A bucket is 2^bucket_bits elements of a row. Those of a work-group lie in each other, BUCKETS of them, so that
 * neighbouring work-items and lanes read neighbouring keys. The first k elements of a row all lie in the k buckets
 * whose own first elements come first: before an element of any other bucket come those k. So it is enough to read
 * every key once for the first element of each bucket, to select among these, and to select among the elements of k
 * buckets. After Gaihre, Zheng, Weitze et al., "Dr. Top-k: Delegate-Centric Top-k on GPUs", SC 2021, but with whole
 * buckets and no threshold: how much is read depends on no key, only where in the row the k buckets lie does.
 */
#ifndef TOP_K_CANDIDATES_H
#define TOP_K_CANDIDATES_H
#include "common/sentinels.h"
#include "common/registers.h"

#define BUCKETS (WORK_ITEMS * LANES)

/* What is selected from: all `count` elements of a row, or those of k of its buckets. */
typedef struct {
    arrays_t arrays; /* indices: of the elements or, where these are of buckets, of one element of each bucket */
    position_t count;
    position_t candidates;
    uint bucket_bits; /* 0: all elements */
    uint coding;      /* of keys that the caller wrote, whose indices are their places */
    flip_t flip;
} source_t;

/* Of arrays whose indices are those of the elements, or of the buckets, or null where they are places. */
INLINE source_t source_of(arrays_t arrays, offset_t row, position_t count, uint bucket_bits, uint k, uint coding,
                          flip_t flip) {
    source_t from;
    from.arrays = arrays;
    from.arrays.keys += row * count;
    WITH_STORED_INDICES(if (bucket_bits > 0) from.arrays.indices += row * k;
                        else if (coding == CODING_NONE) from.arrays.indices += row * count;)
    from.count = count;
    from.candidates = bucket_bits > 0 ? (position_t)k << bucket_bits : count;
    from.bucket_bits = bucket_bits;
    from.coding = coding;
    from.flip = flip;
    return from;
}

/* Where candidate i lies in the row. The last buckets may reach beyond its end. */
INLINE position_t position_of(source_t from, position_t i) {
#if STORES_INDICES
    if (from.bucket_bits > 0) {
        position_t in_bucket = (position_t)INDEX_AT(from.arrays.indices, i >> from.bucket_bits);
        uint group_bits = from.bucket_bits + LOG2(BUCKETS);
        return (in_bucket >> group_bits << group_bits) + (in_bucket & (BUCKETS - 1)) +
               (i & (((position_t)1 << from.bucket_bits) - 1)) * BUCKETS;
    }
#endif
    return i;
}

/* The candidates i, i + 1, .. of a work-item's lanes. What would lie beyond the end of the row is read as its last
 * element and not used, so that always as many are read. */
INLINE element_t load_candidates(source_t from, position_t i) {
    uint by_caller = from.coding != CODING_NONE;
    element_t e;
#if LANES == 1
    e = element_beyond(from.coding, from.flip);
    if (i < from.candidates) {
        position_t position = position_of(from, i), place = MIN(position, from.count - 1);
        element_t read = load_element(from.arrays, place, place, by_caller);
        if (position < from.count) e = read;
    }
#else
    if (from.bucket_bits == 0 && i + LANES <= from.count) {
        e = load_element(from.arrays, i, i, by_caller);
    } else {
        lanes_t lanes = lanes_of(element_beyond(from.coding, from.flip));
        ROLLED for (uint l = 0; l < LANES; ++l) if (i + l < from.candidates) {
            position_t position = position_of(from, i + l), place = MIN(position, from.count - 1);
            key_t key = from.arrays.keys[place];
            WITH_STORED_INDICES(index_t index = by_caller ? (index_t)place : INDEX_AT(from.arrays.indices, place);)
            if (position < from.count) {
                lanes.keys[l] = key;
                WITH_STORED_INDICES(lanes.indices[l] = index;)
            }
        }
        e = element_of(&lanes);
    }
#endif
    if (by_caller) e.key = encode(e.key, from.coding, from.flip);
    return e;
}

#if STORES_INDICES
/* The same for an element that has a larger index, so that indices need not be compared. */
INLINE void keep_first_in_order(element_t* best, element_t later) {
#if RECORD_BYTES
    keep_first(best, later);
#elif LANES == 1
    uint takes = later.key < best->key;
    best->key = takes ? later.key : best->key;
    best->index = takes ? later.index : best->index;
#else
    key_mask_t takes = LESS(later.key, best->key);
    best->index = SELECT(best->index, later.index, TO_INDEX_MASK(takes));
    best->key = MIN(best->key, later.key);
#endif
}

/* The first element of each bucket, encoded: BUCKETS of each work-group. Buckets that would lie behind the end of the
 * row have an element beyond.
 * Launched where indices are stored, ahead of select_best, with `parts` work-groups for each row; its arguments are
 * those of select_best. Requires: any count, any element offset. Local memory: none. Barriers: none. */
KERNEL void best_of_buckets(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL index_t* indices, offset_t indices_offset,
                            GLOBAL key_t* best_keys, offset_t best_offset, GLOBAL index_t* best_indices,
                            offset_t best_indices_offset, position_t count, position_t share, uint parts,
                            uint bucket_bits, uint k, uint skips, uint load_coding, uint store_coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, indices, indices_offset);
    arrays_t best_of = arrays_of(best_keys, best_offset, 0, 0, best_indices, best_indices_offset);
    best_of = arrays_from(best_of, (offset_t)GROUP_ID * BUCKETS);
    source_t from = source_of(arrays, (uint)GROUP_ID / parts, count, 0, 0, load_coding, flip);
    position_t first = ((position_t)((uint)GROUP_ID % parts) * BUCKETS << bucket_bits) + (position_t)LOCAL_ID * LANES;

    element_t best = load_candidates(from, first);
    for (position_t i = 0; i < (position_t)1 << bucket_bits; i += REGISTER_VECTORS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + (i + m) * BUCKETS);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) keep_first_in_order(&best, r[m]);
    }
    store_element(best, best_of, LOCAL_ID * LANES);
}
#endif

#endif
