/* Elements whose flags are wanted, put side by side by vectors of 32 bytes: for one work-item, where the compiler has AVX2 and
 * flags are in memory. Any address will do.
 *
 * HAS_MARKS_OF_32. marks_of_32(flags, wanted): bit k is 1 where flag k is wanted.
 * HAS_COMPRESS: keys, and values if there are any, have 32 or 64 bits. compress_32(from, bits, marks, to): of 32 elements of so
 * many bits those whose mark is 1, in their order. It writes whole vectors, so `to` has room for 32 elements.
 */
#ifndef COMPRESS_H
#define COMPRESS_H
#include "keys.h"

#if WORK_ITEMS == 1 && !HAS_PREDICATE && defined(__AVX2__)
#define HAS_MARKS_OF_32 1

typedef char flag_vector_t __attribute__((vector_size(32), aligned(1), may_alias));

INLINE uint marks_of_32(GLOBAL const uchar* flags, uint wanted) {
    uint others = (uint)__builtin_ia32_pmovmskb256(*(GLOBAL const flag_vector_t*)flags == 0);
    return wanted ? ~others : others;
}

#if !RECORD_BYTES && (KEY_BITS == 32 || KEY_BITS == 64) && (VALUE_BITS == 0 || VALUE_BITS == 32 || VALUE_BITS == 64)
#define HAS_COMPRESS 1

/* A vector is eight words of 32 bits. */
typedef int words_t __attribute__((vector_size(32)));
typedef int words_anywhere_t __attribute__((vector_size(32), aligned(1), may_alias));

/* For each mask of elements the numbers of the words to take, four bits each, the first one lowest. ORDERS_l(..) has those of all
 * masks of elements 0 to l, where `order` is what follows them, and in_front(l, order) puts element l in front. */
#define WORD_IN_FRONT(l, order) ((order) << 4 | (l))
#define PAIR_IN_FRONT(l, order) ((order) << 8 | (2 * (l) + 1) << 4 | 2 * (l))
#define ORDERS_0(in_front, order) order, in_front(0u, order)
#define ORDERS_1(in_front, order) ORDERS_0(in_front, order), ORDERS_0(in_front, in_front(1u, order))
#define ORDERS_2(in_front, order) ORDERS_1(in_front, order), ORDERS_1(in_front, in_front(2u, order))
#define ORDERS_3(in_front, order) ORDERS_2(in_front, order), ORDERS_2(in_front, in_front(3u, order))
#define ORDERS_4(in_front, order) ORDERS_3(in_front, order), ORDERS_3(in_front, in_front(4u, order))
#define ORDERS_5(in_front, order) ORDERS_4(in_front, order), ORDERS_4(in_front, in_front(5u, order))
#define ORDERS_6(in_front, order) ORDERS_5(in_front, order), ORDERS_5(in_front, in_front(6u, order))
#define ORDERS_7(in_front, order) ORDERS_6(in_front, order), ORDERS_6(in_front, in_front(7u, order))
CONSTANT uint orders_of_words[256] = {ORDERS_7(WORD_IN_FRONT, 0u)};
CONSTANT uint orders_of_pairs[16] = {ORDERS_3(PAIR_IN_FRONT, 0u)};

INLINE void compress_32(GLOBAL const uchar* from, uint bits, uint marks, GLOBAL uchar* to) {
    const words_t shifts = {0, 4, 8, 12, 16, 20, 24, 28}, zeros = {0, 0, 0, 0, 0, 0, 0, 0};
    UNROLL for (uint v = 0; v < bits / 8; ++v) {
        uint elements = 256 / bits, mask = marks >> v * elements & ((1u << elements) - 1);
        /* Of a word's number three bits count, so what is above them may stay. */
        words_t order = (zeros + (int)(bits == 32 ? orders_of_words[mask] : orders_of_pairs[mask])) >> shifts;
        words_t ordered = (words_t)__builtin_ia32_permvarsi256(((GLOBAL const words_anywhere_t*)from)[v], order);
        *(GLOBAL words_anywhere_t*)to = ordered;
        to += COUNT_BITS(mask) * (bits / 8);
    }
}
#endif
#endif

#endif
