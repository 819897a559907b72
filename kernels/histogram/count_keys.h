// SPDX-License-Identifier: MIT
/* Counts how many keys lie in each bin.
 *
 * A work-group of several work-items counts its share in local memory, in `copies` counters of each bin, so that equal
 * keys seldom meet, and adds the sums to the table in memory. Where there are more bins than counters, `windows`
 * work-groups look at each share, for a part of the bins each. Without copies, the counters are those in memory.
 * With room for 256 counters, it counts bytes by their values, which takes fewer instructions than by their bins; those
 * of the 256 are found in the end.
 * A work-group of one work-item has counters of its own in memory, and adds nothing to those of others.
 * All of these are integers, so the order of additions does not matter.
 *
 * A file that includes this has defined, after binary_search.h: bins_t and
 *   bins_in(rule, sorted)              of what the arguments tell
 *   find_bins(keys, bins, number, in)  the bin of each of `number` keys: `bins` or more where it is in none
 */
#ifndef COUNT_KEYS_H
#define COUNT_KEYS_H
#include "common/loaded_keys.h"

#if LANES != 1 || RECORD_BYTES || INDEX_BITS < 32
#error "To count keys, LANES must be 1, RECORD_BYTES 0, and INDEX_BITS, those of a count, 32 or 64."
#endif

#define COUNTERS VECTORS
#define COUNTS_VALUES (KEY_BITS == 8 && WORK_ITEMS > 1 && COUNTERS >= 256)
#define TILE_KEYS (WORK_ITEMS * KEYS_OF_16_BYTES)
/* Tiles that are loaded ahead, one of bytes, of which two do not fit sm_100's registers; and keys whose bins are found
 * at once. */
#define AHEAD (KEY_BITS == 8 ? 1 : 2)
#if WORK_ITEMS > 1 && KEYS_OF_16_BYTES < AT_ONCE
#define BATCH KEYS_OF_16_BYTES
#else
#define BATCH AT_ONCE
#endif

/* The counters of a work-group, which are those of `here` bins from `first` on. */
typedef struct {
    LOCAL uint* counters;
    GLOBAL uint* table;
    uint first, here, copies, copy;
} counting_t;

INLINE void count_batch(const vec_t* keys, uint number, counting_t to, bins_t in) {
#if COUNTS_VALUES
    (void)in;
    UNROLL for (uint j = 0; j < number; ++j) ATOMIC_ADD(to.counters + ((uint)keys[j] * to.copies + to.copy), 1u);
#else
    uint found[BATCH];
    find_bins(keys, found, number, in);
    UNROLL for (uint j = 0; j < number; ++j) {
        uint bin = found[j] - to.first;
        if (bin >= to.here) continue;
#if WORK_ITEMS == 1
        ++to.table[(offset_t)bin * to.copies + j % to.copies];
#else
        if (to.copies > 0) ATOMIC_ADD(to.counters + (bin * to.copies + to.copy), 1u);
        else ATOMIC_ADD(to.table + bin, 1u);
#endif
    }
#endif
}

/* Launched with `windows` work-groups for each `share` of the keys. Requires: any count, any element offset; 16 bytes
 * are loaded at once where the first key is at a multiple of 16; copies a power of two; tables of zeros.
 * Local memory: COUNTERS integers of 32 bits, and what binary_search.h takes. Barriers: one, and one of
 * binary_search.h. */
