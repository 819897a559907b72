// SPDX-License-Identifier: MIT
/* The first half of a level of distribution: which child of its parent each element belongs to.
 *
 * choose_splitters takes a sample of each parent and, of that in order, elements at equal distances. classify_elements
 * streams each stripe through local memory: elements gather in the few blocks that each child has there, and whole blocks go
 * back to the part of the stripe that has been read. What is left in the end fills the rest of the stripe, child by child.
 * (Axtmann, Witt, Ferizovic, Sanders: Engineering In-place (Shared-memory) Sorting Algorithms, 2020.)
 * Keys stay as they are in memory; they are compared encoded.
 */
#include "sort/distribution/buckets.h"

#define TILE (WORK_ITEMS * REGISTER_VECTORS)
#define TILE_SLOTS (TILE / BLOCK)
#define HELD_ELEMENTS (HELD_BLOCKS * BLOCK * BUCKETS + BUCKETS)
#define LISTED (TILE_SLOTS + BUCKETS)
#define INTEGERS (6 * BUCKETS + LISTED + 5)
#define OUTSIDE_OF_ITEM (2 * BLOCK > WORK_ITEMS ? 2 * BLOCK / WORK_ITEMS : 1)
#define LOCAL_BYTES_OF_ELEMENTS(n) \
    (LOCAL_BYTES(n, KEY_BYTES) + LOCAL_BYTES(n, VALUE_BITS / 8) + LOCAL_BYTES(n, INDEX_BITS / 8))

INLINE element_t encoded(element_t e, uint coding, flip_t flip) {
    e.key = encode(e.key, coding, flip);
    return e;
}

INLINE element_t load_at(arrays_t from, position_t i, uint makes_indices) {
    return load_element(from, i, i, makes_indices);
}

/* Elements that are equal to a splitter have a child of their own where the sample has several of them. Its upper end is the
 * next element in the order; of records, which have none, the same one, which they do not lie before but behind. */
#if RECORD_BYTES
#define HAS_NEXT(e) 1u
INLINE element_t next_element(element_t e) { return e; }
INLINE uint reaches(element_t e, element_t splitter, uint is_end_of_equal) {
    return BEFORE(is_end_of_equal ? splitter : e, is_end_of_equal ? e : splitter) == is_end_of_equal;
}
#else
#if TIE_BITS == 128
#define HAS_NEXT(e) ((e).key != ALL_BITS || (TIE(e).x & TIE(e).y) != ~(ulong)0)
#elif TIE_BITS
#if HAS_INDICES
typedef index_t tie_t;
#else
typedef value_t tie_t;
#endif
#define HAS_NEXT(e) ((e).key != ALL_BITS || TIE(e) != (tie_t)~(tie_t)0)
#else
#define HAS_NEXT(e) ((e).key != ALL_BITS)
#endif
INLINE element_t next_element(element_t e) {
#if TIE_BITS == 128
    TIE(e).x += 1;
    TIE(e).y += TIE(e).x == 0;
    e.key += (TIE(e).x | TIE(e).y) == 0;
#elif TIE_BITS
    TIE(e) += 1;
    e.key += TIE(e) == 0;
#else
    e.key += 1;
#endif
    return e;
}
INLINE uint reaches(element_t e, element_t splitter, uint is_end_of_equal) { return !BEFORE(e, splitter); }
#endif

INLINE void put_in_order(uint descends, element_t* a, element_t* b) {
    element_t first = *a, second = *b;
    uint exchanges = descends ? BEFORE(first, second) : BEFORE(second, first);
    *a = exchanges ? second : first;
    *b = exchanges ? first : second;
}

/* Where element i of the sample lies: one place stays free after every 8, so that work-items do not meet in a bank. */
#define IN_SAMPLE(i) ((i) + (i) / 8)

/* As many as registers hold, a power of two. */
#define SORTED_AT_ONCE (KEY_BYTES + VALUE_BITS / 8 < 16 ? 8u : 4u)

