/* Halves as floats of 32 bits and back, by integers: no extension is needed. */
#ifndef HALF_BITS_H
#define HALF_BITS_H
#include "dialect.h"

/* Exact. A half without an exponent is its significand times 2^-24. */
INLINE uint float_bits_of_half(uint half_bits) {
    uint exponent = half_bits >> 10 & 31, significand = half_bits & 1023;
    union {
        uint bits;
        float number;
    } both;
    both.number = (float)significand * (1.0f / 16777216.0f);
    if (exponent > 0) both.bits = (exponent + (exponent == 31 ? 224u : 112u)) << 23 | significand << 13;
    return both.bits | (half_bits >> 15) << 31;
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
