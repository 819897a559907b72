// SPDX-License-Identifier: MIT
/* The caller's operator on elements as they are moved (comparator.h). */
#ifndef OPERATOR_H
#define OPERATOR_H
#include "common/key_order.h"

INLINE vec_t operator_bits(comparator_record record) {
    union {
        vec_t key;
        comparator_record record;
    } both;
    both.record = record;
    return both.key;
}

/* Macros, since these are names that the caller may have given to functions of his. */
#define identity() operator_bits(operator_identity())
#define combined(a, b) operator_bits(operator_combine(AS_RECORD(a), AS_RECORD(b)))
#define transformed(a, b) operator_bits(operator_transform(AS_RECORD(a), AS_RECORD(b)))

#endif
