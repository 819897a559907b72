/* Scans of floating-point numbers: sums of f16 and f32 in f32, of f64 in f64, each rounded to the keys' type. scan.h has the kernels and
 * the order of additions. A sum that is NaN has the same bits everywhere. */
#include "numbers.h"

#define LOOKS_BACK 0
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE vec_t key_of(number_t sum) {
    either_t both;
    both.number = sum;
    if (sum != sum) both.bits = QUIET_NAN;
#if KEY_BITS == 16
    return half_of_float_bits(both.bits);
#else
    return (vec_t)both.bits;
#endif
}

#include "scan.h"