KERNEL void count_keys(GLOBAL const key_t* keys, offset_t keys_offset, position_t count, position_t share, uint coding,
                       flip_t flip, ulong lower, ulong span, ulong factor, uint shift, GLOBAL const key_t* bounds,
                       offset_t bounds_offset, uint stride, uint samples, uint bins, uint copies, uint windows,
                       GLOBAL uint* tables, offset_t tables_offset) {
    AWAIT_LAST_LAUNCH();
#if WORK_ITEMS == 1
    DECLARE_LOCAL(register_key_t, sample, SAMPLE, 0);
    counting_t to = {0, tables + tables_offset + (offset_t)GROUP_ID * bins * copies, 0, bins, copies, 0};
    position_t part = GROUP_ID;
#else
    DECLARE_LOCAL(uint, counters, COUNTERS, 0);
    DECLARE_LOCAL(register_key_t, sample, SAMPLE, COUNTERS * 4);
    position_t part = (uint)GROUP_ID / windows;
    counting_t to = {counters, tables + tables_offset, 0, bins, copies, LOCAL_ID & (copies - 1)};
    if (copies > 0) {
        to.first = ((uint)GROUP_ID - (uint)part * windows) * (COUNTERS / copies);  /* not by %, as combine.h says */
        to.here = COUNTS_VALUES ? 256 : MIN(bins - to.first, COUNTERS / copies);
        for (uint i = LOCAL_ID; i < to.here * copies; i += WORK_ITEMS) counters[i] = 0;
    }
#endif
    rule_t rule = {lower, span, factor, shift, bins, flip};
    sorted_t sorted = {bounds + bounds_offset, sample, bins + 1, stride, samples, coding, flip, 1};
    load_sample(sorted, sample);
    bins_t in = bins_in(rule, sorted);

    keys += keys_offset;
    position_t i = part * share, end = count - i < share ? count : i + share;
    if (i >= count) end = i;
    vec_t batch[BATCH];
#if WORK_ITEMS == 1
    for (; end - i >= BATCH; i += BATCH) {
        UNROLL for (uint j = 0; j < BATCH; ++j) batch[j] = LOAD_GLOBAL_VECTOR(vec_t, keys + i + j);
        count_batch(batch, BATCH, to, in);
    }
#else
    if (((offset_t)keys & 15) == 0)
        ROLLED for (; end - i >= AHEAD * TILE_KEYS; i += AHEAD * TILE_KEYS) {
            loaded_keys_t loaded[AHEAD];
            UNROLL for (uint t = 0; t < AHEAD; ++t)
                loaded[t] = load_keys(keys + i + t * TILE_KEYS, LOCAL_ID);
            UNROLL for (uint t = 0; t < AHEAD; ++t)
                UNROLL for (uint k = 0; k < KEYS_OF_16_BYTES; k += BATCH) {
                    UNROLL for (uint j = 0; j < BATCH; ++j) batch[j] = key_in(loaded + t, k + j);
                    count_batch(batch, BATCH, to, in);
                }
        }
#endif
    ROLLED for (i += LOCAL_ID; i < end; i += WORK_ITEMS) {
        batch[0] = LOAD_GLOBAL_VECTOR(vec_t, keys + i);
        count_batch(batch, 1, to, in);
    }
#if WORK_ITEMS > 1
    BARRIER();
    if (copies == 0) return;
    for (uint bin = LOCAL_ID; bin < to.here; bin += WORK_ITEMS) {
        uint sum = 0;
        for (uint c = 0; c < copies; ++c) sum += counters[bin * copies + ((c + LOCAL_ID) & (copies - 1))];
#if COUNTS_VALUES
        vec_t value = (vec_t)bin;
        uint found;
        find_bins(&value, &found, 1, in);
        if (sum > 0 && found < bins) ATOMIC_ADD(to.table + found, sum);
#else
        if (sum > 0) ATOMIC_ADD(to.table + to.first + bin, sum);
#endif
    }
#endif
}

/* Adds the counters of each bin, which work-groups left in `parts` tables with so many copies each, and, if it `adds`,
 * what earlier launches counted. Launched with a work-group for each `share` of the bins. Local memory and barriers:
 * none. */
KERNEL void add_counts(GLOBAL const uint* tables, offset_t tables_offset, uint bins, uint parts, uint copies,
                       uint share, uint adds, GLOBAL index_t* counts, offset_t counts_offset) {
    AWAIT_LAST_LAUNCH();
    uint first = (uint)GROUP_ID * share, end = bins - first < share ? bins : first + share;
    if (first >= bins) return;
    tables += tables_offset;
    counts += counts_offset;
    for (uint bin = first + LOCAL_ID; bin < end; bin += WORK_ITEMS) {
        ulong sum = adds ? (ulong)counts[bin] : 0;
        for (uint part = 0; part < parts; ++part)
            for (uint c = 0; c < copies; ++c) sum += tables[((offset_t)part * bins + bin) * copies + c];
        counts[bin] = (index_t)sum;
    }
}

#endif