/* Sorts so many elements in local memory, a power of two, by the bitonic network: a few steps at a time, among those elements that a
 * work-item holds. Barriers: one for each three steps of a phase, or two. */
INLINE void sort_sample(local_arrays_t sample, uint size) {
    for (uint run = 2; run <= size; run *= 2)
        for (uint top = run / 2; top > 0; top /= SORTED_AT_ONCE) {
            uint apart = MAX(2 * top / SORTED_AT_ONCE, 1u);
            for (uint i = LOCAL_ID; i < size / SORTED_AT_ONCE; i += WORK_ITEMS) {
                uint low = SORTED_AT_ONCE * i - (SORTED_AT_ONCE - 1) * (i & (apart - 1));
                element_t r[SORTED_AT_ONCE];
                UNROLL for (uint k = 0; k < SORTED_AT_ONCE; ++k) r[k] = load_local_element(sample, IN_SAMPLE(low + k * apart));
                UNROLL for (uint distance = SORTED_AT_ONCE / 2; distance > 0; distance /= 2)
                    if (distance * apart <= top)
                        UNROLL for (uint k = 0; k < SORTED_AT_ONCE; ++k)
                            if (!(k & distance))
                                put_in_order(((low + k * apart) & run) != 0, &r[k], &r[k + distance]);
                UNROLL for (uint k = 0; k < SORTED_AT_ONCE; ++k) store_local_element(r[k], sample, IN_SAMPLE(low + k * apart));
            }
            BARRIER();
        }
}

/* The first place from `low` to `high` in a sorted sample whose element does not come before e; or, of elements that may be
 * equal to it, is_behind, the first that comes behind it. */
