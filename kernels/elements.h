/* What the network moves: a vector of keys and, where VALUE_BITS says so, the values that belong to them.
 *
 * Elements are ordered by their keys, then by the bits of their values. So elements that are equal are equal in every
 * bit, the result does not depend on the shape, and values that count the keys up (NUMBER_VALUES) make a stable sort.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "keys.h"

/* NUMBER_VALUES  1: the first pass does not read values but numbers the keys from 0 */
#ifndef NUMBER_VALUES
#define NUMBER_VALUES 0
#endif

/* The arrays: their first keys, and their first values. */
typedef struct {
    GLOBAL key_t* keys;
#if VALUE_BITS
    GLOBAL value_t* values;
#endif
} arrays_t;

/* The same in local memory. */
typedef struct {
    LOCAL key_t* keys;
#if VALUE_BITS
    LOCAL value_t* values;
#endif
} local_arrays_t;

#if VALUE_BITS
#define VALUES_PARAMETER , GLOBAL value_t *values, offset_t values_offset
#define ARRAYS(keys, offset) {(keys) + (offset), values + values_offset}
#define ADVANCE(arrays, elements) ((arrays).keys += (elements), (arrays).values += (elements))

typedef struct {
    vec_t key;
    value_vec_t value;
} element_t;

INLINE element_t element(vec_t key, value_vec_t value) {
    element_t made;
    made.key = key;
    made.value = value;
    return made;
}

#define KEY_OF(element) (element).key
/* An operation on the lanes of one vector, or of two. */
#define ON_LANES(operation, e) element(operation((e).key), operation((e).value))
#define ON_BOTH_LANES(operation, e, f) element(operation((e).key, (f).key), operation((e).value, (f).value))

/* Whether one scalar element comes before the other. */
#if KEY_BITS + VALUE_BITS <= 64
#define AS_ONE_INTEGER(e) ((ulong)(e).key << VALUE_BITS | (e).value)
#define BEFORE(a, b) (AS_ONE_INTEGER(a) < AS_ONE_INTEGER(b))
#else
#define BEFORE(a, b) ((a).key < (b).key || ((a).key == (b).key && VALUE_LESS((a).value, (b).value)))
#endif

INLINE void exchange(element_t* lower, element_t* upper) {
    element_t a = *lower, b = *upper;
#if LANES == 1
    uint swap = BEFORE(b, a);
    *lower = element(swap ? b.key : a.key, swap ? b.value : a.value);
    *upper = element(swap ? a.key : b.key, swap ? a.value : b.value);
#else
    key_mask_t swap = LESS(b.key, a.key) | (EQUAL(b.key, a.key) & TO_KEY_MASK(LESS(b.value, a.value)));
    value_mask_t swap_values = TO_VALUE_MASK(swap);
    *lower = element(SELECT(a.key, b.key, swap), SELECT(a.value, b.value, swap_values));
    *upper = element(SELECT(b.key, a.key, swap), SELECT(b.value, a.value, swap_values));
#endif
}

