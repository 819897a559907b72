// SPDX-License-Identifier: MIT
/* The second half of a level of distribution: where blocks of one child each (classify.cl) go, and what lies between them.
 *
 * The children of a parent lie in their order, and the blocks of a child from the first slot on that begins in it. Where the
 * last block would reach beyond the child's end, it is kept in the pool, and so no block does. Each other block has its slot:
 * so moves form paths, which end in a slot without a block, and cycles (move_blocks.cl).
 * Elements that filled no block are in the pool meanwhile. They fill what is left of each child, its gaps.
 */
#include "sort/distribution/buckets.h"

/* Where children begin, and what is to be done with them: those of more than `most` elements are divided, unless all are equal.
 * Launched after classify_elements with a work-group a parent. Local memory: 8 * BUCKETS bytes. Barriers: one. */
KERNEL void find_children(GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* states,
                          offset_t states_offset, GLOBAL const ulong* divided, offset_t divided_offset,
                          GLOBAL const ulong* equal, offset_t equal_offset,
                          GLOBAL const ulong* counts, offset_t counts_offset, GLOBAL ulong* placed,
                          offset_t placed_offset, GLOBAL ulong* children, offset_t children_offset,
                          GLOBAL ulong* child_states, offset_t child_states_offset, uint parents, position_t most) {
    DECLARE_LOCAL(ulong, sizes, BUCKETS, 0);
    uint parent = MIN((uint)GROUP_ID, parents), is_there = parent < parents;
    uint is_divided = is_there && UINTS(divided)[parent];
    offset_t first = (offset_t)parent * BUCKETS;
    GLOBAL const uint* own = UINTS(counts) + 2 * first;
    ulong begin = ULONGS(bounds)[parent], end = ULONGS(bounds)[parent + 1];
    for (uint c = LOCAL_ID; is_there && c < BUCKETS; c += WORK_ITEMS) {
        sizes[c] = is_divided ? (ulong)own[c] * BLOCK + own[BUCKETS + c] : c == 0 ? end - begin : 0;
        UINTS(placed)[2 * first + c] = UINTS(placed)[2 * first + BUCKETS + c] = 0;
    }
    BARRIER();
    for (uint c = LOCAL_ID; is_there && c < BUCKETS; c += WORK_ITEMS) {
        ulong at = begin;
        for (uint i = 0; i < c; ++i) at += sizes[i];
        ULONGS(children)[first + c] = at;
        UINTS(child_states)[first + c] = !is_divided ? (c == 0 ? UINTS(states)[parent] : IS_SORTED_LATER)
                                         : UINTS(equal)[first + c] & ARE_EQUAL ? HOLDS_EQUAL
                                         : sizes[c] > most                     ? IS_DIVIDED
                                                                               : IS_SORTED_LATER;
    }
    if (parent + 1 == parents && LOCAL_ID == 0) ULONGS(children)[(offset_t)parents * BUCKETS] = end;
}

/* Makes of the children in the table the entries of the slots that their blocks go to. placed[c] and placed[BUCKETS + c]
 * become the blocks of a child that were given slots, and the number of the block that the pool keeps for it, counted from 1, or 0.
 * Launched after find_children with as many work-groups as there may be stripes. Local memory: 2 * BUCKETS integers.
 * Barriers: three. */
