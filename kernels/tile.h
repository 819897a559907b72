/* Where the keys of a tile are: in the array, in local memory, in registers.
 *
 * A tile is 2^k vectors that one work-group orders among themselves. Inside it a vector has a k-bit number v:
 *
 *      v:  | row bits . . . | column bits . . . |      a contiguous tile has only row bits
 *            steps run here   contiguous keys
 *
 * In the array, neighbouring rows lie 2^strip_stride keys apart and the columns of a row side by side. A round works on
 * the field of lg(REGISTER_VECTORS) bits of v that begins at bit `start`: the work-item holds all values of that field
 * (register m) for one value t, its own number, of the other bits:
 *
 *      v:  | t >> start |  m  | t & (2^start - 1) |
 *
 * In the mirrored round that begins a phase, the registers with the field's top bit set hold the vectors whose lower
 * bits are those of t inverted: the partners of i are i ^ (2^phase - 1).
 *
 * Of a contiguous tile whose bits are one more than a multiple of the field's, the last round holds pairs of neighbours.
 * It runs the step between them, if that is left, and stores two vectors at once:
 *
 *      v:  | m / 2 |  t  | m % 2 |
 */
#ifndef TILE_H
#define TILE_H
#include "registers.h"

/* Work-items that share one tile: all of a work-group, or 1, where each has a tile of its own. */
#ifndef TILE_WORK_ITEMS
#define TILE_WORK_ITEMS WORK_ITEMS
#endif

/* REMAP            write-back addresses remapped so that the next round reads contiguously
 * COALESCED_STORE  neighbouring work-items store neighbouring vectors, after one more hand-over, or pairs, after none */
#ifndef REMAP
#define REMAP 0
#endif
#ifndef COALESCED_STORE
#define COALESCED_STORE 0
#endif

#define TILE_VECTORS (2u * VECTORS * TILE_WORK_ITEMS)
#define TILE_KEYS (TILE_VECTORS * LANES)
#define TILE_BITS LOG2(TILE_VECTORS)
#define FIELD_BITS LOG2(REGISTER_VECTORS)
#define LANE_BITS LOG2((uint)LANES)
/* The field of the round in which neighbouring work-items hold neighbouring vectors. */
#define CONTIGUOUS_START (TILE_BITS - FIELD_BITS)
#define STORES_PAIRS (COALESCED_STORE && REMAP && LANES == 1 && FIELD_BITS > 1 && TILE_BITS % FIELD_BITS == 1)

/* Passes over contiguous tiles take them from the end of the array, passes over rows from its beginning: where they
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

/* Where the array is rows, all of a tile is in one row. A row has 2^tile_bits tiles; those of rows beyond the last have
 * no keys. Rows have `count` elements or, where segments[row] .. segments[row + 1] tell which are theirs, at most so many,
 * all before `end`. */
#if SEGMENT_BITS
#define ROWS_PARAMETER , offset_t rows, uint tile_bits, offset_t end
#define SEGMENTS_PARAMETER , GLOBAL const segment_t *segments, offset_t segments_offset
#define ENTER_ROW(arrays, number, count)                                                   \
    {                                                                                      \
        offset_t row_ = (number) >> tile_bits, first_ = 0, last_ = 0;                      \
        if (row_ < rows) {                                                                 \
            first_ = min((offset_t)segments[segments_offset + row_], end);                 \
            last_ = min((offset_t)segments[segments_offset + row_ + 1], end);              \
        }                                                                                  \
        ADVANCE(arrays, first_)                                                            \
        (number) &= ((offset_t)1 << tile_bits) - 1;                                        \
        (count) = last_ > first_ ? (position_t)min(last_ - first_, (offset_t)(count)) : 0;    \
    }
#elif IN_ROWS
#define ROWS_PARAMETER , offset_t rows, uint tile_bits
#define SEGMENTS_PARAMETER
#define ENTER_ROW(arrays, number, count)                         \
    {                                                            \
        offset_t row_ = (number) >> tile_bits;                   \
        ADVANCE(arrays, row_ * (count))                          \
        (number) &= ((offset_t)1 << tile_bits) - 1;              \
        if (row_ >= rows) (count) = 0;                           \
    }
