// SPDX-License-Identifier: MIT
/* Scans: what the keys up to each one of a row are combined to, with it (inclusive) or without it (exclusive).
 *
 * Keys are combined by a tree that is the same on every device, so that sums of floating-point numbers have the same
 * bits everywhere. A row is cut into blocks of `share` keys (lib/src/ops/reduce/reduce_schedule.hpp), a block into
 * bundles of 32 leaves, and a leaf has 16 bytes:
 *   1. a leaf combines its keys in their order: the first, the first two, ..;
 *   2. leaf l of a bundle combines all up to it in five steps: in step s with what leaf l - 2^s has by then, if there
 *   is one;
 *   3. bundles of a block are combined in their order, beginning with the identity: so is what is in front of each, and
 *   the block;
 *   4. the blocks' are scanned as a row is that is one block, which gives what is in front of each: by a launch or,
 *      where they are few, by each work-group for its own block;
 *   5. a key's result is that of blocks with that of bundles in front, combined with this: that of leaves in front with
 *      that of the leaf's keys.
 * Where runs of keys are scanned, each by itself, that is the tree of all keys, and whatever is combined there is a
 * part: a number, and whether a run begins in it. Of two parts the first is left out if a run begins in the second. So
 * a result depends on where in the array its run lies, and on no key in front of that.
 *
 * A file that includes this has defined, after key_order.h: order_t, number_t, IDENTITY, combine(a, b),
 * number_of_key(key, order), key_of(number, order), LOOKS_BACK: 1 where the order of combining does not matter, so that
 * tiles in front may be combined as they come; and HAS_RUNS: 1 where runs are scanned (head_flags.h tells where they
 * begin). These have one row.
 */
#ifndef SCAN_H
#define SCAN_H
#if !RECORD_BYTES
#include "common/loaded_keys.h"
#endif
#include "common/head_flags.h"
#include "common/look_back_words.h"

#if LANES != 1 || WORK_ITEMS * VECTORS % 32 != 0
#error "To scan keys, LANES must be 1, and WORK_ITEMS * VECTORS a multiple of 32."
#endif

/* A power of two. Of records a leaf has as many as fit 16 bytes, or one. */
#if !RECORD_BYTES
#define KEYS_OF_LEAF KEYS_OF_16_BYTES
#elif RECORD_BYTES > 8
#define KEYS_OF_LEAF 1
#elif RECORD_BYTES > 4
#define KEYS_OF_LEAF 2
#elif RECORD_BYTES > 2
#define KEYS_OF_LEAF 4
#elif RECORD_BYTES > 1
#define KEYS_OF_LEAF 8
#else
#define KEYS_OF_LEAF 16
#endif
/* Work-item i has leaves i, i + WORK_ITEMS, .. of a tile. */
#define TILE_LEAVES (WORK_ITEMS * VECTORS)
#define TILE_KEYS (TILE_LEAVES * KEYS_OF_LEAF)
#define OWN_KEYS (VECTORS * KEYS_OF_LEAF)
#define BUNDLES (TILE_LEAVES / 32)
#define IN_WARPS (HAS_SHUFFLES && WORK_ITEMS >= 32 && !RECORD_BYTES)
/* A processor combines by the tree in vectors, and what may be combined in any order by vector4.h. */
#define IN_VECTORS (WORK_ITEMS == 1 && VECTORS == 32 && !LOOKS_BACK && !HAS_RUNS && !RECORD_BYTES)
#define IN_ORDER (WORK_ITEMS == 1 && LOOKS_BACK && HAS_FOURS)
#define LOCAL_PARTS (TILE_LEAVES + 16 * IN_VECTORS)
#define LEAF(v) (LOCAL_ID + (v) * WORK_ITEMS)
#if WORK_ITEMS == 1
#define FOR_LEAVES(v) for (uint v = 0; v < VECTORS; ++v)
#else
#define FOR_LEAVES(v) UNROLL for (uint v = 0; v < VECTORS; ++v)
#endif
#define FOR_KEYS_OF_LEAF(k) UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k)

/* Whether a run begins at key k of leaf v, or at any up to it. */
#if HAS_RUNS
#define BEGINS(v, k) (begins[v] >> (k) & 1)
#define BEGINS_UP_TO(v, k) ((begins[v] & ((2u << (k)) - 1)) != 0)
#else
#define BEGINS(v, k) 0
#define BEGINS_UP_TO(v, k) 0
#endif

