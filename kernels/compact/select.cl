// SPDX-License-Identifier: MIT
/* Parts keys, and their values if they have any, by flags of a byte or, with HAS_PREDICATE, by the caller's predicate:
 * those whose flag is as wanted come first, the others are left out (select) or follow (partition). All keep their
 * order.
 *
 * A selection reads all once, a tile for each work-group (select_tiles), which learns how many are wanted in front of
 * it by look_back.h. Where others follow, their places depend on how many are wanted in all, and a processor rather
 * counts than looks back: then `parts` work-groups have a share of `share` consecutive elements each (count_wanted,
 * write_parts). `wanted` is 1 where flags other than 0 are, or what the predicate holds of, 0 where the others are.
 * Keys, values and flags are only read; arrays are given with the elements before the first one. With a predicate there
 * are no flags, and the argument `flags` is its parameter, if it has one.
 */
#include "cpu/compress.h"
#include "compact/flag_rank.h"

#if WORK_ITEMS > 1
/* A tile is put in order in local memory: its keys, but not records, and their places where values or records need
 * them. */
#define HOLDS_KEYS (!RECORD_BYTES)
#define HOLDS_PLACES (RECORD_BYTES || VALUE_BITS)
#if HOLDS_KEYS
#define HELD_KEYS(of_group, before) DECLARE_LOCAL(key_t, of_group, TILE, before)
#else
#define HELD_KEYS(of_group, before) LOCAL key_t* of_group = 0
#endif
#if HOLDS_PLACES
#define HELD_PLACES(of_group, before) DECLARE_LOCAL(ushort, of_group, TILE, (before) + HOLDS_KEYS * TILE * KEY_BYTES)
#else
#define HELD_PLACES(of_group, before) LOCAL ushort* of_group = 0
#endif
#endif

#if HAS_PREDICATE && !RECORD_BYTES
/* Numbers and what is as wide as one are moved as such. */
INLINE comparator_record as_element(key_t bits) {
    union {
        key_t key;
        comparator_record element;
    } both;
    both.key = bits;
    return both.element;
}
#define AS_ELEMENT(key) as_element(key)
#elif HAS_PREDICATE
#define AS_ELEMENT(key) AS_RECORD(key)
#endif

#if !HAS_PREDICATE
#define FLAG_BYTES 1
#define EIGHT_FLAGS 8
#else
#define FLAG_BYTES PARAMETER_BYTES
#define EIGHT_FLAGS 1 /* There are none, so they are at every address. */
#if PARAMETER_BYTES
#define HOLDS(key) (predicate_holds(AS_ELEMENT(key), *(GLOBAL const predicate_parameter*)flags) != 0)
#else
#define HOLDS(key) (predicate_holds(AS_ELEMENT(key)) != 0)
#endif
#endif

INLINE uint is_wanted(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t i, uint wanted) {
#if HAS_PREDICATE
    return HOLDS(keys[i]) == wanted;
#else
    return (flags[i] != 0) == wanted;
#endif
}

#if WORK_ITEMS > 1
#if HAS_PREDICATE
#define FLAGS_ARE_AT_LEAVES(flags) 1
#else
#define FLAGS_ARE_AT_LEAVES(flags) (((offset_t)(flags) & (KEYS_OF_LEAF - 1)) == 0)

/* A bit for each of four bytes: whether it is other than 0. */
INLINE uint marks_of_word(uint bytes) {
    uint set = (bytes | ((bytes & 0x7f7f7f7f) + 0x7f7f7f7f)) & 0x80808080;
    return (set >> 7) * 0x10204080 >> 28;
}

#if !RECORD_BYTES
/* A bit for each flag of leaf number l. */
INLINE uint marks_of_leaf(GLOBAL const uchar* flags, uint l) {
#if KEYS_OF_LEAF == 16
    uint4 words = ((GLOBAL const uint4*)flags)[l];
    return marks_of_word(words.x) | marks_of_word(words.y) << 4 | marks_of_word(words.z) << 8 |
           marks_of_word(words.w) << 12;
#elif KEYS_OF_LEAF == 8
    uint2 words = ((GLOBAL const uint2*)flags)[l];
    return marks_of_word(words.x) | marks_of_word(words.y) << 4;
#elif KEYS_OF_LEAF == 4
    return marks_of_word(((GLOBAL const uint*)flags)[l]);
#else
    return marks_of_word(((GLOBAL const ushort*)flags)[l]);
#endif
}
#endif
#endif

/* Loads a work-item's keys of the tile `first` .. `end`, but not records; bit v * KEYS_OF_LEAF + k tells whether key k
 * of its leaf v is wanted. */
