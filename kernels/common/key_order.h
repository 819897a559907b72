// SPDX-License-Identifier: MIT
/* Keys in memory and keys in registers.
 *
 * In registers and between passes a key is an unsigned integer whose order is the wanted order. `coding` says how it
 * is made of the bits in memory; the first pass encodes, the last one decodes:
 *   CODING_NONE      the bits are ordered already, or were encoded by an earlier pass
 *   CODING_INTEGER   bits ^ flip          (flip: the sign bit for signed keys; all its bits inverted when descending)
 *   CODING_FLOATING  negative numbers inverted, others with the sign bit set, then rotated down by the number of
 *                    NaNs that one sign has, so that NaNs of both signs follow +infinity; then ^ flip
 *   CODING_NAN_LAST  the same where numbers descend, but all bits are inverted before the rotation, so that NaNs are
 *                    last. A program is compiled for it, or decides when it runs
 * Every coding is a bijection: NaN payloads and the sign of zero survive.
 *
 * Keys that are packed with what decides between equal ones (packed.h) are the upper bits of integers. These are in the
 * order of signed ones, for which the top bit is inverted besides.
 */
#ifndef KEY_ORDER_H
#define KEY_ORDER_H
#include "common/dialect.h"

#define CODING_NONE 0
#define CODING_INTEGER 1
#define CODING_FLOATING 2
#define CODING_NAN_LAST 3
#define IS_NAN_LAST(coding) (DECIDES_AT_RUN_TIME ? (coding) == CODING_NAN_LAST : NAN_LAST)

#define SIGN_BIT ((key_t)((key_t)1 << (KEY_BITS - 1)))
#define ALL_BITS ((key_t)~(key_t)0)

/* NaNs of one sign: 2^(bits of the significand) - 1. */
#if KEY_BITS == 64
#define NANS_OF_A_SIGN ((key_t)0x000fffffffffffffUL)
#elif KEY_BITS == 32
#define NANS_OF_A_SIGN ((key_t)0x007fffffU)
#elif KEY_BITS == 16
#define NANS_OF_A_SIGN ((key_t)0x03ffU)
#else
#define NANS_OF_A_SIGN ((key_t)0)
#endif

#if RECORD_BYTES
/* Records are ordered by the caller's comparator, or combined by the caller's operator, as they are. */
typedef uint flip_t;

INLINE vec_t encode(vec_t record, uint coding, flip_t flip) { return record; }
INLINE vec_t decode(vec_t record, uint coding, flip_t flip) { return record; }

/* Its index tells where it lies (elements.h). */
INLINE vec_t key_beyond(uint coding, flip_t flip) {
    vec_t zeros;
    UNROLL for (uint i = 0; i < RECORD_WORDS; ++i) zeros.words[i] = 0;
    return zeros;
}
INLINE vec_t key_in_front(uint coding, flip_t flip) { return key_beyond(coding, flip); }

#ifndef AS_RECORD
INLINE comparator_record as_record(vec_t bits) {
    union {
        vec_t key;
        comparator_record record;
    } both;
    both.key = bits;
    return both.record;
}
#define AS_RECORD(key) as_record(key)
#endif
#if !HAS_PREDICATE && !HAS_OPERATOR
INLINE uint record_before(vec_t a, vec_t b) { return comparator_before(AS_RECORD(a), AS_RECORD(b)) != 0; }
#endif
#else
typedef key_t flip_t;

/* Where the key's bits are in registers, and the smallest key there: packed ones are ordered as signed integers. */
#define SIGN_PLACE (REGISTER_KEY_BITS - 1)
#if PACKED
#define KEY_PLACE (REGISTER_KEY_BITS - KEY_BITS)
#define AT_KEY(bits) ((register_key_t)((register_key_t)(bits) << KEY_PLACE))
#define OF_KEY(all) ((all) & AT_KEY(ALL_BITS))
#define SMALLEST_KEY AT_KEY(SIGN_BIT)
#else
#define AT_KEY(bits) (bits)
#define OF_KEY(all) (all)
#define SMALLEST_KEY ((register_key_t)0)
#endif
#define LARGEST_KEY ((register_key_t)~SMALLEST_KEY)

INLINE vec_t encode(vec_t bits, uint coding, flip_t flip) {
    if (coding == CODING_NONE) return bits;
    if (coding >= CODING_FLOATING) {
        vec_t all_if_negative = (vec_t)((register_key_t)0 - (bits >> SIGN_PLACE));
        bits ^= OF_KEY(all_if_negative) | AT_KEY(SIGN_BIT);
        if (IS_NAN_LAST(coding)) return (vec_t)((bits ^ AT_KEY(ALL_BITS)) - AT_KEY(NANS_OF_A_SIGN)) ^ SMALLEST_KEY;
        bits = (vec_t)(bits - AT_KEY(NANS_OF_A_SIGN));
    }
    return bits ^ AT_KEY(flip) ^ SMALLEST_KEY;
}

INLINE vec_t decode(vec_t key, uint coding, flip_t flip) {
    if (coding == CODING_NONE) return key;
    key = key ^ SMALLEST_KEY;
    if (!IS_NAN_LAST(coding)) key = key ^ AT_KEY(flip);
    if (coding >= CODING_FLOATING) {
        key = (vec_t)(key + AT_KEY(NANS_OF_A_SIGN));
        if (IS_NAN_LAST(coding)) key = key ^ AT_KEY(ALL_BITS);
        vec_t all_if_negative = (vec_t)((key >> SIGN_PLACE) - (register_key_t)1);
        key ^= OF_KEY(all_if_negative) | AT_KEY(SIGN_BIT);
    }
    return key;
}

/* What lies beyond the end of the array, and before it where two ranges are merged: decodes to the largest and the
 * smallest key. */
INLINE vec_t key_beyond(uint coding, flip_t flip) { return decode(BROADCAST(vec_t, LARGEST_KEY), coding, flip); }
INLINE vec_t key_in_front(uint coding, flip_t flip) { return decode(BROADCAST(vec_t, SMALLEST_KEY), coding, flip); }
#endif

#endif
