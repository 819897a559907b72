// SPDX-License-Identifier: MIT
/* What the kernels have in common that sort by distribution (classify.cl, place_blocks.cl, move_blocks.cl).
 *
 * A level divides parents, which are ranges of the array, into 2^BUCKET_BITS children each; of many parents, some at a time.
 * The array is slots of BLOCK elements; a slot belongs to the parent in which its first element lies. What of a parent lies
 * before its first slot is its head, what is behind its last whole slot its tail. Parents that are divided are shared out in
 * stripes of so many slots.
 *
 * The table has an entry for each slot of the parents that are divided, in turn: the child whose elements the block in it has;
 * the entry of the slot that the block goes to; NO_SLOT where none is there.
 * first_stripes has so many stripes as come before those of each parent, behind these, likewise, its entries, and in the end the
 * slots of a stripe.
 */
#ifndef BUCKETS_H
#define BUCKETS_H
#include "common/elements.h"

#define BUCKETS (1u << BUCKET_BITS)
#define NO_SLOT 0x3fffffffu
#define SLOT_BITS 0x3fffffffu
#define IS_START 0x40000000u /* moves begin with this block */
#define IS_SAVED 0x80000000u /* its block was saved: moves end here */

/* equal[c] of a child: all of its elements are equal; its splitter is the end of such a child. */
#define ARE_EQUAL 1u
#define ENDS_EQUAL 2u
/* equal[0], from this bit on: one more than lg of the keys of a cell, where the splitters are the first keys of cells. */
#define CELL_WIDTH_PLACE 8
#define CELLS (16 * BUCKETS)

/* What is to be done with a range. */
#define IS_SORTED_LATER 0u
#define IS_DIVIDED 1u
#define HOLDS_EQUAL 2u /* nothing, as all of its elements are equal */

/* What a level counts: elements left over, blocks that the pool keeps, leaves that are listed; behind them where all elements
 * begin and end, if they are to be sorted once more, and then likewise the leaves that are too large. All begin with 0. */
#define LEFT_OVER 0
#define KEPT 1
#define LISTED_LEAVES 2
#define TOTALS 4

/* Integers in the level's memory, which is given in units of 8 bytes. */
#define UINTS(array) ((GLOBAL uint*)(array + array##_offset))
#define ULONGS(array) (array + array##_offset)

/* The pool has blocks from its beginning on, and what is left over at its end. */
#define FITS(totals, pool_blocks) \
    ((totals)[KEPT] <= (pool_blocks) && CEIL_DIV((totals)[LEFT_OVER], BLOCK) <= (pool_blocks) - (totals)[KEPT])

/* So many work-items move a block. */
#define TEAM 32u
#define TEAM_ITEM (LOCAL_ID % TEAM)
#define ELEMENTS_OF_ITEM (BLOCK / TEAM)

#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

/* A bijection of 32-bit integers that looks random. */
INLINE uint scrambled(uint x) {
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    return x ^ (x >> 13);
}

#define FIRST_ENTRIES(first_stripes, parents) (UINTS(first_stripes) + (parents) + 1)

/* Whole slots from `begin` to `end`. */
INLINE uint slots_in(position_t begin, position_t end) {
    return end - begin < BLOCK ? 0 : (uint)(end / BLOCK) - (uint)CEIL_DIV(begin, BLOCK);
}

/* The last of so many parents of which no more than `number` are before it. */
INLINE uint parent_of(uint number, uint parents, GLOBAL const uint* before) {
    uint low = 0, high = parents;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (before[middle] <= number) low = middle;
        else high = middle;
    }
    return low;
}

/* From an entry of the table to its slot, and from those of the same parent, modulo 2^32. */
INLINE uint to_slot(uint entry, uint parents, GLOBAL const ulong* bounds, GLOBAL const uint* first_stripes) {
    GLOBAL const uint* first_entries = first_stripes + parents + 1;
    uint parent = parent_of(entry, parents, first_entries);
    return (uint)CEIL_DIV(bounds[parent], BLOCK) - first_entries[parent];
}

/* A part of a parent that is divided. */
typedef struct {
    uint parent;
    uint is_there;
    uint is_first, is_last; /* of its stripes */
    position_t begin, end;  /* of the parent */
    uint slot, end_slot;    /* its whole slots */
    uint entry;             /* of its first slot */
} stripe_t;

/* Stripe `number`; one without slots if there are not so many. */
INLINE stripe_t stripe_of(uint number, uint parents, GLOBAL const ulong* bounds, GLOBAL const uint* first_stripes) {
    stripe_t stripe;
    uint stripe_slots = first_stripes[2 * (parents + 1)];
    uint p = parent_of(number, parents, first_stripes), before = (number - first_stripes[p]) * stripe_slots;
    stripe.parent = p;
    stripe.is_there = parents > 0 && number < first_stripes[parents];
    stripe.is_first = number == first_stripes[p];
    stripe.is_last = number + 1 == first_stripes[p + 1];
    stripe.begin = (position_t)bounds[p];
    stripe.end = (position_t)bounds[p + 1];
    stripe.slot = (uint)CEIL_DIV(stripe.begin, BLOCK) + before;
    stripe.end_slot = stripe.is_there ? MIN(stripe.slot + stripe_slots, (uint)(stripe.end / BLOCK)) : stripe.slot;
    stripe.entry = first_stripes[parents + 1 + p] + before;
    return stripe;
}

/* Sums of all entries of `counts` before each one, of the BUCKETS that there are; *all: of all of them. Called by all
 * work-items, after a barrier. Local memory: `parts`, BUCKETS / 8 integers. Barriers: two. */
INLINE void sum_up(LOCAL const uint* counts, LOCAL uint* sums, LOCAL uint* parts, LOCAL uint* all) {
    for (uint t = LOCAL_ID; t < BUCKETS / 8; t += WORK_ITEMS) {
        uint sum = 0;
        UNROLL for (uint i = 0; i < 8; ++i) sum += counts[8 * t + i];
        parts[t] = sum;
    }
    BARRIER();
    for (uint t = LOCAL_ID; t < BUCKETS / 8; t += WORK_ITEMS) {
        uint sum = 0;
        UNROLL for (uint i = 0; i < BUCKETS / 8; ++i) sum += i < t ? parts[i] : 0;
        UNROLL for (uint i = 0; i < 8; ++i) {
            sums[8 * t + i] = sum;
            sum += counts[8 * t + i];
        }
        if (t == BUCKETS / 8 - 1) *all = sum;
    }
    BARRIER();
}

#endif
