/* What the network moves: a vector of keys, with the values that belong to them (VALUE_BITS) and their numbers
 * (NUMBER_BITS), if there are any.
 *
 * Elements are ordered by their keys: integers (keys.h), or records that the caller's comparator orders. Where the keys
 * are equal, they are ordered by their numbers if they have any, else by the bits of their records and of their values.
 * So elements that are equal are equal in every bit, the result does not depend on the shape, and numbers make a stable
 * sort.
 *
 * A number of 32 or 64 bits counts the elements from 0; the first pass makes it and an array keeps it. One of 8 bits only
 * tells elements of the array (0) from those beyond (255) and is kept nowhere: no record is the largest. Where elements
 * are made up in front of the array, those have the number 0, and all others count from 1.
 *
 * Where all that there is besides a key of up to 32 bits is one value or number of as many, vectors hold both packed as
 * one integer (PACKED): the key above, so that an integer's order is the elements', and a compare-exchange is a minimum
 * and a maximum. They stay packed between passes. Then the place of a vector's keys has the first half of its lanes, that
 * of its values or numbers the second one, and nothing is unpacked before the last pass.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "keys.h"
#include "swap.h"

#define HAS_NUMBERS (NUMBER_BITS > 0)
#define STORES_NUMBERS (NUMBER_BITS > 8)

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
#if HAS_NUMBERS && !PACKED
#define WITH_NUMBERS(text) text
#define AND_NUMBER(number) , number
#else
#define WITH_NUMBERS(text)
#define AND_NUMBER(number)
#endif
#if STORES_NUMBERS
#define WITH_STORED_NUMBERS(text) text
#define NUMBERS_PARAMETER , GLOBAL number_t *numbers, offset_t numbers_offset
#define NUMBERS_FROM_START , numbers + numbers_offset
#else
#define WITH_STORED_NUMBERS(text)
#define NUMBERS_PARAMETER
#define NUMBERS_FROM_START
#endif

/* The arrays: their first elements. Of several rows that lie side by side in one tile, each begins to number anew after
 * number_mask. */
typedef struct {
    GLOBAL key_t* keys;
    WITH_STORED_VALUES(GLOBAL stored_value_t* values;)
    WITH_STORED_NUMBERS(GLOBAL number_t* numbers;)
    WITH_STORED_NUMBERS(index_t number_mask;)
} arrays_t;
#define ARRAYS(keys, offset) {(keys) + (offset)VALUES_FROM_START NUMBERS_FROM_START WITH_STORED_NUMBERS(AND_EVERY_BIT)}
#define AND_EVERY_BIT , ~(index_t)0

/* The same in local memory. */
typedef struct {
    LOCAL key_t* keys;
    WITH_VALUES(LOCAL value_t* values;)
    WITH_NUMBERS(LOCAL number_t* numbers;)
} local_arrays_t;

#define ADVANCE(arrays, elements)                            \
    {                                                        \
        (arrays).keys += (elements);                         \
        WITH_STORED_VALUES((arrays).values += (elements);)   \
        WITH_STORED_NUMBERS((arrays).numbers += (elements);) \
    }
#define ADVANCE_LOCAL(arrays, elements)               \
    {                                                 \
        (arrays).keys += (elements);                  \
        WITH_VALUES((arrays).values += (elements);)   \
        WITH_NUMBERS((arrays).numbers += (elements);) \
    }

typedef struct {
    vec_t key;
    WITH_VALUES(value_vec_t value;)
    WITH_NUMBERS(number_vec_t number;)
} element_t;

INLINE element_t make_element(vec_t key AND_VALUE(value_vec_t value) AND_NUMBER(number_vec_t number)) {
    element_t made;
    made.key = key;
    WITH_VALUES(made.value = value;)
    WITH_NUMBERS(made.number = number;)
    return made;
}
/* An element of those of the parts that there are. */
#define ELEMENT(key, value, number) make_element(key AND_VALUE(value) AND_NUMBER(number))

/* An operation on the lanes of one vector, or of two. */
#define ON_LANES(operation, e) ELEMENT(operation((e).key), operation((e).value), operation((e).number))
#define ON_BOTH_LANES(operation, e, f) \
    ELEMENT(operation((e).key, (f).key), operation((e).value, (f).value), operation((e).number, (f).number))

