/* Scans of floating-point numbers: sums of f16 and f32 in f32, of f64 in f64, each rounded to the keys' type. scan.h has the kernels and
 * the order of additions. A sum that is NaN has the same bits everywhere. */
#include "keys.h"
#include "half_bits.h"

#define LOOKS_BACK 0
#if KEY_BITS == 64
typedef double number_t;
typedef ulong number_bits_t;
#define QUIET_NAN ((number_bits_t)0x7ff8000000000000)
#else
typedef float number_t;
typedef uint number_bits_t;
#define QUIET_NAN ((number_bits_t)0x7fc00000)
#endif
#define IDENTITY 0

typedef union {
    number_bits_t bits;
    number_t number;
} number_and_bits_t;

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t number_of(vec_t key) {
    number_and_bits_t both;
#if KEY_BITS == 16
    both.bits = float_bits_of_half(key);
#else
    both.bits = key;
#endif
    return both.number;
}
INLINE vec_t key_of(number_t sum) {
    number_and_bits_t both;
    both.number = sum;
    if (sum != sum) both.bits = QUIET_NAN;
#if KEY_BITS == 16
    return half_of_float_bits(both.bits);
#else
    return (vec_t)both.bits;
#endif
}

#include "scan.h"
