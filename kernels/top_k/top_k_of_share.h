// SPDX-License-Identifier: MIT
/* The selection of each work-group's share. The kernel files define, ahead of this, select_share, which selects among
 * the `share` candidates from `first` on, and LOCAL_TILE, the local memory that this takes. */
#ifndef TOP_K_OF_SHARE_H
#define TOP_K_OF_SHARE_H
#include "top_k/top_k_candidates.h"

/* The first k elements of each work-group's share, in order: of all elements of the row or, where bucket_bits is not 0,
 * of those of k buckets. `skips`: where work-items select by themselves, they pass over what cannot be among those.
 * Launched with `parts` work-groups for each row and, where these are several, again, to select among what they left.
 * Requires: any count, any element offset. Local memory and barriers: those of select_share. */
KERNEL void select_best(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL index_t* indices, offset_t indices_offset,
                        GLOBAL key_t* best_keys, offset_t best_offset, GLOBAL index_t* best_indices,
                        offset_t best_indices_offset, position_t count, position_t share, uint parts, uint bucket_bits,
                        uint k, uint skips, uint load_coding, uint store_coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, indices, indices_offset);
    source_t from = source_of(arrays, (uint)GROUP_ID / parts, count, bucket_bits, k, load_coding, flip);
    arrays_t selected = arrays_of(best_keys, best_offset, 0, 0, best_indices, best_indices_offset);
    selected = arrays_from(selected, (offset_t)GROUP_ID * k);
    DECLARE_LOCAL_TILE(local_tile);
    select_share(local_tile, from, (position_t)((uint)GROUP_ID % parts) * share, share, selected, k, skips,
                 store_coding);
}

#endif