KERNEL void find_slots(GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* first_stripes,
                       offset_t first_stripes_offset, GLOBAL ulong* placed, offset_t placed_offset,
                       GLOBAL ulong* totals, offset_t totals_offset, GLOBAL ulong* table, offset_t table_offset,
                       GLOBAL const ulong* children, offset_t children_offset, GLOBAL ulong* saved,
                       offset_t saved_offset, uint parents, uint pool_blocks) {
    DECLARE_LOCAL(uint, shared, 2 * BUCKETS, 0);
    uint number = (uint)GROUP_ID;
    stripe_t stripe = stripe_of(number, parents, ULONGS(bounds), UINTS(first_stripes));
    uint slots = stripe.end_slot - stripe.slot;
    /* From slots to entries, modulo 2^32. */
    uint to_entry = FIRST_ENTRIES(first_stripes, parents)[stripe.parent] - (uint)CEIL_DIV(stripe.begin, BLOCK);
    LOCAL uint* found = shared;
    LOCAL uint* next = shared + BUCKETS;
    GLOBAL uint* entries = UINTS(table) + stripe.entry;
    GLOBAL uint* own_placed = UINTS(placed) + (offset_t)stripe.parent * 2 * BUCKETS;
    GLOBAL const ulong* begins = ULONGS(children) + (offset_t)stripe.parent * BUCKETS;
    for (uint c = LOCAL_ID; c < BUCKETS; c += WORK_ITEMS) found[c] = 0;
    BARRIER();
    for (uint s = LOCAL_ID; s < slots; s += WORK_ITEMS)
        if (entries[s] != NO_SLOT) ATOMIC_ADD(&found[entries[s]], 1u);
    BARRIER();
    for (uint c = LOCAL_ID; c < BUCKETS; c += WORK_ITEMS) {
        uint rank = found[c] > 0 ? ATOMIC_ADD(&own_placed[c], found[c]) : 0;
        next[c] = (uint)CEIL_DIV(begins[c], BLOCK) + rank;
    }
    BARRIER();
    for (uint s = LOCAL_ID; s < slots; s += WORK_ITEMS) {
        uint c = entries[s];
        if (c == NO_SLOT) continue;
        uint to = ATOMIC_ADD(&next[c], 1u);
        if ((ulong)(to + 1) * BLOCK > begins[c + 1]) {
            uint i = ATOMIC_ADD(&UINTS(totals)[KEPT], 1u);
            if (i < pool_blocks) UINTS(saved)[i] = stripe.entry + s;
            own_placed[BUCKETS + c] = i + 1;
            entries[s] = NO_SLOT;
        } else {
            entries[s] = to + to_entry;
        }
    }
}

/* Marks the blocks in slots that no block goes to: those between the blocks of one child and of the next one.
 * Launched after find_slots with a team of work-items a child. */
KERNEL void find_paths(GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* divided,
                       offset_t divided_offset, GLOBAL const ulong* first_stripes, offset_t first_stripes_offset,
                       GLOBAL const ulong* placed, offset_t placed_offset, GLOBAL ulong* table, offset_t table_offset,
                       GLOBAL const ulong* children, offset_t children_offset, uint parents) {
    uint child = (uint)(GROUP_ID * (WORK_ITEMS / TEAM) + LOCAL_ID / TEAM), parent = child / BUCKETS, c = child % BUCKETS;
    if (parent >= parents || !UINTS(divided)[parent]) return;
    GLOBAL const uint* own = UINTS(placed) + (offset_t)parent * 2 * BUCKETS;
    uint first_slot = (uint)CEIL_DIV(ULONGS(bounds)[parent], BLOCK), last_slot = (uint)(ULONGS(bounds)[parent + 1] / BLOCK);
    uint slot = (uint)CEIL_DIV(ULONGS(children)[child], BLOCK) + own[c] - (own[BUCKETS + c] > 0);
    uint end = MIN((uint)CEIL_DIV(ULONGS(children)[child + 1], BLOCK), last_slot);
    GLOBAL uint* entries = UINTS(table) + FIRST_ENTRIES(first_stripes, parents)[parent];
    for (slot += TEAM_ITEM; slot < end; slot += TEAM)
        if (entries[slot - first_slot] != NO_SLOT) entries[slot - first_slot] |= IS_START;
}

/* Goes on from `next`, for so many slots, until one is found whose scrambled number is smaller than that of `slot`, or the
 * way ends: then returns NO_SLOT. Else returns the slot that it has come to. */
INLINE uint go_on(GLOBAL const uint* table, uint slot, uint next, uint most) {
    uint own = scrambled(slot);
    for (uint i = 0; i < most && next != slot; ++i) {
        if (scrambled(next) < own) return NO_SLOT;
        next = table[next] & SLOT_BITS;
        if (next == NO_SLOT) return NO_SLOT;
    }
    return next;
}

