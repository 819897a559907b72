// SPDX-License-Identifier: MIT
/* Blocks go to their slots (place_blocks.cl), each once, from and to any order of keys.
 *
 * One team of work-items follows a path from its start, or a cycle, and holds the block that is to go next. Long ones are cut:
 * the blocks at the cuts are saved in the pool, and from each of them one team moves on to the next cut. So no team waits for
 * another. A work-group is one team, since paths differ in length.
 * Where the pool has no room for all that it is to keep, nothing is moved, and the parents stay as they are, undivided.
 */
#include "sort/distribution/buckets.h"

/* Of one to four, two are by far the fastest (docs/decisions.md#how-it-works-best). */
#define MOVES_AHEAD 2

/* The next slots on the way from *slot on, MOVES_AHEAD at most; *ends: the last one has no block, or one that is saved, or is
 * the start. */
INLINE uint look_ahead(GLOBAL const uint* table, uint start, uint* to, uint* slot, uint* ends) {
    uint moves = 0;
    UNROLL for (uint k = 0; k < MOVES_AHEAD; ++k)
        if (!*ends) {
            uint next = table[*slot];
            to[k] = *slot;
            moves = k + 1;
            *ends = (next & IS_SAVED) != 0 || next == NO_SLOT || *slot == start;
            *slot = next & SLOT_BITS;
        }
    return moves;
}

/* Moves blocks from one slot to the next, up to a slot without a block or whose block is saved or held: first the one that is
 * held, that of `start`. While blocks come, it looks for the slots after theirs. */
INLINE void follow(arrays_t arrays, GLOBAL const uint* table, uint start, uint to_slot, element_t* held) {
    uint to[MOVES_AHEAD], ends = 0, slot = table[start] & SLOT_BITS;
    uint moves = look_ahead(table, start, to, &slot, &ends);
    while (moves > 0) {
        element_t ahead[MOVES_AHEAD][ELEMENTS_OF_ITEM];
        uint now[MOVES_AHEAD], moves_now = moves, ends_now = ends;
        UNROLL for (uint k = 0; k < MOVES_AHEAD; ++k) {
            now[k] = to[k];
            if (k < moves_now && !(ends_now && k + 1 == moves_now))
                UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j)
                    ahead[k][j] = load_element(arrays, (position_t)(now[k] + to_slot) * BLOCK + j * TEAM + TEAM_ITEM, 0, 0);
        }
        moves = look_ahead(table, start, to, &slot, &ends);
        UNROLL for (uint k = 0; k < MOVES_AHEAD; ++k)
            if (k < moves_now)
                UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j) {
                    store_element(held[j], arrays, (position_t)(now[k] + to_slot) * BLOCK + j * TEAM + TEAM_ITEM);
                    held[j] = ahead[k][j];
                }
    }
}

#define SCANNED (4 * WORK_ITEMS) /* entries that a work-group looks through at a time */

/* Moves all blocks to their slots. Launched after save_blocks with any number of work-groups. Local memory: SCANNED + 1
 * integers. Barriers: three for each SCANNED entries of the work-group. */
KERNEL void move_blocks(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                        offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                        GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                        offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                        GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* first_stripes,
                        offset_t first_stripes_offset, GLOBAL const ulong* totals, offset_t totals_offset,
                        GLOBAL const ulong* table, offset_t table_offset, GLOBAL const ulong* cycle_starts,
                        offset_t cycle_starts_offset, GLOBAL const ulong* saved, offset_t saved_offset, uint parents,
                        uint pool_blocks) {
    DECLARE_LOCAL(uint, shared, SCANNED + 1, 0);
    LOCAL uint* starts = shared;
    LOCAL uint* found = shared + SCANNED;
    uint fits = FITS(UINTS(totals), pool_blocks), kept = fits ? UINTS(totals)[KEPT] : 0;
    uint entries = fits ? FIRST_ENTRIES(first_stripes, parents)[parents] : 0;
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t pool = arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset);
    GLOBAL const uint* to = UINTS(table);
    uint teams = (uint)GROUPS * (WORK_ITEMS / TEAM), team = (uint)(GROUP_ID * (WORK_ITEMS / TEAM)) + LOCAL_ID / TEAM;
    element_t held[ELEMENTS_OF_ITEM];
    for (uint i = team; i < kept; i += teams) {
        uint entry = UINTS(saved)[i];
        if (to[entry] == NO_SLOT) continue; /* a block that stays in the pool */
        UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j)
            held[j] = load_element(pool, (position_t)i * BLOCK + j * TEAM + TEAM_ITEM, 0, 0);
        follow(arrays, to, entry, to_slot(entry, parents, ULONGS(bounds), UINTS(first_stripes)), held);
    }
    /* Starts lie side by side, between the blocks of two children: so work-groups take entries in turn. */
    for (uint first = (uint)GROUP_ID; first < entries; first += SCANNED * (uint)GROUPS) {
        if (LOCAL_ID == 0) *found = 0;
        BARRIER();
        UNROLL for (uint i = 0; i < SCANNED / WORK_ITEMS; ++i) {
            uint entry = first + (i * WORK_ITEMS + LOCAL_ID) * (uint)GROUPS;
            if (entry < entries && ((to[entry] & IS_START) || (UINTS(cycle_starts)[entry / 32] >> entry % 32 & 1)))
                starts[ATOMIC_ADD(found, 1u)] = entry;
        }
        BARRIER();
        for (uint i = LOCAL_ID / TEAM; i < *found; i += WORK_ITEMS / TEAM) {
            uint start = starts[i], difference = to_slot(start, parents, ULONGS(bounds), UINTS(first_stripes));
            UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j)
                held[j] = load_element(arrays, (position_t)(start + difference) * BLOCK + j * TEAM + TEAM_ITEM, 0, 0);
            follow(arrays, to, start, difference, held);
        }
        BARRIER();
    }
}