INLINE uint first_not(local_arrays_t sample, uint low, uint high, element_t e, uint is_behind) {
    while (low < high) {
        uint middle = (low + high) / 2;
        element_t other = load_local_element(sample, IN_SAMPLE(middle));
        if (is_behind ? BEFORE(e, other) : !BEFORE(other, e)) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* What an element of the sample is: a splitter, or what comes after it, or both. */
#define FIRST_ELEMENT 1u
#define NEXT_ELEMENT 2u
#define EQUAL_ELEMENTS 3u

/* The first element that may be in a cell of so many keys. */
INLINE element_t first_of_cell(element_t e, uint width) {
#if !RECORD_BYTES
    e.key = (key_t)(e.key >> width << width);
#if TIE_BITS == 128
    TIE(e).x = TIE(e).y = 0;
#elif TIE_BITS
    TIE(e) = 0;
#endif
#endif
    return e;
}

/* Makes e the splitter of that rank. After the last one there are no children but the very last. */
INLINE void put_splitter(element_t e, arrays_t pool, uint rank, uint splitters, uint flags, uint has_next,
                         LOCAL uint* equal) {
    store_element(e, pool, rank);
    equal[rank] = flags;
    if (rank + 1 < splitters) return;
    for (uint i = splitters; i < BUCKETS - 1; ++i) {
        store_element(e, pool, i);
        equal[i] = flags & ENDS_EQUAL;
    }
    if (!has_next) equal[BUCKETS - 1] = ARE_EQUAL;
}

/* Of each parent that is divided: its BUCKETS - 1 splitters, and what is to be known of equal elements. Those are divided that
 * are to be, by `states`, unless all of them have more slots than the table has entries, or one has more than `largest`
 * elements, whose leaves would be too large, so that all is sorted once more anyway; `divided` tells which. The integers are
 * zeroed that the other kernels add to: 2 * BUCKETS `counts` of each parent and so many of `totals`. The first level divides
 * the array, for which `count` is not 0.
 * Launched first, with a work-group a parent. Requires: there may be as many stripes as parents. Local memory:
 * IN_SAMPLE(SAMPLE) elements and 5 * BUCKETS + 8 integers. Barriers: those of the sample, eleven, and three for each
 * further length of stripes and number of equal elements that is tried. */
KERNEL void choose_splitters(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                             offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                             GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                             offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                             GLOBAL ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* states,
                             offset_t states_offset, GLOBAL ulong* divided, offset_t divided_offset,
                             GLOBAL ulong* first_stripes, offset_t first_stripes_offset, GLOBAL ulong* equal,
                             offset_t equal_offset, GLOBAL ulong* counts, offset_t counts_offset, GLOBAL ulong* totals,
                             offset_t totals_offset, position_t count, position_t child, position_t largest,
                             uint parents, uint most_stripes, uint entries, uint zeroed, uint seed, uint coding, flip_t flip) {
    DECLARE_LOCAL_ARRAYS(sample, IN_SAMPLE(SAMPLE));
    DECLARE_LOCAL(uint, shared, 5 * BUCKETS + 8, LOCAL_BYTES_OF_ELEMENTS(IN_SAMPLE(SAMPLE)));
    LOCAL uint* splitters_of = shared;
    LOCAL uint* ranks = shared + BUCKETS;
    LOCAL uint* parts = shared + 2 * BUCKETS;
    LOCAL uint* holds_equal = shared + 3 * BUCKETS;
    LOCAL uint* kinds = shared + 4 * BUCKETS;
    LOCAL uint* sums = shared + 5 * BUCKETS;
    LOCAL uint* all = sums + 5;
    LOCAL uint* are_dense = all + 1;
    LOCAL uint* is_too_large = all + 2;
    uint parent = MIN((uint)GROUP_ID, parents), is_first_level = count > 0;
    GLOBAL ulong* limits = ULONGS(bounds);
    if (is_first_level && LOCAL_ID == 0) {
        limits[0] = 0;
        limits[1] = count;
    }
    BARRIER();

    /* The stripes and slots of all parents, and of those before this one. */
#define IS_TO_BE_DIVIDED(p) (is_first_level || UINTS(states)[p] == IS_DIVIDED)
#define SLOTS_TO_BE_DIVIDED(p) (IS_TO_BE_DIVIDED(p) ? slots_in((position_t)limits[p], (position_t)limits[(p) + 1]) : 0)
    for (uint i = LOCAL_ID; i < 2; i += WORK_ITEMS) sums[i] = 0;
    if (LOCAL_ID == 0) *are_dense = *is_too_large = 0;
    BARRIER();
    for (uint p = LOCAL_ID; p < parents; p += WORK_ITEMS) {
        uint slots = SLOTS_TO_BE_DIVIDED(p);
        ATOMIC_ADD(&sums[0], slots);
        if (p < parent) ATOMIC_ADD(&sums[1], slots);
        if (slots > 0 && limits[p + 1] - limits[p] > largest) *is_too_large = 1;
    }
    BARRIER();
    /* Stripes are as short as they can be, nearly, if there are to be no more than that. */
    if (LOCAL_ID == 0) sums[4] = MAX(CEIL_DIV(CEIL_DIV(sums[0], most_stripes), (uint)TILE_SLOTS), 1u);
    for (;;) {
        for (uint i = LOCAL_ID; i < 2; i += WORK_ITEMS) sums[2 + i] = 0;
        BARRIER();
        for (uint p = LOCAL_ID; p < parents; p += WORK_ITEMS) {
            uint stripes = CEIL_DIV(SLOTS_TO_BE_DIVIDED(p), sums[4] * TILE_SLOTS);
            ATOMIC_ADD(&sums[2], stripes);
            if (p < parent) ATOMIC_ADD(&sums[3], stripes);
        }
        BARRIER();
        if (sums[2] <= most_stripes) break;
        BARRIER();
        if (LOCAL_ID == 0) sums[4] += CEIL_DIV(sums[4], 16u);
    }
    uint is_there = parent < parents, are_divided = sums[0] <= entries && !*is_too_large;
    uint is_divided = is_there && are_divided && IS_TO_BE_DIVIDED(parent), sampled = is_divided ? SAMPLE : 0;
    position_t begin = (position_t)limits[parent], size = is_there ? (position_t)limits[parent + 1] - begin : 0;
    if (is_there && LOCAL_ID == 0) {
        GLOBAL uint* first_entries = FIRST_ENTRIES(first_stripes, parents);
        UINTS(divided)[parent] = is_divided;
        UINTS(first_stripes)[parent] = are_divided ? sums[3] : 0;
        first_entries[parent] = are_divided ? sums[1] : 0;
        if (parent + 1 == parents) {
            UINTS(first_stripes)[parents] = are_divided ? sums[2] : 0;
            first_entries[parents] = are_divided ? sums[0] : 0;
            first_entries[parents + 1] = sums[4] * TILE_SLOTS;
        }
    }
    for (uint i = LOCAL_ID; is_there && i < 2 * BUCKETS; i += WORK_ITEMS) UINTS(counts)[2 * BUCKETS * parent + i] = 0;
    for (uint i = LOCAL_ID; is_there && parent == 0 && i < zeroed; i += WORK_ITEMS) UINTS(totals)[i] = 0;

    arrays_t from = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    /* Who knows the seed can hide keys from these places, as bench/cuda_schedules.cu and a test do. */
    position_t step = MAX(size / SAMPLE, (position_t)1);
    UNROLL for (uint j = 0; j < CEIL_DIV(SAMPLE, WORK_ITEMS); ++j) {
        uint i = j * WORK_ITEMS + LOCAL_ID;
        if (i < sampled)
            store_local_element(
                encoded(load_at(from, begin + (position_t)((ulong)i * size / SAMPLE) + scrambled(i ^ parent << 16 ^ seed) % step,
                                is_first_level),
                        coding, flip),
                sample, IN_SAMPLE(i));
    }
    BARRIER();
    sort_sample(sample, sampled);

    /* As many children as are wanted. Where elements that are equal would fill half of one, they are one, if there are
     * splitters enough; else only where there are more of them. Others are not parted: the splitter is the first of them or
     * what comes after them, whichever is nearer. */
    uint children = (uint)MAX(MIN(CEIL_DIV(size, child), (position_t)BUCKETS), (position_t)2);
#define CHOSEN(i) ((uint)((ulong)(i) * SAMPLE / children))
    uint many = SAMPLE / children / 2, width = 0;
#if !RECORD_BYTES
    /* Where keys spread, splitters are the first keys of cells instead: that moves none by half a child. */
    key_t first_key = 0;
    if (is_divided) {
        first_key = load_local_element(sample, IN_SAMPLE(CHOSEN(1))).key;
        key_t last_key = load_local_element(sample, IN_SAMPLE(CHOSEN(children - 1))).key;
        while ((key_t)(last_key >> width) - (key_t)(first_key >> width) > CELLS - 2) ++width;
        for (uint i = LOCAL_ID + 1; i < children; i += WORK_ITEMS)
            if (load_local_element(sample, IN_SAMPLE(CHOSEN(i))).key >> width ==
                load_local_element(sample, IN_SAMPLE(CHOSEN(i) - many)).key >> width)
                *are_dense = 1;
    }
    BARRIER();
    uint has_cells = is_divided && !*are_dense && first_key >> width > 0;
#else
    uint has_cells = 0;
#endif
    do {
        for (uint i = LOCAL_ID; i < BUCKETS; i += WORK_ITEMS) {
            uint kind = 0;
            if (is_divided && i > 0 && i < children) {
                element_t e = load_local_element(sample, IN_SAMPLE(CHOSEN(i)));
                uint first = first_not(sample, 0, CHOSEN(i), e, 0), end = first_not(sample, CHOSEN(i), SAMPLE, e, 1);
                uint has_next = HAS_NEXT(e), is_first_nearer = CHOSEN(i) - first < end - CHOSEN(i) || !has_next;
                if (has_cells) kind = FIRST_ELEMENT;
                else if (i == 1 || CHOSEN(i - 1) < first)
                    kind = end - first >= many ? (has_next ? EQUAL_ELEMENTS : FIRST_ELEMENT)
                           : is_first_nearer   ? FIRST_ELEMENT
                                               : NEXT_ELEMENT;
            }
            kinds[i] = kind;
            splitters_of[i] = kind == EQUAL_ELEMENTS ? 2 : kind != 0;
            holds_equal[i] = 0;
        }
        BARRIER();
        sum_up(splitters_of, ranks, parts, all);
        many *= 2;
    } while (*all >= BUCKETS);
    uint splitters = *all;
    arrays_t pool = arrays_from(
        arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset),
        (offset_t)BUCKETS * parent);
    for (uint i = LOCAL_ID; i < BUCKETS; i += WORK_ITEMS) {
        element_t e = load_local_element(sample, IN_SAMPLE(CHOSEN(MIN(i, children - 1))));
        if (has_cells) e = first_of_cell(e, width);
        uint rank = ranks[i];
        if (kinds[i] == EQUAL_ELEMENTS || kinds[i] == FIRST_ELEMENT)
            put_splitter(e, pool, rank++, splitters, 0, HAS_NEXT(e), holds_equal);
        if (kinds[i] == EQUAL_ELEMENTS || kinds[i] == NEXT_ELEMENT) {
            element_t next = next_element(e);
            put_splitter(next, pool, rank, splitters, ENDS_EQUAL | (kinds[i] == EQUAL_ELEMENTS ? ARE_EQUAL : 0), HAS_NEXT(next),
                         holds_equal);
        }
    }
    BARRIER();
    for (uint i = LOCAL_ID; is_divided && i < BUCKETS; i += WORK_ITEMS)
        UINTS(equal)[BUCKETS * parent + i] = holds_equal[i] | (i == 0 && has_cells ? (width + 1) << CELL_WIDTH_PLACE : 0);
}

INLINE uint child_of(element_t e, local_arrays_t splitters, LOCAL const uint* ends_equal) {
    uint node = 1;
    UNROLL for (uint level = 0; level < BUCKET_BITS; ++level)
        node = 2 * node + reaches(e, load_local_element(splitters, node), RECORD_BYTES ? ends_equal[node] : 0);
    return node - BUCKETS;
}

/* Where splitters are the first keys of cells, which are so wide as 2^shift keys, the cell tells the child. Cell 0 is the one
 * before that of the first splitter, and stands for all before it; `last` is that of the last splitter, for all behind it. */
typedef struct {
    uint are_there, shift, last;
    key_t first; /* cell 0, counted from key 0 on */
} cells_t;

#if RECORD_BYTES
#define CELL_OF(e, cells) 0
#define FIRST_KEY_OF(cell, cells) (cells).first
#else
#define CELL_OF(e, cells) \
    ((uint)MIN((key_t)(MAX((key_t)((e).key >> (cells).shift), (cells).first) - (cells).first), (key_t)(cells).last))
#define FIRST_KEY_OF(cell, cells) ((key_t)(((cells).first + (cell)) << (cells).shift))
#endif

/* The elements of a child are counted from the first that is in local memory on, in the lower half of an integer. The upper half
 * tells, in blocks, where that one is: there is room for so many of a child, and behind the last of them comes the first. */
#define COUNT_OF(filled) ((filled) & 0xffffu)
#define HELD_OF_CHILD (HELD_BLOCKS * BLOCK)
#define PLACE_OF(filled, count) (((count) + ((filled) >> 16) * BLOCK) & (HELD_OF_CHILD - 1))
#define WITHOUT_BLOCKS(filled, blocks) ((filled) + (blocks) * ((1u << 16) - BLOCK))

/* A whole block in local memory: its child, and which of the child's. */
#define WHOLE_BLOCK(child, block) ((child) | (block) % HELD_BLOCKS << 8)
#define CHILD_OF(whole) ((whole) & 255u)
#define START_OF(whole) (CHILD_OF(whole) * HELD_OF_CHILD + ((whole) >> 8) * BLOCK)

/* Elements of the tile that begins with `slot`. */
INLINE uint size_of_tile(uint slot, uint end_slot) { return slot < end_slot ? MIN((uint)TILE_SLOTS, end_slot - slot) * BLOCK : 0; }

/* Where a tile is short the last element stands in for what it lacks: comparators see elements only. */
INLINE void load_tile(element_t* r, arrays_t from, uint slot, uint end_slot, uint makes_indices) {
    uint size = size_of_tile(slot, end_slot);
    if (size == 0) return;
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        uint i = m * WORK_ITEMS + LOCAL_ID;
        r[m] = load_at(from, (position_t)slot * BLOCK + MIN(i, size - 1), makes_indices);
    }
}

