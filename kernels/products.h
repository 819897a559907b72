/* The upper half of a product of two integers of 64 bits. */
#ifndef PRODUCTS_H
#define PRODUCTS_H
#include "dialect.h"

#ifdef __CUDACC_RTC__
#define MUL_HIGH(a, b) __umul64hi(a, b)
#elif defined(__cplusplus)
__extension__ typedef unsigned __int128 product_t;
#define MUL_HIGH(a, b) ((ulong)((product_t)(a) * (b) >> 64))
#else
#define MUL_HIGH(a, b) mul_hi((ulong)(a), (ulong)(b))
#endif

#endif
