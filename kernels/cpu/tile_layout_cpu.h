// SPDX-License-Identifier: MIT
/* Tiles in memory of the work-group's own, for kernels in which one work-item walks a tile.
 *
 * Lane l of the tile's vectors holds the l-th part of its keys: key l * 2^bits + v lies in lane l of vector v, of
 * 2^bits. So all steps of strides below a part are between whole vectors, and only those of the last lg L phases cross
 * lanes.
 *
 *   key of a tile:   | lane | number of the vector |
 *
 * After every 64 vectors one place is unused: else the vectors of a step would lie powers of two apart, in the same few
 * places of a cache. */
#ifndef TILE_LAYOUT_CPU_H
#define TILE_LAYOUT_CPU_H
#include "common/tile.h"

/* The place of vector v. Additive like vector_of, since it only moves bits. */
#define PLACE(v) ((v) + ((v) >> 6))
#define LOCAL_ELEMENTS ((PLACE(TILE_VECTORS - 1) + 1) * LANES)
#define DECLARE_LOCAL_TILE(name) DECLARE_LOCAL_ARRAYS(name, LOCAL_ELEMENTS)

INLINE element_t load_held(local_arrays_t tile, uint v) { return load_local_element(tile, PLACE(v) * LANES); }
INLINE void store_held(element_t e, local_arrays_t tile, uint v) { store_local_element(e, tile, PLACE(v) * LANES); }

/* Vectors whose numbers differ in the bit of value h trade lanes: the first gets all lanes that had bit h clear, the
 * second those that had it set. */
