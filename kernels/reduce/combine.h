// SPDX-License-Identifier: MIT
/* Combines the keys of ranges by a tree that is the same on every device, whatever its work-groups are, so that sums of
 * floating-point numbers have the same bits everywhere.
 *
 * A range is cut into blocks (reduce_blocks.h), and a block into tiles of 4096 bytes. A tile has 256 leaves of 16
 * bytes. Key c of every tile belongs to column c:
 *   1. a column combines its keys in their order, beginning with the identity;
 *   2. the columns of a leaf are combined by halves: column c with the one half of them further on, until one is left;
 *   3. so are the leaves, which gives the block's partial result;
 *   4. leaf p % 256 combines the partial results p of a range in their order, and 3. gives the range's.
 * Work-items share the leaves. A processor has one, for which columns are a vector in the first-level cache; what does
 * not depend on the order it combines otherwise, where that is faster. Keys come in no order of theirs, so what
 * combines them must be commutative: operator_reduction.cl has the tree of operators that need not be.
 *
 * A file that includes this has defined, after key_order.h: partial_t, result_t, IDENTITY, combine(a, b), leaf_of(key,
 * place, order) and result_of(partial, count, order). One with HAS_PRODUCTS has product_of(key, other, order), too; of
 * products result_of() takes no count. Of one work-item, combine_alone(keys, first, end, order) is what it combines
 * those keys by, if not by columns.
 */
#ifndef COMBINE_H
#define COMBINE_H
#include "common/loaded_keys.h"
#include "common/look_back_words.h"

#if LANES != 1 || RECORD_BYTES || WORK_ITEMS > 256
#error "To combine keys, LANES must be 1, RECORD_BYTES 0 and WORK_ITEMS at most 256."
#endif

#define ALL_LEAVES 256
#define KEYS_OF_LEAF KEYS_OF_16_BYTES
#define TILE_KEYS (ALL_LEAVES * KEYS_OF_LEAF)
#define OWN_LEAVES (ALL_LEAVES / WORK_ITEMS)
#define OWN_COLUMNS (OWN_LEAVES * KEYS_OF_LEAF)
/* Tiles that are loaded ahead or, by a processor, combined at once: so its columns are read and written less often. Of
 * products half of them of each array. */
#define AHEAD 4

#define UNIT TILE_KEYS
#define LEAST_UNITS 4
#include "reduce/reduce_blocks.h"

/* Where a work-item's column c is in a tile. Loops over columns are vectors on a processor, and unrolled elsewhere.
 * Those over the first columns of a tile are short on a processor where these are few. */
#if WORK_ITEMS == 1
#define IN_TILE(c) (c)
#define FOR_COLUMNS(c) for (uint c = 0; c < OWN_COLUMNS; ++c)
#define FOR_FIRST_COLUMNS(c, number) for (uint c = 0; c < (number); ++c)
#else
#define IN_TILE(c) ((LOCAL_ID + (c) / KEYS_OF_LEAF * WORK_ITEMS) * KEYS_OF_LEAF + (c) % KEYS_OF_LEAF)
#define FOR_COLUMNS(c) UNROLL for (uint c = 0; c < OWN_COLUMNS; ++c)
#define FOR_FIRST_COLUMNS(c, number) FOR_COLUMNS(c) if (IN_TILE(c) < (number))
#endif

/* A key, or a product. */
#if HAS_PRODUCTS
#define LEAF(key, other, place) (are_products ? product_of(key, other, order) : leaf_of(key, place, order))
#else
#define LEAF(key, other, place) leaf_of(key, place, order)
#endif

/* Of the leaves that a work-item has, a processor passes over those beyond the first `used`. */
#define FOR_LEAVES(l) for (uint l = 0; l < OWN_LEAVES && (WORK_ITEMS > 1 || l < used); ++l)

/* Steps 3: of the leaves that each work-item has. Those beyond the first `used`, which are one at least, are the
 * identity: it would change nothing. */
INLINE partial_t combine_leaves(partial_t* leaves, uint used, LOCAL partial_t* shared) {
    FOR_LEAVES(l) shared[LOCAL_ID + l * WORK_ITEMS] = leaves[l];
    BARRIER();
    ROLLED for (uint apart = ALL_LEAVES / 2; apart > 0; apart /= 2) {
        for (uint l = LOCAL_ID; l < apart && l + apart < used; l += WORK_ITEMS)
            shared[l] = combine(shared[l], shared[l + apart]);
        BARRIER();
    }
    return shared[0];
}

