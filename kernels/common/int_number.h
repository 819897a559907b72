// SPDX-License-Identifier: MIT
/* Keys as integers to reckon with, which are no narrower than 32 bits. */
#ifndef INT_NUMBER_H
#define INT_NUMBER_H
#include "common/key_order.h"

#if KEY_BITS == 64
typedef ulong number_t;
#define NUMBER_BITS 64
#else
typedef uint number_t;
#define NUMBER_BITS 32
#endif

#endif