#define TRADE_LANES(r, h)                                                          \
    do {                                                                           \
        UNROLL for (uint i = 0; i < LANES / 2; ++i) {                              \
            uint lower_ = LOWER_OF_PAIR(i, LOG2(h)), upper_ = lower_ + (h);        \
            element_t clear_ = ON_BOTH_LANES(LOW_LANES_##h, r[lower_], r[upper_]); \
            r[upper_] = ON_BOTH_LANES(HIGH_LANES_##h, r[lower_], r[upper_]);       \
            r[lower_] = clear_;                                                    \
        }                                                                          \
    } while (0)

/* L vectors: lanes become vectors and vectors lanes. */
INLINE void transpose_lanes(element_t* r) {
#if LANES >= 16
    TRADE_LANES(r, 8);
#endif
#if LANES >= 8
    TRADE_LANES(r, 4);
#endif
#if LANES >= 4
    TRADE_LANES(r, 2);
#endif
#if LANES >= 2
    TRADE_LANES(r, 1);
#endif
}

/* The first step of a phase that merges runs of w / 2 parts: lane l of one vector meets lane l ^ (w - 1) of the
 * other. */
#define MEET_ACROSS(a, b, w, h)                                                                           \
    do {                                                                                                  \
        element_t lower_ = *(a), upper_ = ON_LANES(MIRROR_LANES_##w, *(b));                               \
        compare_exchange(&lower_, &upper_, 0, 0);                                                         \
        *(a) = ON_BOTH_LANES(BLEND_##h, lower_, upper_);                                                  \
        element_t mirrored_ = ON_BOTH_LANES(BLEND_##h, upper_, lower_);                                   \
        *(b) = ON_LANES(MIRROR_LANES_##w, mirrored_);                                                     \
    } while (0)

/* Two vectors, whose numbers are v and its complement: the steps of a phase that cross lanes, of strides 2^(top - 1)
 * parts down to one. */
INLINE void merge_across(element_t* a, element_t* b, uint mirrored, uint top) {
#if LANES >= 2
    if (mirrored) {
#if LANES >= 16
        if (top == 4) MEET_ACROSS(a, b, 16, 8);
#endif
#if LANES >= 8
        if (top == 3) MEET_ACROSS(a, b, 8, 4);
#endif
#if LANES >= 4
        if (top == 2) MEET_ACROSS(a, b, 4, 2);
#endif
        if (top == 1) MEET_ACROSS(a, b, 2, 1);
        --top;
    }
#if LANES >= 16
    if (top >= 4) {
        EXCHANGE_LANES(*a, SWAP_LANES_8, BLEND_8);
        EXCHANGE_LANES(*b, SWAP_LANES_8, BLEND_8);
    }
#endif
#if LANES >= 8
    if (top >= 3) {
        EXCHANGE_LANES(*a, SWAP_LANES_4, BLEND_4);
        EXCHANGE_LANES(*b, SWAP_LANES_4, BLEND_4);
    }
#endif
#if LANES >= 4
    if (top >= 2) {
        EXCHANGE_LANES(*a, SWAP_LANES_2, BLEND_2);
        EXCHANGE_LANES(*b, SWAP_LANES_2, BLEND_2);
    }
#endif
    if (top >= 1) {
        EXCHANGE_LANES(*a, SWAP_LANES_1, BLEND_1);
        EXCHANGE_LANES(*b, SWAP_LANES_1, BLEND_1);
    }
#endif
}

/* Compiled ahead, all kernels share one copy: that halves the library. A device's compiler takes less than half of the
 * time so. */
#if DECIDES_AT_RUN_TIME || CALLS_WITH_LOCAL
#define WALK OUTLINED
#else
#define WALK INLINE
#endif

/* A walk loads and stores REGISTER_VECTORS vectors at a time: so many times for 2^bits. */
#define WALK_OF(bits) (1u << ((bits)-FIELD_BITS))

/* A round of such steps as merge_whole_vectors() makes, on the field at `start`, walking from first_t to last_t. */
INLINE void walk_vectors(local_arrays_t tile, uint first_t, uint last_t, uint start, uint mirrored, uint top,
                         uint bottom) {
    for (uint t = first_t; t < last_t; ++t) {
        local_arrays_t lower = local_arrays_from(tile, PLACE(vector_of(t, 0, start)) * LANES);
        local_arrays_t upper =
            local_arrays_from(tile, PLACE(vector_of(upper_number(t, start, mirrored), HALF, start)) * LANES);
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < HALF; ++m) {
            r[m] = load_local_element(lower, PLACE(vector_of(0, m, start)) * LANES);
            r[m + HALF] = load_local_element(upper, PLACE(vector_of(0, m, start)) * LANES);
        }
        merge_whole_vectors(r, mirrored, top, bottom);
        FORGET(lower.keys);
        FORGET(upper.keys);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            store_local_element(r[m], lower, PLACE(vector_of(0, m, start)) * LANES);
            store_local_element(r[m + HALF], upper, PLACE(vector_of(0, m, start)) * LANES);
        }
    }
}

/* The steps of strides 2^(top - 1) .. 2^bottom vectors. The rounds that most phases end with are compiled for their
 * fields: addresses are then a base plus constants. */
WALK void merge_vectors(local_arrays_t tile, uint first_t, uint last_t, uint mirrored, uint top, uint bottom) {
    while (top > bottom) {
        uint start = max(top, (uint)FIELD_BITS) - FIELD_BITS, last = max(start, bottom);
        uint whole = top >= FIELD_BITS && last == start && !mirrored;
        if (whole && start == 0) walk_vectors(tile, first_t, last_t, 0, 0, FIELD_BITS - 1, 0);
        else if (whole && start == FIELD_BITS) walk_vectors(tile, first_t, last_t, FIELD_BITS, 0, FIELD_BITS - 1, 0);
        else walk_vectors(tile, first_t, last_t, start, mirrored, top - 1 - start, last - start);
        top = last;
        mirrored = 0;
    }
}

/* What is left of a phase once its strides are inside a chunk, which stays in the first-level cache, is done chunk by
 * chunk. A chunk has no more vectors than the tile. */
#define CHUNK_BITS max(LOG2(CHUNK_BYTES / (LANES * sizeof(register_key_t))), FIELD_BITS)

/* Vectors `first` .. end - 1 of the lower half of a tile of 2^bits, and those opposite: the steps that cross lanes. */
WALK void cross_lanes(local_arrays_t tile, uint bits, uint first, uint end, uint mirrored, uint top) {
    for (uint v = first; v < end; ++v) {
        uint opposite = (1u << bits) - 1 - v;
        element_t a = load_held(tile, v), b = load_held(tile, opposite);
        merge_across(&a, &b, mirrored, top);
        store_held(a, tile, v);
        store_held(b, tile, opposite);
    }
}

/* The steps of a phase from stride 2^(top - 1) keys on, in a tile of 2^bits vectors; if it `has_crossed`, without those
 * that cross lanes. The first `next` steps of the next phase, if they cross lanes, are made while the two chunks that
 * they want are in the first-level cache. */
INLINE void merge_local(local_arrays_t tile, uint bits, uint mirrored, uint top, uint has_crossed, uint next) {
    uint chunk_bits = min(bits, (uint)CHUNK_BITS), chunks = 1u << (bits - chunk_bits), walk = WALK_OF(chunk_bits);
    if (top > bits) {
        if (!has_crossed) cross_lanes(tile, bits, 0, 1u << (bits - 1), mirrored, top - bits);
        top = bits;
        mirrored = 0;
    }
    merge_vectors(tile, 0, WALK_OF(bits), mirrored, top, chunk_bits);
    if (top > chunk_bits) mirrored = 0;
    for (uint chunk = 0; chunk < max(chunks / 2, 1u); ++chunk) {
        uint opposite = chunks - 1 - chunk, end = min((chunk + 1) << chunk_bits, 1u << (bits - 1));
        merge_vectors(tile, chunk * walk, (chunk + 1) * walk, mirrored, min(top, chunk_bits), 0);
        if (opposite > chunk)
            merge_vectors(tile, opposite * walk, (opposite + 1) * walk, mirrored, min(top, chunk_bits), 0);
        if (next > 0) cross_lanes(tile, bits, chunk << chunk_bits, end, 1, next);
    }
}

#if !TWO_RANGES || DECIDES_AT_RUN_TIME
/* Phases first .. last of the vectors of a chunk. */
WALK void sort_chunk(local_arrays_t tile, uint chunk, uint chunk_bits, uint first, uint last) {
    uint begin = chunk * WALK_OF(chunk_bits), end = begin + WALK_OF(chunk_bits);
    for (uint t = begin; first == 1 && t < end; ++t) {
        element_t r[REGISTER_VECTORS];
        local_arrays_t held = local_arrays_from(tile, PLACE(t << FIELD_BITS) * LANES);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_local_element(held, m * LANES);
        sort_whole_vectors(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_local_element(r[m], held, m * LANES);
    }
    for (uint phase = max(first, FIELD_BITS + 1u); phase <= min(last, chunk_bits); ++phase)
        merge_vectors(tile, begin, end, 1, phase, 0);
}

/* Phases first .. last of a tile of 2^bits vectors, but for those inside of chunks. */
WALK void merge_chunks(local_arrays_t tile, uint bits, uint first, uint last) {
    uint has_crossed = 0;
    for (uint phase = max(first, min(bits, (uint)CHUNK_BITS) + 1); phase <= last; ++phase) {
        uint next = phase < last && phase >= bits ? phase + 1 - bits : 0;
        merge_local(tile, bits, 1, phase, has_crossed, next);
        has_crossed = next > 0;
    }
}

/* Rows of a tile in whose columns keys are in order: vectors x, x + step, .., which have the higher of two columns, and
 * y, y + step, .., which have the lower. Where a lane's rows end, those of the next lane go on: in its last lane
 * nothing does. */
typedef struct {
    uint x, y, step, rows;
} row_pairs_t;

INLINE element_t lanes_after(element_t e) {
#if LANES > 1
    element_t beyond = ELEMENT(BROADCAST(vec_t, LARGEST_KEY), LARGEST_VALUE, LARGEST_INDEX);
    e = ON_BOTH_LANES(NEXT_LANES, e, beyond);
#endif
    return e;
}
INLINE element_t lanes_before(element_t e, element_t first) {
#if LANES > 1
    e = ON_BOTH_LANES(PREVIOUS_LANES, e, first);
#endif
    return e;
}

/* Several steps in one walk: the higher column's key of each row meets the lower one's `far` rows further on, then half
 * as many, .., then one. What that needs of the lower column is in registers, row i in y[i % far]. */
#ifdef RECORD_TYPE
#define MOST_ROWS 1 /* records are in no registers, and take long to compile */
#else
#define MOST_ROWS 8
#endif

/* So many rows as `far` from the first one on, of which the last ones have no row further on if `is_last`. *x is in one
 * array with y: what is exchanged must be. */
INLINE void walk_block(element_t* x, element_t* y, local_arrays_t tile, row_pairs_t pairs, uint first, uint far,
                       uint is_last) {
    UNROLL for (uint j = 0; j < far; ++j) {
        uint x_place = pairs.x + (first + j) * pairs.step, y_place = pairs.y + (first + j) * pairs.step;
        *x = load_held(tile, x_place);
        if (!is_last) y[j] = load_held(tile, y_place + far * pairs.step);
        UNROLL for (uint distance = MOST_ROWS; distance > 0; distance /= 2)
            if (distance <= far && (!is_last || j + distance < far))
                compare_exchange(x, &y[(j + distance) % far], 0, 0);
        store_held(*x, tile, x_place);
        if (!is_last || j + 1 < far) store_held(y[(j + 1) % far], tile, y_place + pairs.step);
    }
}

/* All rows, of which there are `far` or more. */
INLINE void walk_rows(local_arrays_t tile, row_pairs_t pairs, uint far) {
    element_t r[2 * MOST_ROWS], *x = r, *y = r + MOST_ROWS;
#if LANES > 1
    element_t first[MOST_ROWS];
    uint behind = pairs.rows - far;
    UNROLL for (uint i = 0; i < far; ++i) {
        x[i] = load_held(tile, pairs.x + (behind + i) * pairs.step);
        first[i] = load_held(tile, pairs.y + i * pairs.step);
        y[i] = lanes_after(first[i]);
    }
    UNROLL for (uint distance = MOST_ROWS; distance > 0; distance /= 2) {
        if (distance > far) continue;
        UNROLL for (uint i = far - distance; i < far; ++i) compare_exchange(&x[i], &y[i + distance - far], 0, 0);
    }
    UNROLL for (uint i = 0; i < far; ++i) {
        store_held(x[i], tile, pairs.x + (behind + i) * pairs.step);
        store_held(lanes_before(y[i], first[i]), tile, pairs.y + i * pairs.step);
    }
#endif
    UNROLL for (uint i = 1; i < far; ++i) y[i] = load_held(tile, pairs.y + i * pairs.step);
    uint row = 0;
    for (; row + far < pairs.rows; row += far) walk_block(x, y, tile, pairs, row, far, 0);
    walk_block(x, y, tile, pairs, row, far, 1);
}
WALK void merge_rows_once(local_arrays_t tile, row_pairs_t pairs) { walk_rows(tile, pairs, 1); }
#if MOST_ROWS > 1
WALK void merge_rows_three_times(local_arrays_t tile, row_pairs_t pairs) { walk_rows(tile, pairs, 4); }
WALK void merge_rows_four_times(local_arrays_t tile, row_pairs_t pairs) { walk_rows(tile, pairs, 8); }
#endif

/* Sorts a tile of 2^bits vectors, whose rows have a key of each of 2^column_bits columns that are in order, and none of
 * which has up to any row 2^row_bits keys fewer than another: Batcher's odd-even merges of columns, without the
 * comparisons of keys that are further apart than that. Between two columns these are with the key so many rows further
 * on, from half of 2^row_bits down to the next row. */
INLINE void merge_columns_of_tile(local_arrays_t tile, uint bits, uint column_bits, uint row_bits) {
    for (uint column = column_bits; column > 0; --column) {
        uint width = 1u << (column - 1);
        for (uint row = row_bits; row > 0;) {
            /* In as few walks as four distances at most, or three, allow. */
            uint at_once = MOST_ROWS == 1 || row < 3 ? 1 : row == 3 || row == 6 ? 3 : 4;
            row -= at_once;
            row_pairs_t pairs;
            pairs.step = 2 * width << row;
            pairs.rows = 1u << (bits - column - row);
            for (uint first = 0; first < pairs.step; ++first) {
                if (first & width) continue;
                pairs.x = first + width;
                pairs.y = first;
#if MOST_ROWS > 1
                if (at_once == 4) merge_rows_four_times(tile, pairs);
                if (at_once == 3) merge_rows_three_times(tile, pairs);
#endif
                if (at_once == 1) merge_rows_once(tile, pairs);
            }
        }
    }
}
#endif

#endif
