// SPDX-License-Identifier: MIT
/* What the network moves: a vector of keys, with the values that belong to them (VALUE_BITS) and their indices
 * (INDEX_BITS), if there are any.
 *
 * Elements are ordered by their keys: integers (key_order.h), or records that the caller's comparator orders. Where the
 * keys are equal, elements are ordered by their indices if they have any, else by the bits of their records and values.
 * So elements that are equal are equal in every bit, the result does not depend on the shape, and indices make a stable
 * sort.
 *
 * An index of 32 or 64 bits counts the elements from 0; the first pass makes it and an array keeps it. One of 8 bits
 * only tells elements of the array (0) from those in front (254) and beyond (255) and is kept nowhere: no record is the
 * smallest or the largest.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "common/key_order.h"

#define HAS_INDICES (INDEX_BITS > 0)
#define STORES_INDICES (INDEX_BITS > 8 || VALUES_ARE_INDICES)

/* Text for the parts that there are: in registers, and stored in arrays. */
#if VALUE_BITS && !PACKED
#define WITH_VALUES(text) text
#define AND_VALUE(value) , value
#else
#define WITH_VALUES(text)
#define AND_VALUE(value)
#endif
#if VALUE_BITS
#define WITH_STORED_VALUES(text) text
#else
#define WITH_STORED_VALUES(text)
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
#else
#define WITH_STORED_INDICES(text)
#endif

/* The arrays: their first elements. Of several rows that lie side by side in one tile, the indices of each begin anew
 * after index_mask. */
typedef struct {
    GLOBAL key_t* keys;
    WITH_STORED_VALUES(values_t values;)
    WITH_STORED_INDICES(indices_t indices;)
    WITH_STORED_INDICES(position_t index_mask;)
} arrays_t;

/* Of the arguments of a kernel, of which those that it is not compiled for are null. */
INLINE arrays_t arrays_of(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL value_argument_t* values,
                          offset_t values_offset, GLOBAL index_t* indices, offset_t indices_offset) {
    arrays_t arrays;
    arrays.keys = KEYS_AT(keys, keys_offset);
    WITH_STORED_VALUES(arrays.values = VALUES_AT(values) + values_offset;)
    WITH_STORED_INDICES(arrays.indices = INDICES_AT(indices) + indices_offset;)
#if VALUES_ARE_INDICES
    if (HAS_VALUES) arrays.indices = VALUES_AT(values) + values_offset;
#endif
    WITH_STORED_INDICES(arrays.index_mask = ~(position_t)0;)
    return arrays;
}

/* Where a pass reads other arrays than it writes, these are its last arguments. Indices are only written. */
#if APART
#define AND_SOURCES                                                                                      \
    , GLOBAL key_t *source_keys, offset_t source_keys_offset, GLOBAL value_argument_t *source_values, \
        offset_t source_values_offset
#define SOURCES_OR(arrays) \
    arrays_of(source_keys, source_keys_offset, source_values, source_values_offset, indices, indices_offset)
#else
#define AND_SOURCES
#define SOURCES_OR(arrays) (arrays)
#endif

/* The arrays from so many elements on. */
INLINE arrays_t arrays_from(arrays_t arrays, offset_t elements) {
    arrays.keys = KEYS_AT(arrays.keys, elements);
    WITH_STORED_VALUES(arrays.values += elements;)
    WITH_STORED_INDICES(arrays.indices += elements;)
    return arrays;
}

/* The same in local memory, and their declaration, each from a multiple of 16 bytes on: of so many elements the keys,
 * then the values, then the indices; or whole ones, the key above, which take no more than these. */
#define LOCAL_BYTES(elements, element_bytes) (((elements) * (element_bytes) + 15) / 16 * 16)
#if WHOLE_IN_LOCAL
typedef struct {
    LOCAL ulong* elements;
} local_arrays_t;

INLINE local_arrays_t local_arrays_from(local_arrays_t arrays, uint elements) {
    arrays.elements += elements;
    return arrays;
}

