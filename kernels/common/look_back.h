// SPDX-License-Identifier: MIT
/* What lies in front of a work-group's tile, combined, where each group has published its own tile's sum. No group
 * waits for another: a group looks at the tiles in front of it, the nearest first, a bounded number of times, and
 * combines the keys of one that is not there by itself. So it matters to time alone when a group runs, and when what it
 * wrote is seen.
 *
 * A tile has STATUS_WORDS words (look_back_words.h).
 *
 * A file that includes this has defined number_t of NUMBER_BITS, an integer, IDENTITY and combine(a, b).
 * Source: Smith, Levien, Owens, "Decoupled Fallback: A Portable Single-Pass GPU Scan", SPAA 2025; Merrill and Garland,
 * "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
 */
#ifndef LOOK_BACK_H
#define LOOK_BACK_H
#include "common/look_back_words.h"

#define OF_TILE 1u     /* the tile's keys */
#define TO_TILE_END 2u /* the tile's and all in front of it */

#define STATUS_WORDS WORDS_OF(NUMBER_BITS)
/* Tiles that a group looks at together. */
#define WINDOW (WORK_ITEMS < 32 ? WORK_ITEMS : 32)

INLINE void publish(GLOBAL status_t* status, offset_t tile, number_t sum, uint what) {
    publish_words(status + tile * STATUS_WORDS, STATUS_WORDS, (ulong)sum, what);
}

INLINE uint look_at(GLOBAL status_t* status, offset_t tile, number_t* sum) {
    ulong number;
    uint what = look_at_words(status + tile * STATUS_WORDS, STATUS_WORDS, &number);
    *sum = (number_t)number;
    return what;
}

/* Combines what is found of the tiles in front of `from` in up to `tries` looks; with none, nothing is. Gives how many
 * tiles were there one after the other; the first TO_TILE_END ends them, as if all in front were there. Local memory:
 * WINDOW numbers and as many integers. Barriers: two. */
INLINE offset_t look_through_window(GLOBAL status_t* status, offset_t from, uint tries, number_t* sum,
                                    LOCAL number_t* shared, LOCAL uint* found) {
    number_t own = IDENTITY;
    uint what = LOCAL_ID < from ? NOT_THERE : TO_TILE_END, taken = 0, last = NOT_THERE;
    if (LOCAL_ID < WINDOW)
        for (uint t = 0; what == NOT_THERE && t < tries; ++t) what = look_at(status, from - 1 - LOCAL_ID, &own);
#if HAS_SHUFFLES && WORK_ITEMS >= 32
    if (LOCAL_ID < WINDOW) {
        uint missing = BALLOT(what == NOT_THERE), ends = BALLOT(what == TO_TILE_END);
        uint before_missing = missing ? FIRST_BIT(missing) : WINDOW, to_end = ends ? FIRST_BIT(ends) + 1 : WINDOW + 1;
        taken = MIN(before_missing, to_end);
        own = LOCAL_ID < taken ? own : IDENTITY;
        UNROLL for (uint apart = WINDOW / 2; apart > 0; apart /= 2) own = combine(own, SHUFFLE_XOR(own, apart));
        if (LOCAL_ID == 0) {
            shared[0] = own;
            found[0] = to_end <= before_missing ? TO_TILE_END : OF_TILE;
            found[1] = taken;
        }
    }
    BARRIER();
    *sum = shared[0];
    last = found[0];
    taken = found[1];
#else
    if (LOCAL_ID < WINDOW) {
        shared[LOCAL_ID] = own;
        found[LOCAL_ID] = what;
    }
    BARRIER();
    own = IDENTITY;
    for (; taken < WINDOW && last != TO_TILE_END && found[taken] != NOT_THERE; ++taken) {
        own = combine(shared[taken], own);
        last = found[taken];
    }
    *sum = own;
#endif
    BARRIER();
    return last == TO_TILE_END ? from : taken;
}

/* The sum of a group's numbers, of any order. Local memory: WORK_ITEMS numbers. */
INLINE number_t combine_group(number_t own, LOCAL number_t* shared) {
    shared[LOCAL_ID] = own;
    BARRIER();
    ROLLED for (uint apart = WORK_ITEMS / 2; apart > 0; apart /= 2) {
        if (LOCAL_ID < apart) shared[LOCAL_ID] = combine(shared[LOCAL_ID], shared[LOCAL_ID + apart]);
        BARRIER();
    }
    number_t all = shared[0];
    BARRIER();
    return all;
}

/* LOOK_BACK_TO_END(prefix, ...) publishes the sum of a tile, and gives that of all in front of it. `fallback` is an
 * expression: what this work-item has of the keys of tile `missing`. Where `closed`, nothing in front of the tile adds
 * to what lies behind it: the sum is that of the keys which do. `ends`, which is looked at behind the fallback, says so
 * of the tile that was missing.
 * Local memory: WORK_ITEMS numbers and 32 integers. */
#define LOOK_BACK_TO_END(prefix, status, tile, total, closed, tries, shared, found, missing, fallback, ends) \
    number_t prefix = IDENTITY;                                                                              \
    if (LOCAL_ID == 0 && (tile) > 0) publish(status, tile, total, (closed) ? TO_TILE_END : OF_TILE);         \
    ROLLED for (offset_t from = (tile); from > 0;) {                                                         \
        number_t sum;                                                                                        \
        offset_t taken = look_through_window(status, from, tries, &sum, shared, found);                      \
        prefix = combine(sum, prefix);                                                                       \
        from -= taken;                                                                                       \
        if (taken < WINDOW && from > 0) {                                                                    \
            offset_t missing = --from;                                                                       \
            prefix = combine(combine_group(fallback, shared), prefix);                                       \
            if (ends) from = 0;                                                                              \
        }                                                                                                    \
    }                                                                                                        \
    if (LOCAL_ID == 0) publish(status, tile, (closed) ? (total) : combine(prefix, total), TO_TILE_END)

/* The same where all tiles add to what lies behind them. */
#define LOOK_BACK(prefix, status, tile, total, tries, shared, found, missing, fallback) \
    LOOK_BACK_TO_END(prefix, status, tile, total, 0, tries, shared, found, missing, fallback, 0)

#endif