#else
#define ROWS_PARAMETER
#define SEGMENTS_PARAMETER
#define ENTER_ROW(arrays, number, count)
#endif

/* Of a tile of short rows, each is a run of 2^phases vectors, in which indices begin anew. */
#if SHORT_ROWS && STORES_INDICES
#define INDEX_EACH_RUN(arrays, phases) (arrays).index_mask = ((position_t)1 << ((phases) + LANE_BITS)) - 1;
#else
#define INDEX_EACH_RUN(arrays, phases)
#endif

/* The parameters of every kernel for what there is besides keys. */
#define ARRAYS_PARAMETER VALUES_PARAMETER INDICES_PARAMETER SEGMENTS_PARAMETER

/* A tile in the array. */
typedef struct {
    position_t base;        /* its first key */
    position_t block;       /* the place of its columns between two rows, in rows' widths */
    position_t mirror_mask; /* `block` is inverted under this mask in the upper half, where the pass begins a phase */
    uint strip_stride;     /* lg of the keys from row to row; 0 where the tile is contiguous */
    uint strip_bits;    /* lg of the keys of a row */
    uint whole;          /* all of it lies before the end of the array */
} tile_t;

INLINE tile_t contiguous_tile(position_t number, position_t count) {
    tile_t tile;
    tile.base = number * TILE_KEYS;
    tile.block = tile.mirror_mask = 0;
    tile.strip_stride = tile.strip_bits = 0;
    tile.whole = tile.base + TILE_KEYS <= count;
    return tile;
}

INLINE tile_t strided_tile(position_t number, uint strip_stride, uint strip_bits, uint mirrored, position_t count) {
    uint block_bits = strip_stride - strip_bits;
    uint span_bits = strip_stride + TILE_BITS + LANE_BITS - strip_bits;
    position_t mask = ((position_t)1 << block_bits) - 1;
    tile_t tile;
    tile.base = (number >> block_bits) << span_bits;
    tile.block = number & mask;
    tile.mirror_mask = mirrored ? mask : 0;
    tile.strip_stride = strip_stride;
    tile.strip_bits = strip_bits;
    tile.whole = tile.base + ((position_t)1 << span_bits) <= count;
    return tile;
}

#if TWO_RANGES
/* Two sorted ranges of any lengths are merged as two runs of equal length, with `front` elements before the array that
 * are smaller than all others and are never written. The first pass begins the phase and encodes. */
#define FRONT_PARAMETER , position_t front, uint load_coding
#define FIRST_CODING load_coding
#define BEGINS_PHASE (load_coding != CODING_NONE)
#define BEHIND_FRONT(tile, count) tile = behind_front(tile, front, count);
INLINE tile_t behind_front(tile_t tile, position_t front, position_t count) {
    position_t span = (position_t)1 << (tile.strip_stride + TILE_BITS + LANE_BITS - tile.strip_bits);
    tile.base -= front;
    tile.whole = tile.base < count && span <= count - tile.base;
    return tile;
}
#else
#define FRONT_PARAMETER
#define FIRST_CODING CODING_NONE
#define BEGINS_PHASE 0
#define BEHIND_FRONT(tile, count)
#endif

#if FIRST_ONLY
/* Sorted runs of 2^strip_stride keys, of which only the first 2^strip_bits are still merged: a tile is as many of these
 * heads as it can hold. With both 0 it is contiguous. */
#define FIRST_ONLY_PARAMETER , uint first_phase, uint strip_stride, uint strip_bits
#define TILE_OF(number, count) heads_tile((position_t)(number), strip_stride, strip_bits, count)
INLINE tile_t heads_tile(position_t number, uint strip_stride, uint strip_bits, position_t count) {
    return strided_tile(number << (strip_stride - strip_bits), strip_stride, strip_bits, 0, count);
}
#else
#define FIRST_ONLY_PARAMETER
#define TILE_OF(number, count) contiguous_tile((position_t)(number), count)
#endif

