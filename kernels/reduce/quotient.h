// SPDX-License-Identifier: MIT
/* A quotient of integers as the nearest floating-point number, of two as near the even one, reckoned in integers: no
 * device needs an extension, and all give the same bits.
 *
 * A file that includes this has defined DIGITS, the bits of the number's significand, 24 or 53.
 */
#ifndef QUOTIENT_H
#define QUOTIENT_H
#include "common/dialect.h"

#define LARGEST_EXPONENT (DIGITS == 53 ? 1023 : 127)

/* Of a number that is not 0. */
INLINE uint zeros_in_front(ulong x) {
    uint zeros = 0;
    UNROLL for (uint step = 32; step > 0; step /= 2) {
        uint shift = x >> (64 - step) == 0 ? step : 0;
        zeros += shift;
        x <<= shift;
    }
    return zeros;
}

/* The bits of the number nearest to a * 2^scale / divisor; a and divisor are not 0. */
INLINE ulong nearest_quotient(ulong a, int scale, ulong divisor) {
    uint zeros = zeros_in_front(a), zeros_of_divisor = zeros_in_front(divisor);
    a <<= zeros;
    divisor <<= zeros_of_divisor;
    uint is_less = a < divisor;
    ulong quotient = !is_less, rest = a - (is_less ? 0 : divisor);
    ROLLED for (uint step = 0; step < DIGITS + 1; ++step) {
        uint bit = rest >> 63 || rest * 2 >= divisor;
        rest = rest * 2 - (bit ? divisor : 0);
        quotient = quotient * 2 + bit;
    }
    /* The last bit tells of all that would follow. */
    quotient = quotient * 2 + (rest != 0);
    int exponent = scale + (int)zeros_of_divisor - (int)zeros - (int)is_less, least = 1 - LARGEST_EXPONENT;
    uint dropped = 3 - is_less;
    if (exponent < least) dropped = MIN(dropped + (uint)(least - exponent), (uint)DIGITS + 4);
    ulong kept = quotient >> dropped, lost = quotient & (((ulong)1 << dropped) - 1), middle = (ulong)1 << (dropped - 1);
    kept += lost > middle || (lost == middle && (kept & 1));
    /* The significand's first bit, or a carry, adds one to the exponent. */
    return ((ulong)(exponent < least ? 0 : exponent - least) << (DIGITS - 1)) + kept;
}

#endif
