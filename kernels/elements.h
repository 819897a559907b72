/* What the network moves: a vector of keys, with the values that belong to them (VALUE_BITS) and their indices
 * (INDEX_BITS), if there are any.
 *
 * Elements are ordered by their keys: integers (keys.h), or records that the caller's comparator orders. Where the keys
 * are equal, they are ordered by their indices if they have any, else by the bits of their records and of their values.
 * So elements that are equal are equal in every bit, the result does not depend on the shape, and indices make a stable
 * sort.
 *
 * A number of 32 or 64 bits counts the elements from 0; the first pass makes it and an array keeps it. One of 8 bits only
 * tells elements of the array (0) from those beyond (255) and is kept nowhere: no record is the largest. Where elements
 * are made up in front of the array, those have the number 0, and all others count from 1.
 *
 * Where all that there is besides a key of up to 32 bits is one value or number of as many, vectors hold both packed as
 * one integer (PACKED): the key above, so that an integer's order is the elements', and a compare-exchange is a minimum
 * and a maximum. They stay packed between passes. Then the place of a vector's keys has the first half of its lanes, that
 * of its values or indices the second one, and nothing is unpacked before the last pass.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "keys.h"
#include "swap.h"

#define HAS_INDICES (INDEX_BITS > 0)
#define STORES_INDICES (INDEX_BITS > 8)

/* Declarations, parameters and arguments for the parts that there are: in registers, and stored in arrays. */
#if VALUE_BITS && !PACKED
#define WITH_VALUES(text) text
#define AND_VALUE(value) , value
#else
#define WITH_VALUES(text)
#define AND_VALUE(value)
#endif
#if VALUE_BITS
#define WITH_STORED_VALUES(text) text
#define VALUES_PARAMETER , GLOBAL value_argument_t *values, offset_t values_offset
#define VALUES_FROM_START , (GLOBAL stored_value_t*)values + values_offset
#else
#define WITH_STORED_VALUES(text)
#define VALUES_PARAMETER
#define VALUES_FROM_START
#endif
#if HAS_INDICES && !PACKED
#define WITH_INDICES(text) text
#define AND_INDEX(index) , index
#else
#define WITH_INDICES(text)
#define AND_INDEX(index)
#endif
#if STORES_INDICES
#define WITH_STORED_INDICES(text) text
#define INDICES_PARAMETER , GLOBAL index_t *indices, offset_t indices_offset
#define INDICES_FROM_START , indices + indices_offset
#else
#define WITH_STORED_INDICES(text)
#define INDICES_PARAMETER
#define INDICES_FROM_START
#endif

/* The arrays: their first elements. Of several rows that lie side by side in one tile, each begins to number anew after
 * index_mask. */
typedef struct {
    GLOBAL key_t* keys;
    WITH_STORED_VALUES(GLOBAL stored_value_t* values;)
    WITH_STORED_INDICES(GLOBAL index_t* indices;)
    WITH_STORED_INDICES(position_t index_mask;)
} arrays_t;
#define ARRAYS(keys, offset) {(keys) + (offset)VALUES_FROM_START INDICES_FROM_START WITH_STORED_INDICES(AND_EVERY_BIT)}
#define AND_EVERY_BIT , ~(position_t)0

/* The same in local memory. */
typedef struct {
    LOCAL key_t* keys;
    WITH_VALUES(LOCAL value_t* values;)
    WITH_INDICES(LOCAL index_t* indices;)
} local_arrays_t;

#define ADVANCE(arrays, elements)                            \
    {                                                        \
        (arrays).keys += (elements);                         \
        WITH_STORED_VALUES((arrays).values += (elements);)   \
        WITH_STORED_INDICES((arrays).indices += (elements);) \
    }
#define ADVANCE_LOCAL(arrays, elements)               \
    {                                                 \
        (arrays).keys += (elements);                  \
        WITH_VALUES((arrays).values += (elements);)   \
        WITH_INDICES((arrays).indices += (elements);) \
    }

typedef struct {
    vec_t key;
    WITH_VALUES(value_vec_t value;)
    WITH_INDICES(index_vec_t index;)
} element_t;

