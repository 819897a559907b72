// SPDX-License-Identifier: MIT
/* What lies beyond the ends of the array, and vectors of which only some lanes lie in it.
 *
 * Beyond the end lies +infinity: it is read as the largest element and never written. Compare-exchanges never move an
 * element towards the end past an equal one, so the elements of the array stay inside it. Where two ranges are merged,
 * -infinity lies before the array in the same way. A position there wraps round, so that it is not below `count`.
 */
#ifndef SENTINELS_H
#define SENTINELS_H
#include "common/elements.h"

/* An element whose key is beyond every key of the array, or equal to the largest, and is never written. */
INLINE element_t element_beyond(uint coding, flip_t flip) {
    return ELEMENT(key_beyond(coding, flip), LARGEST_VALUE, LARGEST_INDEX);
}

INLINE element_t element_in_front(uint coding, flip_t flip) {
    return ELEMENT(key_in_front(coding, flip), SMALLEST_VALUE, INDEX_IN_FRONT);
}

INLINE uint is_in_front(position_t position) { return TWO_RANGES && position >> (POSITION_BITS - 1) != 0; }

#if LANES > 1
/* The whole vector lies in the array. */
INLINE uint lies_in_array(position_t first, position_t count) { return first < count && LANES <= count - first; }

/* The lanes of a vector that lie before the array. */
INLINE uint lanes_in_front(position_t first) {
    return is_in_front(first) ? (uint)min((position_t)0 - first, (position_t)LANES) : 0;
}

/* The lanes of a vector, in memory of the work-item's own. */
typedef struct {
    register_key_t keys[LANES];
    WITH_VALUES(value_t values[LANES];)
    WITH_INDICES(index_t indices[LANES];)
} lanes_t;

INLINE lanes_t lanes_of(element_t e) {
    lanes_t lanes;
    STORE_VECTOR(e.key, lanes.keys);
    WITH_VALUES(STORE_VECTOR(e.value, lanes.values);)
    WITH_INDICES(STORE_VECTOR(e.index, lanes.indices);)
    return lanes;
}

INLINE element_t element_of(const lanes_t* lanes) {
    return ELEMENT(LOAD_VECTOR(lanes->keys), LOAD_VECTOR(lanes->values), LOAD_VECTOR(lanes->indices));
}

INLINE void load_lane(lanes_t* lanes, uint l, arrays_t from, position_t position, uint first_pass) {
#if STORES_INDICES
    index_t index = MAKES_INDICES(first_pass) ? (index_t)((position & from.index_mask) + FIRST_INDEX)
                                              : INDEX_AT(from.indices, position);
#endif
#if PACKED && VALUE_BITS
    lanes->keys[l] = PACK((register_key_t)from.keys[position], (register_key_t)from.values[position]);
#elif PACKED
    lanes->keys[l] = PACK((register_key_t)from.keys[position], (register_key_t)index);
#else
    lanes->keys[l] = from.keys[position];
    WITH_VALUES(lanes->values[l] = from.values[position];)
    WITH_STORED_INDICES(lanes->indices[l] = index;)
#endif
}

INLINE void store_lane(const lanes_t* lanes, uint l, arrays_t to, position_t position) {
#if PACKED
    to.keys[position] = (key_t)(lanes->keys[l] >> KEY_PLACE);
    #if VALUE_BITS
    to.values[position] = (value_t)lanes->keys[l];
#else
    SET_INDEX_AT(to.indices, position, (index_t)lanes->keys[l]);
#endif
#else
    to.keys[position] = lanes->keys[l];
    WITH_VALUES(to.values[position] = lanes->values[l];)
    WITH_STORED_INDICES(SET_INDEX_AT(to.indices, position, lanes->indices[l]);)
#endif
}

/* A vector of which only some lanes lie in the array, or whose lanes are so far apart in it. */
INLINE void load_to_end(lanes_t* lanes, arrays_t from, position_t first, position_t count, position_t distance,
                        uint first_pass, uint coding, flip_t flip) {
    if (distance == 1 && lies_in_array(first, count)) {
        *lanes = lanes_of(load_element(from, first, first, first_pass));
        return;
    }
    uint l = lanes_in_front(first);
#if TWO_RANGES
    lanes_t in_front = lanes_of(element_in_front(coding, flip));
    ROLLED for (uint front = 0; front < l; ++front) {
        lanes->keys[front] = in_front.keys[front];
        WITH_VALUES(lanes->values[front] = in_front.values[front];)
        WITH_INDICES(lanes->indices[front] = in_front.indices[front];)
    }
#endif
    first += l * distance;
    ROLLED for (; l < LANES && first < count; ++l, first += distance) load_lane(lanes, l, from, first, first_pass);
}

INLINE void store_to_end(const lanes_t* lanes, arrays_t to, position_t first, position_t count, position_t distance) {
    if (distance == 1 && lies_in_array(first, count)) {
        store_element(element_of(lanes), to, first);
        return;
    }
    uint l = lanes_in_front(first);
    first += l * distance;
    ROLLED for (; l < LANES && first < count; ++l, first += distance) store_lane(lanes, l, to, first);
}
#endif

#endif
