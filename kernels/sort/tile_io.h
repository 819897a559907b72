// SPDX-License-Identifier: MIT
/* A work-item's vectors from the array and back to it. */
#ifndef TILE_IO_H
#define TILE_IO_H
#include "common/sentinels.h"
#include "sort/pass_arguments.h"

/* Compiled ahead, scalars have it once: it is long, and they are rare. */
#if DECIDES_AT_RUN_TIME && LANES == 1
#define TILE_IO OUTLINED
#else
#define TILE_IO INLINE
#endif

#if LANES > 1
/* The vectors of a work-item of which some reach beyond the end of the array. Keys alone have them out of line, and one
 * by one: elements of several parts are then slower also where the array does not end, and so are rows, which all
 * end. */
#if VALUE_BITS || STORES_INDICES || IN_ROWS
#define AT_END INLINE
#define EACH_AT_END UNROLL
#else
#define AT_END OUTLINED
#define EACH_AT_END ROLLED
#endif
AT_END void load_all_to_end(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                            uint mirrored, uint coding, flip_t flip) {
    element_t beyond = element_beyond(coding, flip);
    lanes_t lanes[REGISTER_VECTORS];
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) lanes[m] = lanes_of(beyond);
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m)
        load_to_end(&lanes[m], arrays, held_position(tile, t, m, start, mirrored), count, 1, coding != CODING_NONE,
                    coding, flip);
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = element_of(&lanes[m]);
}

AT_END void store_all_to_end(const element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                             uint mirrored) {
    lanes_t lanes[REGISTER_VECTORS];
    EACH_AT_END for (uint m = 0; m < REGISTER_VECTORS; ++m) lanes[m] = lanes_of(r[m]);
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m)
        store_to_end(&lanes[m], arrays, held_position(tile, t, m, start, mirrored), count, 1);
}
#endif

/* All registers of work-item t from the array. Keys are only coded in memory before the first pass, which `coding`
 * tells. */
TILE_IO void load_registers(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                           uint mirrored, uint coding, flip_t flip) {
    uint first_pass = coding != CODING_NONE && !in_sorted_strips(tile);
    if (tile.whole) {
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        arrays_t from_lower = arrays_from(arrays, lower), from_upper = arrays_from(arrays, upper);
        position_t offsets[HALF];
        UNROLL for (uint m = 0; m < HALF; ++m) {
            offsets[m] = m == 0 ? 0 : offsets[m & (m - 1)] + key_offset(tile, vector_of(0, m & (0 - m), start));
            position_t offset = offsets[m];
            r[m] = load_element(from_lower, offset, lower + offset, first_pass);
            r[m + HALF] = load_element(from_upper, offset, upper + offset, first_pass);
        }
#if COLUMN_BITS
    } else if (in_sorted_strips(tile)) {
        element_t beyond = element_beyond(coding, flip);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            position_t i = position_at_end(tile, held_vector(t, m, start, mirrored), count);
            r[m] = beyond;
            if (i < count) r[m] = load_element(arrays, i, i, 0);
        }
#endif
    } else {
#if LANES == 1
        element_t beyond = element_beyond(coding, flip), in_front = element_in_front(coding, flip);
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            r[m] = is_in_front(lower + offset) ? in_front : beyond;
            r[m + HALF] = is_in_front(upper + offset) ? in_front : beyond;
            if (lower + offset < count) r[m] = load_element(arrays, lower + offset, lower + offset, first_pass);
            if (upper + offset < count) r[m + HALF] = load_element(arrays, upper + offset, upper + offset, first_pass);
        }
#else
        /* Not r itself, which is to stay in registers. */
        element_t held[REGISTER_VECTORS];
        load_all_to_end(held, arrays, count, tile, t, start, mirrored, coding, flip);
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
TILE_IO void store_registers(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint start,
                            uint mirrored, uint coding, flip_t flip) {
    decode_registers(r, coding, flip);
    if (tile.whole) {
        arrays_t to_lower = arrays_from(arrays, lower_position(tile, t, start));
        arrays_t to_upper = arrays_from(arrays, upper_position(tile, t, start, mirrored));
        position_t offsets[HALF];
        UNROLL for (uint m = 0; m < HALF; ++m) {
            offsets[m] = m == 0 ? 0 : offsets[m & (m - 1)] + key_offset(tile, vector_of(0, m & (0 - m), start));
            store_element(r[m], to_lower, offsets[m]);
            store_element(r[m + HALF], to_upper, offsets[m]);
        }
#if COLUMN_BITS
    } else if (in_sorted_strips(tile)) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            position_t i = position_at_end(tile, held_vector(t, m, start, mirrored), count);
            if (i < count) store_element(r[m], arrays, i);
        }