/* Brings the elements of each stripe into blocks of one child each, in the first slots of the stripe, and into the table the
 * children. Those that fill no block lie behind them, child by child: child c has those from starts[c] to starts[c + 1], of
 * BUCKETS + 2 starts a stripe; counting begins in the parent's head, goes on in the stripe's slots and ends in the tail. The
 * last one tells where the first of these is to be in the pool: so many elements before its end.
 * counts[c]: blocks of each child of a parent; counts[BUCKETS + c]: its elements besides.
 * Elements go to local memory, where each child has room for HELD_BLOCKS blocks; of what finds no room, as in keys that are in
 * order, whole blocks go to the array at once, and the rest waits until those in local memory have gone there.
 * Where it is APART, it reads the sources, and the array need not hold anything yet.
 * Launched with as many work-groups as there may be stripes. Local memory: HELD_BLOCKS * BLOCK * BUCKETS elements, a tree of
 * splitters, integers, and a byte a cell. Barriers: three a tile and seven; two more for a tile of which elements find no
 * room. */
KERNEL void classify_elements(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                              offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                              GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                              offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                              GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* first_stripes,
                              offset_t first_stripes_offset, GLOBAL const ulong* equal, offset_t equal_offset,
                              GLOBAL ulong* counts, offset_t counts_offset, GLOBAL ulong* totals, offset_t totals_offset, GLOBAL ulong* table,
                              offset_t table_offset, GLOBAL ulong* starts, offset_t starts_offset, uint parents,
                              uint makes_indices, uint coding, flip_t flip AND_SOURCES) {
    DECLARE_LOCAL_ARRAYS(held, HELD_ELEMENTS);
    DECLARE_LOCAL(uint, shared, INTEGERS, LOCAL_BYTES_OF_ELEMENTS(HELD_ELEMENTS));
    DECLARE_LOCAL(uchar, child_of_cell, CELLS,
                  LOCAL_BYTES_OF_ELEMENTS(HELD_ELEMENTS) + LOCAL_BYTES(INTEGERS, 4));
    local_arrays_t splitters = local_arrays_from(held, HELD_OF_CHILD * BUCKETS);
    LOCAL uint* blocks_of = shared; /* that went to the array */
    LOCAL uint* left = shared + BUCKETS;
    LOCAL uint* before = shared + 2 * BUCKETS; /* of what is left, that of all children before it */
    LOCAL uint* parts = shared + 3 * BUCKETS;
    LOCAL uint* ends_equal = shared + 4 * BUCKETS;
    LOCAL uint* filled = shared + 5 * BUCKETS; /* the last one is that of no child */
    LOCAL uint* listed = filled + BUCKETS + 1;   /* whole blocks */
    LOCAL uint* blocks_listed = listed + LISTED; /* in this tile, and in the next one */
    LOCAL uint* blocks_besides = blocks_listed + 2;
    LOCAL uint* all = blocks_listed + 3;

    uint number = (uint)GROUP_ID, t = LOCAL_ID;
    stripe_t stripe = stripe_of(number, parents, ULONGS(bounds), UINTS(first_stripes));
    GLOBAL uint* entries = UINTS(table) + stripe.entry; /* of the stripe's slots */
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t sources = SOURCES_OR(arrays);
    arrays_t pool = arrays_from(
        arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset),
        (offset_t)BUCKETS * stripe.parent);
    if (t < 4) blocks_listed[t] = 0;
    if (t == 0) filled[BUCKETS] = 0;
    for (uint i = t; i < BUCKETS; i += WORK_ITEMS) {
        filled[i] = blocks_of[i] = 0;
        if (i == 0) continue;
        uint level = 0; /* breadth first: node i is the middle of what it divides */
        while (i >> (level + 1)) ++level;
        uint place = (i - (1u << level)) * (BUCKETS >> level) + (BUCKETS >> (level + 1)) - 1;
        if (!stripe.is_there) continue;
        store_local_element(load_element(pool, place, place, 0), splitters, i);
        ends_equal[i] = (UINTS(equal)[BUCKETS * stripe.parent + place] & ENDS_EQUAL) != 0;
    }
    cells_t cells;
    uint width = stripe.is_there ? UINTS(equal)[BUCKETS * stripe.parent] >> CELL_WIDTH_PLACE : 0;
    cells.are_there = !RECORD_BYTES && width > 0;
    BARRIER();
