// SPDX-License-Identifier: MIT
/* Where the keys of a tile are in the array, and which of them a work-item holds in registers.
 *
 * A tile is 2^k vectors that one work-group orders among themselves. Inside it a vector has a k-bit number v:
 *
 *      v:  | strip bits . . . | bits in a strip . . . |      a contiguous tile has only strip bits
 *            steps run here     neighbouring keys
 *
 * In the array, the strips lie 2^strip_stride keys apart and the keys of a strip side by side. A round works on the
 * field of FIELD_BITS bits of v that begins at bit `start`: the work-item holds all values of that field (register m)
 * for one value t, its own number, of the other bits:
 *
 *      v:  | t >> start |  m  | t & (2^start - 1) |
 *
 * In the mirrored round that begins a phase, the registers with the field's top bit set hold the vectors whose lower
 * bits are those of t inverted: the partners of i are i ^ (2^phase - 1).
 *
 * Of a contiguous tile whose bits are one more than a multiple of the field's, the last round holds pairs of neighbours
 * if there is REMAP.
 * It runs the step between them, if that is left, and stores two vectors at once:
 *
 *      v:  | m / 2 |  t  | m % 2 |
 */
#ifndef TILE_H
#define TILE_H
#include "common/registers.h"

#ifndef TILE_BITS /* else the dialect has it */
#define TILE_VECTORS (2u * VECTORS * TILE_WORK_ITEMS)
#define TILE_BITS LOG2(TILE_VECTORS)
#endif
#define TILE_KEYS (TILE_VECTORS * LANES)
/* Of which a row has no more than these: where it ends in the tile, there are no work-items for the others. */
#define ROW_VECTORS (ENDS_IN_TILE ? WORK_ITEMS * REGISTER_VECTORS : TILE_VECTORS)
#define LANE_BITS LOG2((uint)LANES)
/* The field of the round in which neighbouring work-items hold neighbouring vectors. */
#define CONTIGUOUS_START (TILE_BITS - FIELD_BITS)
#if WALKS_IN_CACHE
#define STORES_PAIRS 0
#else
#define STORES_PAIRS (COALESCED_STORE && REMAP && LANES == 1 && FIELD_BITS > 1 && TILE_BITS % FIELD_BITS == 1)
#endif

/* Passes over contiguous tiles take them from the end of the array, passes over strips from its beginning: where they
 * alternate, each begins with what the one before it has left in the device's cache. */
#define GROUP_FROM_END (GROUPS - 1 - GROUP_ID)

#define LOW_BITS(x, bits) ((x) & ((1u << (bits)) - 1))

/* The start of the field of a round whose first step has stride 2^top. */
INLINE uint field_start(uint top) {
    return min(max(top + 1, (uint)FIELD_BITS), (uint)TILE_BITS) - FIELD_BITS;
}

/* The vector that work-item t holds in register m, where t and m occupy different bits: so
 * vector_of(t, m) = vector_of(t, 0) + vector_of(0, m), and an address is one base plus a constant for each m. */
INLINE uint vector_of(uint t, uint m, uint start) {
    return ((t >> start) << (start + FIELD_BITS)) | (m << start) | LOW_BITS(t, start);
}

/* The same in the round that holds pairs. */
INLINE uint vector_in_pairs(uint t, uint m) { return ((m >> 1) << (CONTIGUOUS_START + 1)) | (t << 1) | (m & 1); }

/* The number under which work-item t holds its upper registers. */
INLINE uint upper_number(uint t, uint start, uint mirrored) { return mirrored ? t ^ ((1u << start) - 1) : t; }

/* A tile in the array. */
typedef struct {
    position_t base;        /* of the first key of the tiles that interleave with it */
    position_t place;       /* of its strips among those of these tiles, in strips */
    position_t mirror_mask; /* `place` is inverted under this mask in the upper half, where the pass begins a phase */
    uint strip_stride;      /* lg of the keys from strip to strip; 0 where the tile is contiguous */
    uint strip_bits;        /* lg of the keys of a strip */
    uint whole;             /* all of it lies before the end of the array */
#if COLUMN_BITS
    uint layout; /* where its elements are if it is not whole */
#endif
} tile_t;

#if COLUMN_BITS
#define STRIPS_IN_PLACE 0    /* those before the end of the array are as in a whole tile */
#define STRIPS_OF_TILES 1    /* of each tile one; a tile that the array ends in has its columns side by side */
#define STRIPS_ARE_COLUMNS 2 /* of one tile, which has them side by side */
#define STRIPS_OF_BORDERS 3  /* as STRIPS_IN_PLACE */
#define STRIPS_BUT_FIRST 4   /* as that, but that of the first strip nothing is there */
INLINE uint in_sorted_strips(tile_t tile) { return tile.layout != STRIPS_IN_PLACE; }
#else
INLINE uint in_sorted_strips(tile_t tile) { return 0; }
#endif

INLINE tile_t contiguous_tile(position_t number, position_t count) {
    tile_t tile;
    tile.base = number * TILE_KEYS;
    tile.place = tile.mirror_mask = 0;
    tile.strip_stride = tile.strip_bits = 0;
    tile.whole = tile.base + TILE_KEYS <= count;
#if COLUMN_BITS
    tile.layout = STRIPS_IN_PLACE;
#endif
    return tile;
}

