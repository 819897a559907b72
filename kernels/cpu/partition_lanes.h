// SPDX-License-Identifier: MIT
/* The lanes of a mask at the beginning of a vector, the others at the end: by that a quicksort parts ranges.
 *
 * PART(v, mask, first, last): the lanes of a mask at the beginning of one vector, the others at the end of another,
 * each in their order. LANES_LESS(a, b): the mask of the lanes in which a is below b. A quicksort has them of elements
 * that are one integer in registers, and if slowly also where no instructions do that. Compiled ahead, they are there
 * where these do.
 */
#ifndef PARTITION_LANES_H
#define PARTITION_LANES_H
#include "cpu/lane_permutations.h"

#if (QUICKSORT || DECIDES_AT_RUN_TIME) && LANES > 1 && !RECORD_BYTES && REGISTER_KEY_BITS >= 32 && \
    (PACKED || VALUE_BITS + INDEX_BITS == 0)
#if defined(__AVX512F__) && LANES * REGISTER_KEY_BITS == 512
#define PARTS_WITH_AVX512 1
#elif (QUICKSORT || !defined(__AVX512F__)) && defined(__AVX2__) && LANES * REGISTER_KEY_BITS == 256
#define PARTS_WITH_AVX2 1
#endif
#if PARTS_WITH_AVX512 || PARTS_WITH_AVX2 || QUICKSORT
#define PART(v, mask, first, last) part_lanes(v, mask, first, last)
#define LANES_LESS(a, b) lanes_less(a, b)
#endif
#endif

/* Types as the compilers' own functions want them. */
#if PARTS_WITH_AVX512 || PARTS_WITH_AVX2
#if REGISTER_KEY_BITS == 32
typedef int signed_key_t;
typedef float floating_key_t;
#elif defined(__cplusplus)
typedef long long signed_key_t;
typedef double floating_key_t;
#else
typedef long signed_key_t;
typedef double floating_key_t;
#endif
typedef signed_key_t signed_lanes_t __attribute__((vector_size(LANES * REGISTER_KEY_BITS / 8)));
typedef floating_key_t floating_lanes_t __attribute__((vector_size(LANES * REGISTER_KEY_BITS / 8)));
#define AS_LANES(v) BITS_AS(signed_lanes_t, v)
#endif

#if PARTS_WITH_AVX512
#if PACKED
#define LESS_MASK_32 __builtin_ia32_cmpd512_mask
#define LESS_MASK_64 __builtin_ia32_cmpq512_mask
#else
#define LESS_MASK_32 __builtin_ia32_ucmpd512_mask
#define LESS_MASK_64 __builtin_ia32_ucmpq512_mask
#endif
#ifdef __clang__
#define PERMUTED_32(v, order) __builtin_ia32_permvarsi512(v, order)
#define PERMUTED_64(v, order) __builtin_ia32_permvardi512(v, order)
#else
#define PERMUTED_32(v, order) __builtin_ia32_permvarsi512_mask(v, order, v, 0xffff)
#define PERMUTED_64(v, order) __builtin_ia32_permvardi512_mask(v, order, v, 0xff)
#endif
INLINE uint lanes_less(vec_t a, vec_t b) {
    return PASTE(LESS_MASK_, REGISTER_KEY_BITS)(AS_LANES(a), AS_LANES(b), 1, (1u << LANES) - 1);
}
#if REGISTER_KEY_BITS == 32
/* What is in front is turned to the end. */
CONSTANT int turned[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                         0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
INLINE void part_lanes(vec_t v, uint mask, vec_t* first, vec_t* last) {
    signed_lanes_t lanes = AS_LANES(v), zeros = lanes ^ lanes;
    signed_lanes_t others = __builtin_ia32_compresssi512_mask(lanes, zeros, (ushort)~mask);
    *first = BITS_AS(vec_t, __builtin_ia32_compresssi512_mask(lanes, zeros, (ushort)mask));
    *last = BITS_AS(vec_t, PERMUTED_32(others, AS_LANES(LOAD_VECTOR(turned + (LANES - COUNT_BITS(mask))))));
}
#else
INLINE void part_lanes(vec_t v, uint mask, vec_t* first, vec_t* last) {
    const signed_lanes_t shifts = {0, 4, 8, 12, 16, 20, 24, 28};
    signed_lanes_t order = (shifts ^ shifts) + (signed_key_t)orders_of_words[mask];
    *first = *last = BITS_AS(vec_t, PERMUTED_64(AS_LANES(v), order >> shifts));
}
#endif
#elif PARTS_WITH_AVX2
/* It compares signed integers alone. */
INLINE uint lanes_less(vec_t a, vec_t b) {
    vec_t sign = BROADCAST(vec_t, PACKED ? (register_key_t)0 : (register_key_t)1 << (REGISTER_KEY_BITS - 1));
    floating_lanes_t less = BITS_AS(floating_lanes_t, AS_LANES(a ^ sign) < AS_LANES(b ^ sign));
#if REGISTER_KEY_BITS == 32
    return (uint)__builtin_ia32_movmskps256(less);
#else
    return (uint)__builtin_ia32_movmskpd256(less);
#endif
}
INLINE void part_lanes(vec_t v, uint mask, vec_t* first, vec_t* last) {
    uint order = REGISTER_KEY_BITS == 32 ? orders_of_words[mask] : orders_of_pairs[mask];
    *first = *last = BITS_AS(vec_t, in_order(BITS_AS(words_t, v), order));
}
#elif defined(PART)
/* Packed elements are ordered as signed integers. */
INLINE uint lanes_less(vec_t a, vec_t b) {
    register_key_t of_a[LANES], of_b[LANES];
    STORE_VECTOR(a ^ SMALLEST_KEY, of_a);
    STORE_VECTOR(b ^ SMALLEST_KEY, of_b);
    uint less = 0;
    for (uint l = 0; l < LANES; ++l) less |= (uint)(of_a[l] < of_b[l]) << l;
    return less;
}
INLINE void part_lanes(vec_t v, uint mask, vec_t* first, vec_t* last) {
    register_key_t lanes[LANES], parted[LANES];
    STORE_VECTOR(v, lanes);
    uint in_mask = 0, others = COUNT_BITS(mask);
    for (uint l = 0; l < LANES; ++l) parted[mask >> l & 1 ? in_mask++ : others++] = lanes[l];
    *first = *last = LOAD_VECTOR(parted);
}
#endif

#endif
