/* Keys and what decides between equal ones, packed as one integer.
 *
 * Where all that there is besides a key of up to 32 bits is one value or index of as many, registers and tiles hold both: the
 * key above, so that an integer's order is the elements', and a compare-exchange is a minimum and a maximum.
 */
#ifndef PACKED_H
#define PACKED_H

#if VALUE_BITS
#define TIES values
#else
#define TIES indices
#endif
#define PACK(key, tie) ((key) << KEY_BITS | (tie))

INLINE key_vec_t load_ties(arrays_t from, position_t offset, position_t position, uint first_pass) {
#if VALUE_BITS
    return LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset);
#else
    return load_index(from, offset, position, first_pass);
#endif
}

INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    return make_element(PACK(TO_REGISTER_KEYS(LOAD_GLOBAL_VECTOR(key_vec_t, from.keys + offset)),
                             TO_REGISTER_KEYS(load_ties(from, offset, position, first_pass))));
}
INLINE void store_element(element_t e, arrays_t to, position_t offset) {
    STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key >> KEY_BITS), to.keys + offset);
    STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key), to.TIES + offset);
}

INLINE element_t load_local_element(local_arrays_t from, uint offset) {
    return make_element(LOAD_VECTOR(from.keys + offset));
}
INLINE void store_local_element(element_t e, local_arrays_t to, uint offset) {
    STORE_LOCAL_VECTOR(vec_t, e.key, to.keys + offset);
}

#endif
