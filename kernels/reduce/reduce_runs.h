// SPDX-License-Identifier: MIT
/* Combines the values of each run of equal keys, by a tree that is the same on every device, so that sums of
 * floating-point numbers have the same bits everywhere. Where runs begin, head_flags.h tells; values are the "keys" of
 * these kernels.
 *
 * A tile has 4096 values, in 256 leaves of 16, and a bundle is 32 leaves. Of each run:
 *   1. a leaf combines the values that it has of the run in their order;
 *   2. leaf l of a bundle combines what the leaves up to it have of the run in five steps: in step s with what leaf l -
 *      2^s has by then, if that leaf is one of the run's;
 *   3. bundles of a tile are combined in their order, beginning with the identity, then 2. of the bundle in which the
 *      run ends, then 1. of the leaf in which it does;
 *   4. tiles are leaves of one value each of further tiles, 256 of them in one, and so on, until there is one.
 *
 * A file that includes this has defined, after key_order.h: number_t, result_t, IDENTITY, combine(a, b), leaf_of(value,
 * order) and result_of(number, order).
 */
#ifndef REDUCE_RUNS_H
#define REDUCE_RUNS_H
#include "common/group_scan.h"
#include "common/loaded_keys.h"
#include "common/head_flags.h"

#if LANES != 1 || RECORD_BYTES || WORK_ITEMS > 256
#error "To reduce runs, LANES must be 1, RECORD_BYTES 0 and WORK_ITEMS at most 256."
#endif

#define TREE_LEAVES 256
#define OWN_LEAVES (TREE_LEAVES / WORK_ITEMS)
#define LEAF(v) (LOCAL_ID * OWN_LEAVES + (v))
#define IN_WARPS (HAS_SHUFFLES && WORK_ITEMS == TREE_LEAVES)
#define FOR_LEAVES(v) for (uint v = 0; v < OWN_LEAVES; ++v)
/* Results that local memory has room for; one work-item writes them as they come. */
#define HELD_RESULTS (WORK_ITEMS > 1 ? 8 * WORK_ITEMS : 1)
/* Bytes of local memory in front of them: a sum and a bit for each leaf, and a count for each work-item. */
#define SHARED_BYTES (TREE_LEAVES * (sizeof(number_t) + 4) + 8 * WORK_ITEMS)

/* C++ counts bits where the processor has an instruction for it. */
#ifdef COUNT_BITS
#define RUNS_IN(begins) ((uint)COUNT_BITS(begins))
#else
#define RUNS_IN(begins) ((uint)__builtin_popcount(begins))
#endif

/* Steps 2 and 3. `begins` of each own leaf: a run begins in it; backs: what it has of its last run. Makes of backs what
 * is in front of each leaf of the run that it begins with. Gives what the tile has of its last run; *any: a run begins
 * in the tile. */
INLINE number_t scan_leaves(const uint* begins, number_t* backs, uint* any, LOCAL number_t* shared, LOCAL uint* flags) {
    number_t carry = IDENTITY;
    *any = 0;
#if IN_WARPS
    uint lane = LOCAL_ID % 32, warp = LOCAL_ID / 32, with = BALLOT(begins[0]), to_here = with & (~0u >> (31 - lane));
    uint reach = to_here ? lane - LAST_BIT(to_here) : lane;
    number_t all = backs[0], in_front = IDENTITY;
    UNROLL for (uint apart = 1; apart < 32; apart *= 2) {
        number_t before = SHUFFLE_UP(all, apart);
        all = apart <= reach ? combine(before, all) : all;
    }
    number_t before = SHUFFLE_UP(all, 1);
    if (lane == 31) {
        shared[warp] = all;
        flags[warp] = with != 0;
    }
    BARRIER();
    UNROLL for (uint w = 0; w < TREE_LEAVES / 32; ++w) {
        in_front = w == warp ? carry : in_front;
        carry = flags[w] ? shared[w] : combine(carry, shared[w]);
        *any |= flags[w];
    }
    uint in_bundle = (with & ((1u << lane) - 1)) != 0;
    backs[0] = lane == 0 ? in_front : in_bundle ? before : combine(in_front, before);
#else
    number_t before[OWN_LEAVES];
    uint flag_before[OWN_LEAVES];
    FOR_LEAVES(v) {
        shared[LEAF(v)] = backs[v];
        flags[LEAF(v)] = begins[v] != 0;
    }
    BARRIER();
    ROLLED for (uint apart = 1; apart < 32; apart *= 2) {
        FOR_LEAVES(v) {
            uint is_there = LEAF(v) % 32 >= apart;
            before[v] = is_there ? shared[LEAF(v) - apart] : IDENTITY;
            /* 2: there is none to combine with, and no flag to take. */
            flag_before[v] = is_there ? flags[LEAF(v) - apart] : 2;
        }
        BARRIER();
        FOR_LEAVES(v)
            if (flag_before[v] < 2 && !flags[LEAF(v)]) {
                shared[LEAF(v)] = combine(before[v], shared[LEAF(v)]);
                flags[LEAF(v)] = flag_before[v];
            }
        BARRIER();
    }
    FOR_LEAVES(v) {
        uint is_there = LEAF(v) % 32 > 0;
        before[v] = is_there ? shared[LEAF(v) - 1] : IDENTITY;
        flag_before[v] = is_there ? flags[LEAF(v) - 1] : 0;
    }
    for (uint b = 0; b < TREE_LEAVES / 32; ++b) {
        FOR_LEAVES(v) if (LEAF(v) / 32 == b)
            backs[v] = LEAF(v) % 32 == 0 ? carry : flag_before[v] ? before[v] : combine(carry, before[v]);
        carry = flags[32 * b + 31] ? shared[32 * b + 31] : combine(carry, shared[32 * b + 31]);
        *any |= flags[32 * b + 31];
    }
#endif
    BARRIER();
    return carry;
}

