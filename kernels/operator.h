/* The caller's operator on elements as they are moved (comparator.h). */
#ifndef OPERATOR_H
#define OPERATOR_H
#include "keys.h"

INLINE vec_t bits_of(comparator_record record) {
    union {
        vec_t key;
        comparator_record record;
    } both;
    both.record = record;
    return both.key;
}

INLINE vec_t identity(void) { return bits_of(operator_identity()); }
INLINE vec_t combined(vec_t a, vec_t b) { return bits_of(operator_combine(AS_RECORD(a), AS_RECORD(b))); }
#if HAS_TRANSFORM
INLINE vec_t transformed(vec_t a, vec_t b) { return bits_of(operator_transform(AS_RECORD(a), AS_RECORD(b))); }
#endif

#endif