/* Steps 2 and 3, of the columns that each work-item has. */
INLINE partial_t combine_columns(partial_t* columns, uint used, LOCAL partial_t* shared) {
    partial_t leaves[OWN_LEAVES];
    FOR_LEAVES(l) {
        UNROLL for (uint apart = KEYS_OF_LEAF / 2; apart > 0; apart /= 2)
            UNROLL for (uint k = 0; k < apart; ++k)
                columns[l * KEYS_OF_LEAF + k] =
                    combine(columns[l * KEYS_OF_LEAF + k], columns[l * KEYS_OF_LEAF + k + apart]);
        leaves[l] = columns[l * KEYS_OF_LEAF];
    }
    return combine_leaves(leaves, used, shared);
}

/* Steps 1 to 3, of keys number i .. end - 1 of a range, or of the products with others. `are_products` is a constant,
 * but where this is inlined. */
INLINE partial_t combine_block(GLOBAL const key_t* keys, GLOBAL const key_t* others, const uint are_products,
                               position_t i, position_t end, order_t order, LOCAL partial_t* shared) {
#ifdef combine_alone
    if (!are_products) return combine_alone(keys, i, end, order);
#endif
    const uint ahead = are_products ? AHEAD / 2 : AHEAD;
    position_t all = end - i;
    uint used = all >= TILE_KEYS ? ALL_LEAVES : all > 0 ? ((uint)all + KEYS_OF_LEAF - 1) / KEYS_OF_LEAF : 1;
    partial_t columns[OWN_COLUMNS];
    FOR_FIRST_COLUMNS(c, WORK_ITEMS > 1 ? TILE_KEYS : used * KEYS_OF_LEAF) columns[c] = IDENTITY;
#if WORK_ITEMS > 1
    if ((((offset_t)keys | (are_products ? (offset_t)others : 0)) & 15) == 0)
        ROLLED for (; end - i >= ahead * TILE_KEYS; i += ahead * TILE_KEYS) {
            UNROLL for (uint l = 0; l < OWN_LEAVES; ++l) {
                loaded_keys_t loaded[AHEAD], beside[AHEAD];
                UNROLL for (uint t = 0; t < ahead; ++t) {
                    loaded[t] = load_keys(keys + i + t * TILE_KEYS, LOCAL_ID + l * WORK_ITEMS);
                    if (are_products) beside[t] = load_keys(others + i + t * TILE_KEYS, LOCAL_ID + l * WORK_ITEMS);
                }
                UNROLL for (uint t = 0; t < ahead; ++t)
                    UNROLL for (uint k = 0; k < KEYS_OF_LEAF; ++k) {
                        uint c = l * KEYS_OF_LEAF + k;
                        columns[c] = combine(columns[c], LEAF(key_in(loaded + t, k), key_in(beside + t, k),
                                                              i + t * TILE_KEYS + IN_TILE(c)));
                    }
            }
        }
#else
    ROLLED for (; end - i >= ahead * TILE_KEYS; i += ahead * TILE_KEYS)
        FOR_COLUMNS(c) {
            partial_t column = columns[c];
            UNROLL for (uint t = 0; t < ahead; ++t) {
                position_t place = i + t * TILE_KEYS + c;
                column = combine(column, LEAF(keys[place], others[place], place));
            }
            columns[c] = column;
        }
#endif
    ROLLED for (; end - i >= TILE_KEYS; i += TILE_KEYS)
        FOR_COLUMNS(c)
        columns[c] = combine(columns[c], LEAF(keys[i + IN_TILE(c)], others[i + IN_TILE(c)], i + IN_TILE(c)));
    FOR_FIRST_COLUMNS(c, end - i)
        columns[c] = combine(columns[c], LEAF(keys[i + IN_TILE(c)], others[i + IN_TILE(c)], i + IN_TILE(c)));
    return combine_columns(columns, used, shared);
}

/* Combines each block's keys: to a partial result or, where a range is one block, to the result.
 * Launched with a work-group for each slot. Requires: any count, any element offset; 16 bytes are loaded at once where
 * a range begins at a multiple of 16. Local memory: 256 partial results. Barriers: 9. */
