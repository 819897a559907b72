// SPDX-License-Identifier: MIT
/* Means of the values of each run of equal keys: their sums, which reduce_runs.h left, divided by how many they are.
 * A file that includes this has defined mean_of(sum, count, order), besides what reduce_runs.h wants.
 */
#ifndef MEAN_RUNS_H
#define MEAN_RUNS_H
#include "reduce/reduce_runs.h"

/* Where a run begins that has `run` others in front of it, and that begins behind the 16 keys of number `mark`; `count`
 * if there is none. */
INLINE position_t begin_behind(GLOBAL const ushort* begins, GLOBAL const ulong* bases, position_t mark, ulong run,
                               position_t count) {
    position_t marks = (count - 1) / MARKED_KEYS + 1, tiles = (count - 1) / REDUCED_KEYS + 1;
    position_t tile = mark / TREE_LEAVES, end = tile + 1 < tiles && bases[tile + 1] <= run ? tiles : tile + 1;
    if (end > tile + 1) {
        while (end - tile > 1) {
            position_t middle = tile + (end - tile) / 2;
            if (bases[middle] <= run) tile = middle;
            else end = middle;
        }
        mark = tile * TREE_LEAVES;
    } else ++mark;
    while (mark < marks && begins[mark] == 0) ++mark;
    if (mark >= marks) return count;
    uint k = 0;
    while (!(begins[mark] >> k & 1)) ++k;
    return mark * MARKED_KEYS + k;
}

/* Makes means of the sums of all runs that begin in a tile.
 * Launched after the last close_runs, with a work-group for each tile. Local memory: 8 bytes a work-item. Barriers: a
 * scan of the group. */
KERNEL void divide_runs(GLOBAL const ushort* begins_of_all, offset_t begins_offset, GLOBAL const ulong* bases,
                        offset_t bases_offset, position_t count, flip_t mask, flip_t flip, flip_t bias,
                        GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(ulong, counts, WORK_ITEMS, 0);
    order_t order = {mask, flip, bias};
    begins_of_all += begins_offset;
    bases += bases_offset;
    results += results_offset;
    position_t mark = GROUP_ID * TREE_LEAVES + LEAF(0);
    uint begins[OWN_LEAVES], own = 0;
    FOR_LEAVES(v) {
        begins[v] = (mark + v) * MARKED_KEYS < count ? begins_of_all[mark + v] : 0;
        own += RUNS_IN(begins[v]);
    }
    ulong all, run = scan_group(SUM, own, counts, &all) + own;
    if (own > 0) run += bases[GROUP_ID];
    position_t end = 0;
    uint is_last = 1;
    for (uint back = 0; back < OWN_LEAVES; ++back) {
        uint v = OWN_LEAVES - 1 - back;
        if (begins[v] && is_last) {
            end = begin_behind(begins_of_all, bases, mark + v, run, count);
            is_last = 0;
        }
        for (uint k = MARKED_KEYS; k-- > 0;)
            if (begins[v] >> k & 1) {
                position_t begin = (mark + v) * MARKED_KEYS + k;
                --run;
                results[run] = mean_of(results[run], end - begin, order);
                end = begin;
            }
    }
}

#endif