INLINE element_t make_element(vec_t key AND_VALUE(value_vec_t value) AND_INDEX(index_vec_t index)) {
    element_t made;
    made.key = key;
    WITH_VALUES(made.value = value;)
    WITH_INDICES(made.index = index;)
    return made;
}
/* An element of those of the parts that there are. */
#define ELEMENT(key, value, index) make_element(key AND_VALUE(value) AND_INDEX(index))

/* An operation on the lanes of one vector, or of two. */
#define ON_LANES(operation, e) ELEMENT(operation((e).key), operation((e).value), operation((e).index))
#define ON_BOTH_LANES(operation, e, f) \
    ELEMENT(operation((e).key, (f).key), operation((e).value, (f).value), operation((e).index, (f).index))

/* What decides between equal keys. */
#if PACKED
#define TIE_BITS 0
#elif HAS_INDICES
#define TIE_BITS INDEX_BITS
#define TIE(e) (e).index
#define TIE_LESS(a, b) ((a) < (b))
#elif VALUE_BITS
#define TIE_BITS VALUE_BITS
#define TIE(e) (e).value
#define TIE_LESS(a, b) VALUE_LESS(a, b)
#else
#define TIE_BITS 0
#endif

/* Whether one scalar element comes before the other. */
#if RECORD_BYTES
/* 1 for a record of the array, 0 and 2 for what lies before it and beyond its end. */
#if TWO_RANGES
#define SIDE(e) ((e).index == LARGEST_INDEX ? 2u : (e).index > 0)
#else
#define SIDE(e) ((e).index == LARGEST_INDEX ? 2u : 1u)
#endif
INLINE uint BEFORE(element_t a, element_t b) {
    if (SIDE(a) != 1 || SIDE(b) != 1) return SIDE(a) < SIDE(b);
    if (record_before(a.key, b.key)) return 1;
    if (record_before(b.key, a.key)) return 0;
#if STORES_INDICES
    return a.index < b.index;
#else
    UNROLL for (uint i = 0; i < RECORD_WORDS; ++i) if (a.key.words[i] != b.key.words[i])
        return a.key.words[i] < b.key.words[i];
#if VALUE_BITS
    return VALUE_LESS(a.value, b.value);
#else
    return 0;
#endif
#endif
}
#elif LANES == 1 && TIE_BITS
#if KEY_BITS + TIE_BITS <= 64
#define AS_ONE_INTEGER(e) ((ulong)(e).key << TIE_BITS | TIE(e))
#define BEFORE(a, b) (AS_ONE_INTEGER(a) < AS_ONE_INTEGER(b))
#else
/* No branch: what is executed shall not depend on keys. */
#define BEFORE(a, b) (((a).key < (b).key) | (((a).key == (b).key) & TIE_LESS(TIE(a), TIE(b))))
#endif
#elif LANES == 1
#define BEFORE(a, b) ((a).key < (b).key)
#endif

/* The i-th compare-exchange of a step: every second one may use another unit of the device. Of long records, which no
 * registers hold, a processor has it once: a tenth of the time to compile, and no slower. */
#if RECORD_BYTES > 16
#define EXCHANGE OUTLINED
#else
#define EXCHANGE INLINE
#endif
EXCHANGE void exchange(element_t* lower, element_t* upper, uint i) {
    (void)i;
#if RECORD_BYTES || (LANES == 1 && (TIE_BITS || KEY_BITS == 64))
    uint swap = BEFORE(*upper, *lower);
    SWAP_KEYS(swap, lower->key, upper->key)
    WITH_VALUES(SWAP_VALUES(swap, lower->value, upper->value))
    WITH_INDICES(SWAP_INDICES(swap, lower->index, upper->index))
#elif TIE_BITS
    element_t a = *lower, b = *upper;
    key_mask_t swap = LESS(b.key, a.key) | (EQUAL(b.key, a.key) & TO_KEY_MASK(LESS(TIE(b), TIE(a))));
    WITH_VALUES(value_mask_t swap_values = TO_VALUE_MASK(swap);)
    WITH_INDICES(index_mask_t swap_indices = TO_INDEX_MASK(swap);)
    *lower = ELEMENT(SELECT(a.key, b.key, swap), SELECT(a.value, b.value, swap_values),
                     SELECT(a.index, b.index, swap_indices));
    *upper = ELEMENT(SELECT(b.key, a.key, swap), SELECT(b.value, a.value, swap_values),
                     SELECT(b.index, a.index, swap_indices));
#else
    vec_t a = lower->key, b = upper->key;  /* Mesa 22's rusticl loses lanes of elements that are copied here */
    lower->key = MIN(a, b);
    upper->key = LARGER_KEY(i, a, b, lower->key);
#endif
}