/* Slots that a work-group looks through at a time. */
#define SLOTS_OF_ITEM 4
#define SCANNED (SLOTS_OF_ITEM * WORK_ITEMS)
#define FIRST_LOOK 8u

/* Lists the cuts, whose blocks are to be saved. A cycle of no more than `window` slots needs none: its start is a bit
 * of cycle_starts, which has one for each slot. Few slots are smaller than those of the first look: these are collected, so
 * that the work-items which look further are neighbours.
 * Launched after find_paths with a work-group for SCANNED slots. Local memory: 2 * SCANNED + SCANNED / 32 + 1 integers.
 * Barriers: three. Cost: looks at log(window) slots on the way from each. */
KERNEL void find_cuts(GLOBAL const ulong* first_stripes, offset_t first_stripes_offset, GLOBAL ulong* totals,
                      offset_t totals_offset, GLOBAL const ulong* table, offset_t table_offset,
                      GLOBAL ulong* cycle_starts, offset_t cycle_starts_offset, GLOBAL ulong* saved,
                      offset_t saved_offset, uint parents, uint window, uint pool_blocks) {
    DECLARE_LOCAL(uint, shared, 2 * SCANNED + SCANNED / 32 + 1, 0);
    LOCAL uint* starts = shared + 2 * SCANNED;
    LOCAL uint* found = starts + SCANNED / 32;
    GLOBAL const uint* to = UINTS(table);
    uint entries = FIRST_ENTRIES(first_stripes, parents)[parents];
    for (uint i = LOCAL_ID; i < SCANNED / 32; i += WORK_ITEMS) starts[i] = 0;
    if (LOCAL_ID == 0) *found = 0;
    BARRIER();
    UNROLL for (uint i = 0; i < SLOTS_OF_ITEM; ++i) {
        position_t slot = GROUP_ID * SCANNED + i * WORK_ITEMS + LOCAL_ID;
        if (slot >= entries) continue;
        uint next = to[slot];
        if (next >= NO_SLOT || next == slot) continue;
        next = go_on(to, (uint)slot, next, MIN(FIRST_LOOK, window));
        if (next == NO_SLOT) continue;
        uint place = ATOMIC_ADD(found, 1u);
        shared[2 * place] = (uint)slot;
        shared[2 * place + 1] = next;
    }
    BARRIER();
    for (uint i = LOCAL_ID; i < *found; i += WORK_ITEMS) {
        uint slot = shared[2 * i], next = go_on(to, slot, shared[2 * i + 1], window - MIN(FIRST_LOOK, window));
        if (next == slot) ATOMIC_ADD(&starts[slot % SCANNED / 32], 1u << slot % 32);
        if (next == slot || next == NO_SLOT) continue;
        uint place = ATOMIC_ADD(&UINTS(totals)[KEPT], 1u);
        if (place < pool_blocks) UINTS(saved)[place] = slot;
    }
    BARRIER();
    GLOBAL uint* own_starts = UINTS(cycle_starts) + GROUP_ID * (SCANNED / 32);
    for (uint i = LOCAL_ID; i < SCANNED / 32 && GROUP_ID * SCANNED + 32 * i < entries; i += WORK_ITEMS)
        own_starts[i] = starts[i];
}

INLINE void copy_block(arrays_t from, arrays_t to) {
    UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j)
        store_element(load_element(from, j * TEAM + TEAM_ITEM, 0, 0), to, j * TEAM + TEAM_ITEM);
}

/* Brings the listed blocks into the pool, where moves then end, and what each stripe has left over.
 * Launched after find_cuts with any number of work-groups. */