INLINE uint load_tile(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t first, position_t end,
                      uint wanted, key_t* own) {
    uint marks = 0;
#if !RECORD_BYTES
    if (end - first >= TILE && ((offset_t)(keys + first) & 15) == 0 && FLAGS_ARE_AT_LEAVES(flags + first)) {
        loaded_keys_t leaves[LEAVES_OF_ITEM];
        FOR_LEAVES(v) leaves[v] = load_keys(keys + first, LEAF(v));
#if !HAS_PREDICATE
        FOR_LEAVES(v) marks |= marks_of_leaf(flags + first, LEAF(v)) << v * KEYS_OF_LEAF;
        marks = wanted ? marks : ~marks & (~0u >> (32 - VECTORS));
#endif
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
            key_t key = own[v * KEYS_OF_LEAF + k] = (key_t)key_in(leaves + v, k);
#if HAS_PREDICATE
            marks |= (uint)(HOLDS(key) == wanted) << (v * KEYS_OF_LEAF + k);
#else
            (void)key;
#endif
        }
        return marks;
    }
#endif
#if HOLDS_KEYS
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = first + LEAF(v) * KEYS_OF_LEAF + k;
        if (i < end) own[v * KEYS_OF_LEAF + k] = keys[i];
    }
#endif
    /* One after the other, which takes fewer registers. */
    ROLLED for (uint k = 0; k < VECTORS; ++k) {
        position_t i = first + LEAF(k / KEYS_OF_LEAF) * KEYS_OF_LEAF + k % KEYS_OF_LEAF;
        if (i < end) marks |= is_wanted(flags, keys, i, wanted) << k;
    }
    return marks;
}

/* Puts a tile in order in local memory: the wanted keys, whose number it gives, then the others if they are kept. Local
 * memory: 8 bytes a work-item besides. Barriers: those of rank_marks and one more. */
INLINE uint order_tile(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t first, position_t end,
                       uint wanted, uint keeps_others, LOCAL ulong* shared, LOCAL key_t* ranked, LOCAL ushort* places) {
    key_t own[VECTORS];
    uint marks = load_tile(flags, keys, first, end, wanted, own);
    uint ranks[LEAVES_OF_ITEM];
    uint all = rank_marks(marks, shared, ranks), size = (uint)(end - first < TILE ? end - first : TILE);
    FOR_LEAVES(v) {
        uint rank = ranks[v];
        FOR_KEYS_OF_LEAF(k) {
            uint place = LEAF(v) * KEYS_OF_LEAF + k, mark = marks >> (v * KEYS_OF_LEAF + k) & 1;
            uint to = mark ? rank : all + (place - rank);
            if (mark || (keeps_others && place < size)) {
#if HOLDS_KEYS
                ranked[to] = own[v * KEYS_OF_LEAF + k];
#endif
#if HOLDS_PLACES
                places[to] = (ushort)place;
#endif
            }
            rank += mark;
        }
    }
    BARRIER();
    return all;
}
/* Elements `begin` .. `end` of a tile that is in order go to `to` and behind. */
INLINE void write_ordered(GLOBAL const key_t* keys, position_t first, GLOBAL key_t* results,
                          GLOBAL value_argument_t* values, offset_t values_offset,
                          GLOBAL value_argument_t* result_values, offset_t result_values_offset,
                          LOCAL const key_t* ranked, LOCAL const ushort* places, uint begin, uint end, position_t to) {
#if VALUE_BITS
    values_t all_values = VALUES_AT(values) + values_offset,
             all_results = VALUES_AT(result_values) + result_values_offset;
#endif
    for (uint i = begin + LOCAL_ID; i < end; i += WORK_ITEMS) {
#if HOLDS_KEYS
        results[to + (i - begin)] = ranked[i];
#else
        results[to + (i - begin)] = keys[first + places[i]];
#endif
#if VALUE_BITS
        COPY_VALUE(all_values + (first + places[i]), all_results + (to + (i - begin)));
#endif
    }
}
#else
#if !HAS_COMPRESS
#define IS_AT_EIGHT(flags) (((offset_t)(flags) & (EIGHT_FLAGS - 1)) == 0)

/* Of eight elements from `first` on: byte k is 1 where element k is wanted. Flags are at a multiple of 8. */
INLINE ulong marks_of_eight(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t first, uint wanted) {
#if HAS_PREDICATE
    ulong marks = 0;
    UNROLL for (uint k = 0; k < 8; ++k) marks |= (ulong)is_wanted(flags, keys, first + k, wanted) << 8 * k;
    return marks;
#else
    ulong bytes = *(GLOBAL const ulong*)(flags + first), low = 0x7f7f7f7f7f7f7f7f;
    ulong set = (bytes | ((bytes & low) + low)) >> 7 & 0x0101010101010101;
    return wanted ? set : set ^ 0x0101010101010101;
#endif
}
#endif