/* An element whose key is beyond every key of the array, or equal to the largest, and is never written. */
INLINE element_t element_beyond(uint coding, flip_t flip) {
    return ELEMENT(key_beyond(coding, flip), LARGEST_VALUE, LARGEST_INDEX);
}

#if TWO_RANGES
/* Before the array lies -infinity, in the same way. A position there wraps round, so that it is not below `count`. */
#define IS_IN_FRONT(position) ((position) >> (POSITION_BITS - 1) != 0)
#define FIRST_INDEX 1
#if RECORD_BYTES
#define key_in_front key_beyond
#else
INLINE vec_t key_in_front(uint coding, flip_t flip) { return decode((vec_t)SMALLEST_KEY, coding, flip); }
#endif
INLINE element_t element_in_front(uint coding, flip_t flip) {
    return ELEMENT(key_in_front(coding, flip), SMALLEST_VALUE, (index_vec_t)(index_t)0);
}
#define OUTSIDE(position, beyond, coding, flip) (IS_IN_FRONT(position) ? element_in_front(coding, flip) : (beyond))
#else
#define FIRST_INDEX 0
#define OUTSIDE(position, beyond, coding, flip) (beyond)
#endif

/* `position` is the number of the vector's first key, counted from the first key of the array. */
#if STORES_INDICES
INLINE index_vec_t load_index(arrays_t from, position_t offset, position_t position, uint first_pass) {
    if (first_pass) return COUNT_LANES((index_t)((position & from.index_mask) + FIRST_INDEX));
    return LOAD_GLOBAL_VECTOR(index_vec_t, from.indices + offset);
}
#else
#define load_index(from, offset, position, first_pass) ((index_vec_t)(index_t)FIRST_INDEX)
#endif

/* The first pass loads and the last one stores what callers have; between passes elements may be packed. */
#if PACKED
#if VALUE_BITS
#define TIES values
#define load_tie(from, offset, position) LOAD_GLOBAL_VECTOR(value_vec_t, (from).values + (offset))
#else
#define TIES indices
#define load_tie(from, offset, position) load_index(from, offset, position, 1)
#endif
#define PACK(key, tie, convert) (convert(key) << KEY_BITS | convert(tie))

INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    (void)position;
    if (first_pass)
        return make_element(PACK(LOAD_GLOBAL_VECTOR(key_vec_t, from.keys + offset), load_tie(from, offset, position),
                                 TO_REGISTER_KEYS));
    return make_element((vec_t)(LOAD_GLOBAL_VECTOR(half_of_vec_t, from.keys + offset),
                                LOAD_GLOBAL_VECTOR(half_of_vec_t, from.TIES + offset)));
}
INLINE void store_of_pass(element_t e, arrays_t to, position_t offset, uint last_pass) {
    if (last_pass) {
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key >> KEY_BITS), to.keys + offset);
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key), to.TIES + offset);
    } else {
        STORE_GLOBAL_VECTOR(half_of_vec_t, e.key.lo, to.keys + offset);
        STORE_GLOBAL_VECTOR(half_of_vec_t, e.key.hi, to.TIES + offset);
    }
}
#else
INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    (void)position;
    (void)first_pass;
    return ELEMENT(LOAD_GLOBAL_VECTOR(vec_t, from.keys + offset), LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset),
                   load_index(from, offset, position, first_pass));
}
INLINE void store_element(element_t e, arrays_t to, position_t offset) {
    STORE_GLOBAL_VECTOR(vec_t, e.key, to.keys + offset);
    WITH_VALUES(STORE_GLOBAL_VECTOR(value_vec_t, e.value, to.values + offset);)
    WITH_STORED_INDICES(STORE_GLOBAL_VECTOR(index_vec_t, e.index, to.indices + offset);)
}
#define store_of_pass(e, to, offset, last_pass) ((void)(last_pass), store_element(e, to, offset))

INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return ELEMENT(LOAD_VECTOR(from.keys + offset), LOAD_VECTOR(from.values + offset),
                   LOAD_VECTOR(from.indices + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_VECTOR(e.key, to.keys + offset);
    WITH_VALUES(STORE_VECTOR(e.value, to.values + offset);)
    WITH_INDICES(STORE_VECTOR(e.index, to.indices + offset);)
}
#endif

/* Beyond the end of the array lies +infinity: it is read as the largest element and never written. Compare-exchanges
 * never move an element towards the end past an equal one, so the elements of the array stay inside it.
 *
 * Where blocks of several vectors lie transposed (lane_blocks.h), one that reaches beyond the end does not: its keys would
 * have to lie there. `first` is where the vector would lie; lane l of vector j of the block is key l * block_vectors + j.
 * Nor is any of its elements packed in the array. Of two ranges that are merged, that goes for each vector which does not
 * lie in them as a whole.
 */
#if LANES > 1
#if TWO_RANGES
#define BLOCK_OF(first, block_vectors) (first)
#else
#define BLOCK_OF(first, block_vectors) ((first) & ~(position_t)((block_vectors) * LANES - 1))
#endif

/* The block of the vector lies in the array, all of it. */
INLINE uint lies_in_array(position_t first, position_t count, uint block_vectors) {
    position_t block = BLOCK_OF(first, block_vectors);
    return block < count && block_vectors * LANES <= count - block;
}

/* Else, key by key of the L elements of a vector: the place of lane l, if it is inside the array. */
#define EACH_LANE_INSIDE(l, key, first, count, block_vectors)                \
    position_t block_ = BLOCK_OF(first, block_vectors);                         \
    position_t key = block_ + ((first)-block_) / LANES;                         \
    ROLLED for (uint l = 0; l < LANES; ++l, key += (block_vectors)) if (key < (count))

/* The lanes of several vectors, in memory of the work-item's own. */
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

#define LANE_INDEX(from, key, first_pass) \
    ((first_pass) ? (index_t)(((key) & (from).index_mask) + FIRST_INDEX) : (from).indices[key])
#if VALUE_BITS
#define LANE_TIE(from, key, first_pass) (from).values[key]
#else
#define LANE_TIE LANE_INDEX
#endif

INLINE void load_to_end(lanes_t* lanes, arrays_t from, position_t first, position_t count, uint block_vectors,
                        uint coding, flip_t flip) {
    uint first_pass = coding != CODING_NONE;
    (void)flip;
    if (lies_in_array(first, count, block_vectors)) {
        *lanes = lanes_of(load_element(from, first, first, first_pass));
        return;
    }
#if TWO_RANGES
    lanes_t in_front = lanes_of(element_in_front(coding, flip));
    ROLLED for (uint l = 0; l < LANES; ++l) if (IS_IN_FRONT(first + l)) {
        lanes->keys[l] = in_front.keys[l];
        WITH_VALUES(lanes->values[l] = in_front.values[l];)
        WITH_INDICES(lanes->indices[l] = in_front.indices[l];)
    }
#endif
    EACH_LANE_INSIDE(l, key, first, count, block_vectors) {
#if PACKED
        lanes->keys[l] = PACK(from.keys[key], LANE_TIE(from, key, first_pass), (register_key_t));
#else
        lanes->keys[l] = from.keys[key];
        WITH_VALUES(lanes->values[l] = from.values[key];)
        WITH_STORED_INDICES(lanes->indices[l] = LANE_INDEX(from, key, first_pass);)
#endif
    }
}

INLINE void store_to_end(const lanes_t* lanes, arrays_t to, position_t first, position_t count, uint block_vectors,
                         uint last_pass) {
    if (lies_in_array(first, count, block_vectors)) {
        store_of_pass(element_of(lanes), to, first, last_pass);
        return;
    }
    EACH_LANE_INSIDE(l, key, first, count, block_vectors) {
#if PACKED
        to.keys[key] = (key_t)(lanes->keys[l] >> KEY_BITS);
        to.TIES[key] = (key_t)lanes->keys[l];
#else
        to.keys[key] = lanes->keys[l];
        WITH_VALUES(to.values[key] = lanes->values[l];)
        WITH_STORED_INDICES(to.indices[key] = lanes->indices[l];)
#endif
    }
}
#endif

#endif
