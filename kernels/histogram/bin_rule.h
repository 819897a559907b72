// SPDX-License-Identifier: MIT
/* What tells the bins of a histogram, but for bounds that are keys; each file says what the integers are. */
#ifndef BIN_RULE_H
#define BIN_RULE_H
#include "common/binary_search.h"

typedef struct {
    ulong lower, span, factor;
    uint shift, bins;
    flip_t flip; /* as key_order.h has it */
} rule_t;

#endif