KERNEL void combine_blocks(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, uint parts,
                           GLOBAL const segment_t* segments, offset_t segments_offset, offset_t ranges, offset_t end,
                           flip_t mask, flip_t flip, flip_t bias, GLOBAL partial_t* partials, offset_t partials_offset,
                           GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    block_t block = block_of_group(count, parts, segments + segments_offset, ranges, end);
    if (BARRIERS_IN_BRANCHES && !block.is_there) return;
    partial_t partial =
        combine_block(keys + keys_offset + block.range.first, 0, 0, block.begin, block.end, order, shared);
    if (LOCAL_ID == 0 && block.is_there) {
        if (block.range.parts > 1) partials[partials_offset + GROUP_ID] = partial;
        else results[results_offset + block.range.number] = result_of(partial, block.range.count, order);
    }
}

#if HAS_PRODUCTS
/* The same of products of the keys of two arrays. */
KERNEL void combine_products(GLOBAL const key_t* keys, offset_t keys_offset, GLOBAL const key_t* others,
                             offset_t others_offset, position_t count, uint parts, GLOBAL const segment_t* segments,
                             offset_t segments_offset, offset_t ranges, offset_t end, flip_t mask, flip_t flip,
                             flip_t bias, GLOBAL partial_t* partials, offset_t partials_offset,
                             GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    block_t block = block_of_group(count, parts, segments + segments_offset, ranges, end);
    if (BARRIERS_IN_BRANCHES && !block.is_there) return;
    partial_t partial =
        combine_block(keys + keys_offset + block.range.first, others + others_offset + block.range.first, 1,
                      block.begin, block.end, order, shared);
    if (LOCAL_ID == 0 && block.is_there) {
        if (block.range.parts > 1) partials[partials_offset + GROUP_ID] = partial;
        else results[results_offset + block.range.number] = result_of(partial, 0, order);
    }
}
#endif

/* Combines the partial results of each range that has several blocks; of products `flip` is 0.
 * Launched after combine_blocks or combine_products, with a work-group for each range. Local memory and barriers: as
 * there. */
KERNEL void combine_parts(GLOBAL const partial_t* partials, offset_t partials_offset, position_t count, uint parts,
                          GLOBAL const segment_t* segments, offset_t segments_offset, offset_t ranges, offset_t end,
                          flip_t mask, flip_t flip, flip_t bias, GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);
    order_t order = {mask, flip, bias};
    range_t range = range_of(GROUP_ID, count, parts, segments + segments_offset, ranges, end);
    if (BARRIERS_IN_BRANCHES && range.parts == 1) return;
    partials += partials_offset + range.slot;
    uint used = range.parts < ALL_LEAVES ? range.parts : ALL_LEAVES;
    partial_t leaves[OWN_LEAVES];
    FOR_LEAVES(l) {
        leaves[l] = IDENTITY;
        for (uint p = LOCAL_ID + l * WORK_ITEMS; p < range.parts; p += ALL_LEAVES)
            leaves[l] = combine(leaves[l], partials[p]);
    }
    partial_t partial = combine_leaves(leaves, used, shared);
    if (LOCAL_ID == 0 && range.parts > 1)
        results[results_offset + range.number] = result_of(partial, range.count, order);
}

/* A partial result as numbers that look_back_words.h publishes. */
typedef union {
    ulong numbers[(sizeof(partial_t) + 7) / 8];
    partial_t partial;
} published_t;
#define PUBLISHED_NUMBERS ((uint)(sizeof(partial_t) + 7) / 8)
#define WORDS_OF_PUBLISHED ((uint)WORDS_OF(sizeof(partial_t) < 8 ? sizeof(partial_t) * 8 : 64))
#define THERE 1u

INLINE void publish_partial(GLOBAL status_t* status, uint part, partial_t partial) {
    published_t published;
    published.numbers[0] = 0;
    published.partial = partial;
    status += (offset_t)part * PUBLISHED_NUMBERS * WORDS_OF_PUBLISHED;
    UNROLL for (uint n = 0; n < PUBLISHED_NUMBERS; ++n)
        publish_words(status + n * WORDS_OF_PUBLISHED, WORDS_OF_PUBLISHED, published.numbers[n], THERE);
}

/* Gives whether it is there. */
INLINE uint look_at_partial(GLOBAL status_t* status, uint part, partial_t* partial) {
    published_t published;
    uint is_there = 1;
    status += (offset_t)part * PUBLISHED_NUMBERS * WORDS_OF_PUBLISHED;
    UNROLL for (uint n = 0; n < PUBLISHED_NUMBERS; ++n)
        is_there &= look_at_words(status + n * WORDS_OF_PUBLISHED, WORDS_OF_PUBLISHED, published.numbers + n) == THERE;
    *partial = published.partial;
    return is_there;
}

