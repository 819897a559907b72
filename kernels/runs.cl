/* How far ranges are in order, and the runs of equal keys that a sorted array is made of.
 *
 * Launched by the executor with `parts` work-groups, each of which takes one block of `block` consecutive keys:
 *   is_sorted_until   first_descents     the first key of each block that comes before the one in front of it
 *                     least_descents     the least of those over the blocks, of each row
 *   unique,           count_runs         how many runs begin in each block, and where the last of them does
 *   run_lengths       scan_blocks        the same over all blocks before each, by one work-group
 *                     write_runs         the key of each run, and the length of the one before it
 * A run begins at a key that differs from the one in front of it in some bit; of records, if one of the two comes before
 * the other. The keys are only read. `keys`, `blocks` and the results are arrays with the number of elements before the
 * first one.
 * Every key is looked at, whatever the others are; only where write_runs reads the keys of runs once more, and how much it
 * writes, depends on the keys.
 * Local memory: 8 bytes a work-item, and 3 bytes a key of a tile. Barriers: in each scan of a group two, and two more for
 * each doubling up to its work-items; in write_runs two more for each tile.
 */
#include "keys.h"

#define TILE (WORK_ITEMS * VECTORS)

#if VALUE_BITS
#define LENGTHS_PARAMETER , GLOBAL value_t *lengths, offset_t lengths_offset
#else
#define LENGTHS_PARAMETER
#endif

INLINE index_t end_of_block(index_t first, index_t block, index_t count) {
    return first < count && block < count - first ? first + block : count;
}

/* ---- over the work-items of a group ---- */

#define SUM 0
#define LARGEST 1
#define COMBINED(what, a, b) ((what) == SUM ? (a) + (b) : MAX(a, b))

/* The sum or the largest of the values of the work-items before this one, 0 for the first; *all: of all of them. */
INLINE ulong scan_group(uint what, ulong value, LOCAL ulong* shared, ulong* all) {
#if WORK_ITEMS == 1
    (void)what;
    (void)shared;
    *all = value;
    return 0;
#else
    shared[LOCAL_ID] = value;
    BARRIER();
    for (uint distance = 1; distance < WORK_ITEMS; distance *= 2) {
        ulong before = LOCAL_ID >= distance ? shared[LOCAL_ID - distance] : 0;
        BARRIER();
        shared[LOCAL_ID] = COMBINED(what, shared[LOCAL_ID], before);
        BARRIER();
    }
    *all = shared[WORK_ITEMS - 1];
    ulong before = LOCAL_ID > 0 ? shared[LOCAL_ID - 1] : 0;
    BARRIER();
    return before;
#endif
}

INLINE ulong least_of_group(ulong value, LOCAL ulong* shared) {
    ulong all;
    scan_group(LARGEST, ~value, shared, &all);
    return ~all;
}

/* ---- order ---- */

INLINE uint comes_before(key_t a, key_t b, uint coding, flip_t flip) {
#if RECORD_BYTES
    (void)coding;
    (void)flip;
    return record_before(a, b);
#else
    return encode(a, coding, flip) < encode(b, coding, flip);
#endif
}

/* `in_order` of `count` keys: that number, or whether it is all of them. */
INLINE void store_in_order(GLOBAL ulong* result, ulong in_order, index_t count, uint yes_or_no) {
    *result = yes_or_no ? in_order == count : in_order;
}

KERNEL void first_descents(GLOBAL const key_t* keys, offset_t offset, index_t count, index_t block, uint parts,
                           uint coding, flip_t flip, uint yes_or_no, GLOBAL ulong* descents,
                           offset_t descents_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    keys += offset + (offset_t)GROUP_ID / parts * count;
    index_t first = (index_t)((offset_t)GROUP_ID % parts) * block, end = end_of_block(first, block, count);
    index_t descent = count;
    for (index_t i = MAX(first, (index_t)1) + LOCAL_ID; i < end; i += WORK_ITEMS)
        if (comes_before(keys[i], keys[i - 1], coding, flip)) descent = MIN(descent, i);
    ulong least = least_of_group(descent, shared);
    if (LOCAL_ID == 0) store_in_order(descents + descents_offset + GROUP_ID, least, count, yes_or_no);
}

KERNEL void least_descents(GLOBAL const ulong* descents, offset_t descents_offset, index_t count, uint parts,
                           uint yes_or_no, GLOBAL ulong* result, offset_t result_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    descents += descents_offset + (offset_t)GROUP_ID * parts;
    ulong least = count;
    for (uint part = LOCAL_ID; part < parts; part += WORK_ITEMS) least = MIN(least, descents[part]);
    least = least_of_group(least, shared);
    if (LOCAL_ID == 0) store_in_order(result + result_offset + GROUP_ID, least, count, yes_or_no);
}

/* ---- runs ---- */

