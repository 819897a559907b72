/* Scans of integers: sums in their own width, wrapping. scan.h has the kernels. */
#include "keys.h"

#define LOOKS_BACK 1
#if KEY_BITS == 64
typedef ulong number_t;
#define NUMBER_BITS 64
#else
typedef uint number_t;
#define NUMBER_BITS 32
#endif
#define IDENTITY 0

INLINE number_t combine(number_t a, number_t b) { return a + b; }
INLINE number_t number_of(vec_t key) { return key; }
INLINE vec_t key_of(number_t sum) { return (vec_t)sum; }

#include "scan.h"
