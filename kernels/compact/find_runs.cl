// SPDX-License-Identifier: MIT
/* The runs of equal keys that a sorted array is made of, in one read: unique and run_lengths, of results in another
 * array than the keys. A run begins where equal_runs.cl says.
 *
 * A work-group has a tile of WORK_ITEMS * VECTORS keys, publishes how many runs begin in it and where the last one
 * does, and learns that of all tiles in front by look_back.h. `status` is zeroes. With `marks` it leaves what
 * head_flags.h says. INDEX_BITS are those of the lengths of runs, 0 where nobody wants them: then there are fewer than
 * 2^31 keys.
 */
#include "compact/flag_rank.h"
#include "common/head_flags.h"

#if WORK_ITEMS == 1
#error "To find runs, WORK_ITEMS must be more than 1."
#endif

/* Runs, and, in the higher half, where the last of them begins. */
#if INDEX_BITS
typedef ulong number_t;
#define NUMBER_BITS 62
#define RUNS_OF(number) ((number) & 0x7fffffff)
#define LAST_OF(number) ((number) >> 31)
#define NUMBER_OF(runs, last) ((number_t)(last) << 31 | (runs))
INLINE number_t combine(number_t a, number_t b) {
    return RUNS_OF(a) + RUNS_OF(b) + NUMBER_OF(0, MAX(LAST_OF(a), LAST_OF(b)));
}
#else
typedef position_t number_t;
#define NUMBER_BITS POSITION_BITS
#define RUNS_OF(number) (number)
#define NUMBER_OF(runs, last) ((number_t)(runs))
INLINE number_t combine(number_t a, number_t b) { return a + b; }
#endif
#define IDENTITY 0
#include "common/look_back.h"

/* Keys are put in order in local memory, records by their places alone; so are values, and lengths need places. */
#define HOLDS_KEYS (!RECORD_BYTES)
#define HOLDS_PLACES (RECORD_BYTES || VALUE_BITS || INDEX_BITS)
/* Counts, and the marks of each leaf. */
#define OF_ITEMS_BYTES ((8 + 2 * LEAVES_OF_ITEM) * WORK_ITEMS)

INLINE uint differ(vec_t last, vec_t key) {
#if RECORD_BYTES
    return record_before(last, key) || record_before(key, last);
#else
    return last != key;
#endif
}

INLINE uint begins_run(GLOBAL const key_t* keys, position_t i) {
    return i == 0 || differ(LOAD_GLOBAL_VECTOR(vec_t, keys + i - 1), LOAD_GLOBAL_VECTOR(vec_t, keys + i));
}

/* What a work-item has of the runs that begin in a tile, in any order. */
INLINE number_t count_runs(GLOBAL const key_t* keys, position_t first, position_t count) {
    number_t own = IDENTITY;
    ROLLED for (position_t i = first + LOCAL_ID; i < count && i - first < TILE; i += WORK_ITEMS)
        if (begins_run(keys, i)) own = combine(own, NUMBER_OF(1, i));
    return own;
}

/* Loads a work-item's keys; bit v * KEYS_OF_LEAF + k tells whether a run begins at key k of its leaf v. */
INLINE uint load_tile(GLOBAL const key_t* keys, position_t first, position_t count, vec_t* own) {
    uint begins = 0;
#if !RECORD_BYTES
    if (((offset_t)(keys + first) & 15) == 0 && first < count && count - first >= TILE) {
        loaded_keys_t leaves[LEAVES_OF_ITEM];
        FOR_LEAVES(v) leaves[v] = load_keys(keys + first, LEAF(v));
        FOR_LEAVES(v) {
            FOR_KEYS_OF_LEAF(k) own[v * KEYS_OF_LEAF + k] = key_in(leaves + v, k);
            position_t i = first + LEAF(v) * KEYS_OF_LEAF;
#if IN_WARPS
            vec_t last = (vec_t)SHUFFLE_UP(own[v * KEYS_OF_LEAF + KEYS_OF_LEAF - 1], 1);
            if (LOCAL_ID % 32 == 0) last = i > 0 ? keys[i - 1] : 0;
#else
            vec_t last = i > 0 ? keys[i - 1] : 0;
#endif
            FOR_KEYS_OF_LEAF(k) {
                begins |= (uint)(last != own[v * KEYS_OF_LEAF + k]) << (v * KEYS_OF_LEAF + k);
                last = own[v * KEYS_OF_LEAF + k];
            }
        }
        if (first == 0 && LOCAL_ID == 0) begins |= 1;
        return begins;
    }
#endif
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = first + LEAF(v) * KEYS_OF_LEAF + k;
        if (i < count) {
            own[v * KEYS_OF_LEAF + k] = LOAD_GLOBAL_VECTOR(vec_t, keys + i);
            begins |= begins_run(keys, i) << (v * KEYS_OF_LEAF + k);
        }
    }
    return begins;
}