/* The elements of `first` .. `last` that are wanted go to `to` .. `end`. Without a branch: each is written, and the
 * next one over it if it does not belong there. So are vectors, whose last lanes seldom belong there. But nothing is
 * written at `end`, which is another work-group's. */
INLINE void write_wanted(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t first, position_t last,
                         uint wanted, GLOBAL key_t* results, GLOBAL value_argument_t* values, offset_t values_offset,
                         GLOBAL value_argument_t* result_values, offset_t result_values_offset, position_t to,
                         position_t end) {
#if VALUE_BITS
    values_t all_values = VALUES_AT(values) + values_offset,
             all_results = VALUES_AT(result_values) + result_values_offset;
#define WRITE_VALUE(i) COPY_VALUE(all_values + (i), all_results + to)
#else
#define WRITE_VALUE(i)
#endif
    for (; to < end && first < last; ++first) {
#if HAS_COMPRESS
        for (; last - first >= 32; first += 32) {
            uint marks = marks_of_32(flags + first, wanted);
            if (end - to >= 32) {
                compress_32((GLOBAL const uchar*)(keys + first), KEY_BITS, marks, (GLOBAL uchar*)(results + to));
#if VALUE_BITS
                compress_32((GLOBAL const uchar*)(all_values + first), VALUE_BITS, marks,
                            (GLOBAL uchar*)(all_results + to));
#endif
            } else if (marks) {
                break;
            }
            to += COUNT_BITS(marks);
        }
#else
        for (; IS_AT_EIGHT(flags + first) && end - to >= 8 && last - first >= 8; first += 8) {
            ulong marks = marks_of_eight(flags, keys, first, wanted);
            UNROLL for (uint k = 0; k < 8; ++k) {
                results[to] = keys[first + k];
                WRITE_VALUE(first + k);
                to += (position_t)(marks >> 8 * k & 1);
            }
        }
#endif
        if (to == end || first == last) return;
        results[to] = keys[first];
        WRITE_VALUE(first);
        to += is_wanted(flags, keys, first, wanted);
    }
}
#endif

/* The elements of each share that are wanted: shares[part].
 * Launched with `parts` work-groups. Requires: any count, any element offset. Local memory: 8 bytes a work-item. */
KERNEL void count_wanted(GLOBAL const uchar* flags, offset_t flags_offset, GLOBAL const key_t* keys,
                         offset_t keys_offset, position_t count, position_t share, uint wanted, GLOBAL ulong* shares,
                         offset_t shares_offset) {
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
            uint4 words = ((GLOBAL const uint4*)(flags + first))[LOCAL_ID];
            uint marks = marks_of_word(words.x) | marks_of_word(words.y) << 4 | marks_of_word(words.z) << 8 |
                         marks_of_word(words.w) << 12;
            found += wanted ? COUNT_BITS(marks) : 16 - COUNT_BITS(marks);
        }
#endif
#if HAS_MARKS_OF_32
    for (; first < end && end - first >= 32; first += 32) found += COUNT_BITS(marks_of_32(flags + first, wanted));
#elif WORK_ITEMS == 1
    for (; first < end && !IS_AT_EIGHT(flags + first); ++first) found += is_wanted(flags, keys, first, wanted);
    for (; first < end && end - first >= 8; first += 8)
        found += (position_t)(marks_of_eight(flags, keys, first, wanted) * 0x0101010101010101 >> 56);
#endif
    for (position_t i = first + LOCAL_ID; i < end; i += WORK_ITEMS) found += is_wanted(flags, keys, i, wanted);
    scan_group(SUM, found, shared, &all);
    if (LOCAL_ID == 0) shares[shares_offset + GROUP_ID] = all;
}

/* Writes the elements of each share to their places, and how many are wanted in all. Each work-group adds up for itself
 * what those in front of it and all have counted.
 * Launched after count_wanted, with `parts` work-groups. Requires: tiles of no more than 2^16 elements. Local memory:
 * 128 bytes and 8 a work-item, a tile's keys and as many integers of 2 bytes; of one work-item 8 bytes. */
