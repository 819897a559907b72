/* The first k elements of an array, or of each of its rows, in order: a network that is truncated to what can still
 * matter, in registers.
 *
 * A work-group of one work-item selects among `share` elements. It keeps the best VECTORS vectors that it has seen, sorted,
 * and reads REGISTER_VECTORS at a time: it sorts them, compares them with the worst of the best, mirrored, keeps the better
 * ones and merges. It writes k elements; where a row has several work-groups, a further launch selects among those.
 * Requires: WORK_ITEMS = 1, k <= VECTORS * LANES; any count, any element offset. The input is only read. No local memory,
 * no barriers.
 * Which keys are compared depends on count, k and parts only. After Shanbhag, Pirk and Madden, "Efficient Top-K Query
 * Processing on GPUs", SIGMOD 2018, but for the best, which here stay in registers from batch to batch.
 */
#define LOCAL_TILE uint
#define DECLARE_LOCAL_TILE(name) LOCAL_TILE name = 0
#include "select.h"

#if WORK_ITEMS != 1 || VALUE_BITS
#error "To select in registers, WORK_ITEMS must be 1 and VALUE_BITS 0."
#endif

/* Over the best vectors. Compiled ahead, the largest selections have a loop: unrolled, they would be a third of the library. */
#if DECIDES_AT_RUN_TIME && VECTORS > REGISTER_VECTORS
#define EACH_BEST ROLLED
#else
#define EACH_BEST UNROLL
#endif

#define BATCH_ELEMENTS ((position_t)REGISTER_VECTORS * LANES)

/* The steps that sort the best again once the worst of them were replaced. */
INLINE void merge_best(element_t* best) {
    EACH_BEST for (uint bit = LOG2(VECTORS); bit > 0; --bit)
        EACH_BEST for (uint i = 0; i < VECTORS / 2; ++i)
            compare_exchange(&best[LOWER_OF_PAIR(i, bit - 1)], &best[LOWER_OF_PAIR(i, bit - 1) + (1u << (bit - 1))], i);
    EACH_BEST for (uint m = 0; m < VECTORS; ++m) best[m] = merge_lanes(best[m]);
}

/* Vector m of the sorted ones that are new meets the best, seen from their end. */
INLINE void keep_better(element_t* best, uint m, element_t vector) {
    element_t other = ON_LANES(MIRROR_LANES, vector);
    compare_exchange(&best[VECTORS - 1 - m], &other, m);
}

/* The keys are decoded as they are written if `store_coding` says so. */
INLINE void store_best(const element_t* best, arrays_t to, uint k, uint store_coding, flip_t flip) {
    EACH_BEST for (uint m = 0; m < VECTORS; ++m) {
        element_t e = best[m];
        if (store_coding != CODING_NONE) e.key = decode(e.key, store_coding, flip);
#if LANES == 1
        if (m < k) store_element(e, to, m);
#else
        lanes_t lanes = lanes_of(e);
        store_to_end(&lanes, to, m * LANES, k, 1);
#endif
    }
}

/* Selects among the `share` candidates from `first` on. */
INLINE void select_share(LOCAL_TILE tile, source_t from, position_t first, position_t share, arrays_t selected, uint k,
                         uint store_coding) {
    element_t best[VECTORS];
    EACH_BEST for (uint m = 0; m < VECTORS; ++m) best[m] = element_beyond(CODING_NONE, from.flip);
    position_t end = first + share < from.candidates ? first + share : from.candidates;
    for (; first < end; first += BATCH_ELEMENTS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + m * LANES);
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) keep_better(best, m, r[m]);
        merge_best(best);
    }
    store_best(best, selected, k, store_coding, from.flip);
}

#include "select_best.h"