INLINE tile_t strided_tile(position_t number, uint strip_stride, uint strip_bits, uint mirrored, position_t count) {
    uint place_bits = strip_stride - strip_bits;
    uint span_bits = strip_stride + TILE_BITS + LANE_BITS - strip_bits;
    position_t mask = ((position_t)1 << place_bits) - 1;
    tile_t tile;
    tile.base = (number >> place_bits) << span_bits;
    tile.place = number & mask;
    tile.mirror_mask = mirrored ? mask : 0;
    tile.strip_stride = strip_stride;
    tile.strip_bits = strip_bits;
    tile.whole = tile.base + ((position_t)1 << span_bits) <= count;
#if COLUMN_BITS
    tile.layout = STRIPS_IN_PLACE;
#endif
    return tile;
}

#if COLUMN_BITS
/* A tile has 2^COLUMN_BITS columns of 2^STRIP_BITS elements. What may be out of order lies 2^(BORDER_BITS - 1) from a
 * border at most; and so many borders have no more than the first one in front of a run of 2^COLUMN_BITS tiles. */
#define STRIP_BITS (TILE_BITS - COLUMN_BITS)
#define BORDER_BITS max((uint)(2 * COLUMN_BITS + 1), (uint)STRIP_BITS)

INLINE tile_t column_tile(position_t number, position_t count) {
    tile_t tile = strided_tile(number, TILE_BITS, STRIP_BITS, 0, count);
    tile.layout = STRIPS_OF_TILES;
    return tile;
}

INLINE tile_t tile_of_columns(position_t number, position_t count) {
    tile_t tile = contiguous_tile(number, count);
    tile.layout = STRIPS_ARE_COLUMNS;
    return tile;
}

INLINE tile_t border_tile(position_t number, position_t count) {
    position_t border = number << (TILE_BITS - BORDER_BITS);
    tile_t tile = strided_tile(border, TILE_BITS, BORDER_BITS, 0, count);
    uint begins_run = LOW_BITS(border, COLUMN_BITS) == 0;
    tile.base -= (position_t)1 << (BORDER_BITS - 1);
    tile.whole = tile.whole && !begins_run;
    tile.layout = begins_run ? STRIPS_BUT_FIRST : STRIPS_OF_BORDERS;
    return tile;
}
#endif

/* The keys from the tile's first one to the first key of vector v, in the strips' order. Additive like vector_of. */
INLINE position_t key_offset(tile_t tile, uint v) {
    uint key = v << LANE_BITS;
    return ((position_t)(key >> tile.strip_bits) << tile.strip_stride) + LOW_BITS(key, tile.strip_bits);
}

/* The position in the array of the first key of vector v. */
INLINE position_t key_position(tile_t tile, uint v) {
    position_t place = v >= TILE_VECTORS / 2 ? tile.place ^ tile.mirror_mask : tile.place;
    return tile.base + (place << tile.strip_bits) + key_offset(tile, v);
}

#if COLUMN_BITS
/* The position of element v of a tile of sorted strips that is not whole; `count`, or one beyond it, where there is
 * none. */
INLINE position_t position_at_end(tile_t tile, uint v, position_t count) {
    if (tile.layout == STRIPS_ARE_COLUMNS)
        return tile.base + (v >> STRIP_BITS) + ((position_t)LOW_BITS(v, STRIP_BITS) << COLUMN_BITS);
    if (tile.layout == STRIPS_OF_TILES) {
        position_t of_tile = tile.base + ((position_t)(v >> STRIP_BITS) << TILE_BITS);
        if (of_tile + TILE_KEYS > count)
            return of_tile + tile.place + ((position_t)LOW_BITS(v, STRIP_BITS) << COLUMN_BITS);
    }
    if (tile.layout == STRIPS_BUT_FIRST && v >> BORDER_BITS == 0) return count;
    return tile.base + (tile.place << tile.strip_bits) + key_offset(tile, v);
}
#endif

/* Registers m and m + HALF lie at the same distance from registers 0 and HALF. */
#define HALF (REGISTER_VECTORS / 2)

/* The positions of the first keys that work-item t holds in registers 0 and HALF, in the round on the field at
 * `start`. */
INLINE position_t lower_position(tile_t tile, uint t, uint start) { return key_position(tile, vector_of(t, 0, start)); }
INLINE position_t upper_position(tile_t tile, uint t, uint start, uint mirrored) {
    return key_position(tile, vector_of(upper_number(t, start, mirrored), HALF, start));
}

/* The vector in any register. */
INLINE uint held_vector(uint t, uint m, uint start, uint mirrored) {
    return vector_of(m < HALF ? t : upper_number(t, start, mirrored), m, start);
}

/* The position for any register. */
INLINE position_t held_position(tile_t tile, uint t, uint m, uint start, uint mirrored) {
    position_t first = m < HALF ? lower_position(tile, t, start) : upper_position(tile, t, start, mirrored);
    return first + key_offset(tile, vector_of(0, m & (HALF - 1), start));
}

#endif
