// SPDX-License-Identifier: MIT
/* The upper half of a product of two integers of 64 bits, and products of floating-point numbers that no sum is
 * contracted with. C++ is compiled without contraction where it adds them (cmake/CpuKernels.cmake). */
#ifndef MULTIPLY_H
#define MULTIPLY_H
#include "common/dialect.h"

#ifdef __CUDACC_RTC__
#define MUL_HIGH(a, b) __umul64hi(a, b)
INLINE float rounded_product(float a, float b) { return __fmul_rn(a, b); }
INLINE double rounded_product(double a, double b) { return __dmul_rn(a, b); }
#define ROUNDED_PRODUCT(a, b) rounded_product(a, b)
#elif defined(__cplusplus)
__extension__ typedef unsigned __int128 product_t;
#define MUL_HIGH(a, b) ((ulong)((product_t)(a) * (b) >> 64))
#define ROUNDED_PRODUCT(a, b) ((a) * (b))
#else
#pragma OPENCL FP_CONTRACT OFF
#define MUL_HIGH(a, b) mul_hi((ulong)(a), (ulong)(b))
#define ROUNDED_PRODUCT(a, b) ((a) * (b))
#endif

#endif
