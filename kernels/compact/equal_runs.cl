// SPDX-License-Identifier: MIT
/* The runs of equal keys that a sorted array is made of: unique and run_lengths. In this file a run is one of those.
 *
 * `parts` work-groups have a share of `share` consecutive keys each: count_runs, scan_shares by one work-group,
 * write_runs. A run begins at a key that differs from the one in front of it in some bit; of records, if one of the two
 * comes before the other. The keys and their values, if they have any, are only read; arrays are given with the
 * elements before the first one. INDEX_BITS are those of the lengths of runs, 0 where nobody wants them.
 * Every key is looked at, whatever the others are; only where write_runs reads the keys of runs once more, and how much
 * it writes, depends on the keys.
 */
#include "common/group_scan.h"
#include "common/int_number.h"
#include "common/key_order.h"
#include "common/head_flags.h"

#define TILE (WORK_ITEMS * VECTORS)

#include "cpu/vector4.h"

INLINE uint begins_run(GLOBAL const key_t* keys, position_t i) {
    if (i == 0) return 1;
#if RECORD_BYTES
    vec_t last = LOAD_GLOBAL_VECTOR(vec_t, keys + i - 1), key = LOAD_GLOBAL_VECTOR(vec_t, keys + i);
    return record_before(last, key) || record_before(key, last);
#else
    return keys[i - 1] != keys[i];
#endif
}

/* Of each share: shares[2 * part] runs begin in it, the last of them at key shares[2 * part + 1]; 0 where none does,
 * which is where the first run of all begins.
 * Launched with `parts` work-groups. Requires: any count, any element offset, LANES 1. Local memory: 8 bytes a
 * work-item.
 * Barriers: two scans of the group. */
KERNEL void count_runs(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                       GLOBAL ulong* shares, offset_t shares_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    keys += keys_offset;
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
    position_t runs = 0, last = 0;
    for (position_t i = first + LOCAL_ID; i < end; i += WORK_ITEMS) {
        uint begins = begins_run(keys, i);
        runs += begins;
        last = begins ? i : last;
    }
    ulong all_runs, very_last;
    scan_group(SUM, runs, shared, &all_runs);
    scan_group(LARGEST, last, shared, &very_last);
    if (LOCAL_ID == 0) {
        shares[shares_offset + 2 * GROUP_ID] = all_runs;
        shares[shares_offset + 2 * GROUP_ID + 1] = very_last;
    }
}

/* Makes of them the runs that begin before each share, and where the last of those does. Writes how many runs there are
 * in all, and the length of the last one.
 * Launched after count_runs, with one work-group. Local memory: 8 bytes a work-item. Barriers: two scans of the
 * group. */
KERNEL void scan_shares(GLOBAL ulong* shares, offset_t shares_offset, uint parts, position_t count,
                        GLOBAL ulong* answer, offset_t answer_offset, GLOBAL index_t* lengths,
                        offset_t lengths_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    shares += shares_offset;
    uint parts_of_item = (parts + WORK_ITEMS - 1) / WORK_ITEMS;
    uint first = LOCAL_ID * parts_of_item, end = MIN(first + parts_of_item, parts);
    ulong runs = 0, last = 0, all_runs, very_last;
    for (uint part = first; part < end; ++part) {
        runs += shares[2 * part];
        last = MAX(last, shares[2 * part + 1]);
    }
    runs = scan_group(SUM, runs, shared, &all_runs);
    last = scan_group(LARGEST, last, shared, &very_last);
    for (uint part = first; part < end; ++part) {
        ulong runs_of_share = shares[2 * part], last_of_share = shares[2 * part + 1];
        shares[2 * part] = runs;
        shares[2 * part + 1] = last;
        runs += runs_of_share;
        last = MAX(last, last_of_share);
    }
    if (LOCAL_ID == 0) {
        answer[answer_offset] = all_runs;
#if INDEX_BITS
        indices_t all_lengths = INDICES_AT(lengths) + lengths_offset;
        if (all_runs > 0) STORE_GLOBAL_VECTOR(index_vec_t, (index_t)(count - very_last), all_lengths + (all_runs - 1));
#endif
    }
}

/* The first key of each run with its value, and the length of the run before it. The runs of a tile of WORK_ITEMS *
 * VECTORS keys are ranked in local memory, so that neighbouring work-items write neighbouring ones. With `marks` it
 * leaves what head_flags.h says.
 * Launched after scan_shares, with `parts` work-groups. Requires: tiles of no more than 2^16 keys. Local memory: 8
 * bytes a work-item and 3 bytes a key of the tile. Barriers: in each tile one scan of the group and two more. */