#if !RECORD_BYTES
    if (cells.are_there) {
        cells.shift = width - 1;
        element_t first = load_element(pool, 0, 0, 0);
        cells.first = (key_t)((first.key >> cells.shift) - 1);
        cells.last = (uint)((pool.keys[BUCKETS - 2] >> cells.shift) - cells.first);
        for (uint i = t; i <= cells.last; i += WORK_ITEMS) {
            first.key = FIRST_KEY_OF(i, cells);
            child_of_cell[i] = (uchar)child_of(first, splitters, ends_equal);
        }
    }
    BARRIER();
#endif

    uint next_slot = stripe.slot, parity = 0, team = t / TEAM, item = TEAM_ITEM;
    element_t r[REGISTER_VECTORS];
    uint child[REGISTER_VECTORS], found[REGISTER_VECTORS];
#define IS_IN_TILE(m) ((m) * WORK_ITEMS + t < size)
    load_tile(r, sources, stripe.slot, stripe.end_slot, makes_indices);
    for (uint slot = stripe.slot; slot < stripe.end_slot; slot += TILE_SLOTS) {
        uint size = size_of_tile(slot, stripe.end_slot), waits = 0;
        if (cells.are_there) {
            UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
                child[m] = child_of_cell[CELL_OF(encoded(r[m], coding, flip), cells)];
        } else {
            UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
                child[m] = child_of(encoded(r[m], coding, flip), splitters, ends_equal);
        }
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            found[m] = ATOMIC_ADD(&filled[IS_IN_TILE(m) ? child[m] : BUCKETS], 1u);
        BARRIER();
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            uint count = COUNT_OF(found[m]);
            if (IS_IN_TILE(m) && count < HELD_OF_CHILD)
                store_local_element(r[m], held, child[m] * HELD_OF_CHILD + PLACE_OF(found[m], count));
            waits |= IS_IN_TILE(m) && count >= HELD_OF_CHILD;
        }
        if (waits) *all = 1;
        BARRIER();
        uint do_wait = *all;
        for (uint c = t; c < BUCKETS; c += WORK_ITEMS) {
            uint whole = COUNT_OF(filled[c]) / BLOCK, besides = 0;
            if (whole > 0) {
                uint in_local = MIN(whole, (uint)HELD_BLOCKS), place = ATOMIC_ADD(&blocks_listed[parity], in_local);
                for (uint i = 0; i < in_local; ++i)
                    listed[place + i] = WHOLE_BLOCK(c, (filled[c] >> 16) + i);
                if (whole > HELD_BLOCKS) besides = ATOMIC_ADD(blocks_besides, whole - HELD_BLOCKS);
                filled[c] = WITHOUT_BLOCKS(filled[c], whole);
                blocks_of[c] += whole;
            }
            if (do_wait) left[c] = whole << 16 | besides;
        }
        if (!do_wait) load_tile(r, sources, slot + TILE_SLOTS, stripe.end_slot, makes_indices);
        BARRIER();
        uint blocks = blocks_listed[parity];
        if (t == 0) blocks_listed[1 - parity] = 0;
        for (uint b = team; b < blocks; b += WORK_ITEMS / TEAM) {
            uint from = START_OF(listed[b]);
            UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j)
                store_element(load_local_element(held, from + j * TEAM + item), arrays,
                              (position_t)(next_slot + b) * BLOCK + j * TEAM + item);
            if (item == 0) entries[next_slot - stripe.slot + b] = CHILD_OF(listed[b]);
        }
        next_slot += blocks;
        parity = 1 - parity;
        if (do_wait) {
            BARRIER();
            UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
                uint count = COUNT_OF(found[m]), block = count / BLOCK;
                if (!IS_IN_TILE(m) || count < HELD_OF_CHILD) continue;
                if (block < left[child[m]] >> 16) {
                    uint to = next_slot + (left[child[m]] & 0xffffu) + block - HELD_BLOCKS;
                    store_element(r[m], arrays, (position_t)to * BLOCK + count % BLOCK);
                    if (count % BLOCK == 0) entries[to - stripe.slot] = child[m];
                } else {
                    store_local_element(r[m], held, child[m] * HELD_OF_CHILD + PLACE_OF(found[m], count));
                }
            }
            load_tile(r, sources, slot + TILE_SLOTS, stripe.end_slot, makes_indices);
            next_slot += *blocks_besides;
            BARRIER();
            if (t == 0) *all = *blocks_besides = 0;
        }
    }
    BARRIER();

    /* What is left, and the head and tail: fewer than two blocks. */
    for (uint s = next_slot + t; s < stripe.end_slot; s += WORK_ITEMS) entries[s - stripe.slot] = NO_SLOT;
    for (uint c = t; c < BUCKETS; c += WORK_ITEMS) left[c] = COUNT_OF(filled[c]);
    BARRIER();
    position_t first = (position_t)stripe.slot * BLOCK, tail = (position_t)stripe.end_slot * BLOCK;
    uint head = stripe.is_there && stripe.is_first ? (uint)(first - stripe.begin) : 0;
    uint outside = head + (stripe.is_there && stripe.is_last ? (uint)(stripe.end - tail) : 0);
    UNROLL for (uint m = 0; m < OUTSIDE_OF_ITEM; ++m) {
        uint i = m * WORK_ITEMS + t;
        if (i >= outside) continue;
        r[m] = load_at(sources, i < head ? stripe.begin + i : tail + (i - head), makes_indices);
        child[m] = child_of(encoded(r[m], coding, flip), splitters, ends_equal);
        found[m] = ATOMIC_ADD(&left[child[m]], 1u);
    }
    BARRIER();
    sum_up(left, before, parts, all);
    position_t rest = (position_t)next_slot * BLOCK;
