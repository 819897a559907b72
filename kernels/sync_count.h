/* Counting what really happened: with COUNT_SYNC every kernel takes one more array, of three counters for each pass, to
 * which each work-group adds itself, its hand-overs and its barriers. */
#ifndef SYNC_COUNT_H
#define SYNC_COUNT_H
#include "dialect.h"

#ifndef COUNT_SYNC
#define COUNT_SYNC 0
#endif

typedef struct {
    uint hand_overs;
    uint barriers;
} sync_t;

#if COUNT_SYNC
#define COUNTERS_PARAMETER , GLOBAL uint* counters, offset_t counters_offset
#define COUNTERS_ARGUMENT , counters, counters_offset
#define REPORT_SYNC(sync)                                                      \
    if (LOCAL_ID == 0) {                                                       \
        ATOMIC_ADD(counters + 3 * counters_offset + 0, 1u);                    \
        ATOMIC_ADD(counters + 3 * counters_offset + 1, (sync).hand_overs);     \
        ATOMIC_ADD(counters + 3 * counters_offset + 2, (sync).barriers);       \
    }
#else
#define COUNTERS_PARAMETER
#define COUNTERS_ARGUMENT
#define REPORT_SYNC(sync) (void)(sync);
#endif

#endif
