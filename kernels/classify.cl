/* The first half of a level of distribution: which child of its parent each element belongs to.
 *
 * choose_splitters takes a sample of each parent and, of that in order, elements at equal distances. classify_elements
 * streams each stripe through local memory: elements gather in a buffer for each child, and whole blocks go back to the part
 * of the stripe that has been read. What is left in the end fills the rest of the stripe, child by child.
 * (Axtmann, Witt, Ferizovic, Sanders: Engineering In-place (Shared-memory) Sorting Algorithms, 2020.)
 * Keys stay as they are in memory; they are compared encoded.
 */
#include "buckets.h"

#define TILE (WORK_ITEMS * REGISTER_VECTORS)
#define TILE_SLOTS (TILE / BLOCK)
#define HELD_ELEMENTS (BLOCK * BUCKETS + TILE + BUCKETS)
#define LISTED (TILE_SLOTS + BUCKETS > 2 * BLOCK ? TILE_SLOTS + BUCKETS : 2 * BLOCK)
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

/* Sorts so many elements in local memory, a power of two, by the bitonic network: two steps at a time, among four elements.
 * Barriers: one for each two steps of a phase. */
INLINE void sort_sample(local_arrays_t sample, uint size) {
    for (uint run = 2; run <= size; run *= 2)
        for (uint distance = run / 2; distance > 0; distance /= 4) {
            uint next = distance / 2; /* 0: a single step is left */
            for (uint i = LOCAL_ID; i < size / 4; i += WORK_ITEMS) {
                uint apart = next > 0 ? next : 1, low = 4 * i - 3 * (i & (apart - 1));
                uint descends = (low & run) != 0, descends_then = ((low + 2 * apart) & run) != 0;
                element_t r[4];
                UNROLL for (uint k = 0; k < 4; ++k) r[k] = load_local_element(sample, low + k * apart);
                if (next > 0) {
                    put_in_order(descends, &r[0], &r[2]);
                    put_in_order(descends, &r[1], &r[3]);
                }
                put_in_order(descends, &r[0], &r[1]);
                put_in_order(descends_then, &r[2], &r[3]);
                UNROLL for (uint k = 0; k < 4; ++k) store_local_element(r[k], sample, low + k * apart);
            }
            BARRIER();
        }
}

/* The first place from `low` to `high` in a sorted sample whose element does not come before e; or, of elements that may be
 * equal to it, is_behind, the first that comes behind it. */