#if HAS_RUNS
typedef struct {
    number_t number;
    uint begins;
} part_t;

INLINE part_t part_of(number_t number, uint begins) {
    part_t part = {number, begins};
    return part;
}
INLINE part_t combine_parts(part_t a, part_t b) {
    part_t all = {b.begins ? b.number : combine(a.number, b.number), a.begins | b.begins};
    return all;
}
#define NUMBER_IN(part) ((part).number)
#define BEGINS_IN(part) ((part).begins)
#if IN_WARPS
INLINE part_t part_in_front(part_t part, uint distance) {
    return part_of(SHUFFLE_UP(part.number, distance), SHUFFLE_UP(part.begins, distance));
}
INLINE part_t part_from(part_t part, uint lane) {
    return part_of(SHUFFLE(part.number, lane), SHUFFLE(part.begins, lane));
}
#endif
#else
typedef number_t part_t;
#define part_of(number, begins) (number)
#define combine_parts(a, b) combine(a, b)
#define NUMBER_IN(part) (part)
#define BEGINS_IN(part) 0u
#define part_in_front(part, distance) SHUFFLE_UP(part, distance)
#define part_from(part, lane) SHUFFLE(part, lane)
#endif
#define NO_PART part_of(IDENTITY, 0)

/* Where runs begin in a tile's leaves, a bit for each key. */
INLINE void load_begins(GLOBAL const ushort* marks, position_t first, position_t end, uint* begins) {
#if HAS_RUNS
    FOR_LEAVES(v) {
        position_t i = LEAF(v) * KEYS_OF_LEAF;
        begins[v] = i < end - first ? begins_from(marks, first + i) & ((1u << KEYS_OF_LEAF) - 1) : 0;
    }
#endif
}

/* The keys of tile `first` .. `end`, those behind the end as the identity. `is_aligned`: 16 bytes may be loaded at
 * once. */
INLINE void load_tile(GLOBAL const key_t* keys, position_t first, position_t end, uint is_aligned, order_t order,
                      number_t* numbers) {
#if WORK_ITEMS > 1 && !RECORD_BYTES
    if (is_aligned && end - first >= TILE_KEYS) {
        loaded_keys_t leaves[VECTORS];
        FOR_LEAVES(v) leaves[v] = load_keys(keys + first, LEAF(v));
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) numbers[v * KEYS_OF_LEAF + k] = number_of_key(key_in(leaves + v, k), order);
        return;
    }
#endif
#if IN_VECTORS
    if (end - first >= TILE_KEYS) {
        for (uint i = 0; i < OWN_KEYS; ++i) numbers[i] = number_of_key(keys[first + i], order);
        return;
    }
#endif
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = LEAF(v) * KEYS_OF_LEAF + k;
        numbers[v * KEYS_OF_LEAF + k] = i < end - first ? number_of_key(keys[first + i], order) : IDENTITY;
    }
}

/* The results of tile `first` .. `end` but for the first `skipped`. */
INLINE void store_tile(GLOBAL key_t* results, position_t first, position_t skipped, position_t end, uint is_aligned,
                       order_t order, const number_t* numbers) {
#if WORK_ITEMS > 1 && !RECORD_BYTES
    if (is_aligned && skipped == 0 && end - first >= TILE_KEYS) {
        FOR_LEAVES(v) {
            loaded_keys_t leaf = {{0, 0, 0, 0}};
            FOR_KEYS_OF_LEAF(k) put_key_in(&leaf, k, key_of(numbers[v * KEYS_OF_LEAF + k], order));
            store_keys(results + first, LEAF(v), leaf);
        }
        return;
    }
#endif
#if IN_VECTORS
    if (end - first >= TILE_KEYS) {
        for (uint i = 0; i < OWN_KEYS; ++i) results[first + i] = key_of(numbers[i], order);
        return;
    }
#endif
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = LEAF(v) * KEYS_OF_LEAF + k;
        if (i < end - first && i >= skipped) results[first + i] = key_of(numbers[v * KEYS_OF_LEAF + k], order);
    }
}

/* Steps 1 to 3: combines the keys of each leaf, gives what is in front of the leaf in its bundle and what is in front
 * of that, from `carry` on, and makes of the carry what is in front of the next tile. Local memory: TILE_LEAVES
 * parts. */
