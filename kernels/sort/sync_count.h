// SPDX-License-Identifier: MIT
/* Counting what really happened: with COUNT_SYNC each work-group adds itself, its hand-overs and its barriers to the
 * three counters of the pass. */
#ifndef SYNC_COUNT_H
#define SYNC_COUNT_H
#include "common/dialect.h"

typedef struct {
    uint hand_overs;
    uint barriers;
} sync_t;

INLINE void report_sync(GLOBAL uint* counters, offset_t counters_offset, sync_t sync) {
#if COUNT_SYNC
#if DECIDES_AT_RUN_TIME
    if (counters == 0) return;
#endif
    if (LOCAL_ID == 0) {
        ATOMIC_ADD(counters + 3 * counters_offset + 0, 1u);
        ATOMIC_ADD(counters + 3 * counters_offset + 1, sync.hand_overs);
        ATOMIC_ADD(counters + 3 * counters_offset + 2, sync.barriers);
    }
#endif
}

#endif
