/* What the kernels have in common that sort by distribution (classify.cl, move_blocks.cl).
 *
 * A level divides parents, which are ranges of the array, into 2^BUCKET_BITS children each. The array is slots of BLOCK
 * elements; a slot belongs to the parent in which its first element lies. What of a parent lies before its first slot is its
 * head, what is behind its last whole slot its tail. Parents are shared out in stripes of so many slots, of which
 * first_stripes[p] come before those of parent p.
 *
 * The table has for each slot, in turn: the child whose elements the block in it has; the slot that the block goes to; NO_SLOT
 * where none is there.
 */
#ifndef BUCKETS_H
#define BUCKETS_H
#include "elements.h"

#define BUCKETS (1u << BUCKET_BITS)
#define NO_SLOT 0x3fffffffu
#define SLOT_BITS 0x3fffffffu
#define IS_START 0x40000000u /* moves begin with this block */
#define IS_SAVED 0x80000000u /* its block was saved: moves end here */

/* equal[c] of a child: all of its elements are equal; its splitter is the end of such a child. */
#define ARE_EQUAL 1u
#define ENDS_EQUAL 2u

/* What is to be done with a range. */
#define IS_SORTED_LATER 0u
#define IS_DIVIDED 1u
#define HOLDS_EQUAL 2u /* nothing, as all of its elements are equal */

/* Where the last level ends: so many leaves that are too large are listed. */
#define FEW 64
/* What a level counts: elements left over, blocks that the pool keeps, leaves that are listed; all of which begin with 0, as do
 * behind them the few leaves and all elements, each as where it begins and ends. */
#define LEFT_OVER 0
#define KEPT 1
#define LISTED_LEAVES 2
#define TOTALS 4
#define ZEROED_INTEGERS (TOTALS + 4 * FEW + 4)

/* Integers in the level's memory, which is given in units of 8 bytes. */
#define UINTS(array) ((GLOBAL uint*)(array + array##_offset))
#define ULONGS(array) (array + array##_offset)

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

/* A part of a parent. */
typedef struct {
    uint parent;
    uint is_divided;        /* the parent is */
    uint is_first, is_last; /* of its stripes */
    position_t begin, end;  /* of the parent */
    uint slot, end_slot;    /* its whole slots */
    uint last_slot;         /* one more than the last whole slot of the parent */
} stripe_t;

/* Stripe `number`; one without slots, of no parent that is divided, if there are not so many. */
INLINE stripe_t stripe_of(uint number, uint parents, uint stripe_slots, GLOBAL const ulong* bounds,
                          GLOBAL const uint* states, GLOBAL const uint* first_stripes) {
    uint low = 0, high = parents;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (first_stripes[middle] <= number) low = middle;
        else high = middle;
    }
    stripe_t stripe;
    uint is_there = parents > 0 && number < first_stripes[parents];
    stripe.parent = low;
    stripe.is_divided = is_there && states[low] == IS_DIVIDED;
    stripe.is_first = number == first_stripes[low];
    stripe.is_last = number + 1 == first_stripes[low + 1];
    stripe.begin = (position_t)bounds[low];
    stripe.end = (position_t)bounds[low + 1];
    stripe.last_slot = (uint)(stripe.end / BLOCK);
    stripe.slot = (uint)CEIL_DIV(stripe.begin, BLOCK) + (number - first_stripes[low]) * stripe_slots;
    stripe.end_slot = is_there ? MAX(stripe.slot, MIN(stripe.slot + stripe_slots, stripe.last_slot)) : stripe.slot;
    return stripe;
}

/* The stripes of a range. */
INLINE uint stripes_of(position_t begin, position_t end, uint stripe_slots) {
    uint slot = (uint)CEIL_DIV(begin, BLOCK), last = (uint)(end / BLOCK);
    return last > slot ? CEIL_DIV(last - slot, stripe_slots) : 1;
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