KERNEL void save_blocks(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                        offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                        GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                        offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                        GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* first_stripes,
                        offset_t first_stripes_offset, GLOBAL const ulong* totals, offset_t totals_offset,
                        GLOBAL ulong* table, offset_t table_offset,
                        GLOBAL const ulong* starts, offset_t starts_offset, GLOBAL const ulong* saved,
                        offset_t saved_offset, uint parents, uint pool_blocks) {
    if (!FITS(UINTS(totals), pool_blocks)) return;
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t pool = arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset);
    uint teams = (uint)GROUPS * (WORK_ITEMS / TEAM), team = (uint)(GROUP_ID * (WORK_ITEMS / TEAM)) + LOCAL_ID / TEAM;
    for (uint i = team; i < UINTS(totals)[KEPT]; i += teams) {
        uint entry = UINTS(saved)[i], slot = entry + to_slot(entry, parents, ULONGS(bounds), UINTS(first_stripes));
        copy_block(arrays_from(arrays, (offset_t)slot * BLOCK), arrays_from(pool, (offset_t)i * BLOCK));
        if (TEAM_ITEM == 0 && UINTS(table)[entry] != NO_SLOT) UINTS(table)[entry] |= IS_SAVED;
    }
    uint stripes = parents > 0 ? UINTS(first_stripes)[parents] : 0;
    for (uint number = (uint)GROUP_ID; number < stripes; number += (uint)GROUPS) {
        stripe_t stripe = stripe_of(number, parents, ULONGS(bounds), UINTS(first_stripes));
        GLOBAL const uint* own_starts = UINTS(starts) + (offset_t)number * (BUCKETS + 2);
        uint count = own_starts[BUCKETS];
        position_t first = (position_t)stripe.slot * BLOCK;
        uint head = stripe.is_first ? (uint)(first - stripe.begin) : 0;
        position_t rest = (stripe.is_last ? stripe.end : (position_t)stripe.end_slot * BLOCK) - (count - head);
        arrays_t to = arrays_from(pool, (offset_t)pool_blocks * BLOCK - own_starts[BUCKETS + 1]);
        for (uint i = LOCAL_ID; i < count; i += WORK_ITEMS)
            store_element(load_element(arrays, i < head ? stripe.begin + i : rest + (i - head), 0, 0), to, i);
    }
}

/* Fills the gaps of each child with its elements from the pool. Where nothing was moved, the first child of each parent becomes
 * the parent, to be divided no more.
 * Launched after move_blocks with `shares` work-groups a child, which share out the stripes of its parent. Local memory:
 * WORK_ITEMS integers. Barriers: two and two for each doubling up to WORK_ITEMS, for each WORK_ITEMS stripes. */
KERNEL void fill_gaps(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values, offset_t values_offset,
                      GLOBAL index_t* indices, offset_t indices_offset, GLOBAL key_t* pool_keys,
                      offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values, offset_t pool_values_offset,
                      GLOBAL index_t* pool_indices, offset_t pool_indices_offset, GLOBAL const ulong* bounds,
                      offset_t bounds_offset, GLOBAL const ulong* divided, offset_t divided_offset,
                      GLOBAL const ulong* first_stripes, offset_t first_stripes_offset, GLOBAL const ulong* placed,
                      offset_t placed_offset, GLOBAL const ulong* totals, offset_t totals_offset,
                      GLOBAL const ulong* starts, offset_t starts_offset, GLOBAL ulong* children,
                      offset_t children_offset, GLOBAL ulong* child_states, offset_t child_states_offset,
                      uint parents, uint shares, uint pool_blocks) {
    DECLARE_LOCAL(uint, sums, WORK_ITEMS, 0);
    uint child = (uint)(GROUP_ID / shares), share = (uint)(GROUP_ID % shares), parent = child / BUCKETS, c = child % BUCKETS;
    GLOBAL ulong* begins = ULONGS(children);
    uint is_divided = parent < parents && UINTS(divided)[parent];
    uint is_moved = is_divided && FITS(UINTS(totals), pool_blocks);
    if (is_divided && !is_moved && share == 0 && LOCAL_ID == 0) {
        begins[child] = ULONGS(bounds)[c == 0 ? parent : parent + 1];
        UINTS(child_states)[child] = IS_SORTED_LATER;
    }
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t pool = arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset);
    GLOBAL const uint* own = UINTS(placed) + (offset_t)parent * 2 * BUCKETS;
    uint kept = is_moved ? own[BUCKETS + c] : 0;
    /* Where nothing is moved, other work-groups write theirs meanwhile. */
    position_t begin = is_moved ? (position_t)begins[child] : 0, end = is_moved ? (position_t)begins[child + 1] : 0;
    position_t first_block = (position_t)CEIL_DIV(begin, BLOCK) * BLOCK;
    position_t head = MIN(first_block, end) - begin, blocks = (position_t)(own[c] - (kept > 0)) * BLOCK;
    arrays_t gaps = arrays_from(arrays, begin);