INLINE uint begins_run(GLOBAL const key_t* keys, index_t i) {
    if (i == 0) return 1;
#if RECORD_BYTES
    return record_before(keys[i - 1], keys[i]) || record_before(keys[i], keys[i - 1]);
#else
    return keys[i - 1] != keys[i];
#endif
}

/* Of block b: blocks[2 * b] runs begin in it, the last of them at key blocks[2 * b + 1]; 0 where none does, which is
 * where the first run of all begins. */
KERNEL void count_runs(GLOBAL const key_t* keys, offset_t offset, index_t count, index_t block, GLOBAL ulong* blocks,
                       offset_t blocks_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    keys += offset;
    index_t first = GROUP_ID * block, end = end_of_block(first, block, count);
    index_t runs = 0, last = 0;
    for (index_t i = first + LOCAL_ID; i < end; i += WORK_ITEMS) {
        uint begins = begins_run(keys, i);
        runs += begins;
        last = begins ? i : last;
    }
    ulong all_runs, very_last;
    scan_group(SUM, runs, shared, &all_runs);
    scan_group(LARGEST, last, shared, &very_last);
    if (LOCAL_ID == 0) {
        blocks[blocks_offset + 2 * GROUP_ID] = all_runs;
        blocks[blocks_offset + 2 * GROUP_ID + 1] = very_last;
    }
}

/* Makes of them the runs that begin before block b, and where the last of those does. */
KERNEL void scan_blocks(GLOBAL ulong* blocks, offset_t blocks_offset, uint parts, index_t count, GLOBAL ulong* number,
                        offset_t number_offset LENGTHS_PARAMETER) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    blocks += blocks_offset;
    uint share = (parts + WORK_ITEMS - 1) / WORK_ITEMS;
    uint first = LOCAL_ID * share, end = MIN(first + share, parts);
    ulong runs = 0, last = 0, all_runs, very_last;
    for (uint b = first; b < end; ++b) {
        runs += blocks[2 * b];
        last = MAX(last, blocks[2 * b + 1]);
    }
    runs = scan_group(SUM, runs, shared, &all_runs);
    last = scan_group(LARGEST, last, shared, &very_last);
    for (uint b = first; b < end; ++b) {
        ulong runs_of_block = blocks[2 * b], last_of_block = blocks[2 * b + 1];
        blocks[2 * b] = runs;
        blocks[2 * b + 1] = last;
        runs += runs_of_block;
        last = MAX(last, last_of_block);
    }
    if (LOCAL_ID == 0) {
        number[number_offset] = all_runs;
#if VALUE_BITS
        if (all_runs > 0) lengths[lengths_offset + all_runs - 1] = (value_t)(count - very_last);
#endif
    }
    (void)count;
}

/* A tile's runs are ranked in local memory, so that neighbouring work-items write neighbouring ones. */
KERNEL void write_runs(GLOBAL const key_t* keys, offset_t offset, index_t count, index_t block,
                       GLOBAL const ulong* blocks, offset_t blocks_offset, GLOBAL key_t* distinct,
                       offset_t distinct_offset LENGTHS_PARAMETER) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    DECLARE_LOCAL(ushort, places, TILE, 8 * WORK_ITEMS);
    DECLARE_LOCAL(uchar, begins, TILE, 8 * WORK_ITEMS + 2 * TILE);
    keys += offset;
    blocks += blocks_offset + 2 * GROUP_ID;
    distinct += distinct_offset + blocks[0];
#if VALUE_BITS
    lengths += lengths_offset + blocks[0];
    index_t last = (index_t)blocks[1];
#endif
    index_t first = GROUP_ID * block, end = end_of_block(first, block, count);
    for (; first < end; first += TILE) {
        uint size = (uint)(end_of_block(first, TILE, end) - first);
        for (uint i = LOCAL_ID; i < TILE; i += WORK_ITEMS) begins[i] = i < size && begins_run(keys, first + i);
        BARRIER();
        uint own_first = LOCAL_ID * VECTORS, own = 0;
        for (uint i = 0; i < VECTORS; ++i) own += begins[own_first + i];
        ulong runs;
        uint rank = (uint)scan_group(SUM, own, shared, &runs);
        for (uint i = 0; i < VECTORS; ++i)
            if (begins[own_first + i]) places[rank++] = (ushort)(own_first + i);
        BARRIER();
        for (uint i = LOCAL_ID; i < runs; i += WORK_ITEMS) {
            index_t begin = first + places[i];
            distinct[i] = keys[begin];
#if VALUE_BITS
            index_t run_before = i > 0 ? first + places[i - 1] : last;
            if (begin > 0) lengths[(long)i - 1] = (value_t)(begin - run_before);
#endif
        }
        distinct += runs;
#if VALUE_BITS
        lengths += runs;
        if (runs > 0) last = first + places[runs - 1];
#endif
    }
}
