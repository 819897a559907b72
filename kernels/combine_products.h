/* Combines the products of two arrays, key by key, by the tree of combine.h: what is written there of a key is true of
 * a product here. A file that includes this has defined product_of(key, other, order), besides what combine.h wants;
 * result_of() takes no count.
 */
#ifndef COMBINE_PRODUCTS_H
#define COMBINE_PRODUCTS_H
#include "combine.h"

/* Half of AHEAD of each array. */
#define PAIRS_AHEAD (AHEAD / 2)

/* As combine_blocks, of products; combine_parts goes on. Requires: any count, any element offset; 16 bytes are loaded
 * at once where a row of both arrays begins at a multiple of 16. */
KERNEL void combine_products(GLOBAL const key_t* keys, offset_t keys_offset, GLOBAL const key_t* others,
                             offset_t others_offset, position_t count, position_t share, uint parts, flip_t mask,
                             flip_t flip, flip_t bias, GLOBAL partial_t* partials, offset_t partials_offset,
                             GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    keys += keys_offset + (offset_t)row * count;
    others += others_offset + (offset_t)row * count;
    position_t begin = (position_t)part * share, i = begin < count ? begin : count;
    position_t end = count - i < share ? count : i + share;
    partial_t columns[OWN_COLUMNS];
    FOR_COLUMNS(c) columns[c] = IDENTITY;
#if WORK_ITEMS > 1
    if ((((offset_t)keys | (offset_t)others) & 15) == 0)
        ROLLED for (; end - i >= PAIRS_AHEAD * TILE_KEYS; i += PAIRS_AHEAD * TILE_KEYS) {
            UNROLL for (uint l = 0; l < OWN_LEAVES; ++l) {
                loaded_keys_t loaded[PAIRS_AHEAD], beside[PAIRS_AHEAD];
                UNROLL for (uint t = 0; t < PAIRS_AHEAD; ++t) {
                    loaded[t] = load_keys(keys + i + t * TILE_KEYS, LOCAL_ID + l * WORK_ITEMS);
                    beside[t] = load_keys(others + i + t * TILE_KEYS, LOCAL_ID + l * WORK_ITEMS);
                }
                UNROLL for (uint t = 0; t < PAIRS_AHEAD; ++t) UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k) {
                    uint c = l * KEYS_OF_LEAF + k;
                    columns[c] = combine(columns[c], product_of(key_in(loaded + t, k), key_in(beside + t, k), order));
                }
            }
        }
#endif
    ROLLED for (; end - i >= TILE_KEYS; i += TILE_KEYS) FOR_COLUMNS(c) columns[c] =
        combine(columns[c], product_of(keys[i + IN_TILE(c)], others[i + IN_TILE(c)], order));
    FOR_COLUMNS(c)
    if (IN_TILE(c) < end - i)
        columns[c] = combine(columns[c], product_of(keys[i + IN_TILE(c)], others[i + IN_TILE(c)], order));
    partial_t partial = combine_columns(columns, shared);
    if (LOCAL_ID == 0) {
        if (parts > 1) partials[partials_offset + GROUP_ID] = partial;
        else results[results_offset + GROUP_ID] = result_of(partial, 0, order);
    }
}

#endif
