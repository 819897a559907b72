// SPDX-License-Identifier: MIT
/* Floating-point keys as numbers to reckon with: f16 and f32 as f32, f64 as f64. */
#ifndef FLOAT_NUMBER_H
#define FLOAT_NUMBER_H
#include "common/key_order.h"

#if KEY_BITS == 64
typedef double number_t;
typedef ulong number_bits_t;
#define QUIET_NAN ((number_bits_t)0x7ff8000000000000)
#else
typedef float number_t;
typedef uint number_bits_t;
#define QUIET_NAN ((number_bits_t)0x7fc00000)
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

/* The nearest half, of two as near the even one. */
INLINE ushort half_of_float_bits(uint bits) {
    uint sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 255, significand = bits & 0x7fffff;
    if (exponent == 255) return (ushort)(sign | 0x7c00 | (significand ? 0x200 : 0));
    if (exponent < 102) return (ushort)sign;
    uint dropped = exponent < 113 ? 126 - exponent : 13;
    uint all = exponent < 113 ? significand | 0x800000 : (exponent - 112) << 23 | significand;
    uint kept = all >> dropped, rest = all & ((1u << dropped) - 1), middle = 1u << (dropped - 1);
    kept += rest > middle || (rest == middle && (kept & 1));
    return (ushort)(sign | (kept < 0x7c00 ? kept : 0x7c00));
}

#endif
