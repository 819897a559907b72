// SPDX-License-Identifier: MIT
/* Elements whose flags are wanted, put side by side by vectors of 32 bytes: for one work-item, where the compiler has
 * AVX2 and flags are in memory. Any address will do.
 *
 * HAS_MARKS_OF_32. marks_of_32(flags, wanted): bit k is 1 where flag k is wanted.
 * HAS_COMPRESS: keys, and values if there are any, have 32 or 64 bits. compress_32(from, bits, marks, to): of 32
 * elements of so many bits those whose mark is 1, in their order. It writes whole vectors, so `to` has room for 32
 * elements.
 */
#ifndef COMPRESS_H
#define COMPRESS_H
#include "common/key_order.h"
#include "cpu/lane_permutations.h"

#if WORK_ITEMS == 1 && !HAS_PREDICATE && defined(__AVX2__)
#define HAS_MARKS_OF_32 1

typedef char flag_vector_t __attribute__((vector_size(32), aligned(1), may_alias));

INLINE uint marks_of_32(GLOBAL const uchar* flags, uint wanted) {
    uint others = (uint)__builtin_ia32_pmovmskb256(*(GLOBAL const flag_vector_t*)flags == 0);
    return wanted ? ~others : others;
}

#if !RECORD_BYTES && (KEY_BITS == 32 || KEY_BITS == 64) && (VALUE_BITS == 0 || VALUE_BITS == 32 || VALUE_BITS == 64)
#define HAS_COMPRESS 1

typedef int words_anywhere_t __attribute__((vector_size(32), aligned(1), may_alias));

INLINE void compress_32(GLOBAL const uchar* from, uint bits, uint marks, GLOBAL uchar* to) {
    UNROLL for (uint v = 0; v < bits / 8; ++v) {
        uint elements = 256 / bits, mask = marks >> v * elements & ((1u << elements) - 1);
        words_t ordered = in_order(((GLOBAL const words_anywhere_t*)from)[v],
                                   bits == 32 ? orders_of_words[mask] : orders_of_pairs[mask]);
        *(GLOBAL words_anywhere_t*)to = ordered;
        to += COUNT_BITS(mask) * (bits / 8);
    }
}
#endif
#endif

#endif