KERNEL void write_runs(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                       GLOBAL const ulong* shares, offset_t shares_offset, GLOBAL key_t* distinct,
                       offset_t distinct_offset, GLOBAL value_argument_t* values, offset_t values_offset,
                       GLOBAL value_argument_t* kept, offset_t kept_offset, GLOBAL index_t* lengths,
                       offset_t lengths_offset, uint marks, GLOBAL ushort* begins_of_all, offset_t begins_offset,
                       GLOBAL ulong* bases, offset_t bases_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    DECLARE_LOCAL(ushort, places, TILE, 8 * WORK_ITEMS);
    DECLARE_LOCAL(uchar, begins, TILE, 8 * WORK_ITEMS + 2 * TILE);
    keys += keys_offset;
    shares += shares_offset + 2 * GROUP_ID;
    ulong in_front = shares[0];
    distinct += distinct_offset + in_front;
#if VALUE_BITS
    values_t all_values = VALUES_AT(values) + values_offset;
    values_t kept_values = VALUES_AT(kept) + (kept_offset + shares[0]);
#endif
#if INDEX_BITS
    indices_t all_lengths = INDICES_AT(lengths) + (lengths_offset + shares[0]);
    position_t last = (position_t)shares[1];
#endif
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
    for (; first < end; first += TILE) {
        uint size = (uint)(end_of_share(first, TILE, end) - first);
        for (uint i = LOCAL_ID; i < TILE; i += WORK_ITEMS) begins[i] = i < size && begins_run(keys, first + i);
        BARRIER();
        uint own_first = LOCAL_ID * VECTORS, own = 0;
        for (uint i = 0; i < VECTORS; ++i) own += begins[own_first + i];
        if (marks) {
            for (uint i = LOCAL_ID; i < TILE / MARKED_KEYS; i += WORK_ITEMS) {
                uint mark = 0;
                for (uint k = 0; k < MARKED_KEYS; ++k) mark |= (uint)begins[i * MARKED_KEYS + k] << k;
                begins_of_all[begins_offset + first / MARKED_KEYS + i] = (ushort)mark;
            }
            if (LOCAL_ID == 0 && first % REDUCED_KEYS == 0) bases[bases_offset + first / REDUCED_KEYS] = in_front;
        }
        ulong runs;
        uint rank = (uint)scan_group(SUM, own, shared, &runs);
        for (uint i = 0; i < VECTORS; ++i)
            if (begins[own_first + i]) places[rank++] = (ushort)(own_first + i);
        BARRIER();
        for (uint i = LOCAL_ID; i < runs; i += WORK_ITEMS) {
            position_t begin = first + places[i];
            distinct[i] = keys[begin];
#if VALUE_BITS
            COPY_VALUE(all_values + begin, kept_values + i);
#endif
#if INDEX_BITS
            position_t run_before = i > 0 ? first + places[i - 1] : last;
            if (begin > 0) STORE_GLOBAL_VECTOR(index_vec_t, (index_t)(begin - run_before), all_lengths + ((long)i - 1));
#endif
        }
        distinct += runs;
        in_front += runs;
#if VALUE_BITS
        kept_values += runs;
#endif
#if INDEX_BITS
        all_lengths += runs;
        if (runs > 0) last = first + places[runs - 1];
#endif
    }
}

/* Where runs begin, as head_flags.h has it, and from where to where there are keys; of keys in any order, for those
 * that are equal to the one in front.
 * Launched with `parts` work-groups. Requires: tiles of a multiple of 16 keys. Local memory: a byte a key of the tile,
 * behind that of write_runs. Barriers: in each tile two. Where there are fours, neither. */
KERNEL void mark_runs(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                      GLOBAL ushort* marks, offset_t marks_offset, GLOBAL ulong* inside, offset_t inside_offset) {
#if !HAS_FOURS
    DECLARE_LOCAL(uchar, begins, TILE, 8 * WORK_ITEMS + 2 * TILE);
#endif
    keys += keys_offset;
    marks += marks_offset;
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
#if HAS_FOURS
    for (; first < end; first += MIN(end - first, (position_t)MARKED_KEYS)) {
        four_t begin = ALL_FOUR(0);
        uint mark = 0;
        if (first > 0 && end - first >= MARKED_KEYS) {
            UNROLL for (uint k = 0; k < MARKED_KEYS; k += 4)
                begin |= DIFFERENT(load_four(keys + first + k - 1), load_four(keys + first + k)) & (LANE_BITS << k);
            begin |= UP_2(begin, begin);
            mark = (uint)FIRST_OF(LAST_OF(begin | UP_1(begin, begin)));
        } else {
            for (uint k = 0; k < MARKED_KEYS && k < end - first; ++k) mark |= begins_run(keys, first + k) << k;
        }
        marks[first / MARKED_KEYS] = (ushort)mark;
    }
#else
    for (; first < end; first += TILE) {
        uint size = (uint)(end_of_share(first, TILE, end) - first);
        for (uint i = LOCAL_ID; i < TILE; i += WORK_ITEMS) begins[i] = i < size && begins_run(keys, first + i);
        BARRIER();
        for (uint i = LOCAL_ID; i < (size + MARKED_KEYS - 1) / MARKED_KEYS; i += WORK_ITEMS) {
            uint mark = 0;
            for (uint k = 0; k < MARKED_KEYS; ++k) mark |= (uint)begins[i * MARKED_KEYS + k] << k;
            marks[first / MARKED_KEYS + i] = (ushort)mark;
        }
        BARRIER();
    }
#endif
    if (GROUP_ID == 0 && LOCAL_ID == 0) {
        inside[inside_offset] = 0;
        inside[inside_offset + 1] = count;
    }
}