#endif
    } else {
#if LANES == 1 && TWO_RANGES
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            if (lower + offset < count) store_element(r[m], arrays, lower + offset);
            if (upper + offset < count) store_element(r[m + HALF], arrays, upper + offset);
        }
#elif LANES == 1
        position_t lower = lower_position(tile, t, start), upper = upper_position(tile, t, start, mirrored);
        arrays_t to_lower = arrays_from(arrays, lower), to_upper = arrays_from(arrays, upper);
        position_t lower_end = count - min(lower, count), upper_end = count - min(upper, count);
        UNROLL for (uint m = 0; m < HALF; ++m) {
            position_t offset = key_offset(tile, vector_of(0, m, start));
            if (offset < lower_end) store_element(r[m], to_lower, offset);
            if (offset < upper_end) store_element(r[m + HALF], to_upper, offset);
        }
#else
        element_t held[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) held[m] = r[m];
        store_all_to_end(held, arrays, count, tile, t, start, mirrored);
#endif
    }
}

#if STORES_PAIRS
/* Whether all arrays lie so that each pair of a tile has an address that is a multiple of its size. Of elements that no
 * device stores two at once, each may lie anywhere. */
INLINE uint lie_in_pairs(arrays_t arrays, tile_t tile) {
#if HAS_PAIRS
#define LIES_IN_PAIRS(part, array) ((size_t)((array) + tile.base) % sizeof(part##_pair_t) == 0)
    return LIES_IN_PAIRS(key, arrays.keys) WITH_STORED_VALUES(&& LIES_IN_PAIRS(value, arrays.values))
        WITH_STORED_INDICES(&& LIES_IN_PAIRS(index, arrays.indices));
#else
    return 1;
#endif
}

/* Two elements to neighbouring places, at once where pairs can be stored. */
INLINE void store_two(element_t first, element_t second, arrays_t to, position_t offset) {
#if HAS_PAIRS
#define STORE_PAIR(part, address) \
    (*(GLOBAL part##_pair_t*)((address) + offset) = MAKE_PAIR(part##_pair_t, first.part, second.part))
    STORE_PAIR(key, to.keys);
    WITH_STORED_VALUES(STORE_PAIR(value, to.values);)
    WITH_STORED_INDICES(STORE_PAIR(index, to.indices);)
#else
    store_element(first, to, offset);
    store_element(second, to, offset + 1);
#endif
}

/* All registers of work-item t to the array, from the round that holds pairs. */
INLINE void store_pairs(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint coding,
                        flip_t flip) {
    decode_registers(r, coding, flip);
    position_t first = key_position(tile, vector_in_pairs(t, 0));
    uint together = lie_in_pairs(arrays, tile);
    if (tile.whole && together) {
        arrays_t to = arrays_from(arrays, first);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; m += 2)
            store_two(r[m], r[m + 1], to, key_offset(tile, vector_in_pairs(0, m)));
#if COLUMN_BITS
    } else if (in_sorted_strips(tile)) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            position_t i = position_at_end(tile, vector_in_pairs(t, m), count);
            if (i < count) store_element(r[m], arrays, i);
        }
#endif
    } else {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; m += 2) {
            position_t i = first + key_offset(tile, vector_in_pairs(0, m));
            uint first_inside = i < count, second_inside = i + 1 < count;
            if (together && first_inside && second_inside) {
                store_two(r[m], r[m + 1], arrays, i);
            } else {
                if (first_inside) store_element(r[m], arrays, i);
                if (second_inside) store_element(r[m + 1], arrays, i + 1);
            }
        }
    }
}
#endif

#endif
