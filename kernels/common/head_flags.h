// SPDX-License-Identifier: MIT
/* What is left of where runs of keys begin, so that what belongs to them can be reduced or scanned without a look at
 * the keys (reduce_runs.h, scan.h): a bit for each key, 16 in an integer, the first of them the lowest. Reductions have
 * how many runs begin in front of every tile of 4096 keys, too. */
#ifndef HEAD_FLAGS_H
#define HEAD_FLAGS_H
#include "common/dialect.h"

#define MARKED_KEYS 16
#define REDUCED_KEYS 4096

/* The marks of key i and, in higher bits, of those behind it. */
INLINE uint begins_from(GLOBAL const ushort* marks, position_t i) {
    return (uint)marks[i / MARKED_KEYS] >> i % MARKED_KEYS;
}

#endif
