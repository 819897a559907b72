/* Keys whose flags are wanted, put side by side by vectors of 32 bytes: for one work-item, where the compiler has AVX2 and flags are
 * in memory. Elsewhere nothing is defined.
 *
 * marks_of_32(flags, wanted): bit k is 1 where flag k is wanted.
 * compress_32(keys, marks, results): of 32 keys of 32 or 64 bits those whose mark is 1, in their order. It writes whole vectors, so
 * results have room for 32 keys. Any address will do.
 */
#ifndef COMPRESS_H
#define COMPRESS_H
#include "keys.h"

#if WORK_ITEMS == 1 && !HAS_PREDICATE && defined(__AVX2__)
#define HAS_MARKS_OF_32 1
#define HAS_COMPRESS (!RECORD_BYTES && KEY_BITS >= 32)

typedef char flag_vector_t __attribute__((vector_size(32), aligned(1), may_alias));

INLINE uint marks_of_32(GLOBAL const uchar* flags, uint wanted) {
    uint others = (uint)__builtin_ia32_pmovmskb256(*(GLOBAL const flag_vector_t*)flags == 0);
    return wanted ? ~others : others;
}

#if HAS_COMPRESS
/* A vector has so many keys. It is moved in words of 32 bits, eight of them. */
#define COMPRESSED_KEYS (256 / KEY_BITS)
typedef int words_t __attribute__((vector_size(32)));
typedef int words_anywhere_t __attribute__((vector_size(32), aligned(1), may_alias));

/* For each mask the numbers of the words to take, four bits each, the first one lowest. ORDERS_l(order) are those of all masks of keys
 * 0 to l, where `order` is what follows. */
#if KEY_BITS == 32
#define KEY_BEFORE(l, order) ((order) << 4 | (l))
#define ALL_ORDERS ORDERS_7(0u)
#else
#define KEY_BEFORE(l, order) ((order) << 8 | (2 * (l) + 1) << 4 | 2 * (l))
#define ALL_ORDERS ORDERS_3(0u)
#endif
#define ORDERS_0(order) order, KEY_BEFORE(0u, order)
#define ORDERS_1(order) ORDERS_0(order), ORDERS_0(KEY_BEFORE(1u, order))
#define ORDERS_2(order) ORDERS_1(order), ORDERS_1(KEY_BEFORE(2u, order))
#define ORDERS_3(order) ORDERS_2(order), ORDERS_2(KEY_BEFORE(3u, order))
#define ORDERS_4(order) ORDERS_3(order), ORDERS_3(KEY_BEFORE(4u, order))
#define ORDERS_5(order) ORDERS_4(order), ORDERS_4(KEY_BEFORE(5u, order))
#define ORDERS_6(order) ORDERS_5(order), ORDERS_5(KEY_BEFORE(6u, order))
#define ORDERS_7(order) ORDERS_6(order), ORDERS_6(KEY_BEFORE(7u, order))
CONSTANT uint orders_of_masks[1 << COMPRESSED_KEYS] = {ALL_ORDERS};

INLINE void compress_32(GLOBAL const key_t* keys, uint marks, GLOBAL key_t* results) {
    const words_t shifts = {0, 4, 8, 12, 16, 20, 24, 28}, zeros = {0, 0, 0, 0, 0, 0, 0, 0};
    UNROLL for (uint k = 0; k < 32; k += COMPRESSED_KEYS) {
        uint mask = marks >> k & ((1u << COMPRESSED_KEYS) - 1);
        /* Of a number of a word three bits count. */
        words_t order = (zeros + (int)orders_of_masks[mask]) >> shifts;
        *(GLOBAL words_anywhere_t*)results =
            (words_t)__builtin_ia32_permvarsi256(*(GLOBAL const words_anywhere_t*)(keys + k), order);
        results += COUNT_BITS(mask);
    }
}
#endif
#endif

#endif
