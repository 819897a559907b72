/* Vectors of four numbers, which a processor combines at once, in the dialects of processors. HAS_FOURS: there are such.
 *
 * A file that includes this has defined number_t of NUMBER_BITS, an integer.
 *   ALL_FOUR(number): four of that.           FIRST_OF(four): the number in the first lane.
 *   load_four(keys), store_four(four, keys): four keys at any element, each as a number.
 *   UP_1(four, first), UP_2(four, first): lane l takes lane l - 1 or l - 2, the first lanes take those of `first`.
 *   LAST_IN_ALL(four): each lane takes the last one.
 */
#ifndef FOURS_H
#define FOURS_H
#include "keys.h"

#ifdef __CUDACC_RTC__
#define HAS_FOURS 0
#elif defined(__cplusplus)
#define HAS_FOURS 1
typedef number_t four_t __attribute__((vector_size(4 * sizeof(number_t))));
typedef vec_t four_keys_t __attribute__((vector_size(4 * sizeof(vec_t))));

INLINE four_t load_four(const key_t* keys) { return __builtin_convertvector(load<four_keys_t>(keys), four_t); }
INLINE void store_four(four_t four, key_t* keys) { store(__builtin_convertvector(four, four_keys_t), keys); }
#define ALL_FOUR(number) (four_t{} + (number))
#define FIRST_OF(four) ((four)[0])
#define UP_1(four, first) __builtin_shufflevector(first, four, 0, 4, 5, 6)
#define UP_2(four, first) __builtin_shufflevector(first, four, 0, 1, 4, 5)
#define LAST_IN_ALL(four) __builtin_shufflevector(four, four, 3, 3, 3, 3)
#else
#define HAS_FOURS 1
#define FOUR_OF(bits) PASTE(PASTE(UINT_, bits), 4)
typedef FOUR_OF(NUMBER_BITS) four_t;

INLINE four_t load_four(GLOBAL const key_t* keys) { return PASTE(convert_, FOUR_OF(NUMBER_BITS))(vload4(0, keys)); }
INLINE void store_four(four_t four, GLOBAL key_t* keys) { vstore4(PASTE(convert_, FOUR_OF(KEY_BITS))(four), 0, keys); }
#define ALL_FOUR(number) ((four_t)(number))
#define FIRST_OF(four) ((four).s0)
#define UP_1(four, first) ((four_t)((first).s0, (four).s012))
#define UP_2(four, first) ((four_t)((first).s01, (four).s01))
#define LAST_IN_ALL(four) ((four).s3333)
#endif

#endif
