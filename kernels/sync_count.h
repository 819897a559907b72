/* Counting what really happened: with COUNT_SYNC every kernel has one more, last parameter, to which each work-group
 * adds itself, its hand-overs and its barriers. */
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
#define COUNTERS_PARAMETER , GLOBAL uint* counters
#define COUNTERS_ARGUMENT , counters
#define REPORT_SYNC(sync)                            \
    if (LOCAL_ID == 0) {                             \
        ATOMIC_ADD(counters + 0, 1u);                \
        ATOMIC_ADD(counters + 1, (sync).hand_overs); \
        ATOMIC_ADD(counters + 2, (sync).barriers);   \
    }
#else
#define COUNTERS_PARAMETER
#define COUNTERS_ARGUMENT
#define REPORT_SYNC(sync) (void)(sync);
#endif

#endif
