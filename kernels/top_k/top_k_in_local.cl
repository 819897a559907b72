// SPDX-License-Identifier: MIT
/* The first k elements of an array, or of each of its rows, in order: a network that is truncated to what can still
 * matter, in local memory.
 *
 * A work-group selects among `share` elements, a power of two: it sorts runs of K elements, the power of two from k on,
 * compares pairs of runs, the second one mirrored, keeps the better half, merges it, and so on until one run is left,
 * of which it writes k elements. Where a row has several work-groups, a further launch selects among what they wrote.
 * The steps are run three at a time on eight elements that a work-item holds in registers.
 * Requires: L = 1; REGISTER_VECTORS = 8 <= K <= share <= VECTORS * WORK_ITEMS; any count, any element offset. The input
 * is only read.
 * Local memory: LOCAL_BYTES of VECTORS * WORK_ITEMS elements and, for every 8 of them, another. Barriers: one for each
 * round of up to three steps, and one before.
 * Which elements are compared depends on count, k and parts only. After Shanbhag, Pirk and Madden, "Efficient Top-K
 * Query Processing on GPUs", SIGMOD 2018.
 */
#define HIDES_LATENCY 1 /* of its small groups many are resident */
#define DECLARE_LOCAL_TILE(name) DECLARE_LOCAL_ARRAYS(name, SLOT(WORK_ITEMS * VECTORS))
#include "top_k/runs_in_local.h"
#include "top_k/top_k_candidates.h"

/* Selects among the `share` candidates from `first` on. */
INLINE void select_share(LOCAL_TILE tile, source_t from, position_t first, position_t share, arrays_t selected, uint k,
                         uint skips, uint store_coding) {
    uint first_runs = (uint)share >> FIELD_BITS;
    for (uint t = LOCAL_ID; t < first_runs; t += WORK_ITEMS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + t + m * first_runs);
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_local_element(r[m], tile, SLOT((t << FIELD_BITS) + m));
    }
    BARRIER();
    keep_first_run(tile, (uint)share, k);
    for (uint i = LOCAL_ID; i < k; i += WORK_ITEMS) {
        element_t e = load_local_element(tile, SLOT(i));
        if (store_coding != CODING_NONE) e.key = decode(e.key, store_coding, from.flip);
        store_element(e, selected, i);
    }
}

#include "top_k/top_k_of_share.h"