/* The values of a leaf, those behind the end as the identity, and the bits of the runs that begin in it. */
INLINE uint load_leaf(GLOBAL const key_t* values, GLOBAL const ushort* begins, position_t first, position_t count,
                      order_t order, number_t* numbers) {
    if (first >= count) {
        for (uint k = 0; k < MARKED_KEYS; ++k) numbers[k] = IDENTITY;
        return 0;
    }
#if WORK_ITEMS > 1
    if (((offset_t)(values + first) & 15) == 0 && count - first >= MARKED_KEYS) {
        loaded_keys_t loaded[MARKED_KEYS / KEYS_OF_16_BYTES];
        UNROLL for (uint l = 0; l < MARKED_KEYS / KEYS_OF_16_BYTES; ++l) loaded[l] = load_keys(values + first, l);
        UNROLL for (uint k = 0; k < MARKED_KEYS; ++k)
            numbers[k] = leaf_of(key_in(loaded + k / KEYS_OF_16_BYTES, k % KEYS_OF_16_BYTES), order);
    } else
#endif
        for (uint k = 0; k < MARKED_KEYS; ++k)
            numbers[k] = k < count - first ? leaf_of(values[first + k], order) : IDENTITY;
    return begins[first / MARKED_KEYS];
}

/* The results of the runs that end in a tile, which another one begins in, and what is left of the others:
 * fronts[tile], of the run that goes on from the tile in front, and backs[tile], of the one that goes on behind it;
 * both are all of the tile where no run begins.
 * Launched with a work-group for each tile. Requires: any count, any element offset. Local memory: SHARED_BYTES and
 * HELD_RESULTS. */
KERNEL void reduce_runs(GLOBAL const key_t* values, offset_t values_offset, position_t count, flip_t mask, flip_t flip,
                        flip_t bias, GLOBAL const ushort* begins_of_all, offset_t begins_offset,
                        GLOBAL const ulong* bases, offset_t bases_offset, GLOBAL number_t* fronts,
                        offset_t fronts_offset, GLOBAL number_t* backs_of_all, offset_t backs_offset,
                        GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(number_t, shared, TREE_LEAVES, 0);
    DECLARE_LOCAL(uint, flags, TREE_LEAVES, TREE_LEAVES * sizeof(number_t));
    DECLARE_LOCAL(ulong, counts, WORK_ITEMS, TREE_LEAVES * (sizeof(number_t) + 4));
#if WORK_ITEMS > 1
    DECLARE_LOCAL(number_t, held, HELD_RESULTS, SHARED_BYTES);
#endif
    order_t order = {mask, flip, bias};
    values += values_offset;
    begins_of_all += begins_offset;
    position_t begin = GROUP_ID * REDUCED_KEYS, first = begin < count ? begin : count;
    number_t numbers[MARKED_KEYS], backs[OWN_LEAVES];
    uint begins[OWN_LEAVES], own = 0, any;
    FOR_LEAVES(v) {
        begins[v] = load_leaf(values, begins_of_all, first + LEAF(v) * MARKED_KEYS, count, order, numbers);
        number_t back = numbers[0];
        UNROLL for (uint k = 1; k < MARKED_KEYS; ++k)
            back = begins[v] >> k & 1 ? numbers[k] : combine(back, numbers[k]);
        backs[v] = back;
        own += RUNS_IN(begins[v]);
    }
    ulong all;
    uint own_rank = (uint)scan_group(SUM, own, counts, &all), runs = (uint)all;
    number_t last = scan_leaves(begins, backs, &any, shared, flags);
    if (LOCAL_ID == 0) {
        backs_of_all[backs_offset + GROUP_ID] = last;
        if (runs == 0) fronts[fronts_offset + GROUP_ID] = last;
    }
    /* Run `rank` of the tile ends the one before it, whose result goes to rank - 1. */
    results += results_offset + bases[bases_offset + GROUP_ID];
#if WORK_ITEMS > 1
    ROLLED for (uint window = 0; window < runs; window += HELD_RESULTS)
#endif
    {
        /* At the loop's head, as PoCL wants it. */
        BARRIER();
        uint rank = own_rank;
        FOR_LEAVES(v) {
#if !IN_WARPS
            load_leaf(values, begins_of_all, first + LEAF(v) * MARKED_KEYS, count, order, numbers);
#endif
            number_t back = numbers[0];
            uint is_first = 1;
            UNROLL for (uint k = 0; k < MARKED_KEYS; ++k) {
                if (begins[v] >> k & 1) {
                    number_t ended = k == 0 ? backs[v] : is_first ? combine(backs[v], back) : back;
                    if (rank == 0) fronts[fronts_offset + GROUP_ID] = ended;
#if WORK_ITEMS == 1
                    else results[(long)rank - 1] = result_of(ended, order);
#else
                    if (rank >= window && rank - window < HELD_RESULTS) held[rank - window] = ended;
#endif
                    ++rank;
                    is_first = 0;
                    back = numbers[k];
                } else if (k > 0) {
                    back = combine(back, numbers[k]);
                }
            }
        }
#if WORK_ITEMS > 1
        BARRIER();
        ROLLED for (uint i = LOCAL_ID; i < HELD_RESULTS && window + i < runs; i += WORK_ITEMS)
            if (window + i > 0) results[(long)(window + i) - 1] = result_of(held[i], order);
#endif
    }
}