INLINE part_t scan_tile(number_t* numbers, const uint* begins, part_t* leaves_before, part_t* bundles_before,
                        part_t carry, LOCAL part_t* shared) {
    FOR_LEAVES(v)
        UNROLL for (uint k = 1; k < KEYS_OF_LEAF; ++k)
            numbers[v * KEYS_OF_LEAF + k] = BEGINS(v, k) ? numbers[v * KEYS_OF_LEAF + k]
                                                         : combine(numbers[v * KEYS_OF_LEAF + k - 1],
                                                                   numbers[v * KEYS_OF_LEAF + k]);
#define PART_OF_LEAF(v) part_of(numbers[(v) * KEYS_OF_LEAF + KEYS_OF_LEAF - 1], begins[v] != 0)
#if IN_WARPS
    FOR_LEAVES(v) {
        part_t all = PART_OF_LEAF(v);
        UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
            part_t before = part_in_front(all, apart);
            all = LOCAL_ID % 32 >= apart ? combine_parts(before, all) : all;
        }
        part_t before = part_in_front(all, 1);
        leaves_before[v] = LOCAL_ID % 32 > 0 ? before : NO_PART;
        if (LOCAL_ID % 32 == 31) shared[LEAF(v) / 32] = all;
    }
    BARRIER();
#define BUNDLE_TOTAL(b) shared[b]
#elif IN_VECTORS
    /* With identities in front, each step is a sum of vectors. They leave the bits as they are, but of a zero's sign,
     * which the identity that a block begins with takes away. */
    LOCAL part_t* lanes = shared + 16;
    UNROLL for (uint l = 0; l < 16; ++l) shared[l] = NO_PART;
    FOR_LEAVES(v) lanes[v] = PART_OF_LEAF(v);
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        FOR_LEAVES(v) leaves_before[v] = shared[16 + v - apart];
        FOR_LEAVES(v) lanes[v] = combine_parts(leaves_before[v], lanes[v]);
    }
    FOR_LEAVES(v) leaves_before[v] = shared[15 + v];
#define BUNDLE_TOTAL(b) lanes[32 * (b) + 31]
#else
    FOR_LEAVES(v) shared[LEAF(v)] = PART_OF_LEAF(v);
    BARRIER();
    ROLLED for (uint apart = 1; apart < 32; apart *= 2) {
        FOR_LEAVES(v) leaves_before[v] = LEAF(v) % 32 >= apart ? shared[LEAF(v) - apart] : NO_PART;
        BARRIER();
        FOR_LEAVES(v) shared[LEAF(v)] = combine_parts(leaves_before[v], shared[LEAF(v)]);
        BARRIER();
    }
    FOR_LEAVES(v) leaves_before[v] = LEAF(v) % 32 > 0 ? shared[LEAF(v) - 1] : NO_PART;
#define BUNDLE_TOTAL(b) shared[32 * (b) + 31]
#endif
#if IN_WARPS && LOOKS_BACK && BUNDLES <= 32
    /* Each warp scans the bundles for itself. */
    part_t bundles = LOCAL_ID % 32 < BUNDLES ? shared[LOCAL_ID % 32] : NO_PART;
    UNROLL for (uint apart = 1; apart < BUNDLES; apart *= 2) {
        part_t before = part_in_front(bundles, apart);
        bundles = LOCAL_ID % 32 >= apart ? combine_parts(before, bundles) : bundles;
    }
    FOR_LEAVES(v) {
        uint bundle = LEAF(v) / 32;
        part_t before = part_from(bundles, bundle > 0 ? bundle - 1 : 0);
        bundles_before[v] = bundle > 0 ? combine_parts(carry, before) : carry;
    }
    carry = combine_parts(carry, part_from(bundles, BUNDLES - 1));
#elif WORK_ITEMS >= 32
    FOR_LEAVES(v)
        UNROLL for (uint b = 0; b < WORK_ITEMS / 32; ++b) {
            bundles_before[v] = b == LOCAL_ID / 32 || b == 0 ? carry : bundles_before[v];
            carry = combine_parts(carry, BUNDLE_TOTAL(v * (WORK_ITEMS / 32) + b));
        }
#else
    FOR_LEAVES(v) bundles_before[v] = carry;
    for (uint b = 0; b < BUNDLES; ++b) {
        FOR_LEAVES(v) bundles_before[v] = LEAF(v) / 32 == b ? carry : bundles_before[v];
        carry = combine_parts(carry, BUNDLE_TOTAL(b));
    }
