// SPDX-License-Identifier: MIT
/* Vectors of four numbers, which a processor combines at once. HAS_FOURS: there are such, as the program has one
 * work-item, and its device vectors.
 *
 * A file that includes this has defined number_t, an integer of NUMBER_BITS that holds any key. One that combines keys
 * has defined IDENTITY, combine_fours(a, b), by which numbers may be combined in any order, and numbers_of_keys(keys,
 * order).
 */
#ifndef VECTOR4_H
#define VECTOR4_H
#include "common/key_order.h"

#if WORK_ITEMS > 1 || RECORD_BYTES || defined(__CUDACC_RTC__)
#define HAS_FOURS 0
#else
#define HAS_FOURS 1
#include "common/min_max_order.h"

/* ALL_FOUR(number): four of that. FIRST_OF(four): the first lane. LAST_OF(four): each lane takes the last one.
 * UP_1(four, first), UP_2(four, first): lane l takes lane l - 1 or l - 2, and the first ones take those of `first`.
 * DIFFERENT(a, b): all bits of the lanes that differ, none of the others. LANES_OF(bits): all bits of the lanes whose
 * LANE_BITS are there. stream_four(keys, to): store_four() at a multiple of 16 bytes, past the caches where keys have
 * 32 bits or more and the compiler knows how. */
#ifdef __cplusplus
typedef number_t four_t __attribute__((vector_size(4 * sizeof(number_t))));
typedef vec_t four_keys_t __attribute__((vector_size(4 * sizeof(vec_t))));

#if KEY_BITS == 8 && NUMBER_BITS == 32
/* GCC converts vectors of 4 bytes one lane after the other. */
typedef uchar bytes_t __attribute__((vector_size(16)));
INLINE four_t load_four(const key_t* keys) {
    bytes_t bytes = (bytes_t)four_t{load<uint>(keys)}, none = {};
    return (four_t)__builtin_shufflevector(bytes, none, 0, 16, 16, 16, 1, 16, 16, 16, 2, 16, 16, 16, 3, 16, 16, 16);
}
INLINE void store_four(four_t keys, key_t* to) {
    bytes_t bytes = (bytes_t)keys;
    store(((four_t)__builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12))[0], to);
}
#else
INLINE four_t load_four(const key_t* keys) { return __builtin_convertvector(load<four_keys_t>(keys), four_t); }
INLINE void store_four(four_t keys, key_t* to) { store(__builtin_convertvector(keys, four_keys_t), to); }
#endif
#define ALL_FOUR(number) (four_t{} + (number_t)(number))
#define FIRST_OF(four) ((four)[0])
#define LAST_OF(four) __builtin_shufflevector(four, four, 3, 3, 3, 3)
#define UP_1(four, first) __builtin_shufflevector(first, four, 0, 4, 5, 6)
#define UP_2(four, first) __builtin_shufflevector(first, four, 0, 1, 4, 5)
#define DIFFERENT(a, b) ((four_t)((a) != (b)))
#define LANE_BITS (four_t{1, 2, 4, 8})

typedef long long sixteen_bytes_t __attribute__((vector_size(16), may_alias));
#ifdef __clang__
#define STREAM_16(bytes, to) __builtin_nontemporal_store(bytes, (sixteen_bytes_t*)(to))
#elif defined(__SSE2__)
#define STREAM_16(bytes, to) __builtin_ia32_movntdq((sixteen_bytes_t*)(to), bytes)
#endif
INLINE void stream_four(four_t keys, key_t* to) {
#if KEY_BITS >= 32 && defined(STREAM_16)
    four_keys_t stored = __builtin_convertvector(keys, four_keys_t);
    UNROLL
    for (uint b = 0; b < sizeof stored; b += 16) STREAM_16(load<sixteen_bytes_t>((char*)&stored + b), (char*)to + b);
#else
    store_four(keys, to);
#endif
}
#else
#define FOUR_OF(bits) PASTE(PASTE(UINT_, bits), 4)
typedef FOUR_OF(NUMBER_BITS) four_t;

INLINE four_t load_four(GLOBAL const key_t* keys) { return PASTE(convert_, FOUR_OF(NUMBER_BITS))(vload4(0, keys)); }
INLINE void store_four(four_t keys, GLOBAL key_t* to) { vstore4(PASTE(convert_, FOUR_OF(KEY_BITS))(keys), 0, to); }
#define ALL_FOUR(number) ((four_t)(number_t)(number))
#define FIRST_OF(four) ((four).s0)
#define LAST_OF(four) ((four).s3333)
#define UP_1(four, first) ((four_t)((first).s0, (four).s012))
#define UP_2(four, first) ((four_t)((first).s01, (four).s01))
#define DIFFERENT(a, b) PASTE(as_, FOUR_OF(NUMBER_BITS))((a) != (b))
#define LANE_BITS ((four_t)(1, 2, 4, 8))

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAMS_BITS KEY_BITS
#endif
#endif
INLINE void stream_four(four_t keys, GLOBAL key_t* to) {
#if STREAMS_BITS == 32
    __builtin_nontemporal_store(convert_uint4(keys), (GLOBAL uint4*)to);
#elif STREAMS_BITS == 64
    __builtin_nontemporal_store(keys.lo, (GLOBAL ulong2*)to);
    __builtin_nontemporal_store(keys.hi, (GLOBAL ulong2*)to + 1);
#else
    store_four(keys, to);
#endif
}
#endif
/* Others see what is streamed before what is written behind this. */
#ifdef __SSE2__
#define END_STREAMS() __builtin_ia32_sfence()
#else
#define END_STREAMS() ((void)0)
#endif
#define LANES_OF(bits) DIFFERENT(ALL_FOUR(bits) & LANE_BITS, ALL_FOUR(0))

/* ordered() and unordered(), in lanes that are wider than keys. */
INLINE four_t if_four_negative(four_t bits, vec_t mask) {
    return (ALL_FOUR(0) - (bits >> (KEY_BITS - 1))) & ALL_FOUR(mask);
}
INLINE four_t ordered_four(four_t bits, order_t order) {
    return ((bits ^ ALL_FOUR(order.flip) ^ if_four_negative(bits, order.mask)) + ALL_FOUR(order.bias)) &
           ALL_FOUR(ALL_BITS);
}
INLINE four_t unordered_four(four_t keys, order_t order) {
    four_t bits = ((keys - ALL_FOUR(order.bias)) ^ ALL_FOUR(order.flip)) & ALL_FOUR(ALL_BITS);
    return bits ^ if_four_negative(bits, order.mask);
}

#ifdef combine_fours
/* What keys first .. end - 1 are combined to. */
INLINE number_t combine_by_fours(GLOBAL const key_t* keys, position_t first, position_t end, order_t order) {
    four_t own[4];
    UNROLL for (uint f = 0; f < 4; ++f) own[f] = ALL_FOUR(IDENTITY);
    ROLLED for (; end - first >= 16; first += 16)
        UNROLL for (uint f = 0; f < 4; ++f)
            own[f] = combine_fours(own[f], numbers_of_keys(load_four(keys + first + 4 * f), order));
    four_t all = combine_fours(combine_fours(own[0], own[1]), combine_fours(own[2], own[3]));
    all = combine_fours(all, UP_2(all, all));
    all = LAST_OF(combine_fours(all, UP_1(all, all)));
    ROLLED for (; first < end; ++first) all = combine_fours(all, numbers_of_keys(ALL_FOUR(keys[first]), order));
    return FIRST_OF(all);
}
#endif
#endif

#endif
