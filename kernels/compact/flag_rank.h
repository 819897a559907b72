// SPDX-License-Identifier: MIT
/* How a tile of keys is shared out, and how many of those that are marked lie in front of each other.
 *
 * A work-item has up to 8 leaves, each of 16 bytes of keys, which are loaded at once, or of one record.
 */
#ifndef FLAG_RANK_H
#define FLAG_RANK_H
#include "common/group_scan.h"
#include "common/key_order.h"
#if RECORD_BYTES
#define KEYS_OF_LEAF 1
#else
#include "common/loaded_keys.h"
#define KEYS_OF_LEAF KEYS_OF_16_BYTES
#endif

/* Work-items whose leaves follow each other. With shuffles they count without local memory. */
#define IN_WARPS (HAS_SHUFFLES && WORK_ITEMS >= 32)
#if IN_WARPS
#define NEIGHBOURS 32
#else
#define NEIGHBOURS WORK_ITEMS
#endif
#define LEAVES_OF_ITEM (VECTORS / KEYS_OF_LEAF)
#define TILE (WORK_ITEMS * VECTORS)
/* The place of leaf v of a work-item's. */
#define LEAF(v) (LOCAL_ID / NEIGHBOURS * (NEIGHBOURS * LEAVES_OF_ITEM) + (v) * NEIGHBOURS + LOCAL_ID % NEIGHBOURS)
#define FOR_LEAVES(v) UNROLL for (uint v = 0; v < LEAVES_OF_ITEM; ++v)
#define FOR_KEYS_OF_LEAF(k) UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k)
/* Bit v * KEYS_OF_LEAF + k of a work-item's marks is key k of leaf v. */
#define MARKS_OF_LEAF(marks, v) ((marks) >> (v) * KEYS_OF_LEAF & ((1u << KEYS_OF_LEAF) - 1))

#if WORK_ITEMS > 1
#if LANES != 1 || VECTORS > 32 || LEAVES_OF_ITEM < 1 || LEAVES_OF_ITEM > 8
#error "To rank keys, LANES must be 1, VECTORS at most 32, and a work-item's leaves 1 to 8."
#endif
/* A word has the counts of several rows, each of one leaf of all neighbours. */
#if IN_WARPS
typedef uint counts_t;
#define COUNT_BITS_OF_ROW (NEIGHBOURS * KEYS_OF_LEAF < 256 ? 8 : 16)
#define ROWS_OF_WORD (32 / COUNT_BITS_OF_ROW)
#else
typedef ulong counts_t;
#define COUNT_BITS_OF_ROW 16
#define ROWS_OF_WORD 4
#endif
#define COUNT_OF_ROW(counts, row) ((uint)((counts) >> (row) * COUNT_BITS_OF_ROW) & ((1u << COUNT_BITS_OF_ROW) - 1))

/* The sum of the counts of the neighbours in front; *all: of all of them. */
INLINE counts_t scan_neighbours(counts_t own, LOCAL ulong* shared, counts_t* all) {
#if IN_WARPS
    (void)shared;
    counts_t to_here = own;
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        counts_t earlier = SHUFFLE_UP(to_here, apart);
        to_here += LOCAL_ID % 32 >= apart ? earlier : 0;
    }
    *all = SHUFFLE(to_here, 31);
    return to_here - own;
#else
    return scan_group(SUM, own, shared, all);
#endif
}

/* ranks[v]: how many keys in front of leaf v are marked in the tile. Gives how many are in all. Requires: rows of fewer
 * than 2^16.
 * Local memory: 8 bytes a work-item, which may change behind the next barrier. Barriers: one; without shuffles those of
 * scan_group() for each four leaves. */
INLINE uint rank_marks(uint marks, LOCAL ulong* shared, uint* ranks) {
    uint all = 0;
    UNROLL for (uint first = 0; first < LEAVES_OF_ITEM; first += ROWS_OF_WORD) {
        counts_t own = 0, of_rows;
        UNROLL for (uint v = first; v < LEAVES_OF_ITEM && v < first + ROWS_OF_WORD; ++v)
            own |= (counts_t)COUNT_BITS(MARKS_OF_LEAF(marks, v)) << (v - first) * COUNT_BITS_OF_ROW;
        counts_t before = scan_neighbours(own, shared, &of_rows);
        UNROLL for (uint v = first; v < LEAVES_OF_ITEM && v < first + ROWS_OF_WORD; ++v) {
            ranks[v] = all + COUNT_OF_ROW(before, v - first);
            all += COUNT_OF_ROW(of_rows, v - first);
        }
    }
#if IN_WARPS
    if (LOCAL_ID % 32 == 0) shared[LOCAL_ID / 32] = all;
    BARRIER();
    uint before = 0;
    all = 0;
    UNROLL for (uint w = 0; w < WORK_ITEMS / 32; ++w) {
        before = w == LOCAL_ID / 32 ? all : before;
        all += (uint)shared[w];
    }
    FOR_LEAVES(v) ranks[v] += before;
#endif
    return all;
}
#endif

#endif
