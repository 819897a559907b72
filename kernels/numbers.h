/* Floating-point keys as numbers to reckon with: f16 and f32 as f32, f64 as f64. */
#ifndef NUMBERS_H
#define NUMBERS_H
#include "keys.h"

#if KEY_BITS == 64
typedef double number_t;
typedef ulong number_bits_t;
#else
typedef float number_t;
typedef uint number_bits_t;
#endif

typedef union {
    number_bits_t bits;
    number_t number;
} either_t;

/* A half needs no extension: its significand is one of 32 bits' in front. The product is exact. */
INLINE number_t number_of(vec_t key) {
    either_t both;
#if KEY_BITS == 16
    uint exponent = key >> 10 & 31, significand = key & 1023;
    both.number = (float)significand * (1.0f / 16777216.0f);
    if (exponent > 0) both.bits = (exponent + (exponent == 31 ? 224u : 112u)) << 23 | significand << 13;
    both.bits |= (uint)(key >> 15) << 31;
#else
    both.bits = key;
#endif
    return both.number;
}

#endif
