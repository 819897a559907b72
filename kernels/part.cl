/* Parts keys, and their values if they have any, by flags of a byte or, with HAS_PREDICATE, by the caller's predicate: those whose
 * flag is as wanted come first, the others are left out (select) or follow (partition). All keep their order.
 *
 * `parts` work-groups have a share of `share` consecutive elements each: count_wanted, scan_counts by one work-group, write_parts.
 * `wanted` is 1 where flags other than 0 are, or what the predicate holds of, 0 where the others are. Keys, values and flags are
 * only read; arrays are given with the elements before the first one. With a predicate there are no flags: they stand for its parameter,
 * if it has one.
 */
#include "group_scan.h"
#include "keys.h"
#include "status.h"

#if HAS_PREDICATE
#if PARAMETER_BYTES
#define IS_FLAGGED(i) (predicate_holds(AS_RECORD(keys[i]), *(GLOBAL const predicate_parameter*)flags) != 0)
#else
#define IS_FLAGGED(i) (predicate_holds(AS_RECORD(keys[i])) != 0)
#endif
#define FLAG_BYTES PARAMETER_BYTES
#else
#define FLAG_BYTES 1
#define IS_FLAGGED(i) (flags[i] != 0)
#endif
#define TILE (WORK_ITEMS * VECTORS)
#define IN_WARPS (HAS_SHUFFLES && WORK_ITEMS >= 32)

/* What the work-items before this one have in all. Local memory: 8 bytes a work-item. */
INLINE uint scan_counts_of_group(uint own, LOCAL ulong* shared, uint* all) {
#if IN_WARPS
    LOCAL uint* warps = (LOCAL uint*)shared;
    uint to_here = own, before = 0, sum = 0;
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        uint earlier = SHUFFLE_UP(to_here, apart);
        to_here += LOCAL_ID % 32 >= apart ? earlier : 0;
    }
    if (LOCAL_ID % 32 == 31) warps[LOCAL_ID / 32] = to_here;
    BARRIER();
    UNROLL for (uint w = 0; w < WORK_ITEMS / 32; ++w) {
        before = w == LOCAL_ID / 32 ? sum : before;
        sum += warps[w];
    }
    BARRIER();
    *all = sum;
    return before + to_here - own;
#else
    ulong sum;
    uint before = (uint)scan_group(SUM, own, shared, &sum);
    *all = (uint)sum;
    return before;
#endif
}

/* The elements of each share that are wanted: shares[part].
 * Launched with `parts` work-groups. Requires: any count, any element offset, LANES 1. Local memory: 8 bytes a work-item. */
