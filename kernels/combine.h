/* Combines the keys of ranges by a tree that is the same on every device, whatever its work-groups are, so that sums of
 * floating-point numbers have the same bits everywhere.
 *
 * A row is cut into blocks of `share` keys (lib/src/reduction.hpp), and a block into tiles of 4096 bytes. A tile has 256 leaves of
 * 16 bytes. Key c of every tile belongs to column c:
 *   1. a column combines its keys in their order, beginning with the identity;
 *   2. the columns of a leaf are combined by halves: column c with the one half of them further on, until one is left;
 *   3. so are the leaves, which gives the block's partial result;
 *   4. leaf p % 256 combines the partial results p of a row in their order, and 3. gives the row's.
 * Work-items share the leaves. A processor has one, for which columns are a vector in the first-level cache.
 *
 * A file that includes this has defined, after keys.h: partial_t, result_t, IDENTITY, combine(a, b), leaf_of(key, place, order) and
 * result_of(partial, count, order).
 */
#ifndef COMBINE_H
#define COMBINE_H
#include "loaded_keys.h"

#if LANES != 1 || RECORD_BYTES || WORK_ITEMS > 256
#error "To combine keys, LANES must be 1, RECORD_BYTES 0 and WORK_ITEMS at most 256."
#endif

#define ALL_LEAVES 256
#define KEYS_OF_LEAF KEYS_OF_16_BYTES
#define TILE_KEYS (ALL_LEAVES * KEYS_OF_LEAF)
#define OWN_LEAVES (ALL_LEAVES / WORK_ITEMS)
#define OWN_COLUMNS (OWN_LEAVES * KEYS_OF_LEAF)
/* Tiles that are loaded ahead or, by a processor, combined at once: so its columns are read and written less often. */
#define AHEAD 4

/* Where a work-item's column c is in a tile. Loops over columns are vectors on a processor, and unrolled elsewhere. */
#if WORK_ITEMS == 1
#define IN_TILE(c) (c)
#define FOR_COLUMNS(c) for (uint c = 0; c < OWN_COLUMNS; ++c)
#else
#define IN_TILE(c) ((LOCAL_ID + (c) / KEYS_OF_LEAF * WORK_ITEMS) * KEYS_OF_LEAF + (c) % KEYS_OF_LEAF)
#define FOR_COLUMNS(c) UNROLL for (uint c = 0; c < OWN_COLUMNS; ++c)
#endif

/* Steps 3: of the leaves that each work-item has. */
INLINE partial_t combine_leaves(partial_t* leaves, LOCAL partial_t* shared) {
    for (uint l = 0; l < OWN_LEAVES; ++l) shared[LOCAL_ID + l * WORK_ITEMS] = leaves[l];
    BARRIER();
    ROLLED for (uint apart = ALL_LEAVES / 2; apart > 0; apart /= 2) {
        for (uint l = LOCAL_ID; l < apart; l += WORK_ITEMS) shared[l] = combine(shared[l], shared[l + apart]);
        BARRIER();
    }
    return shared[0];
}

/* Steps 2 and 3, of the columns that each work-item has. */
INLINE partial_t combine_columns(partial_t* columns, LOCAL partial_t* shared) {
    partial_t leaves[OWN_LEAVES];
    for (uint l = 0; l < OWN_LEAVES; ++l) {
        UNROLL for (uint apart = KEYS_OF_LEAF / 2; apart > 0; apart /= 2)
            UNROLL for (uint k = 0; k < apart; ++k)
                columns[l * KEYS_OF_LEAF + k] =
                    combine(columns[l * KEYS_OF_LEAF + k], columns[l * KEYS_OF_LEAF + k + apart]);
        leaves[l] = columns[l * KEYS_OF_LEAF];
    }
    return combine_leaves(leaves, shared);
}

/* Combines each block's keys: to a partial result or, where a row is one block, to the result.
 * Launched with parts * rows work-groups. Requires: any count, any element offset; 16 bytes are loaded at once where a row
 * begins at a multiple of 16. Local memory: 256 partial results. Barriers: 9. */
KERNEL void combine_blocks(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share, uint parts,
                           flip_t mask, flip_t flip, flip_t bias, GLOBAL partial_t* partials, offset_t partials_offset,
                           GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    /* Not by %: Oclgrind cannot follow the `freeze` that LLVM makes of that beside a division. */
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    keys += keys_offset + (offset_t)row * count;
    /* A rehearsal has more blocks than keys. */
    position_t begin = (position_t)part * share, i = begin < count ? begin : count;
    position_t end = count - i < share ? count : i + share;
    partial_t columns[OWN_COLUMNS];
    FOR_COLUMNS(c) columns[c] = IDENTITY;
#if WORK_ITEMS > 1
    if (((offset_t)keys & 15) == 0)
        ROLLED for (; end - i >= AHEAD * TILE_KEYS; i += AHEAD * TILE_KEYS) {
            UNROLL for (uint l = 0; l < OWN_LEAVES; ++l) {
                loaded_keys_t loaded[AHEAD];
                UNROLL for (uint t = 0; t < AHEAD; ++t)
                    loaded[t] = load_keys(keys + i + t * TILE_KEYS, LOCAL_ID + l * WORK_ITEMS);
                UNROLL for (uint t = 0; t < AHEAD; ++t)
                    UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k) {
                        uint c = l * KEYS_OF_LEAF + k;
                        columns[c] =
                            combine(columns[c], leaf_of(key_in(loaded + t, k), i + t * TILE_KEYS + IN_TILE(c), order));
                    }
            }
        }
#else
    ROLLED for (; end - i >= AHEAD * TILE_KEYS; i += AHEAD * TILE_KEYS)
        FOR_COLUMNS(c) {
            partial_t column = columns[c];
            UNROLL for (uint t = 0; t < AHEAD; ++t) {
                position_t place = i + t * TILE_KEYS + c;
                column = combine(column, leaf_of(keys[place], place, order));
            }
            columns[c] = column;
        }
#endif
    ROLLED for (; end - i >= TILE_KEYS; i += TILE_KEYS)
        FOR_COLUMNS(c) columns[c] = combine(columns[c], leaf_of(keys[i + IN_TILE(c)], i + IN_TILE(c), order));
    /* A processor would look at all columns for nothing. */
    if (WORK_ITEMS > 1 || i < end) FOR_COLUMNS(c)
        if (IN_TILE(c) < end - i) columns[c] = combine(columns[c], leaf_of(keys[i + IN_TILE(c)], i + IN_TILE(c), order));

    partial_t partial = combine_columns(columns, shared);
    if (LOCAL_ID == 0) {
        if (parts > 1) partials[partials_offset + GROUP_ID] = partial;
        else results[results_offset + GROUP_ID] = result_of(partial, count, order);
    }
}

/* Combines the partial results of each row.
 * Launched after combine_blocks, with a work-group for each row. Local memory and barriers: as there. */
KERNEL void combine_parts(GLOBAL const partial_t* partials, offset_t partials_offset, position_t count, uint parts,
                          flip_t mask, flip_t flip, flip_t bias, GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    partials += partials_offset + (offset_t)GROUP_ID * parts;
    partial_t leaves[OWN_LEAVES];
    for (uint l = 0; l < OWN_LEAVES; ++l) {
        leaves[l] = IDENTITY;
        for (uint p = LOCAL_ID + l * WORK_ITEMS; p < parts; p += ALL_LEAVES) leaves[l] = combine(leaves[l], partials[p]);
    }
    partial_t partial = combine_leaves(leaves, shared);
    if (LOCAL_ID == 0) results[results_offset + GROUP_ID] = result_of(partial, count, order);
}

#endif
