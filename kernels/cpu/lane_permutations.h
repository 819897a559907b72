// SPDX-License-Identifier: MIT
/* For each mask of a vector's lanes, their order with those of the mask in front: the numbers of their words, four bits
 * each, the first one lowest. A lane is one word of 32 bits, or a pair of them. And a vector in such an order. For one
 * work-item, where the compiler has AVX2.
 */
#ifndef LANE_PERMUTATIONS_H
#define LANE_PERMUTATIONS_H

#include "common/dialect.h"

#if WORK_ITEMS == 1 && defined(__AVX2__)
/* ORDERS_l(..) has those of all masks of lanes 0 to l. Of the lanes above, `first` are the ones in the mask, so many
 * `words`, and `rest` the others. in_front(l, lanes) puts lane l, of so many words, in front. */
#define WORD_IN_FRONT(l, lanes) ((lanes) << 4 | (l))
#define PAIR_IN_FRONT(l, lanes) ((lanes) << 8 | (2 * (l) + 1) << 4 | 2 * (l))
#define ORDER_OF(first, words, rest) (uint)((first) | (rest) << 4 * (words))
#define ORDERS_0(in_front, of_lane, first, words, rest)  \
    ORDER_OF(first, words, in_front(0ul, rest)),         \
        ORDER_OF(in_front(0ul, first), (words) + (of_lane), rest)
#define ORDERS_1(in_front, of_lane, first, words, rest)                   \
    ORDERS_0(in_front, of_lane, first, words, in_front(1ul, rest)),       \
        ORDERS_0(in_front, of_lane, in_front(1ul, first), (words) + (of_lane), rest)
#define ORDERS_2(in_front, of_lane, first, words, rest)                   \
    ORDERS_1(in_front, of_lane, first, words, in_front(2ul, rest)),       \
        ORDERS_1(in_front, of_lane, in_front(2ul, first), (words) + (of_lane), rest)
#define ORDERS_3(in_front, of_lane, first, words, rest)                   \
    ORDERS_2(in_front, of_lane, first, words, in_front(3ul, rest)),       \
        ORDERS_2(in_front, of_lane, in_front(3ul, first), (words) + (of_lane), rest)
#define ORDERS_4(in_front, of_lane, first, words, rest)                   \
    ORDERS_3(in_front, of_lane, first, words, in_front(4ul, rest)),       \
        ORDERS_3(in_front, of_lane, in_front(4ul, first), (words) + (of_lane), rest)
#define ORDERS_5(in_front, of_lane, first, words, rest)                   \
    ORDERS_4(in_front, of_lane, first, words, in_front(5ul, rest)),       \
        ORDERS_4(in_front, of_lane, in_front(5ul, first), (words) + (of_lane), rest)
#define ORDERS_6(in_front, of_lane, first, words, rest)                   \
    ORDERS_5(in_front, of_lane, first, words, in_front(6ul, rest)),       \
        ORDERS_5(in_front, of_lane, in_front(6ul, first), (words) + (of_lane), rest)
#define ORDERS_7(in_front, of_lane, first, words, rest)                   \
    ORDERS_6(in_front, of_lane, first, words, in_front(7ul, rest)),       \
        ORDERS_6(in_front, of_lane, in_front(7ul, first), (words) + (of_lane), rest)
CONSTANT uint orders_of_words[256] = {ORDERS_7(WORD_IN_FRONT, 1, 0ul, 0, 0ul)};
CONSTANT uint orders_of_pairs[16] = {ORDERS_3(PAIR_IN_FRONT, 2, 0ul, 0, 0ul)};

/* Eight words. */
typedef int words_t __attribute__((vector_size(32)));

/* Of a word's number three bits count, so what is above them may stay. */
INLINE words_t in_order(words_t v, uint order) {
    const words_t shifts = {0, 4, 8, 12, 16, 20, 24, 28}, zeros = {0, 0, 0, 0, 0, 0, 0, 0};
    return (words_t)__builtin_ia32_permvarsi256(v, (zeros + (int)order) >> shifts);
}
#endif

#endif