/* The keys from the tile's first column to the first key of vector v, in the rows' order. Additive like vector_of. */
INLINE position_t key_offset(tile_t tile, uint v) {
    uint key = v << LANE_BITS;
    return ((position_t)(key >> tile.strip_bits) << tile.strip_stride) + LOW_BITS(key, tile.strip_bits);
}

/* The position in the array of the first key of vector v. */
INLINE position_t key_position(tile_t tile, uint v) {
    position_t block = v >= TILE_VECTORS / 2 ? tile.block ^ tile.mirror_mask : tile.block;
    return tile.base + (block << tile.strip_bits) + key_offset(tile, v);
}

/* Registers m and m + HALF lie at the same distance from registers 0 and HALF. */
#define HALF (REGISTER_VECTORS / 2)

/* The positions of the first keys that work-item t holds in registers 0 and HALF, in the round on the field at `start`. */
INLINE position_t lower_position(tile_t tile, uint t, uint start) { return key_position(tile, vector_of(t, 0, start)); }
INLINE position_t upper_position(tile_t tile, uint t, uint start, uint mirrored) {
    return key_position(tile, vector_of(upper_number(t, start, mirrored), HALF, start));
}

/* The position for any register. */
INLINE position_t held_position(tile_t tile, uint t, uint m, uint start, uint mirrored) {
    position_t first = m < HALF ? lower_position(tile, t, start) : upper_position(tile, t, start, mirrored);
    return first + key_offset(tile, vector_of(0, m & (HALF - 1), start));
}

/* The arrays from so many elements on. */
INLINE arrays_t arrays_from(arrays_t arrays, position_t elements) {
    ADVANCE(arrays, elements)
    return arrays;
}

#if LANES > 1
/* The vectors of a work-item of which some reach beyond the end of the array. Keys alone have them out of line, and one by
 * one: elements of several parts are then slower also where the array does not end, and so are rows, which all end. */
#if VALUE_BITS || STORES_INDICES || IN_ROWS
#define AT_END INLINE
#define EACH_AT_END UNROLL
#else
#define AT_END OUTLINED
#define EACH_AT_END ROLLED
#endif
AT_END void load_all_to_end(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start, uint mirrored,
                            uint block_vectors, uint coding, flip_t flip) {
    element_t beyond = element_beyond(coding, flip);
    lanes_t lanes[REGISTER_VECTORS];
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) lanes[m] = lanes_of(beyond);
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m)
        load_to_end(&lanes[m], arrays, held_position(tile, t, m, start, mirrored), count, block_vectors, coding, flip);
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = element_of(&lanes[m]);
}

AT_END void store_all_to_end(const element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                             uint mirrored, uint block_vectors, uint last_pass) {
    lanes_t lanes[REGISTER_VECTORS];
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) lanes[m] = lanes_of(r[m]);
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m)
        store_to_end(&lanes[m], arrays, held_position(tile, t, m, start, mirrored), count, block_vectors, last_pass);
}
#endif

/* All registers of work-item t from the array, whose blocks are of so many vectors. Keys are only coded in memory
 * before the first pass, which `coding` tells. */
INLINE void load_registers(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                           uint mirrored, uint block_vectors, uint coding, flip_t flip) {
    uint first_pass = coding != CODING_NONE;
    if (tile.whole) {
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        arrays_t from_lower = arrays_from(arrays, lower), from_upper = arrays_from(arrays, upper);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            r[m] = load_element(from_lower, offset, lower + offset, first_pass);
            r[m + HALF] = load_element(from_upper, offset, upper + offset, first_pass);
        }
    } else {
#if LANES == 1
        element_t beyond = element_beyond(coding, flip);
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            r[m] = OUTSIDE(lower + offset, beyond, coding, flip);
            r[m + HALF] = OUTSIDE(upper + offset, beyond, coding, flip);
            if (lower + offset < count) r[m] = load_element(arrays, lower + offset, lower + offset, first_pass);
            if (upper + offset < count) r[m + HALF] = load_element(arrays, upper + offset, upper + offset, first_pass);
        }
        (void)block_vectors;
#else
        /* Not r itself, which is to stay in registers. */
        element_t held[REGISTER_VECTORS];
        load_all_to_end(held, arrays, count, tile, t, start, mirrored, block_vectors, coding, flip);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = held[m];
