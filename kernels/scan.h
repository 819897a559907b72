/* Scans: what the keys up to each one of a row are combined to, with it (inclusive) or without it (exclusive).
 *
 * Keys are combined by a tree that is the same on every device, so that sums of floating-point numbers have the same bits everywhere.
 * A row is cut into blocks of `share` keys (lib/src/reduction.hpp), a block into bundles of 32 leaves, and a leaf has 16 bytes:
 *   1. a leaf combines its keys in their order: the first, the first two, ..;
 *   2. leaf l of a bundle combines all up to it in five steps: in step s with what leaf l - 2^s has by then, if there is one;
 *   3. bundles of a block are combined in their order, beginning with the identity: so is what is in front of each, and the block;
 *   4. the blocks' are scanned as a row is that is one block, which gives what is in front of each;
 *   5. a key's result is that of blocks with that of bundles in front, combined with this: that of leaves in front with that of the
 *      leaf's keys.
 *
 * A file that includes this has defined, after keys.h: number_t, IDENTITY, combine(a, b), number_of(key), key_of(number), and
 * LOOKS_BACK: 1 where the order of combining does not matter, so that tiles in front may be combined as they come.
 */
#ifndef SCAN_H
#define SCAN_H
#include "loaded_keys.h"
#include "status.h"

#if LANES != 1 || RECORD_BYTES || WORK_ITEMS * VECTORS % 32 != 0
#error "To scan keys, LANES must be 1, RECORD_BYTES 0 and WORK_ITEMS * VECTORS a multiple of 32."
#endif

#define KEYS_OF_LEAF KEYS_OF_16_BYTES
/* Work-item i has leaves i, i + WORK_ITEMS, .. of a tile. */
#define TILE_LEAVES (WORK_ITEMS * VECTORS)
#define TILE_KEYS (TILE_LEAVES * KEYS_OF_LEAF)
#define OWN_KEYS (VECTORS * KEYS_OF_LEAF)
#define BUNDLES (TILE_LEAVES / 32)
#define IN_WARPS (HAS_SHUFFLES && WORK_ITEMS >= 32)
/* A processor adds floating-point numbers in vectors, and integers one after the other. */
#define IN_VECTORS (WORK_ITEMS == 1 && VECTORS == 32 && !LOOKS_BACK)
#define IN_ORDER (WORK_ITEMS == 1 && LOOKS_BACK)
#define LOCAL_NUMBERS (TILE_LEAVES + 16 * IN_VECTORS)
#define LEAF(v) (LOCAL_ID + (v) * WORK_ITEMS)
#if WORK_ITEMS == 1
#define FOR_LEAVES(v) for (uint v = 0; v < VECTORS; ++v)
#else
#define FOR_LEAVES(v) UNROLL for (uint v = 0; v < VECTORS; ++v)
#endif
#define FOR_KEYS_OF_LEAF(k) UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k)

/* The keys of tile `first` .. `end`, those behind the end as the identity. `is_aligned`: 16 bytes may be loaded at once. */
INLINE void load_tile(GLOBAL const key_t* keys, position_t first, position_t end, uint is_aligned, number_t* numbers) {
#if WORK_ITEMS > 1
    if (is_aligned && end - first >= TILE_KEYS) {
        loaded_keys_t leaves[VECTORS];
        FOR_LEAVES(v) leaves[v] = load_keys(keys + first, LEAF(v));
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) numbers[v * KEYS_OF_LEAF + k] = number_of(key_in(leaves + v, k));
        return;
    }
#endif
#if IN_VECTORS
    if (end - first >= TILE_KEYS) {
        for (uint i = 0; i < OWN_KEYS; ++i) numbers[i] = number_of(keys[first + i]);
        return;
    }
#endif
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = LEAF(v) * KEYS_OF_LEAF + k;
        numbers[v * KEYS_OF_LEAF + k] = i < end - first ? number_of(keys[first + i]) : IDENTITY;
    }
}