#define PLACE_OF_LEFT(i) ((i) < head ? stripe.begin + (i) : rest + ((i)-head))
    UNROLL for (uint m = 0; m < OUTSIDE_OF_ITEM; ++m)
        if (m * WORK_ITEMS + t < outside)
            store_element(r[m], arrays, PLACE_OF_LEFT(before[child[m]] + found[m]));
    GLOBAL uint* own_starts = UINTS(starts) + (offset_t)number * (BUCKETS + 2);
    GLOBAL uint* own_counts = UINTS(counts) + (offset_t)stripe.parent * 2 * BUCKETS;
    for (uint c = team; c < BUCKETS; c += WORK_ITEMS / TEAM)
        for (uint i = item; i < COUNT_OF(filled[c]); i += TEAM)
            store_element(load_local_element(held, c * HELD_OF_CHILD + PLACE_OF(filled[c], i)), arrays,
                          PLACE_OF_LEFT(before[c] + i));
    if (stripe.is_there && t == 0) {
        own_starts[BUCKETS] = *all;
        own_starts[BUCKETS + 1] = ATOMIC_ADD(&UINTS(totals)[LEFT_OVER], *all) + *all;
    }
    for (uint c = t; c < BUCKETS; c += WORK_ITEMS) {
        if (!stripe.is_there) continue;
        own_starts[c] = before[c];
        ATOMIC_ADD(&own_counts[BUCKETS + c], left[c]);
        if (blocks_of[c] > 0) ATOMIC_ADD(&own_counts[c], blocks_of[c]);
    }
}