/* The same of what is left of tiles, of which each one has `stride` of 4096 values: the results of runs that end in a
 * group of 256 and begin in it, and what is left of the others. Where that is one group, the last run ends with it.
 * Launched with a work-group for each 256, after reduce_runs, until there is one. Local memory: SHARED_BYTES. */
KERNEL void close_runs(GLOBAL const number_t* fronts, offset_t fronts_offset, GLOBAL const number_t* backs_of_all,
                       offset_t backs_offset, position_t count, position_t tiles, position_t stride, flip_t mask,
                       flip_t flip, flip_t bias, GLOBAL const ulong* bases, offset_t bases_offset,
                       GLOBAL const ulong* answer, offset_t answer_offset, GLOBAL number_t* next_fronts,
                       offset_t next_fronts_offset, GLOBAL number_t* next_backs, offset_t next_backs_offset,
                       GLOBAL result_t* results, offset_t results_offset) {
    DECLARE_LOCAL(number_t, shared, TREE_LEAVES, 0);
    DECLARE_LOCAL(uint, flags, TREE_LEAVES, TREE_LEAVES * sizeof(number_t));
    order_t order = {mask, flip, bias};
    results += results_offset;
    bases += bases_offset;
    number_t backs[OWN_LEAVES];
    ulong base[OWN_LEAVES];
    uint begins[OWN_LEAVES], is_first[OWN_LEAVES], any;
    FOR_LEAVES(v) {
        position_t i = GROUP_ID * TREE_LEAVES + LEAF(v);
        begins[v] = 0;
        backs[v] = IDENTITY;
        base[v] = 0;
        is_first[v] = 0;
        if (i < count) {
            ulong end = (i + 1) * stride < tiles ? bases[(i + 1) * stride] : answer[answer_offset];
            base[v] = bases[i * stride];
            backs[v] = backs_of_all[backs_offset + i];
            begins[v] = end != base[v];
            /* No run has begun in front of it in the group. */
            is_first[v] = base[v] == bases[GROUP_ID * TREE_LEAVES * stride];
        }
    }
    number_t last = scan_leaves(begins, backs, &any, shared, flags);
    FOR_LEAVES(v)
        if (begins[v]) {
            number_t ended = combine(backs[v], fronts[fronts_offset + GROUP_ID * TREE_LEAVES + LEAF(v)]);
            if (is_first[v]) next_fronts[next_fronts_offset + GROUP_ID] = ended;
            else results[base[v] - 1] = result_of(ended, order);
        }
    if (LOCAL_ID == 0) {
        next_backs[next_backs_offset + GROUP_ID] = last;
        if (!any) next_fronts[next_fronts_offset + GROUP_ID] = last;
        ulong runs = answer[answer_offset];
        if (count <= TREE_LEAVES && count > 0 && runs > 0) results[runs - 1] = result_of(last, order);
    }
}

#endif