INLINE void store_tile(GLOBAL key_t* results, position_t first, position_t end, uint is_aligned, const number_t* numbers) {
#if WORK_ITEMS > 1
    if (is_aligned && end - first >= TILE_KEYS) {
        FOR_LEAVES(v) {
            loaded_keys_t leaf = {{0, 0, 0, 0}};
            FOR_KEYS_OF_LEAF(k) put_key_in(&leaf, k, key_of(numbers[v * KEYS_OF_LEAF + k]));
            store_keys(results + first, LEAF(v), leaf);
        }
        return;
    }
#endif
#if IN_VECTORS
    if (end - first >= TILE_KEYS) {
        for (uint i = 0; i < OWN_KEYS; ++i) results[first + i] = key_of(numbers[i]);
        return;
    }
#endif
    FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
        position_t i = LEAF(v) * KEYS_OF_LEAF + k;
        if (i < end - first) results[first + i] = key_of(numbers[v * KEYS_OF_LEAF + k]);
    }
}

/* Steps 1 to 3: combines the keys of each leaf, gives what is in front of the leaf in its bundle and what is in front of that, from
 * `carry` on, and makes of the carry what is in front of the next tile. Local memory: TILE_LEAVES numbers. */
INLINE number_t scan_tile(number_t* numbers, number_t* leaves_before, number_t* bundles_before, number_t carry,
                          LOCAL number_t* shared) {
    FOR_LEAVES(v)
        UNROLL for (uint k = 1; k < KEYS_OF_LEAF; ++k)
            numbers[v * KEYS_OF_LEAF + k] = combine(numbers[v * KEYS_OF_LEAF + k - 1], numbers[v * KEYS_OF_LEAF + k]);
#if IN_WARPS
    FOR_LEAVES(v) {
        number_t all = numbers[v * KEYS_OF_LEAF + KEYS_OF_LEAF - 1];
        UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
            number_t before = SHUFFLE_UP(all, apart);
            all = LOCAL_ID % 32 >= apart ? combine(before, all) : all;
        }
        number_t before = SHUFFLE_UP(all, 1);
        leaves_before[v] = LOCAL_ID % 32 > 0 ? before : IDENTITY;
        if (LOCAL_ID % 32 == 31) shared[LEAF(v) / 32] = all;
    }
    BARRIER();
#define BUNDLE_TOTAL(b) shared[b]
#elif IN_VECTORS
    /* With identities in front, each step is a sum of vectors. They leave the bits as they are, but of a zero's sign, which the
     * identity that a block begins with takes away. */
    LOCAL number_t* lanes = shared + 16;
    UNROLL for (uint l = 0; l < 16; ++l) shared[l] = IDENTITY;
    FOR_LEAVES(v) lanes[v] = numbers[v * KEYS_OF_LEAF + KEYS_OF_LEAF - 1];
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        FOR_LEAVES(v) leaves_before[v] = shared[16 + v - apart];
        FOR_LEAVES(v) lanes[v] = combine(leaves_before[v], lanes[v]);
    }
    FOR_LEAVES(v) leaves_before[v] = shared[15 + v];
#define BUNDLE_TOTAL(b) lanes[32 * (b) + 31]
#else
    FOR_LEAVES(v) shared[LEAF(v)] = numbers[v * KEYS_OF_LEAF + KEYS_OF_LEAF - 1];
    BARRIER();
    ROLLED for (uint apart = 1; apart < 32; apart *= 2) {
        FOR_LEAVES(v) leaves_before[v] = LEAF(v) % 32 >= apart ? shared[LEAF(v) - apart] : IDENTITY;
        BARRIER();
        FOR_LEAVES(v) shared[LEAF(v)] = combine(leaves_before[v], shared[LEAF(v)]);
        BARRIER();
    }
    FOR_LEAVES(v) leaves_before[v] = LEAF(v) % 32 > 0 ? shared[LEAF(v) - 1] : IDENTITY;
#define BUNDLE_TOTAL(b) shared[32 * (b) + 31]
#endif
#if IN_WARPS && LOOKS_BACK && BUNDLES <= 32
    /* Each warp scans the bundles for itself. */
    number_t bundles = LOCAL_ID % 32 < BUNDLES ? shared[LOCAL_ID % 32] : IDENTITY;
    UNROLL for (uint apart = 1; apart < BUNDLES; apart *= 2) {
        number_t before = SHUFFLE_UP(bundles, apart);
        bundles = LOCAL_ID % 32 >= apart ? combine(before, bundles) : bundles;
    }
    FOR_LEAVES(v) {
        uint bundle = LEAF(v) / 32;
        number_t before = SHUFFLE(bundles, bundle > 0 ? bundle - 1 : 0);
        bundles_before[v] = bundle > 0 ? combine(carry, before) : carry;
    }
    carry = combine(carry, SHUFFLE(bundles, BUNDLES - 1));