#endif
    BARRIER();
    return carry;
}

/* Step 5, of a work-item's keys. Where `begins_here`, a run begins with the key that it begins at, else behind it. */
INLINE void finish_tile(number_t* numbers, const uint* begins, const part_t* leaves_before,
                        const part_t* bundles_before, number_t in_front, uint is_exclusive, uint begins_here) {
    FOR_LEAVES(v) {
        part_t before = combine_parts(part_of(in_front, 0), bundles_before[v]), in_leaf = NO_PART;
        FOR_KEYS_OF_LEAF(k) {
            part_t to_key = part_of(numbers[v * KEYS_OF_LEAF + k], BEGINS_UP_TO(v, k));
            part_t all = combine_parts(before, combine_parts(leaves_before[v], is_exclusive ? in_leaf : to_key));
            numbers[v * KEYS_OF_LEAF + k] = is_exclusive && begins_here && BEGINS(v, k) ? IDENTITY : NUMBER_IN(all);
            in_leaf = to_key;
        }
    }
}

INLINE uint is_at_16(GLOBAL const key_t* keys) { return ((offset_t)keys & 15) == 0; }

/* Of runs, keys inside[0] .. inside[1] - 1 have results. */
INLINE void store_inside(GLOBAL key_t* results, position_t first, position_t end, GLOBAL const ulong* inside,
                         order_t order, const number_t* numbers) {
#if HAS_RUNS
    position_t from = (position_t)MAX(inside[0], (ulong)first), to = (position_t)MIN(inside[1], (ulong)end);
    if (from < to) store_tile(results, first, from - first, to, is_at_16(results), order, numbers);
#else
    store_tile(results, first, 0, end, is_at_16(results), order, numbers);
#endif
}

#if LOOKS_BACK
#include "common/look_back.h"

/* How many keys a tile has in front of the last run that begins in it; 0 where none does. *begins: one does. */
INLINE position_t keys_before_last_run(GLOBAL const ushort* marks, position_t first, position_t count, uint* begins) {
#if HAS_RUNS
    position_t keys = MIN(count - first, (position_t)TILE_KEYS);
    while (keys > 0 && !(begins_from(marks, first + keys - 1) & 1)) --keys;
    *begins = keys > 0;
    return keys > 0 ? keys - 1 : 0;
#else
    *begins = 0;
    return 0;
#endif
}

/* What a work-item has of the keys of a tile, in any order. */
INLINE number_t combine_keys(GLOBAL const key_t* keys, position_t first, position_t skipped, position_t count,
                             order_t order) {
    number_t own = IDENTITY;
    ROLLED for (position_t i = LOCAL_ID; i < TILE_KEYS; i += WORK_ITEMS)
        if (first + i < count && i >= skipped) own = combine(own, number_of_key(keys[first + i], order));
    return own;
}

/* Scans one row into another array, which is not that of the keys, in one read. `status` is zeroes.
 * Launched with a work-group for each tile. Requires: any count, any element offset. Local memory: TILE_LEAVES parts
 * and 32 integers. */
KERNEL void scan_tiles(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, uint is_exclusive, flip_t mask,
                       flip_t flip, flip_t bias, GLOBAL const ushort* marks, offset_t marks_offset,
                       GLOBAL const ulong* inside, offset_t inside_offset, uint tries, GLOBAL status_t* status,
                       offset_t status_offset, GLOBAL key_t* results, offset_t results_offset) {
    DECLARE_LOCAL(part_t, shared, LOCAL_PARTS, 0);
    DECLARE_LOCAL(uint, found, 32, LOCAL_PARTS * sizeof(part_t));
    order_t order = {mask, flip, bias};
    keys += keys_offset;
    results += results_offset;
    status += status_offset;
    offset_t tile = GROUP_ID;
    /* A rehearsal has more tiles than keys. */
    position_t begin = GROUP_ID * TILE_KEYS, first = begin < count ? begin : count;
    number_t numbers[OWN_KEYS];
    part_t leaves_before[VECTORS], bundles_before[VECTORS];
    uint begins[VECTORS], ends = 0;
    load_tile(keys, first, count, is_at_16(keys), order, numbers);
    load_begins(marks + marks_offset, first, count, begins);
    part_t total = scan_tile(numbers, begins, leaves_before, bundles_before, NO_PART, shared);
    LOOK_BACK_TO_END(
        in_front, status, tile, NUMBER_IN(total), BEGINS_IN(total), tries, (LOCAL number_t*)shared, found, missing,
        combine_keys(keys, (position_t)missing * TILE_KEYS,
                     keys_before_last_run(marks + marks_offset, (position_t)missing * TILE_KEYS, count, &ends), count,
                     order),
        ends);
    finish_tile(numbers, begins, leaves_before, bundles_before, in_front, is_exclusive, 1);
    store_inside(results, first, count, inside + inside_offset, order, numbers);
}
#endif