/* Combines one range of several blocks, at most one for each leaf. Each group publishes its block's partial result, and
 * the one that ends last combines all of them. No group waits: what the last one does not see after so many `tries`, it
 * combines by itself. */
INLINE void combine_and_end(GLOBAL const key_t* keys, GLOBAL const key_t* others, const uint are_products,
                            position_t count, position_t share, uint parts, order_t order, uint tries,
                            GLOBAL status_t* ended, GLOBAL result_t* result, LOCAL partial_t* shared,
                            LOCAL uint* firsts, LOCAL uint* found) {
    GLOBAL status_t* status = ended + 1;
    /* What is in front of `from` is there. */
    uint is_last = 0, from = 0, used = parts;
    partial_t leaves[OWN_LEAVES];
    ROLLED for (uint part = (uint)GROUP_ID; part < parts;) {
        /* A rehearsal has more blocks than elements. */
        offset_t first = (offset_t)part * share;
        position_t begin = first < count ? (position_t)first : count,
                   end = count - begin < share ? count : begin + share;
        partial_t partial = combine_block(keys, others, are_products, begin, end, order, shared);
        if (LOCAL_ID == 0) {
            publish_partial(status, part, partial);
            found[0] = is_last || ATOMIC_ADD(ended, 1) == parts - 1;
            found[1] = 0;
        }
        BARRIER();
        is_last = found[0];
        uint missing = parts;
        FOR_LEAVES(l) {
            uint p = LOCAL_ID + l * WORK_ITEMS, is_there = 0;
            leaves[l] = IDENTITY;
            if (!is_last || p >= parts) continue;
            for (uint t = 0; !is_there && t <= tries; ++t)
                is_there = look_at_partial(status, p, leaves + l) && (tries > 0 || p < from);
            if (!is_there) missing = MIN(missing, p);
        }
        firsts[LOCAL_ID] = missing;
        if (missing < parts) ATOMIC_ADD(found + 1, 1);
        BARRIER();
        part = parts;
        if (found[1] > 0)
            ROLLED for (uint i = 0; i < WORK_ITEMS; ++i) part = MIN(part, firsts[i]);
        from = part + 1;
    }
    if (BARRIERS_IN_BRANCHES && !is_last) return;
    partial_t all = combine_leaves(leaves, used, shared);
    if (LOCAL_ID == 0 && is_last) *result = result_of(all, are_products ? 0 : count, order);
}

#define DECLARE_SHARED_AND_FOUND()                                                 \
    DECLARE_LOCAL(partial_t, shared, ALL_LEAVES, 0);                               \
    DECLARE_LOCAL(uint, firsts, WORK_ITEMS, ALL_LEAVES * sizeof(partial_t));       \
    DECLARE_LOCAL(uint, found, 2, ALL_LEAVES * sizeof(partial_t) + 4 * WORK_ITEMS)

/* combine_blocks and combine_parts of one range, in one launch.
 * Launched with a work-group for each of `parts` blocks, 2 to 256, of `share` keys; `status` is zeroes. Local memory:
 * 256 partial results, and an integer for each work-item and two. Barriers: 11 for each block that a group combines, 9
 * more of the last one. */
KERNEL void combine_range(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share,
                          uint parts, flip_t mask, flip_t flip, flip_t bias, uint tries, GLOBAL status_t* status,
                          offset_t status_offset, GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_SHARED_AND_FOUND();
    order_t order = {mask, flip, bias};
    combine_and_end(keys + keys_offset, 0, 0, count, share, parts, order, tries, status + status_offset,
                    results + results_offset, shared, firsts, found);
}

#if HAS_PRODUCTS
/* The same of products of the keys of two arrays. */
KERNEL void combine_product_range(GLOBAL const key_t* keys, offset_t keys_offset, GLOBAL const key_t* others,
                                  offset_t others_offset, position_t count, position_t share, uint parts, flip_t mask,
                                  flip_t flip, flip_t bias, uint tries, GLOBAL status_t* status, offset_t status_offset,
                                  GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_SHARED_AND_FOUND();
    order_t order = {mask, flip, bias};
    combine_and_end(keys + keys_offset, others + others_offset, 1, count, share, parts, order, tries,
                    status + status_offset, results + results_offset, shared, firsts, found);
}
#endif

#endif