#elif WORK_ITEMS >= 32
    FOR_LEAVES(v)
        UNROLL for (uint b = 0; b < WORK_ITEMS / 32; ++b) {
            bundles_before[v] = b == LOCAL_ID / 32 || b == 0 ? carry : bundles_before[v];
            carry = combine(carry, BUNDLE_TOTAL(v * (WORK_ITEMS / 32) + b));
        }
#else
    FOR_LEAVES(v) bundles_before[v] = carry;
    for (uint b = 0; b < BUNDLES; ++b) {
        FOR_LEAVES(v) bundles_before[v] = LEAF(v) / 32 == b ? carry : bundles_before[v];
        carry = combine(carry, BUNDLE_TOTAL(b));
    }
#endif
    BARRIER();
    return carry;
}

/* Step 5, of a work-item's keys. */
INLINE void finish_tile(number_t* numbers, const number_t* leaves_before, const number_t* bundles_before, number_t in_front,
                        uint is_exclusive) {
    FOR_LEAVES(v) {
        number_t before = combine(in_front, bundles_before[v]), in_leaf = IDENTITY;
        FOR_KEYS_OF_LEAF(k) {
            number_t to_key = numbers[v * KEYS_OF_LEAF + k];
            numbers[v * KEYS_OF_LEAF + k] = combine(before, combine(leaves_before[v], is_exclusive ? in_leaf : to_key));
            in_leaf = to_key;
        }
    }
}

INLINE uint is_at_16(GLOBAL const key_t* keys) { return ((offset_t)keys & 15) == 0; }

#if LOOKS_BACK
#include "look_back.h"

/* What a work-item has of the keys of a tile, in any order. */
INLINE number_t combine_keys(GLOBAL const key_t* keys, position_t first, position_t count) {
    number_t own = IDENTITY;
    ROLLED for (position_t i = LOCAL_ID; i < TILE_KEYS; i += WORK_ITEMS)
        if (first + i < count) own = combine(own, number_of(keys[first + i]));
    return own;
}

/* Scans one row into another array, which is not that of the keys, in one read. `status` is zeroes.
 * Launched with a work-group for each tile. Requires: any count, any element offset. Local memory: TILE_LEAVES numbers and 32
 * integers. */
KERNEL void scan_tiles(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, uint is_exclusive, uint tries,
                       GLOBAL status_t* status, offset_t status_offset, GLOBAL key_t* results, offset_t results_offset) {
    DECLARE_LOCAL(number_t, shared, LOCAL_NUMBERS, 0);
    DECLARE_LOCAL(uint, found, 32, LOCAL_NUMBERS * sizeof(number_t));
    keys += keys_offset;
    results += results_offset;
    status += status_offset;
    offset_t tile = GROUP_ID;
    /* A rehearsal has more tiles than keys. */
    position_t begin = GROUP_ID * TILE_KEYS, first = begin < count ? begin : count;
    number_t numbers[OWN_KEYS], leaves_before[VECTORS], bundles_before[VECTORS];
    load_tile(keys, first, count, is_at_16(keys), numbers);
    number_t total = scan_tile(numbers, leaves_before, bundles_before, IDENTITY, shared);
    LOOK_BACK(in_front, status, tile, total, tries, shared, found, missing,
              combine_keys(keys, (position_t)missing * TILE_KEYS, count));
    finish_tile(numbers, leaves_before, bundles_before, in_front, is_exclusive);
    store_tile(results, first, count, is_at_16(results), numbers);
}
#endif

/* What each block is combined to.
 * Launched with parts * rows work-groups. Local memory: TILE_LEAVES numbers. */