INLINE uint first_not(local_arrays_t sample, uint low, uint high, element_t e, uint is_behind) {
    while (low < high) {
        uint middle = (low + high) / 2;
        element_t other = load_local_element(sample, middle);
        if (is_behind ? BEFORE(e, other) : !BEFORE(other, e)) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* What an element of the sample is: a splitter, or what comes after it, or both. */
#define FIRST_ELEMENT 1u
#define NEXT_ELEMENT 2u
#define EQUAL_ELEMENTS 3u

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
 * are to be, by `states`, unless all of them have more slots than the table has entries; `divided` tells which. The
 * integers are zeroed that the other kernels add to: 2 * BUCKETS `counts` of each parent and so many of `totals`. The first level
 * divides the array, for which `count` is not 0.
 * Launched first, with a work-group a parent. Requires: there may be as many stripes as parents. Local memory:
 * SAMPLE elements and 5 * BUCKETS + 6 integers. Barriers: those of the sample, nine, and three for each
 * further length of stripes and number of equal elements that is tried. */
KERNEL void choose_splitters(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                             offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                             GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                             offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                             GLOBAL ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* states,
                             offset_t states_offset, GLOBAL ulong* divided, offset_t divided_offset,
                             GLOBAL ulong* first_stripes, offset_t first_stripes_offset, GLOBAL ulong* equal,
                             offset_t equal_offset, GLOBAL ulong* counts, offset_t counts_offset, GLOBAL ulong* totals,
                             offset_t totals_offset, position_t count, position_t child, uint parents,
                             uint most_stripes, uint entries, uint zeroed, uint coding, flip_t flip) {
    DECLARE_LOCAL_ARRAYS(sample, SAMPLE);
    DECLARE_LOCAL(uint, shared, 5 * BUCKETS + 6, LOCAL_BYTES_OF_ELEMENTS(SAMPLE));
    LOCAL uint* splitters_of = shared;
    LOCAL uint* ranks = shared + BUCKETS;
    LOCAL uint* parts = shared + 2 * BUCKETS;
    LOCAL uint* holds_equal = shared + 3 * BUCKETS;
    LOCAL uint* kinds = shared + 4 * BUCKETS;
    LOCAL uint* sums = shared + 5 * BUCKETS;
    LOCAL uint* all = sums + 5;
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
    BARRIER();
    for (uint p = LOCAL_ID; p < parents; p += WORK_ITEMS) {
        uint slots = SLOTS_TO_BE_DIVIDED(p);
        ATOMIC_ADD(&sums[0], slots);
        if (p < parent) ATOMIC_ADD(&sums[1], slots);
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
    uint is_there = parent < parents, are_divided = sums[0] <= entries;
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
    position_t step = MAX(size / SAMPLE, (position_t)1);
    UNROLL for (uint j = 0; j < CEIL_DIV(SAMPLE, WORK_ITEMS); ++j) {
        uint i = j * WORK_ITEMS + LOCAL_ID;
        if (i < sampled)
            store_local_element(
                encoded(load_at(from, begin + (position_t)((ulong)i * size / SAMPLE) + scrambled(i ^ parent << 16) % step,
                                is_first_level),
                        coding, flip),
                sample, i);
    }
    BARRIER();
    sort_sample(sample, sampled);

    /* As many children as are wanted. Where elements that are equal would fill half of one, they are one, if there are
     * splitters enough; else only where there are more of them. Others are not parted: the splitter is the first of them or
     * what comes after them, whichever is nearer. */
    uint children = (uint)MAX(MIN(CEIL_DIV(size, child), (position_t)BUCKETS), (position_t)2);
#define CHOSEN(i) ((uint)((ulong)(i) * SAMPLE / children))
    uint many = SAMPLE / children / 2;
    do {
        for (uint i = LOCAL_ID; i < BUCKETS; i += WORK_ITEMS) {
            uint kind = 0;
            if (is_divided && i > 0 && i < children) {
                element_t e = load_local_element(sample, CHOSEN(i));
                uint first = first_not(sample, 0, CHOSEN(i), e, 0), end = first_not(sample, CHOSEN(i), SAMPLE, e, 1);
                uint has_next = HAS_NEXT(e), is_first_nearer = CHOSEN(i) - first < end - CHOSEN(i) || !has_next;
                if (i == 1 || CHOSEN(i - 1) < first)
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
        element_t e = load_local_element(sample, CHOSEN(MIN(i, children - 1)));
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
    for (uint i = LOCAL_ID; is_divided && i < BUCKETS; i += WORK_ITEMS) UINTS(equal)[BUCKETS * parent + i] = holds_equal[i];
}

INLINE uint child_of(element_t e, local_arrays_t splitters, LOCAL const uint* ends_equal) {
    uint node = 1;
    UNROLL for (uint level = 0; level < BUCKET_BITS; ++level)
        node = 2 * node + reaches(e, load_local_element(splitters, node), RECORD_BYTES ? ends_equal[node] : 0);
    return node - BUCKETS;
}

#define CHILD_BITS 8
#define CHILD_OF(place) ((place) & 255u)
#define RANK_OF(place) ((place) >> CHILD_BITS)

/* Brings the elements of each stripe into blocks of one child each, in the first slots of the stripe, and into the table the
 * children. Those that fill no block lie behind them, child by child: child c has those from starts[c] to starts[c + 1], of
 * BUCKETS + 2 starts a stripe; counting begins in the parent's head, goes on in the stripe's slots and ends in the tail. The
 * last one tells where the first of these is to be in the pool: so many elements before its end.
 * counts[c]: blocks of each child of a parent; counts[BUCKETS + c]: its elements besides.
 * Launched with as many work-groups as there may be stripes. Local memory: BLOCK * BUCKETS elements, and those of a tile and a
 * tree of splitters, and integers. Barriers: seven a tile, and eleven. */
KERNEL void classify_elements(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                              offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset,
                              GLOBAL key_t* pool_keys, offset_t pool_keys_offset, GLOBAL value_argument_t* pool_values,
                              offset_t pool_values_offset, GLOBAL index_t* pool_indices, offset_t pool_indices_offset,
                              GLOBAL const ulong* bounds, offset_t bounds_offset, GLOBAL const ulong* first_stripes,
                              offset_t first_stripes_offset, GLOBAL const ulong* equal, offset_t equal_offset,
                              GLOBAL ulong* counts, offset_t counts_offset, GLOBAL ulong* totals, offset_t totals_offset, GLOBAL ulong* table,
                              offset_t table_offset, GLOBAL ulong* starts, offset_t starts_offset, uint parents,
                              uint makes_indices, uint coding, flip_t flip) {
    DECLARE_LOCAL_ARRAYS(held, HELD_ELEMENTS);
    DECLARE_LOCAL(uint, shared, 8 * BUCKETS + LISTED + 1, LOCAL_BYTES_OF_ELEMENTS(HELD_ELEMENTS));
    local_arrays_t staged = local_arrays_from(held, BLOCK * BUCKETS);
    local_arrays_t splitters = local_arrays_from(staged, TILE);
    LOCAL uint* counted = shared;              /* elements of a child in this tile, and in the next one */
    LOCAL uint* kept = shared + 2 * BUCKETS;   /* those in its buffer, likewise */
    LOCAL uint* packed = shared + 4 * BUCKETS; /* elements and, from bit 16 on, blocks that are whole */
    LOCAL uint* before = shared + 5 * BUCKETS; /* the same of all children before it */
    LOCAL uint* parts = shared + 6 * BUCKETS;
    LOCAL uint* ends_equal = shared + 7 * BUCKETS;
    LOCAL uint* child_of_block = shared + 8 * BUCKETS;
    LOCAL uint* all = child_of_block + LISTED;

    uint number = (uint)GROUP_ID, t = LOCAL_ID;
    stripe_t stripe = stripe_of(number, parents, ULONGS(bounds), UINTS(first_stripes));
    GLOBAL uint* entries = UINTS(table) + stripe.entry; /* of the stripe's slots */
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t pool = arrays_from(
        arrays_of(pool_keys, pool_keys_offset, pool_values, pool_values_offset, pool_indices, pool_indices_offset),
        (offset_t)BUCKETS * stripe.parent);
    for (uint i = t; i < BUCKETS; i += WORK_ITEMS) {
        counted[i] = counted[BUCKETS + i] = kept[i] = 0;
        if (i == 0) continue;
        uint level = 0; /* breadth first: node i is the middle of what it divides */
        while (i >> (level + 1)) ++level;
        uint place = (i - (1u << level)) * (BUCKETS >> level) + (BUCKETS >> (level + 1)) - 1;
        if (!stripe.is_there) continue;
        store_local_element(load_element(pool, place, place, 0), splitters, i);
        ends_equal[i] = (UINTS(equal)[BUCKETS * stripe.parent + place] & ENDS_EQUAL) != 0;
    }
    BARRIER();

    uint next_slot = stripe.slot;
    uint parity = 0, team = t / TEAM, item = TEAM_ITEM;
    element_t r[REGISTER_VECTORS];
    uint places[REGISTER_VECTORS];
#define IS_IN_TILE(m) ((m) * WORK_ITEMS + t < size)
    for (uint slot = stripe.slot; slot < stripe.end_slot; slot += TILE_SLOTS) {
        uint size = MIN((uint)TILE_SLOTS, stripe.end_slot - slot) * BLOCK;
        LOCAL uint* counts_now = counted + parity * BUCKETS;
        LOCAL uint* kept_now = kept + parity * BUCKETS;
        position_t first = (position_t)slot * BLOCK;
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            r[m] = load_at(arrays, first + (IS_IN_TILE(m) ? m * WORK_ITEMS + t : 0), makes_indices);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            uint child = child_of(encoded(r[m], coding, flip), splitters, ends_equal);
            places[m] = child;
            if (IS_IN_TILE(m)) places[m] |= ATOMIC_ADD(&counts_now[child], 1u) << CHILD_BITS;
        }
        BARRIER();
        for (uint c = t; c < BUCKETS; c += WORK_ITEMS)
            packed[c] = counts_now[c] | ((kept_now[c] + counts_now[c]) / BLOCK) << 16;
        BARRIER();
        sum_up(packed, before, parts, all);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            if (IS_IN_TILE(m))
                store_local_element(r[m], staged, (before[CHILD_OF(places[m])] & 0xffff) + RANK_OF(places[m]));
        for (uint c = t; c < BUCKETS; c += WORK_ITEMS) {
            for (uint i = 0; i < packed[c] >> 16; ++i) child_of_block[(before[c] >> 16) + i] = c;
            counted[(1 - parity) * BUCKETS + c] = 0;
        }
        BARRIER();
        uint blocks = *all >> 16;
        for (uint b = team; b < blocks; b += WORK_ITEMS / TEAM) {
            uint c = child_of_block[b], rank = (b - (before[c] >> 16)) * BLOCK, own = kept_now[c];
            uint from_tile = (before[c] & 0xffff) - own;
            UNROLL for (uint j = 0; j < ELEMENTS_OF_ITEM; ++j) {
                uint i = rank + j * TEAM + item;
                element_t e = i < own ? load_local_element(held, c * BLOCK + i) : load_local_element(staged, from_tile + i);
                store_element(e, arrays, (position_t)(next_slot + b) * BLOCK + j * TEAM + item);
            }
            if (item == 0) entries[next_slot - stripe.slot + b] = c;
        }
        next_slot += blocks;
        BARRIER();
        for (uint c = team; c < BUCKETS; c += WORK_ITEMS / TEAM) {
            uint own = kept_now[c], whole = packed[c] >> 16, from_tile = before[c] & 0xffff;
            uint rest = own + counts_now[c] - whole * BLOCK;
            for (uint i = (whole ? 0 : own) + item; i < rest; i += TEAM)
                store_local_element(load_local_element(staged, from_tile + whole * BLOCK + i - own), held, c * BLOCK + i);
            if (item == 0) kept[(1 - parity) * BUCKETS + c] = rest;
        }
        parity = 1 - parity;
    }
    BARRIER();

    /* What is left, and the head and tail: fewer than two blocks, which are staged. */
    LOCAL uint* left = counted + parity * BUCKETS;
    LOCAL uint* kept_now = kept + parity * BUCKETS;
    for (uint s = next_slot + t; s < stripe.end_slot; s += WORK_ITEMS) entries[s - stripe.slot] = NO_SLOT;
    for (uint c = t; c < BUCKETS; c += WORK_ITEMS) left[c] = kept_now[c];
    BARRIER();
    position_t first = (position_t)stripe.slot * BLOCK, tail = (position_t)stripe.end_slot * BLOCK;
    uint head = stripe.is_there && stripe.is_first ? (uint)(first - stripe.begin) : 0;
    uint outside = head + (stripe.is_there && stripe.is_last ? (uint)(stripe.end - tail) : 0);
    LOCAL uint* place_of = child_of_block;
    for (uint i = t; i < outside; i += WORK_ITEMS) {
        element_t e = load_at(arrays, i < head ? stripe.begin + i : tail + (i - head), makes_indices);
        uint child = child_of(encoded(e, coding, flip), splitters, ends_equal);
        place_of[i] = child | ATOMIC_ADD(&left[child], 1u) << CHILD_BITS;
        store_local_element(e, staged, i);
    }
    BARRIER();
    sum_up(left, before, parts, all);
    position_t rest = (position_t)next_slot * BLOCK;
#define PLACE_OF_LEFT(i) ((i) < head ? stripe.begin + (i) : rest + ((i)-head))
    for (uint i = t; i < outside; i += WORK_ITEMS) {
        uint to = before[CHILD_OF(place_of[i])] + RANK_OF(place_of[i]);
        store_element(load_local_element(staged, i), arrays, PLACE_OF_LEFT(to));
    }
    GLOBAL uint* own_starts = UINTS(starts) + (offset_t)number * (BUCKETS + 2);
    GLOBAL uint* own_counts = UINTS(counts) + (offset_t)stripe.parent * 2 * BUCKETS;
    for (uint c = team; c < BUCKETS; c += WORK_ITEMS / TEAM)
        for (uint i = item; i < kept_now[c]; i += TEAM)
            store_element(load_local_element(held, c * BLOCK + i), arrays, PLACE_OF_LEFT(before[c] + i));
    if (stripe.is_there && t == 0) {
        own_starts[BUCKETS] = *all;
        own_starts[BUCKETS + 1] = ATOMIC_ADD(&UINTS(totals)[LEFT_OVER], *all) + *all;
    }
    for (uint c = t; c < BUCKETS; c += WORK_ITEMS) {
        packed[c] = 0;
        if (!stripe.is_there) continue;
        own_starts[c] = before[c];
        ATOMIC_ADD(&own_counts[BUCKETS + c], left[c]);
    }
    BARRIER();
    for (uint s = t; s < next_slot - stripe.slot; s += WORK_ITEMS) ATOMIC_ADD(&packed[entries[s]], 1u);
    BARRIER();
    for (uint c = t; c < BUCKETS; c += WORK_ITEMS)
        if (packed[c] > 0) ATOMIC_ADD(&own_counts[c], packed[c]);
}