#define DECLARE_LOCAL_ARRAYS(name, elements)            \
    DECLARE_LOCAL(ulong, name##_elements, elements, 0); \
    local_arrays_t name = {name##_elements}
#else
typedef struct {
    LOCAL register_key_t* keys;
    WITH_VALUES(LOCAL value_t* values;)
    WITH_INDICES(LOCAL index_t* indices;)
} local_arrays_t;

INLINE local_arrays_t local_arrays_from(local_arrays_t arrays, uint elements) {
    arrays.keys += elements;
    WITH_VALUES(arrays.values += elements;)
    WITH_INDICES(arrays.indices += elements;)
    return arrays;
}

#define DECLARE_LOCAL_ARRAYS(name, elements)                                                                 \
    DECLARE_LOCAL(register_key_t, name##_keys, elements, 0);                                                 \
    WITH_VALUES(DECLARE_LOCAL(value_t, name##_values, elements, LOCAL_BYTES(elements, KEY_BYTES));)          \
    WITH_INDICES(DECLARE_LOCAL(index_t, name##_indices, elements,                                            \
                               LOCAL_BYTES(elements, KEY_BYTES) + LOCAL_BYTES(elements, VALUE_BITS / 8));)   \
    local_arrays_t name = {name##_keys AND_VALUE(name##_values) AND_INDEX(name##_indices)}
#endif

typedef struct {
    held_key_t key;
    WITH_VALUES(value_vec_t value;)
    WITH_INDICES(index_vec_t index;)
} element_t;

INLINE element_t make_element(held_key_t key AND_VALUE(value_vec_t value) AND_INDEX(index_vec_t index)) {
    element_t made;
    made.key = HELD_KEY(key);
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

#define LARGEST_INDEX BROADCAST(index_vec_t, (index_t)~(index_t)0)
/* Elements in front of the array are no records, for which the last index but one stands. Else they are before all
 * others with the index 0, from which those with values, which may differ, are apart: they count from 1. */
#if RECORD_BYTES
#define INDEX_IN_FRONT BROADCAST(index_vec_t, (index_t)~(index_t)1)
#define FIRST_INDEX 0
#else
#define INDEX_IN_FRONT BROADCAST(index_vec_t, 0)
#define FIRST_INDEX (TWO_RANGES && VALUE_BITS)
#endif

/* Whether one scalar element comes before the other. */
#if RECORD_BYTES && HAS_INDICES
/* 1 for a record of the array, 0 and 2 for what lies before it and beyond its end. */
#if TWO_RANGES
#define SIDE(e) ((e).index == LARGEST_INDEX ? 2u : (e).index != INDEX_IN_FRONT)
#define IS_OUTSIDE(e) ((e).index >= INDEX_IN_FRONT)
#else
#define SIDE(e) ((e).index == LARGEST_INDEX ? 2u : 1u)
#define IS_OUTSIDE(e) ((e).index == LARGEST_INDEX)
#endif
INLINE uint BEFORE(element_t a, element_t b) {
    if (IS_OUTSIDE(a) || IS_OUTSIDE(b)) return SIDE(a) < SIDE(b);
#ifdef RECORD_TYPE
    uint before = (uint)opaque(record_before(a.key, b.key)), behind = (uint)opaque(record_before(b.key, a.key));
    if (before | behind) return before;
#else
    if (record_before(a.key, b.key)) return 1;
    if (record_before(b.key, a.key)) return 0;
#endif
#if ANY_WIDTH
    if (a.index != b.index) return a.index < b.index;
#endif
#if STORES_INDICES && !ANY_WIDTH
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
#elif RECORD_BYTES
#error "INDEX_BITS must not be 0 for records that are sorted or selected."
#elif LANES == 1 && TIE_BITS
#if KEY_BITS + TIE_BITS <= 64
#define AS_ONE_INTEGER(e) ((ulong)(e).key << TIE_BITS | TIE(e))
#define BEFORE(a, b) (AS_ONE_INTEGER(a) < AS_ONE_INTEGER(b))
#else
/* No branch: what is executed shall not depend on keys. */
#define BEFORE(a, b) (((a).key < (b).key) | (((a).key == (b).key) & TIE_LESS(TIE(a), TIE(b))))
#endif
#elif LANES == 1 && PACKED
#define BEFORE(a, b) ((signed_vec_t)(a).key < (signed_vec_t)(b).key)
#elif LANES == 1
#define BEFORE(a, b) ((a).key < (b).key)
#endif

/* The first pass makes the indices, but where they are there. `position` is that of the vector's first key, from the
 * first key of the array on. */
#if VALUES_ARE_INDICES
#define MAKES_INDICES(first_pass) ((first_pass) && !HAS_VALUES)
#else
#define MAKES_INDICES(first_pass) ((first_pass) & (LEAVES == 0))
#endif
INLINE index_vec_t load_index(arrays_t from, position_t offset, position_t position, uint first_pass) {
#if STORES_INDICES
    if (!IS_THERE(from.indices)) return BROADCAST(index_vec_t, FIRST_INDEX);
    if (MAKES_INDICES(first_pass)) return COUNT_LANES((index_t)((position & from.index_mask) + FIRST_INDEX));
    return LOAD_GLOBAL_VECTOR(index_vec_t, from.indices + offset);
#else
    return BROADCAST(index_vec_t, FIRST_INDEX);
#endif
}

#if PACKED
#include "common/packed.h"
#else
INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    return ELEMENT(LOAD_GLOBAL_VECTOR(vec_t, from.keys + offset), LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset),
                   load_index(from, offset, position, first_pass));
}
INLINE void store_element(element_t e, arrays_t to, position_t offset) {
    STORE_GLOBAL_VECTOR(vec_t, e.key, to.keys + offset);
    WITH_VALUES(STORE_GLOBAL_VECTOR(value_vec_t, e.value, to.values + offset);)
    WITH_STORED_INDICES(STORE_GLOBAL_VECTOR(index_vec_t, e.index, to.indices + offset);)
}

#if WHOLE_IN_LOCAL
INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    ulong whole = from.elements[offset];
    uint key, tie;
#ifdef ONE_OF_LAUNCH
    /* Else they would stay one integer for NVIDIA's compiler, which would select both where one is wanted. */
    asm("mov.b64 {%0, %1}, %2;" : "=r"(tie), "=r"(key) : "l"(whole));
#else
    key = as_uint2(whole).y;
    tie = as_uint2(whole).x;
#endif
    return ELEMENT(key, tie, tie);
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    to.elements[offset] = AS_ONE_INTEGER(e);
}
#else
INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return ELEMENT(LOAD_VECTOR(from.keys + offset), LOAD_VECTOR(from.values + offset),
                   LOAD_VECTOR(from.indices + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_LOCAL_VECTOR(vec_t, e.key, to.keys + offset);
    WITH_VALUES(STORE_LOCAL_VECTOR(value_vec_t, e.value, to.values + offset);)
    WITH_INDICES(STORE_LOCAL_VECTOR(index_vec_t, e.index, to.indices + offset);)
}
#endif
#endif

#endif