#if IN_ORDER
/* So many do not stay in the caches, and lines of theirs need not be read before they are written. In place they have
 * been. */
#define STREAMED_BYTES (1u << 25)
/* The identity in those lanes, the others as they are. */
#define IDENTITY_IN(four, lanes) (((four) & ~(lanes)) | (ALL_FOUR(IDENTITY) & (lanes)))
#define BEGINS_AT(marks, i) (HAS_RUNS ? begins_from(marks, i) & 1 : 0)

/* Scans key i, behind what is in front of it, and gives what is in front of the next one. */
INLINE number_t scan_key(GLOBAL const key_t* keys, GLOBAL const ushort* marks, position_t i, number_t in_front,
                         const uint is_exclusive, order_t order, GLOBAL key_t* results) {
    if (BEGINS_AT(marks, i)) in_front = IDENTITY;
    number_t to_key = combine(in_front, number_of_key(keys[i], order));
    results[i] = key_of(is_exclusive ? in_front : to_key, order);
    return to_key;
}

/* Scans keys first .. end - 1, behind what is in front of them. Of four keys each combines what the one in front of it
 * has, then what the one two in front has: so they wait once for what is in front of all, not four times. What lies in
 * front of a run is left out. */
INLINE void scan_by_fours(GLOBAL const key_t* keys, GLOBAL const ushort* marks, position_t first, position_t end,
                          number_t in_front, const uint is_exclusive, order_t order, GLOBAL key_t* results,
                          uint streams) {
    for (; first < end && first % MARKED_KEYS > 0; ++first)
        in_front = scan_key(keys, marks, first, in_front, is_exclusive, order, results);
    four_t before = ALL_FOUR(in_front);
    ROLLED for (; end - first >= MARKED_KEYS; first += MARKED_KEYS) {
        uint bits = HAS_RUNS ? begins_from(marks, first) : 0;
        UNROLL for (uint k = 0; k < MARKED_KEYS; k += 4) {
            const four_t none = ALL_FOUR(0), begin = HAS_RUNS ? LANES_OF(bits >> k) : none;
            four_t to_key = numbers_of_keys(load_four(keys + first + k), order);
            to_key = combine_fours(IDENTITY_IN(UP_1(to_key, ALL_FOUR(IDENTITY)), begin), to_key);
            four_t begun = begin | UP_1(begin, none);
            to_key = combine_fours(IDENTITY_IN(UP_2(to_key, ALL_FOUR(IDENTITY)), begun), to_key);
            begun |= UP_2(begun, none);
            four_t scanned = combine_fours(IDENTITY_IN(before, begun), to_key);
            four_t wanted = is_exclusive ? IDENTITY_IN(UP_1(scanned, before), begin) : scanned;
            before = combine_fours(IDENTITY_IN(before, LAST_OF(begun)), LAST_OF(to_key));
            if (streams) stream_four(keys_of_numbers(wanted, order), results + first + k);
            else store_four(keys_of_numbers(wanted, order), results + first + k);
        }
    }
    END_STREAMS();
    in_front = FIRST_OF(before);
    for (; first < end; ++first) in_front = scan_key(keys, marks, first, in_front, is_exclusive, order, results);
}

#if HAS_RUNS
/* Where the last run begins of those that begin at keys first .. end - 1, or `first` where none does; *begins: one
 * does. Integers of marks begin with `first`, and behind `end` begins none in the last of them. */
INLINE position_t last_begin(GLOBAL const ushort* marks, position_t first, position_t end, uint* begins) {
    uint bits = 0;
    while (end > first && !bits) {
        end = (end - 1) / MARKED_KEYS * MARKED_KEYS;
        bits = begins_from(marks, end);
    }
    *begins = bits > 0;
    for (; bits > 1; bits >>= 1) ++end;
    return end;
}
#endif
#endif

