// SPDX-License-Identifier: MIT
/* Runs of elements in local memory, of which only the first ones can still matter: sorted, and merged by a network that
 * is truncated to that. The steps are run three at a time on eight elements that a work-item holds in registers.
 * After Shanbhag, Pirk and Madden, "Efficient Top-K Query Processing on GPUs", SIGMOD 2018. */
#ifndef RUNS_IN_LOCAL_H
#define RUNS_IN_LOCAL_H
#include "common/registers.h"

#if REGISTER_VECTORS != 8 || LANES != 1 || VALUE_BITS
#error "To select in local memory, REGISTER_VECTORS must be 8, LANES 1 and VALUE_BITS 0."
#endif

#define LOCAL_TILE local_arrays_t
/* One slot stays free after every 8: whatever the stride of a round, its work-items do not meet in a bank. */
#define SLOT(i) ((i) + (i) / 8)

/* The sorted runs that are left: each has 2^bits elements and lies 2^halvings runs after the one before it. */
typedef struct {
    uint bits;
    uint halvings;
    uint elements; /* of all of them */
} runs_t;

/* Where element i of the runs lies. */
INLINE uint place_of(runs_t runs, uint i) {
    return (i >> runs.bits << (runs.bits + runs.halvings)) | (i & ((1u << runs.bits) - 1));
}

/* A round: the steps of strides 2^(low + steps - 1) .. 2^low. A mirrored one begins with the first step of a phase. One
 * that halves keeps of each run and its neighbour the better elements first. */
INLINE void round_of_steps(LOCAL_TILE tile, runs_t runs, uint low, uint steps, uint mirrored, uint halves) {
    uint stride = 1u << low;
    for (uint t = LOCAL_ID; t < runs.elements >> FIELD_BITS; t += WORK_ITEMS) {
        uint lower = (t >> low << (low + FIELD_BITS)) | (t & (stride - 1));
        uint upper = (mirrored ? lower ^ (stride - 1) : lower) + (stride << (FIELD_BITS - 1));
        uint slots[REGISTER_VECTORS];
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            uint in_half = m % (REGISTER_VECTORS / 2) * stride;
            uint place = place_of(runs, (m < REGISTER_VECTORS / 2 ? lower : upper) + in_half);
            slots[m] = SLOT(place);
            r[m] = load_local_element(tile, slots[m]);
            if (halves) {
                uint mirror = (place + (1u << (runs.bits + runs.halvings - 1))) ^ ((1u << runs.bits) - 1);
                keep_first(&r[m], load_local_element(tile, SLOT(mirror)));
            }
        }
        merge_registers(r, mirrored, steps - 1, 0, 0, 0);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_local_element(r[m], tile, slots[m]);
    }
    BARRIER();
}

/* The steps of strides 2^(bits - 1) .. 1. */
INLINE void merge_runs(LOCAL_TILE tile, runs_t runs, uint bits, uint mirrored) {
    uint halves = runs.halvings > 0;
    for (uint left = bits; left > 0;) {
        uint steps = left < FIELD_BITS ? left : FIELD_BITS;
        left -= steps;
        round_of_steps(tile, runs, left, steps, mirrored, halves);
        mirrored = 0;
        halves = 0;
    }
}

/* Of runs of eight that are in order: makes longer ones, each the power of two from k on, keeps of two runs the better
 * half, and so on, until one run is left, at the front of the tile. Requires: the elements are a power of two, no less
 * than k. */
INLINE void keep_first_run(LOCAL_TILE tile, uint elements, uint k) {
    runs_t runs = {FIELD_BITS, 0, elements};
    while (1u << runs.bits < k) {
        ++runs.bits;
        merge_runs(tile, runs, runs.bits, 1);
    }
    while (runs.elements >> runs.bits > 1) {
        runs.elements /= 2;
        ++runs.halvings;
        merge_runs(tile, runs, runs.bits, 0);
    }
}

#endif
