// SPDX-License-Identifier: MIT
/* What a tile is a part of: the whole array, a row, the heads of sorted runs, or two ranges. */
#ifndef ROWS_H
#define ROWS_H
#include "common/tile.h"

#define ARE_ROWS(rows) (DECIDES_AT_RUN_TIME ? (rows) > 0 : IN_ROWS)

/* Where the array is rows, all of a tile is in one row. A row has 2^tile_bits tiles; those of rows beyond the last have
 * no keys. Rows have *count elements or, where segments[row] .. segments[row + 1] tell which are theirs, at most so
 * many, all before `end`.
 * Leaves of a distribution have an end each, so that some may be left out: segments[2 * row] .. segments[2 * row + 1].
 * The arrays then begin with the tile's row, *count is of that row, and the tile's number in the row is returned. */
INLINE offset_t enter_row(arrays_t* arrays, position_t* count, offset_t number, GLOBAL const segment_t* segments,
                          offset_t rows, offset_t end, uint tile_bits) {
    if (!ARE_ROWS(rows)) return number;
    offset_t row = number >> tile_bits;
    if (DECIDES_AT_RUN_TIME ? segments != 0 : SEGMENT_BITS > 0) {
        offset_t first = 0, last = 0;
        if (row < rows) {
            offset_t place = LEAVES ? 2 * row : row;
            first = min((offset_t)segments[place], end);
            last = min((offset_t)segments[place + 1], end);
        }
        *arrays = arrays_from(*arrays, first);
        *count = last > first ? (position_t)min(last - first, (offset_t)*count) : 0;
    } else {
        *arrays = arrays_from(*arrays, row * *count);
        if (row >= rows) *count = 0;
    }
    return number & (((offset_t)1 << tile_bits) - 1);
}

/* Of a tile of short rows, each is a run of 2^phases vectors, in which indices begin anew. */
INLINE void index_each_run(arrays_t* arrays, uint phases) {
#if SHORT_ROWS && STORES_INDICES
    arrays->index_mask = ((position_t)1 << (phases + LANE_BITS)) - 1;
#endif
}

/* Sorted runs of 2^strip_stride keys, of which only the first 2^strip_bits are still merged: a tile is as many of these
 * heads as it can hold. With both 0 it is contiguous, as all are where nobody asks for the first keys only. */
INLINE tile_t tile_of(offset_t number, uint strip_stride, uint strip_bits, position_t count) {
#if FIRST_ONLY
    return strided_tile((position_t)number << (strip_stride - strip_bits), strip_stride, strip_bits, 0, count);
#else
    return contiguous_tile((position_t)number, count);
#endif
}

/* The phase after which the rounds of sort_tiles begin that hand over: where heads are merged, `first_phase` may come
 * later. Where they are sorted already, which first_phase > 0 tells, only the phases from that one on are run. */
#define FIRST_PHASE max(FIRST_ONLY ? first_phase : 0u, FIELD_BITS + 1u)
#define IS_SORTED (FIRST_ONLY && first_phase > 0)

/* Two sorted ranges of any lengths are merged as two runs of equal length, with `front` elements before the array that
 * are smaller than all others and are never written. The first pass begins the phase and encodes. Elsewhere passes that
 * merge come after others. */
#define FIRST_CODING (TWO_RANGES ? load_coding : CODING_NONE)
INLINE tile_t behind_front(tile_t tile, position_t front, position_t count) {
#if TWO_RANGES
    position_t span = (position_t)1 << (tile.strip_stride + TILE_BITS + LANE_BITS - tile.strip_bits);
    tile.base -= front;
    tile.whole = tile.base < count && span <= count - tile.base;
#endif
    return tile;
}

/* Whether a tile of a merge has nothing to do: it lies beyond the end of its row or, if keys need not be decoded, the
 * row ends in the first of the two runs that become one. */
INLINE uint is_merged(tile_t tile, position_t count, uint phase, uint store_coding) {
    uint run_bits = phase + LANE_BITS - 1;
    position_t second_run = ((tile.base >> (run_bits + 1) << 1) + 1) << run_bits;
    return key_position(tile, 0) >= count || (store_coding == CODING_NONE && count <= second_run);
}

#endif