/* `position` is the number of the vector's first key, counted from the first key of the array. */
INLINE element_t load_element(arrays_t from, index_t offset, index_t position, uint first_pass) {
    vec_t key = LOAD_GLOBAL_VECTOR(vec_t, from.keys + offset);
#if NUMBER_VALUES
    if (first_pass) return element(key, (value_vec_t)(value_t)position + COUNTED_LANES);
#endif
    (void)position;
    (void)first_pass;
    return element(key, LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset));
}
INLINE void store_element(element_t e, arrays_t to, index_t offset) {
    STORE_GLOBAL_VECTOR(vec_t, e.key, to.keys + offset);
    STORE_GLOBAL_VECTOR(value_vec_t, e.value, to.values + offset);
}
INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return element(LOAD_VECTOR(from.keys + offset), LOAD_VECTOR(from.values + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_VECTOR(e.key, to.keys + offset);
    STORE_VECTOR(e.value, to.values + offset);
}
#else
#define VALUES_PARAMETER
#define ARRAYS(keys, offset) {(keys) + (offset)}
#define ADVANCE(arrays, elements) ((arrays).keys += (elements))

typedef vec_t element_t;

#define KEY_OF(element) (element)
#define ON_LANES(operation, e) operation(e)
#define ON_BOTH_LANES(operation, e, f) operation(e, f)

INLINE void exchange(element_t* lower, element_t* upper) {
    element_t a = *lower, b = *upper;
    *lower = MIN(a, b);
    *upper = MAX(a, b);
}

INLINE element_t load_element(arrays_t from, index_t offset, index_t position, uint first_pass) {
    (void)position;
    (void)first_pass;
    return LOAD_GLOBAL_VECTOR(vec_t, from.keys + offset);
}
INLINE void store_element(element_t e, arrays_t to, index_t offset) { STORE_GLOBAL_VECTOR(vec_t, e, to.keys + offset); }
INLINE element_t load_local_element(local_arrays_t from, uint offset) { return LOAD_VECTOR(from.keys + offset); }
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) { STORE_VECTOR(e, to.keys + offset); }
#endif

/* An element whose key is beyond every key of the array, or equal to the largest, and is never written. */
INLINE element_t element_beyond(uint coding, key_t flip) {
    vec_t key = decode((vec_t)LARGEST_KEY, coding, flip);
#if VALUE_BITS
    return element(key, LARGEST_VALUE);
#else
    return key;
#endif
}

/* Beyond the end of the array lies +infinity: it is read as the largest key and never written. Compare-exchanges
 * never move an element towards the end past an equal one, so the elements of the array stay inside it.
 *
 * Where blocks of several vectors lie transposed (columns.h), one that reaches beyond the end does not: its keys would
 * have to lie there. `first` is where the vector would lie; lane l of vector j of the block is key l * block_vectors + j.
 */
#if LANES > 1
/* Key by key of the L elements of a vector: the place of lane l, if it is inside the array. */
#define EACH_LANE_INSIDE(l, key, first, count, block_vectors)                                                \
    index_t block_ = (first) & ~(index_t)((block_vectors)*LANES - 1);                                        \
    uint whole_ = block_ + (block_vectors)*LANES <= (count);                                                 \
    index_t key = whole_ ? (first) : block_ + ((first)-block_) / LANES;                                      \
    ROLLED for (uint l = 0; l < LANES; ++l, key += whole_ ? 1 : (block_vectors)) if (key < (count))

/* The lanes of several vectors, in memory of the work-item's own. */
typedef struct {
    key_t keys[LANES];
#if VALUE_BITS
    value_t values[LANES];
#endif
} lanes_t;

INLINE lanes_t lanes_of(element_t e) {
    lanes_t lanes;
    STORE_VECTOR(KEY_OF(e), lanes.keys);
#if VALUE_BITS
    STORE_VECTOR(e.value, lanes.values);
#endif
    return lanes;
}

INLINE element_t element_of(const lanes_t* lanes) {
#if VALUE_BITS
    return element(LOAD_VECTOR(lanes->keys), LOAD_VECTOR(lanes->values));
#else
    return LOAD_VECTOR(lanes->keys);
#endif
}

INLINE void load_to_end(lanes_t* lanes, arrays_t from, index_t first, index_t count, uint block_vectors,
                        uint first_pass) {
    EACH_LANE_INSIDE(l, key, first, count, block_vectors) {
        lanes->keys[l] = from.keys[key];
#if VALUE_BITS
        lanes->values[l] = NUMBER_VALUES && first_pass ? (value_t)key : from.values[key];
#endif
    }
    (void)first_pass;
}

INLINE void store_to_end(const lanes_t* lanes, arrays_t to, index_t first, index_t count, uint block_vectors) {
    EACH_LANE_INSIDE(l, key, first, count, block_vectors) {
        to.keys[key] = lanes->keys[l];
#if VALUE_BITS
        to.values[key] = lanes->values[l];
#endif
    }
}
#endif

#endif