KERNEL void write_parts(GLOBAL const uchar* flags, offset_t flags_offset, position_t count, position_t share,
                        uint wanted, uint keeps_others, GLOBAL const ulong* shares, offset_t shares_offset, uint parts,
                        GLOBAL const key_t* keys, offset_t keys_offset, GLOBAL key_t* results, offset_t results_offset,
                        GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL value_argument_t* result_values,
                        offset_t result_values_offset, GLOBAL ulong* answer, offset_t answer_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    flags += flags_offset * FLAG_BYTES;
    keys += keys_offset;
    results += results_offset;
    shares += shares_offset;
    ulong in_front = 0, in_all = 0;
    for (uint part = LOCAL_ID; part < parts; part += WORK_ITEMS) {
        in_front += part < GROUP_ID ? shares[part] : 0;
        in_all += shares[part];
    }
    scan_group(SUM, in_front, shared, &in_front);
    scan_group(SUM, in_all, shared, &in_all);
    if (GROUP_ID == 0 && LOCAL_ID == 0) answer[answer_offset] = in_all;
    position_t first = GROUP_ID * share, end = end_of_share(first, share, count);
    position_t next = (position_t)in_front, next_other = (position_t)in_all + first - next;
#if WORK_ITEMS == 1
    position_t next_end = next + (position_t)shares[GROUP_ID];
    write_wanted(flags, keys, first, end, wanted, results, values, values_offset, result_values, result_values_offset,
                 next, next_end);
    if (keeps_others)
        write_wanted(flags, keys, first, end, !wanted, results, values, values_offset, result_values,
                     result_values_offset, next_other, next_other + (end - first) - (next_end - next));
#else
    HELD_KEYS(ranked, 8 * WORK_ITEMS + 128);
    HELD_PLACES(places, 8 * WORK_ITEMS + 128);
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE)) {
        uint size = (uint)(end - first < TILE ? end - first : TILE);
        uint all = order_tile(flags, keys, first, end, wanted, keeps_others, shared, ranked, places);
        write_ordered(keys, first, results, values, values_offset, result_values, result_values_offset, ranked, places,
                      0, all, next);
        if (keeps_others)
            write_ordered(keys, first, results, values, values_offset, result_values, result_values_offset, ranked,
                          places, all, size, next_other);
        next += all;
        next_other += size - all;
        BARRIER();
    }
#endif
}

#if WORK_ITEMS > 1
typedef position_t number_t;
#define NUMBER_BITS POSITION_BITS
#define IDENTITY 0
INLINE number_t combine(number_t a, number_t b) { return a + b; }
#include "common/look_back.h"

/* How many a work-item finds in a tile. */
INLINE number_t count_tile(GLOBAL const uchar* flags, GLOBAL const key_t* keys, position_t first, position_t count,
                           uint wanted) {
    number_t own = 0;
    ROLLED for (position_t i = first + LOCAL_ID; i < count && i - first < TILE; i += WORK_ITEMS)
        own += is_wanted(flags, keys, i, wanted);
    return own;
}

/* Writes the wanted elements to their places, and how many they are, in one read. `status` is zeroes.
 * Launched with a work-group for each tile, and one where there are no elements. Requires: any count, any element
 * offset. Local memory: as write_parts. */
KERNEL void select_tiles(GLOBAL const uchar* flags, offset_t flags_offset, position_t count, uint wanted, uint tries,
                         GLOBAL status_t* status, offset_t status_offset, GLOBAL const key_t* keys,
                         offset_t keys_offset, GLOBAL key_t* results, offset_t results_offset,
                         GLOBAL value_argument_t* values, offset_t values_offset,
                         GLOBAL value_argument_t* result_values, offset_t result_values_offset, GLOBAL ulong* answer,
                         offset_t answer_offset) {
    DECLARE_LOCAL(ulong, shared, WORK_ITEMS, 0);
    DECLARE_LOCAL(uint, found, 32, 8 * WORK_ITEMS);
    HELD_KEYS(ranked, 8 * WORK_ITEMS + 128);
    HELD_PLACES(places, 8 * WORK_ITEMS + 128);
    flags += flags_offset * FLAG_BYTES;
    keys += keys_offset;
    results += results_offset;
    status += status_offset;
    offset_t tile = GROUP_ID;
    /* A rehearsal has more tiles than elements. */
    position_t begin = GROUP_ID * TILE, first = begin < count ? begin : count;
    uint all = order_tile(flags, keys, first, count, wanted, 0, shared, ranked, places);
    LOOK_BACK(in_front, status, tile, (number_t)all, tries, (LOCAL number_t*)shared, found, missing,
              count_tile(flags, keys, (position_t)missing * TILE, count, wanted));
    write_ordered(keys, first, results, values, values_offset, result_values, result_values_offset, ranked, places, 0,
                  all, in_front);
    if (LOCAL_ID == 0 && count - first <= TILE) answer[answer_offset] = in_front + all;
}
#endif