#endif
    }
    if (coding != CODING_NONE) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m].key = encode(r[m].key, coding, flip);
    }
}

INLINE void decode_registers(element_t* r, uint coding, flip_t flip) {
    if (coding != CODING_NONE) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m].key = decode(r[m].key, coding, flip);
    }
}

/* All registers of work-item t to the array. */
INLINE void store_registers(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                            uint mirrored, uint block_vectors, uint coding, flip_t flip) {
    uint last_pass = coding != CODING_NONE;
    decode_registers(r, coding, flip);
    if (tile.whole) {
        arrays_t to_lower = arrays_from(arrays, lower_position(tile, t, start));
        arrays_t to_upper = arrays_from(arrays, upper_position(tile, t, start, mirrored));
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            store_of_pass(r[m], to_lower, offset, last_pass);
            store_of_pass(r[m + HALF], to_upper, offset, last_pass);
        }
    } else {
#if LANES == 1 && TWO_RANGES
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            if (lower + offset < count) store_element(r[m], arrays, lower + offset);
            if (upper + offset < count) store_element(r[m + HALF], arrays, upper + offset);
        }
        (void)block_vectors;
#elif LANES == 1
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        arrays_t to_lower = arrays_from(arrays, lower), to_upper = arrays_from(arrays, upper);
        position_t lower_end = count - min(lower, count), upper_end = count - min(upper, count);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            if (offset < lower_end) store_element(r[m], to_lower, offset);
            if (offset < upper_end) store_element(r[m + HALF], to_upper, offset);
        }
        (void)block_vectors;
#else
        element_t held[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) held[m] = r[m];
        store_all_to_end(held, arrays, count, tile, t, start, mirrored, block_vectors, last_pass);
#endif
    }
}

#if STORES_PAIRS
/* Whether all arrays lie so that each pair of a tile has an address that is a multiple of its size. Of elements that no
 * device stores two at once, each may lie anywhere. */
#if HAS_PAIRS
#define LIES_IN_PAIRS(part, array) ((size_t)((array) + tile.base) % sizeof(part##_pair_t) == 0)
INLINE uint lie_in_pairs(arrays_t arrays, tile_t tile) {
    return LIES_IN_PAIRS(key, arrays.keys) WITH_STORED_VALUES(&& LIES_IN_PAIRS(value, arrays.values))
        WITH_STORED_INDICES(&& LIES_IN_PAIRS(index, arrays.indices));
}
#define STORE_PAIR(part, address) *(GLOBAL part##_pair_t*)(address) = MAKE_PAIR(part##_pair_t, r[m].part, r[m + 1].part);
#define STORE_PAIRS(to, offset)                                          \
    {                                                                    \
        STORE_PAIR(key, (to).keys + (offset))                            \
        WITH_STORED_VALUES(STORE_PAIR(value, (to).values + (offset)))    \
        WITH_STORED_INDICES(STORE_PAIR(index, (to).indices + (offset))) \
    }
#else
#define lie_in_pairs(arrays, tile) 1
#define STORE_PAIRS(to, offset)                    \
    {                                              \
        store_element(r[m], to, offset);           \
        store_element(r[m + 1], to, (offset) + 1); \
    }
#endif

/* All registers of work-item t to the array, from the round that holds pairs. */
INLINE void store_pairs(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint coding, flip_t flip) {
    decode_registers(r, coding, flip);
    position_t first = key_position(tile, vector_in_pairs(t, 0));
    uint together = lie_in_pairs(arrays, tile);
    if (tile.whole && together) {
        arrays_t to = arrays_from(arrays, first);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; m += 2) STORE_PAIRS(to, key_offset(tile, vector_in_pairs(0, m)))
    } else {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; m += 2) {
            position_t i = first + key_offset(tile, vector_in_pairs(0, m));
            uint first_inside = i < count, second_inside = i + 1 < count;
            if (together && first_inside && second_inside) {
                STORE_PAIRS(arrays, i)
            } else {
                if (first_inside) store_element(r[m], arrays, i);
                if (second_inside) store_element(r[m + 1], arrays, i + 1);
            }
        }
    }
}
#endif

#endif