/* What each block is combined to.
 * Launched with parts * rows work-groups. Local memory: TILE_LEAVES parts. */
KERNEL void combine_blocks(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                           uint parts, flip_t mask, flip_t flip, flip_t bias, GLOBAL const ushort* marks,
                           offset_t marks_offset, GLOBAL part_t* blocks, offset_t blocks_offset) {
    /* Not by %: Oclgrind cannot follow the `freeze` that LLVM makes of that beside a division. */
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    order_t order = {mask, flip, bias};
    keys += keys_offset + (offset_t)row * count;
    position_t begin = (position_t)part * share, first = begin < count ? begin : count;
    position_t end = count - first < share ? count : first + share;
    part_t carry = NO_PART;
#if IN_ORDER
#if HAS_RUNS
    uint begins;
    first = last_begin(marks + marks_offset, first, end, &begins);
    carry = part_of(combine_by_fours(keys, first, end, order), begins);
#else
    carry = combine_by_fours(keys, first, end, order);
#endif
#else
    DECLARE_LOCAL(part_t, shared, LOCAL_PARTS, 0);
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE_KEYS)) {
        number_t numbers[OWN_KEYS];
        part_t leaves_before[VECTORS], bundles_before[VECTORS];
        uint begins[VECTORS];
        load_tile(keys, first, end, is_at_16(keys), order, numbers);
        load_begins(marks + marks_offset, first, end, begins);
        carry = scan_tile(numbers, begins, leaves_before, bundles_before, carry, shared);
    }
#endif
    if (LOCAL_ID == 0) blocks[blocks_offset + GROUP_ID] = carry;
}

/* Makes of the blocks of each row what is in front of each.
 * Launched after combine_blocks, with a work-group for each row. Local memory: TILE_LEAVES parts. */
KERNEL void scan_blocks(GLOBAL part_t* blocks, offset_t blocks_offset, uint parts) {
    DECLARE_LOCAL(part_t, shared, LOCAL_PARTS, 0);
    blocks += blocks_offset + (offset_t)GROUP_ID * parts;
    part_t carry = NO_PART;
    ROLLED for (uint first = 0; first < parts; first += TILE_KEYS) {
        number_t numbers[OWN_KEYS];
        part_t leaves_before[VECTORS], bundles_before[VECTORS];
        uint begins[VECTORS];
        FOR_LEAVES(v) {
            begins[v] = 0;
            FOR_KEYS_OF_LEAF(k) {
                uint i = first + LEAF(v) * KEYS_OF_LEAF + k;
                part_t block = NO_PART;
                if (i < parts) block = blocks[i];
                numbers[v * KEYS_OF_LEAF + k] = NUMBER_IN(block);
                begins[v] |= BEGINS_IN(block) << k;
            }
        }
        carry = scan_tile(numbers, begins, leaves_before, bundles_before, carry, shared);
        finish_tile(numbers, begins, leaves_before, bundles_before, IDENTITY, 1, 0);
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
            uint i = first + LEAF(v) * KEYS_OF_LEAF + k;
            if (i < parts) blocks[i] = part_of(numbers[v * KEYS_OF_LEAF + k], 0);
        }
    }
}

#if !IN_ORDER
/* Leaf `lane` of 32 blocks' leaves, of which only the last `leaves` are there. */
INLINE part_t leaf_of_blocks(GLOBAL const part_t* blocks, uint lane, uint leaves) {
    part_t all = NO_PART;
    if (lane + leaves >= 32)
        FOR_KEYS_OF_LEAF(k) all = combine_parts(all, blocks[(lane + leaves - 32) * KEYS_OF_LEAF + k]);
    return all;
}

/* What the last of so many leaves, at most 32, has after step 2, which for that one alone is a tree of pairs. Local
 * memory: a part for each work-item, and 32 at least. */
INLINE part_t combine_leaves(GLOBAL const part_t* blocks, uint leaves, LOCAL part_t* shared) {
#if IN_WARPS
    part_t all = leaf_of_blocks(blocks, LOCAL_ID % 32, leaves);
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) all = combine_parts(part_in_front(all, apart), all);
    return part_from(all, 31);