#define GAP(i) ((i) < head ? (i) : (i) + blocks)
    uint count = 0;
    if (kept > 0) {
        count = BLOCK;
        if (share == 0)
            for (uint i = LOCAL_ID; i < BLOCK; i += WORK_ITEMS)
                store_element(load_element(pool, (position_t)(kept - 1) * BLOCK + i, 0, 0), gaps, GAP(i));
    }
    uint first = UINTS(first_stripes)[parent], stripes = is_moved ? UINTS(first_stripes)[parent + 1] - first : 0;
    for (uint s = 0; s < stripes; s += WORK_ITEMS) {
        uint size = 0;
        GLOBAL const uint* own_starts = UINTS(starts) + (offset_t)(first + s + LOCAL_ID) * (BUCKETS + 2) + c;
        if (s + LOCAL_ID < stripes) size = own_starts[1] - own_starts[0];
        sums[LOCAL_ID] = size;
        BARRIER();
        for (uint distance = 1; distance < WORK_ITEMS; distance *= 2) {
            uint before = LOCAL_ID >= distance ? sums[LOCAL_ID - distance] : 0;
            BARRIER();
            sums[LOCAL_ID] += before;
            BARRIER();
        }
        uint these = MIN(stripes - s, (uint)WORK_ITEMS);
        for (uint i = share * (WORK_ITEMS / TEAM) + LOCAL_ID / TEAM; i < these; i += shares * (WORK_ITEMS / TEAM)) {
            GLOBAL const uint* of_stripe = UINTS(starts) + (offset_t)(first + s + i) * (BUCKETS + 2);
            uint in_stripe = of_stripe[c], elements = of_stripe[c + 1] - in_stripe, to = count + sums[i] - elements;
            arrays_t from = arrays_from(pool, (offset_t)pool_blocks * BLOCK - of_stripe[BUCKETS + 1] + in_stripe);
            for (uint j = TEAM_ITEM; j < elements; j += TEAM) store_element(load_element(from, j, 0, 0), gaps, GAP(to + j));
        }
        count += sums[WORK_ITEMS - 1];
        BARRIER();
    }
}

/* What is to be sorted in the end: the leaves, each from leaves[2 * i] to leaves[2 * i + 1], but for those of equal elements and
 * of more than `most`, which become empty. Of the latter `few` of no more than `most_of_few` are listed in the same way;
 * where there are others, all elements are to be sorted once more.
 * Launched last, with a work-item a leaf. */
KERNEL void list_leaves(GLOBAL ulong* totals, offset_t totals_offset, GLOBAL const ulong* children,
                        offset_t children_offset, GLOBAL const ulong* child_states, offset_t child_states_offset,
                        GLOBAL ulong* leaves, offset_t leaves_offset, uint count, position_t most, uint few,
                        position_t most_of_few) {
    uint leaf = (uint)(GROUP_ID * WORK_ITEMS + LOCAL_ID);
    if (leaf >= count) return;
    GLOBAL ulong* all = ULONGS(totals) + TOTALS / 2;
    GLOBAL ulong* listed = all + 2;
    ulong begin = ULONGS(children)[leaf], end = ULONGS(children)[leaf + 1];
    uint holds_equal = UINTS(child_states)[leaf] == HOLDS_EQUAL, is_large = !holds_equal && end - begin > most;
    ULONGS(leaves)[2 * leaf] = begin;
    ULONGS(leaves)[2 * leaf + 1] = holds_equal || is_large ? begin : end;
    if (!is_large) return;
    uint i = end - begin > most_of_few ? few : ATOMIC_ADD(&UINTS(totals)[LISTED_LEAVES], 1u);
    if (i < few) {
        listed[2 * i] = begin;
        listed[2 * i + 1] = end;
    } else {
        all[1] = ULONGS(children)[count];
    }
}
