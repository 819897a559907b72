/* The first k elements of an array, or of each of its rows, in order: a network that is truncated to what can still
 * matter, in local memory.
 *
 * A work-group selects among `share` elements, a power of two: it sorts runs of K elements, the power of two from k on,
 * compares pairs of runs, the second one mirrored, keeps the better half, merges it, and so on until one run is left, of
 * which it writes k elements. Where a row has several work-groups, a further launch selects among what they wrote. The steps
 * are run three at a time on eight elements that a work-item holds in registers.
 * Requires: L = 1; REGISTER_VECTORS = 8 <= K <= share <= VECTORS * WORK_ITEMS; any count, any element offset. The input is
 * only read.
 * Local memory: LOCAL_BYTES of VECTORS * WORK_ITEMS elements and, for every 8 of them, another. Barriers: one for each
 * round of up to three steps, and one before.
 * Which elements are compared depends on count, k and parts only. After Shanbhag, Pirk and Madden, "Efficient Top-K Query
 * Processing on GPUs", SIGMOD 2018.
 */
#define HIDES_LATENCY 1 /* of its small groups many are resident */
#define LOCAL_TILE local_arrays_t
#define DECLARE_LOCAL_TILE(name) DECLARE_LOCAL_ARRAYS(name, SLOT(WORK_ITEMS * VECTORS))
/* One slot stays free after every 8: whatever the stride of a round, its work-items do not meet in a bank. */
#define SLOT(i) ((i) + (i) / 8)
#include "select.h"

#if REGISTER_VECTORS != 8 || LANES != 1 || VALUE_BITS
#error "To select in local memory, REGISTER_VECTORS must be 8, LANES 1 and VALUE_BITS 0."
#endif

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

/* A round: the steps of strides 2^(low + steps - 1) .. 2^low. A mirrored one begins with the first step of a phase. One that
 * halves keeps of each run and its neighbour the better elements first. */
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
        merge_registers(r, mirrored, steps - 1, 0, 0);
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

/* Selects among the `share` candidates from `first` on. */
INLINE void select_share(LOCAL_TILE tile, source_t from, position_t first, position_t share, arrays_t selected, uint k,
                         uint store_coding) {
    runs_t runs = {FIELD_BITS, 0, (uint)share};
    uint first_runs = runs.elements >> FIELD_BITS;
    for (uint t = LOCAL_ID; t < first_runs; t += WORK_ITEMS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + t + m * first_runs);
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_local_element(r[m], tile, SLOT((t << FIELD_BITS) + m));
    }
    BARRIER();
    while (1u << runs.bits < k) {
        ++runs.bits;
        merge_runs(tile, runs, runs.bits, 1);
    }
    while (runs.elements >> runs.bits > 1) {
        runs.elements /= 2;
        ++runs.halvings;
        merge_runs(tile, runs, runs.bits, 0);
    }
    for (uint i = LOCAL_ID; i < k; i += WORK_ITEMS) {
        element_t e = load_local_element(tile, SLOT(i));
        if (store_coding != CODING_NONE) e.key = decode(e.key, store_coding, from.flip);
        store_element(e, selected, i);
    }
}

#include "select_best.h"