KERNEL void count_wanted(GLOBAL const uchar* flags, offset_t flags_offset, GLOBAL const key_t* keys, offset_t keys_offset,
                         position_t count, position_t share, uint wanted, GLOBAL ulong* shares, offset_t shares_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    flags += flags_offset * FLAG_BYTES;
#if HAS_PREDICATE
    keys += keys_offset;
#endif
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
    position_t found = 0;
    ulong all;
#if WORK_ITEMS > 1 && !HAS_PREDICATE
    if (((offset_t)(flags + first) & 15) == 0)
        ROLLED for (; first < end && end - first >= 16 * WORK_ITEMS; first += 16 * WORK_ITEMS) {
            uint4 loaded = ((GLOBAL const uint4*)(flags + first))[LOCAL_ID];
            uint words[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
            UNROLL for (uint w = 0; w < 4; ++w)
                UNROLL for (uint b = 0; b < 32; b += 8) found += ((words[w] >> b & 255) != 0) == wanted;
        }
#endif
    for (position_t i = first + LOCAL_ID; i < end; i += WORK_ITEMS) found += IS_FLAGGED(i) == wanted;
    scan_group(SUM, found, shared, &all);
    if (LOCAL_ID == 0) shares[shares_offset + GROUP_ID] = all;
}

/* Makes of them how many are wanted in front of each share, and writes how many are in all, to shares[parts], too.
 * Launched after count_wanted, with one work-group. Local memory: 8 bytes a work-item. Barriers: a scan of the group. */
KERNEL void scan_counts(GLOBAL ulong* shares, offset_t shares_offset, uint parts, GLOBAL ulong* answer,
                        offset_t answer_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    shares += shares_offset;
    uint parts_of_item = (parts + WORK_ITEMS - 1) / WORK_ITEMS;
    uint first = MIN(LOCAL_ID * parts_of_item, parts), end = MIN(first + parts_of_item, parts);
    ulong found = 0, all;
    for (uint part = first; part < end; ++part) found += shares[part];
    found = scan_group(SUM, found, shared, &all);
    for (uint part = first; part < end; ++part) {
        ulong of_share = shares[part];
        shares[part] = found;
        found += of_share;
    }
    if (LOCAL_ID == 0) answer[answer_offset] = shares[parts] = all;
}

/* Writes the elements of each share to their places. Those of a tile are put in order in local memory, by their numbers, so that
 * neighbouring work-items write neighbouring ones.
 * Launched after scan_counts, with `parts` work-groups. Requires: tiles of no more than 2^16 elements. Local memory: 8 bytes a
 * work-item and 2 bytes an element of the tile, 3 with a predicate. */
KERNEL void write_parts(GLOBAL const uchar* flags, offset_t flags_offset, position_t count, position_t share, uint wanted,
                        uint keeps_others, GLOBAL const ulong* shares, offset_t shares_offset, uint parts,
                        GLOBAL const key_t* keys, offset_t keys_offset, GLOBAL key_t* results, offset_t results_offset,
                        GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL value_argument_t* result_values,
                        offset_t result_values_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    DECLARE_LOCAL(ushort, places, TILE, 8 * WORK_ITEMS);
#if HAS_PREDICATE
    DECLARE_LOCAL(uchar, marks, TILE, 8 * WORK_ITEMS + 2 * TILE);
#endif
    flags += flags_offset * FLAG_BYTES;
    keys += keys_offset;
    results += results_offset;
    shares += shares_offset;
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
    /* A rehearsal has more shares than are there. */
    uint part = MIN((uint)GROUP_ID, parts);
    position_t next = (position_t)shares[part], next_other = (position_t)shares[parts] + first - next;
#if VALUE_BITS
    values_t all_values = VALUES_AT(values) + values_offset, all_results = VALUES_AT(result_values) + result_values_offset;
#endif
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE)) {
        uint size = (uint)(end_of_share(first, TILE, end) - first), own_first = LOCAL_ID * VECTORS, own = 0, all;
#if HAS_PREDICATE
        /* Neighbouring work-items read neighbouring elements. */
        for (uint i = LOCAL_ID; i < TILE; i += WORK_ITEMS) marks[i] = i < size && IS_FLAGGED(first + i) == wanted;
        BARRIER();
#define IS_WANTED(i) marks[own_first + (i)]
#elif VECTORS <= 32
        uint bits = 0;
#define IS_WANTED(i) (bits >> (i)&1)
#if VECTORS == 16
        if (size == TILE && ((offset_t)(flags + first) & 15) == 0) {
            uint4 loaded = ((GLOBAL const uint4*)(flags + first))[LOCAL_ID];
            uint words[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
            UNROLL for (uint i = 0; i < 16; ++i)
                bits |= (uint)(((words[i / 4] >> i % 4 * 8 & 255) != 0) == wanted) << i;
        } else
#endif
            for (uint i = 0; i < VECTORS; ++i)
                bits |= (uint)(own_first + i < size && IS_FLAGGED(first + own_first + i) == wanted) << i;
#else
#define IS_WANTED(i) (own_first + (i) < size && IS_FLAGGED(first + own_first + (i)) == wanted)
#endif
        for (uint i = 0; i < VECTORS; ++i) own += IS_WANTED(i);
        uint rank = scan_counts_of_group(own, shared, &all);
        uint other = all + own_first - rank;
        for (uint i = 0; i < VECTORS; ++i) {
            uint is_wanted = IS_WANTED(i);
            if (own_first + i < size) places[is_wanted ? rank : other] = (ushort)(own_first + i);
            rank += is_wanted;
            other += 1 - is_wanted;
        }
        BARRIER();
        uint written = keeps_others ? size : all;
        for (uint i = LOCAL_ID; i < written; i += WORK_ITEMS) {
            position_t from = first + places[i], to = i < all ? next + i : next_other + (i - all);
            results[to] = keys[from];
#if VALUE_BITS
            STORE_GLOBAL_VECTOR(value_vec_t, LOAD_GLOBAL_VECTOR(value_vec_t, all_values + from), all_results + to);
#endif
        }
        BARRIER();
        next += all;
        next_other += size - all;
    }
}