/* What decides between equal keys. */
#if PACKED
#define TIE_BITS 0
#elif HAS_NUMBERS
#define TIE_BITS NUMBER_BITS
#define TIE(e) (e).number
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
#if FRONT
#define SIDE(e) ((e).number == LARGEST_NUMBER ? 2u : (e).number > 0)
#else
#define SIDE(e) ((e).number == LARGEST_NUMBER ? 2u : 1u)
#endif
INLINE uint BEFORE(element_t a, element_t b) {
    if (SIDE(a) != 1 || SIDE(b) != 1) return SIDE(a) < SIDE(b);
    if (record_before(a.key, b.key)) return 1;
    if (record_before(b.key, a.key)) return 0;
#if STORES_NUMBERS
    return a.number < b.number;
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
    WITH_NUMBERS(SWAP_NUMBERS(swap, lower->number, upper->number))
#elif TIE_BITS
    element_t a = *lower, b = *upper;
    key_mask_t swap = LESS(b.key, a.key) | (EQUAL(b.key, a.key) & TO_KEY_MASK(LESS(TIE(b), TIE(a))));
    WITH_VALUES(value_mask_t swap_values = TO_VALUE_MASK(swap);)
    WITH_NUMBERS(number_mask_t swap_numbers = TO_NUMBER_MASK(swap);)
    *lower = ELEMENT(SELECT(a.key, b.key, swap), SELECT(a.value, b.value, swap_values),
                     SELECT(a.number, b.number, swap_numbers));
    *upper = ELEMENT(SELECT(b.key, a.key, swap), SELECT(b.value, a.value, swap_values),
                     SELECT(b.number, a.number, swap_numbers));
#else
    vec_t a = lower->key, b = upper->key;  /* Mesa 22's rusticl loses lanes of elements that are copied here */
    lower->key = MIN(a, b);
    upper->key = LARGER_KEY(i, a, b, lower->key);
#endif
}

/* An element whose key is beyond every key of the array, or equal to the largest, and is never written. */
INLINE element_t element_beyond(uint coding, flip_t flip) {
    return ELEMENT(key_beyond(coding, flip), LARGEST_VALUE, LARGEST_NUMBER);
}

#if FRONT
/* Before the array lies -infinity, in the same way. An index there wraps round, so that it is not below `count`. */
#define IS_IN_FRONT(index) ((index) >> (INDEX_BITS - 1) != 0)
#define FIRST_NUMBER 1
#if RECORD_BYTES
#define key_in_front key_beyond
#else
INLINE vec_t key_in_front(uint coding, flip_t flip) { return decode((vec_t)SMALLEST_KEY, coding, flip); }
#endif
INLINE element_t element_in_front(uint coding, flip_t flip) {
    return ELEMENT(key_in_front(coding, flip), SMALLEST_VALUE, (number_vec_t)(number_t)0);
}
#define OUTSIDE(index, beyond, coding, flip) (IS_IN_FRONT(index) ? element_in_front(coding, flip) : (beyond))
#else
#define FIRST_NUMBER 0
#define OUTSIDE(index, beyond, coding, flip) (beyond)
#endif

/* `position` is the number of the vector's first key, counted from the first key of the array. */
#if STORES_NUMBERS
INLINE number_vec_t load_number(arrays_t from, index_t offset, index_t position, uint first_pass) {
    if (first_pass) return COUNT_LANES((number_t)((position & from.number_mask) + FIRST_NUMBER));
    return LOAD_GLOBAL_VECTOR(number_vec_t, from.numbers + offset);
}
#else
#define load_number(from, offset, position, first_pass) ((number_vec_t)(number_t)FIRST_NUMBER)
#endif

/* The first pass loads and the last one stores what callers have; between passes elements may be packed. */
#if PACKED
#if VALUE_BITS
#define TIES values
#define load_tie(from, offset, position) LOAD_GLOBAL_VECTOR(value_vec_t, (from).values + (offset))
#else
#define TIES numbers
#define load_tie(from, offset, position) load_number(from, offset, position, 1)
#endif
#define PACK(key, tie, convert) (convert(key) << KEY_BITS | convert(tie))

INLINE element_t load_element(arrays_t from, index_t offset, index_t position, uint first_pass) {
    (void)position;
    if (first_pass)
        return make_element(PACK(LOAD_GLOBAL_VECTOR(key_vec_t, from.keys + offset), load_tie(from, offset, position),
                                 TO_REGISTER_KEYS));
    return make_element((vec_t)(LOAD_GLOBAL_VECTOR(half_of_vec_t, from.keys + offset),
                                LOAD_GLOBAL_VECTOR(half_of_vec_t, from.TIES + offset)));
}
INLINE void store_of_pass(element_t e, arrays_t to, index_t offset, uint last_pass) {
    if (last_pass) {
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key >> KEY_BITS), to.keys + offset);
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key), to.TIES + offset);
    } else {
        STORE_GLOBAL_VECTOR(half_of_vec_t, e.key.lo, to.keys + offset);
        STORE_GLOBAL_VECTOR(half_of_vec_t, e.key.hi, to.TIES + offset);
    }
}
#else
INLINE element_t load_element(arrays_t from, index_t offset, index_t position, uint first_pass) {
    (void)position;
    (void)first_pass;
    return ELEMENT(LOAD_GLOBAL_VECTOR(vec_t, from.keys + offset), LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset),
                   load_number(from, offset, position, first_pass));
}
INLINE void store_element(element_t e, arrays_t to, index_t offset) {
    STORE_GLOBAL_VECTOR(vec_t, e.key, to.keys + offset);
    WITH_VALUES(STORE_GLOBAL_VECTOR(value_vec_t, e.value, to.values + offset);)
    WITH_STORED_NUMBERS(STORE_GLOBAL_VECTOR(number_vec_t, e.number, to.numbers + offset);)
}
#define store_of_pass(e, to, offset, last_pass) ((void)(last_pass), store_element(e, to, offset))

INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return ELEMENT(LOAD_VECTOR(from.keys + offset), LOAD_VECTOR(from.values + offset),
                   LOAD_VECTOR(from.numbers + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_VECTOR(e.key, to.keys + offset);
    WITH_VALUES(STORE_VECTOR(e.value, to.values + offset);)
    WITH_NUMBERS(STORE_VECTOR(e.number, to.numbers + offset);)
}
#endif

/* Beyond the end of the array lies +infinity: it is read as the largest element and never written. Compare-exchanges
 * never move an element towards the end past an equal one, so the elements of the array stay inside it.
 *
 * Where blocks of several vectors lie transposed (columns.h), one that reaches beyond the end does not: its keys would
 * have to lie there. `first` is where the vector would lie; lane l of vector j of the block is key l * block_vectors + j.
 * Nor is any of its elements packed in the array. Of two ranges that are merged, that goes for each vector which does not
 * lie in them as a whole.
 */
#if LANES > 1
#if FRONT
#define BLOCK_OF(first, block_vectors) (first)
#else
#define BLOCK_OF(first, block_vectors) ((first) & ~(index_t)((block_vectors) * LANES - 1))
#endif

/* The block of the vector lies in the array, all of it. */
INLINE uint lies_in_array(index_t first, index_t count, uint block_vectors) {
    index_t block = BLOCK_OF(first, block_vectors);
    return block < count && block_vectors * LANES <= count - block;
}

/* Else, key by key of the L elements of a vector: the place of lane l, if it is inside the array. */
#define EACH_LANE_INSIDE(l, key, first, count, block_vectors)                \
    index_t block_ = BLOCK_OF(first, block_vectors);                         \
    index_t key = block_ + ((first)-block_) / LANES;                         \
    ROLLED for (uint l = 0; l < LANES; ++l, key += (block_vectors)) if (key < (count))

/* The lanes of several vectors, in memory of the work-item's own. */
typedef struct {
    register_key_t keys[LANES];
    WITH_VALUES(value_t values[LANES];)
    WITH_NUMBERS(number_t numbers[LANES];)
} lanes_t;

INLINE lanes_t lanes_of(element_t e) {
    lanes_t lanes;
    STORE_VECTOR(e.key, lanes.keys);
    WITH_VALUES(STORE_VECTOR(e.value, lanes.values);)
    WITH_NUMBERS(STORE_VECTOR(e.number, lanes.numbers);)
    return lanes;
}

INLINE element_t element_of(const lanes_t* lanes) {
    return ELEMENT(LOAD_VECTOR(lanes->keys), LOAD_VECTOR(lanes->values), LOAD_VECTOR(lanes->numbers));
}

#define LANE_NUMBER(from, key, first_pass) \
    ((first_pass) ? (number_t)(((key) & (from).number_mask) + FIRST_NUMBER) : (from).numbers[key])
#if VALUE_BITS
#define LANE_TIE(from, key, first_pass) (from).values[key]
#else
#define LANE_TIE LANE_NUMBER
#endif

INLINE void load_to_end(lanes_t* lanes, arrays_t from, index_t first, index_t count, uint block_vectors,
                        uint coding, flip_t flip) {
    uint first_pass = coding != CODING_NONE;
    (void)flip;
    if (lies_in_array(first, count, block_vectors)) {
        *lanes = lanes_of(load_element(from, first, first, first_pass));
        return;
    }
#if FRONT
    lanes_t in_front = lanes_of(element_in_front(coding, flip));
    ROLLED for (uint l = 0; l < LANES; ++l) if (IS_IN_FRONT(first + l)) {
        lanes->keys[l] = in_front.keys[l];
        WITH_VALUES(lanes->values[l] = in_front.values[l];)
        WITH_NUMBERS(lanes->numbers[l] = in_front.numbers[l];)
    }
#endif
    EACH_LANE_INSIDE(l, key, first, count, block_vectors) {
#if PACKED
        lanes->keys[l] = PACK(from.keys[key], LANE_TIE(from, key, first_pass), (register_key_t));
#else
        lanes->keys[l] = from.keys[key];
        WITH_VALUES(lanes->values[l] = from.values[key];)
        WITH_STORED_NUMBERS(lanes->numbers[l] = LANE_NUMBER(from, key, first_pass);)
#endif
    }
}

INLINE void store_to_end(const lanes_t* lanes, arrays_t to, index_t first, index_t count, uint block_vectors,
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
        WITH_STORED_NUMBERS(to.numbers[key] = lanes->numbers[l];)
#endif
    }
}
#endif

#endif
