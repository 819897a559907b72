/* Sums of floating-point numbers: of f16 and f32 in f32, of f64 in f64. combine.h has the kernels and the order of additions. A
 * sum that is NaN has the same bits everywhere. */
#include "least_order.h"

#if KEY_BITS == 64
typedef double partial_t;
typedef ulong result_t;
#define QUIET_NAN ((result_t)0x7ff8000000000000)
#else
typedef float partial_t;
typedef uint result_t;
#define QUIET_NAN ((result_t)0x7fc00000)
#endif
#define IDENTITY 0

typedef union {
    result_t bits;
    partial_t number;
} number_bits_t;

INLINE partial_t combine(partial_t a, partial_t b) { return a + b; }
/* A half needs no extension: its significand is one of 32 bits' in front. The product is exact. */
INLINE partial_t leaf_of(vec_t key, position_t place, order_t order) {
    number_bits_t both;
    (void)place;
    (void)order;
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
INLINE result_t result_of(partial_t partial, position_t count, order_t order) {
    number_bits_t both;
    (void)count;
    (void)order;
    both.number = partial;
    return partial == partial ? both.bits : QUIET_NAN;
}

#include "combine.h"
