/* Keys and what decides between equal ones, packed as one integer.
 *
 * Where all that there is besides a key of up to 32 bits is one value or index of as many, vectors hold both: the key above,
 * so that an integer's order is the elements', and a compare-exchange is a minimum and a maximum. They stay packed between
 * passes. Then the place of a vector's keys has the first half of its lanes, that of its values or indices the second one,
 * and nothing is unpacked before the last pass.
 */
#ifndef PACKED_H
#define PACKED_H

#if VALUE_BITS
#define TIES values
#else
#define TIES indices
#endif
#define PACK(key, tie) ((key) << KEY_BITS | (tie))

/* What the caller has, or the first pass makes, beside the keys. */
INLINE key_vec_t load_ties(arrays_t from, position_t offset, position_t position) {
#if VALUE_BITS
    return LOAD_GLOBAL_VECTOR(value_vec_t, from.values + offset);
#else
    return load_index(from, offset, position, 1);
#endif
}

INLINE element_t load_element(arrays_t from, position_t offset, position_t position, uint first_pass) {
    if (first_pass)
        return make_element(PACK(TO_REGISTER_KEYS(LOAD_GLOBAL_VECTOR(key_vec_t, from.keys + offset)),
                                 TO_REGISTER_KEYS(load_ties(from, offset, position))));
    return make_element(JOIN_HALVES(LOAD_GLOBAL_VECTOR(half_of_vec_t, from.keys + offset),
                                    LOAD_GLOBAL_VECTOR(half_of_vec_t, from.TIES + offset)));
}
INLINE void store_of_pass(element_t e, arrays_t to, position_t offset, uint last_pass) {
    if (last_pass) {
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key >> KEY_BITS), to.keys + offset);
        STORE_GLOBAL_VECTOR(key_vec_t, TO_KEYS(e.key), to.TIES + offset);
    } else {
        STORE_GLOBAL_VECTOR(half_of_vec_t, LOW_HALF(e.key), to.keys + offset);
        STORE_GLOBAL_VECTOR(half_of_vec_t, HIGH_HALF(e.key), to.TIES + offset);
    }
}

#endif