#else
    /* Each 32 work-items make the tree: PoCL loses elements where the same condition is on both sides of a barrier. */
    const uint slots = MAX(WORK_ITEMS, 32);
    ROLLED for (uint i = LOCAL_ID; i < slots; i += WORK_ITEMS) shared[i] = leaf_of_blocks(blocks, i % 32, leaves);
    BARRIER();
    ROLLED for (uint apart = 1; apart < 32; apart *= 2) {
        ROLLED for (uint i = LOCAL_ID; i < slots; i += WORK_ITEMS)
            if ((i + 1) % (2 * apart) == 0) shared[i] = combine_parts(shared[i - apart], shared[i]);
        BARRIER();
    }
    part_t all = shared[31];
    BARRIER();
    return all;
#endif
}
#endif

/* What is in front of a row's block, with the bits that scan_blocks gives it. Barriers: 7 for each bundle that begins
 * there, in warps none. */
INLINE number_t in_front_of(GLOBAL const part_t* blocks, uint block, LOCAL part_t* shared) {
#if IN_ORDER
    part_t all = NO_PART;
    (void)shared;
    ROLLED for (uint i = 0; i < block; ++i) all = combine_parts(all, blocks[i]);
    return NUMBER_IN(all);
#else
    part_t bundles = NO_PART, bundle = NO_PART, in_leaf = NO_PART;
    ROLLED for (uint first = 0; first < block; first += 32 * KEYS_OF_LEAF) {
        bundles = combine_parts(bundles, bundle);
        bundle = combine_leaves(blocks + first, MIN((block - first) / KEYS_OF_LEAF, 32u), shared);
    }
    ROLLED for (uint i = block - block % KEYS_OF_LEAF; i < block; ++i) in_leaf = combine_parts(in_leaf, blocks[i]);
    return NUMBER_IN(combine_parts(bundles, combine_parts(bundle, in_leaf)));
#endif
}

/* Scans each block, behind what is in front of it. The results may be in the place of the keys.
 * Launched with parts * rows work-groups: alone where a row is one block, else after combine_blocks or, where blocks
 * `are_scanned`, after scan_blocks. Local memory: TILE_LEAVES parts. */
KERNEL void write_scans(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share, uint parts,
                        uint are_scanned, uint is_exclusive, flip_t mask, flip_t flip, flip_t bias,
                        GLOBAL const ushort* marks, offset_t marks_offset, GLOBAL const ulong* inside,
                        offset_t inside_offset, GLOBAL const part_t* blocks, offset_t blocks_offset,
                        GLOBAL value_argument_t* results_address, offset_t results_offset) {
    DECLARE_LOCAL(part_t, shared, LOCAL_PARTS, 0);
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    order_t order = {mask, flip, bias};
    keys += keys_offset + (offset_t)row * count;
    /* PoCL's compiler must not take it for aligned, which it asks below. */
    GLOBAL key_t* results = (GLOBAL key_t*)results_address + results_offset + (offset_t)row * count;
    position_t begin = (position_t)part * share, first = begin < count ? begin : count;
    position_t end = count - first < share ? count : first + share;
    /* Where a row is one block there is no array of them. */
    if (parts > 1) blocks += blocks_offset + (offset_t)row * parts;
    number_t in_front = in_front_of(blocks, are_scanned ? 0 : part, shared);
    if (are_scanned) in_front = NUMBER_IN(blocks[part]);
#if IN_ORDER
#if HAS_RUNS
    first = (position_t)MAX((ulong)first, inside[inside_offset]);
    end = (position_t)MIN((ulong)end, inside[inside_offset + 1]);
    if (first > end) return;
#endif
    uint streams = (offset_t)count * KEY_BYTES >= STREAMED_BYTES && keys != results && is_at_16(results);
    if (is_exclusive) scan_by_fours(keys, marks + marks_offset, first, end, in_front, 1, order, results, streams);
    else scan_by_fours(keys, marks + marks_offset, first, end, in_front, 0, order, results, streams);
#else
    part_t carry = NO_PART;
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE_KEYS)) {
        number_t numbers[OWN_KEYS];
        part_t leaves_before[VECTORS], bundles_before[VECTORS];
        uint begins[VECTORS];
        load_tile(keys, first, end, is_at_16(keys), order, numbers);
        load_begins(marks + marks_offset, first, end, begins);
        carry = scan_tile(numbers, begins, leaves_before, bundles_before, carry, shared);
        finish_tile(numbers, begins, leaves_before, bundles_before, in_front, is_exclusive, 1);
        store_inside(results, first, end, inside + inside_offset, order, numbers);
    }
#endif
}

#endif