/* The first key of each run with its value, and the length of the run before it; how many runs there are, and the
 * length of the last one.
 * Launched with a work-group for each tile, and one where there are no keys. Requires: any count, any element offset,
 * tiles of no more than 2^15 keys, and with marks of no more than REDUCED_KEYS. Local memory: 128 bytes, 8 for each
 * work-item, 2 for each leaf, the keys of the tile, and 2 bytes for each of these where there are values or lengths. */
KERNEL void find_runs(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, uint tries,
                      GLOBAL status_t* status, offset_t status_offset, GLOBAL key_t* distinct, offset_t distinct_offset,
                      GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL value_argument_t* kept,
                      offset_t kept_offset, GLOBAL index_t* lengths, offset_t lengths_offset, GLOBAL ulong* answer,
                      offset_t answer_offset, uint marks, GLOBAL ushort* begins_of_all, offset_t begins_offset,
                      GLOBAL ulong* bases, offset_t bases_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    DECLARE_LOCAL(ushort, of_leaf, WORK_ITEMS * LEAVES_OF_ITEM, 8 * WORK_ITEMS);
    DECLARE_LOCAL(uint, found, 32, OF_ITEMS_BYTES);
#if HOLDS_KEYS
    DECLARE_LOCAL(key_t, ranked, TILE, OF_ITEMS_BYTES + 128);
#endif
#if HOLDS_PLACES
    DECLARE_LOCAL(ushort, places, TILE, OF_ITEMS_BYTES + 128 + HOLDS_KEYS * TILE * KEY_BYTES);
#endif
    keys += keys_offset;
    status += status_offset;
    offset_t tile = GROUP_ID;
    position_t begin = GROUP_ID * TILE, first = begin < count ? begin : count;
    vec_t own[VECTORS];
    uint begins = load_tile(keys, first, count, own);

    uint ranks[LEAVES_OF_ITEM];
    uint runs = rank_marks(begins, shared, ranks);
    FOR_LEAVES(v) {
        uint rank = ranks[v];
        FOR_KEYS_OF_LEAF(k)
            if (begins >> (v * KEYS_OF_LEAF + k) & 1) {
#if HOLDS_KEYS
                ranked[rank] = own[v * KEYS_OF_LEAF + k];
#endif
#if HOLDS_PLACES
                places[rank] = (ushort)(LEAF(v) * KEYS_OF_LEAF + k);
#endif
                ++rank;
            }
        if (marks) of_leaf[LEAF(v)] = (ushort)MARKS_OF_LEAF(begins, v);
    }
    BARRIER();
    if (marks)
        for (uint i = LOCAL_ID; i < TILE / MARKED_KEYS; i += WORK_ITEMS) {
            uint mark = 0;
            UNROLL for (uint l = 0; l < MARKED_KEYS / KEYS_OF_LEAF; ++l)
                mark |= (uint)of_leaf[i * (MARKED_KEYS / KEYS_OF_LEAF) + l] << l * KEYS_OF_LEAF;
            begins_of_all[begins_offset + begin / MARKED_KEYS + i] = (ushort)mark;
        }

#if INDEX_BITS
    number_t total = runs > 0 ? NUMBER_OF(runs, first + places[runs - 1]) : IDENTITY;
#else
    number_t total = NUMBER_OF(runs, 0);
#endif
    LOOK_BACK(in_front, status, tile, total, tries, (LOCAL number_t*)shared, found, missing,
              count_runs(keys, (position_t)missing * TILE, count));

    distinct += distinct_offset + RUNS_OF(in_front);
#if VALUE_BITS
    values_t all_values = VALUES_AT(values) + values_offset,
             kept_values = VALUES_AT(kept) + (kept_offset + RUNS_OF(in_front));
#endif
#if INDEX_BITS
    indices_t all_lengths = INDICES_AT(lengths) + (lengths_offset + RUNS_OF(in_front));
#endif
    ROLLED for (uint i = LOCAL_ID; i < runs; i += WORK_ITEMS) {
#if HOLDS_PLACES
        position_t from = first + places[i];
#endif
#if HOLDS_KEYS
        distinct[i] = ranked[i];
#else
        distinct[i] = keys[from];
#endif
#if VALUE_BITS
        COPY_VALUE(all_values + from, kept_values + i);
#endif
#if INDEX_BITS
        position_t run_before = i > 0 ? first + places[i - 1] : (position_t)LAST_OF(in_front);
        if (from > 0) STORE_GLOBAL_VECTOR(index_vec_t, (index_t)(from - run_before), all_lengths + ((long)i - 1));
#endif
    }
    if (marks && LOCAL_ID == 0 && begin % REDUCED_KEYS == 0)
        bases[bases_offset + begin / REDUCED_KEYS] = RUNS_OF(in_front);
    if (LOCAL_ID == 0 && count - first <= TILE) {
        number_t all = combine(in_front, total);
        answer[answer_offset] = RUNS_OF(all);
#if INDEX_BITS
        if (count > 0)
            STORE_GLOBAL_VECTOR(index_vec_t, (index_t)(count - (position_t)LAST_OF(all)),
                                all_lengths + ((long)runs - 1));
#endif
    }
}
