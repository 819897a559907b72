/* Scans of numbers: the smallest or the largest key up to each one. scan.h has the kernels, and least_order.h the order. */
#include "least_order.h"

#ifndef HAS_RUNS
#define HAS_RUNS 0
#endif
#define LOOKS_BACK 1
#if KEY_BITS == 64
typedef ulong number_t;
#define NUMBER_BITS 64
#else
typedef uint number_t;
#define NUMBER_BITS 32
#endif
#define IDENTITY ((number_t)ALL_BITS)

INLINE number_t combine(number_t a, number_t b) { return MIN(a, b); }
INLINE number_t number_of_key(vec_t key, order_t order) { return ordered(key, order); }
INLINE vec_t key_of(number_t least, order_t order) { return unordered((vec_t)least, order); }

#include "fours.h"
#if HAS_FOURS
/* As ordered() and unordered() have it, in lanes that are wider than keys. */
#define combine_fours(a, b) MIN(a, b)
INLINE four_t if_negative_in_four(four_t keys, number_t mask) { return (ALL_FOUR(0) - (keys >> (KEY_BITS - 1))) & mask; }
INLINE four_t numbers_of_keys(four_t keys, order_t order) {
    four_t bits = keys ^ (number_t)order.flip ^ if_negative_in_four(keys, order.mask);
    return (bits + (number_t)order.bias) & IDENTITY;
}
INLINE four_t keys_of_numbers(four_t numbers, order_t order) {
    four_t bits = ((numbers - (number_t)order.bias) ^ (number_t)order.flip) & IDENTITY;
    return bits ^ if_negative_in_four(bits, order.mask);
}
#endif

#include "scan.h"