KERNEL void combine_blocks(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share, uint parts,
                           GLOBAL number_t* blocks, offset_t blocks_offset) {
    /* Not by %: Oclgrind cannot follow the `freeze` that LLVM makes of that beside a division. */
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    keys += keys_offset + (offset_t)row * count;
    position_t begin = (position_t)part * share, first = begin < count ? begin : count;
    position_t end = count - first < share ? count : first + share;
    number_t carry = IDENTITY;
#if IN_ORDER
    /* In columns, which are vectors. */
    number_t columns[32];
    for (uint c = 0; c < 32; ++c) columns[c] = IDENTITY;
    for (; end - first >= 32; first += 32)
        for (uint c = 0; c < 32; ++c) columns[c] = combine(columns[c], number_of(keys[first + c]));
    for (uint c = 0; c < 32; ++c) carry = combine(carry, columns[c]);
    for (; first < end; ++first) carry = combine(carry, number_of(keys[first]));
#else
    DECLARE_LOCAL(number_t, shared, LOCAL_NUMBERS, 0);
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE_KEYS)) {
        number_t numbers[OWN_KEYS], leaves_before[VECTORS], bundles_before[VECTORS];
        load_tile(keys, first, end, is_at_16(keys), numbers);
        carry = scan_tile(numbers, leaves_before, bundles_before, carry, shared);
    }
#endif
    if (LOCAL_ID == 0) blocks[blocks_offset + GROUP_ID] = carry;
}

/* Makes of the blocks of each row what is in front of each.
 * Launched after combine_blocks, with a work-group for each row. Local memory: TILE_LEAVES numbers. */
KERNEL void scan_blocks(GLOBAL number_t* blocks, offset_t blocks_offset, uint parts) {
    DECLARE_LOCAL(number_t, shared, LOCAL_NUMBERS, 0);
    blocks += blocks_offset + (offset_t)GROUP_ID * parts;
    number_t carry = IDENTITY;
    ROLLED for (uint first = 0; first < parts; first += TILE_KEYS) {
        number_t numbers[OWN_KEYS], leaves_before[VECTORS], bundles_before[VECTORS];
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
            uint i = first + LEAF(v) * KEYS_OF_LEAF + k;
            numbers[v * KEYS_OF_LEAF + k] = i < parts ? blocks[i] : IDENTITY;
        }
        carry = scan_tile(numbers, leaves_before, bundles_before, carry, shared);
        finish_tile(numbers, leaves_before, bundles_before, IDENTITY, 1);
        FOR_LEAVES(v) FOR_KEYS_OF_LEAF(k) {
            uint i = first + LEAF(v) * KEYS_OF_LEAF + k;
            if (i < parts) blocks[i] = numbers[v * KEYS_OF_LEAF + k];
        }
    }
}

/* Scans each block, behind what is in front of it. The results may be in the place of the keys.
 * Launched after scan_blocks, or alone where a row is one block, with parts * rows work-groups. Local memory: TILE_LEAVES numbers. */
KERNEL void write_scans(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share, uint parts,
                        uint is_exclusive, GLOBAL const number_t* blocks, offset_t blocks_offset, GLOBAL key_t* results,
                        offset_t results_offset) {
    uint row = (uint)GROUP_ID / parts, part = (uint)GROUP_ID - row * parts;
    keys += keys_offset + (offset_t)row * count;
    results += results_offset + (offset_t)row * count;
    position_t begin = (position_t)part * share, first = begin < count ? begin : count;
    position_t end = count - first < share ? count : first + share;
    number_t in_front = parts > 1 ? blocks[blocks_offset + GROUP_ID] : IDENTITY;
#if IN_ORDER
    for (; first < end; ++first) {
        number_t to_key = combine(in_front, number_of(keys[first]));
        results[first] = key_of(is_exclusive ? in_front : to_key);
        in_front = to_key;
    }
#else
    number_t carry = IDENTITY;
    DECLARE_LOCAL(number_t, shared, LOCAL_NUMBERS, 0);
    ROLLED for (; first < end; first += MIN(end - first, (position_t)TILE_KEYS)) {
        number_t numbers[OWN_KEYS], leaves_before[VECTORS], bundles_before[VECTORS];
        load_tile(keys, first, end, is_at_16(keys), numbers);
        carry = scan_tile(numbers, leaves_before, bundles_before, carry, shared);
        finish_tile(numbers, leaves_before, bundles_before, in_front, is_exclusive);
        store_tile(results, first, end, is_at_16(results), numbers);
    }
#endif
}

#endif
