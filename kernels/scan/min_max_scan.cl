// SPDX-License-Identifier: MIT
/* Scans of numbers: the smallest or the largest key up to each one. scan.h has the kernels, and min_max_order.h the order. */
#include "common/int_number.h"
#include "common/min_max_order.h"

#ifndef HAS_RUNS
#define HAS_RUNS 0
#endif
#define LOOKS_BACK 1
#define IDENTITY ((number_t)ALL_BITS)

INLINE number_t combine(number_t a, number_t b) { return MIN(a, b); }
INLINE number_t number_of_key(vec_t key, order_t order) { return ordered(key, order); }
INLINE vec_t key_of(number_t least, order_t order) { return unordered((vec_t)least, order); }

#define combine_fours(a, b) MIN(a, b)
#define numbers_of_keys(keys, order) ordered_four(keys, order)
#define keys_of_numbers(numbers, order) unordered_four(numbers, order)
#include "cpu/vector4.h"
#include "scan/scan.h"
