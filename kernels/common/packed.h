// SPDX-License-Identifier: MIT
/* Keys and what decides between equal ones, packed as one integer.
 *
 * If a key and its value or index are short, registers and tiles hold both as one integer. The key has the upper bits,
 * so the order of the integers is that of the elements. A compare-exchange is a minimum and a maximum.
 */
#ifndef PACKED_H
#define PACKED_H

#ifndef TO_TIES
#define TO_TIES TO_KEYS /* of the same width */
#endif
#define PACK(key, tie) ((key) << KEY_PLACE | (tie))

#if VALUE_BITS
#define LOAD_TIES(from, offset, position, first_pass) LOAD_GLOBAL_VECTOR(value_vec_t, (from).values + (offset))
#define STORE_TIES(ties, to, offset) STORE_GLOBAL_VECTOR(value_vec_t, ties, (to).values + (offset))
#else
#define LOAD_TIES(from, offset, position, first_pass) load_index(from, offset, position, first_pass)
#define STORE_TIES(ties, to, offset) STORE_GLOBAL_VECTOR(index_vec_t, ties, (to).indices + (offset))
#endif

INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    return make_element(PACK(TO_REGISTER_KEYS(LOAD_GLOBAL_VECTOR(key_vec_t, from.keys + offset)),
                             TO_REGISTER_KEYS(LOAD_TIES(from, offset, position, first_pass))));
}
INLINE void store_element(element_t e, arrays_t to, position_t offset) {
    STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key >> KEY_PLACE), to.keys + offset);
    STORE_TIES(TO_TIES(e.key), to, offset);
}

INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return make_element(LOAD_VECTOR(from.keys + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_LOCAL_VECTOR(vec_t, e.key, to.keys + offset);
}

#endif
