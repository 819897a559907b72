/* The first k elements of an array, or of each of its rows, in order: a network that is truncated to what can still
 * matter.
 *
 * Launched by the executor with `parts` work-groups for each row. A work-item keeps the best VECTORS vectors that it has
 * seen, sorted, in registers, and reads REGISTER_VECTORS at a time of its share of the row: it sorts them, compares them
 * with the worst of the best, mirrored, keeps the better ones and merges. Then the work-items of a group do the same with
 * what each has kept, in pairs, until one holds the group's best. Each group writes k elements; where there are several for
 * a row, a further launch selects among those.
 * Requires: k <= VECTORS * LANES; any count, any element offset. The input is only read.
 * Local memory: VECTORS vectors for half of the work-items. Barriers: two for each halving of the group.
 * Which keys are compared depends on count, k and parts only. After Shanbhag, Pirk and Madden, "Efficient Top-K Query
 * Processing on GPUs", SIGMOD 2018, but for the best, which here stay in registers from batch to batch.
 */
#define HIDES_LATENCY 1 /* of its small groups many are resident */
#include "registers.h"

/* The numbers of what is read, which the first pass makes, and of what is selected. */
#if STORES_NUMBERS
#define NUMBERS_PARAMETERS                                                           \
    , GLOBAL number_t *numbers, offset_t numbers_offset, GLOBAL number_t *best_numbers, \
        offset_t best_numbers_offset
#define AND_NUMBERS(numbers) , numbers, ~(index_t)0
#else
#define NUMBERS_PARAMETERS
#define AND_NUMBERS(numbers)
#endif

#define BATCH_ELEMENTS ((index_t)REGISTER_VECTORS * WORK_ITEMS * LANES)

/* The steps that sort the best again once the worst of them were replaced. */
INLINE void merge_best(element_t* best) {
    UNROLL for (uint bit = LOG2(VECTORS); bit > 0; --bit)
        UNROLL for (uint i = 0; i < VECTORS / 2; ++i)
            exchange(&best[LOWER_OF_PAIR(i, bit - 1)], &best[LOWER_OF_PAIR(i, bit - 1) + (1u << (bit - 1))], i);
    UNROLL for (uint m = 0; m < VECTORS; ++m) best[m] = merge_lanes(best[m]);
}

/* Vectors m of the sorted ones that are new, seen from the end of the best. */
#define KEEP_BETTER(best, m, vector)                                 \
    {                                                                \
        element_t other_ = ON_LANES(MIRROR_LANES, vector);           \
        exchange(&(best)[VECTORS - 1 - (m)], &other_, m);            \
    }

/* The vectors of one batch, of which `first` is the first element. */
INLINE void load_batch(element_t* r, arrays_t arrays, index_t count, index_t first, uint coding, flip_t flip) {
    uint first_pass = coding != CODING_NONE;
    index_t own = first + (index_t)LOCAL_ID * LANES;
    if (first + BATCH_ELEMENTS <= count) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            index_t position = own + (index_t)m * WORK_ITEMS * LANES;
            r[m] = load_element(arrays, position, position, first_pass);
        }
    } else {
        element_t beyond = element_beyond(coding, flip);
#if LANES == 1
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            index_t position = own + (index_t)m * WORK_ITEMS;
            r[m] = beyond;
            if (position < count) r[m] = load_element(arrays, position, position, first_pass);
        }
#else
        lanes_t lanes[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) lanes[m] = lanes_of(beyond);
        ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m)
            load_to_end(&lanes[m], arrays, own + (index_t)m * WORK_ITEMS * LANES, count, 1, coding, flip);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = element_of(&lanes[m]);
#endif
    }
    if (first_pass) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m].key = encode(r[m].key, coding, flip);
    }
}

/* The keys are decoded as they are written if `store_coding` says so. */
INLINE void store_best(const element_t* best, arrays_t to, uint k, uint store_coding, flip_t flip) {
    UNROLL for (uint m = 0; m < VECTORS; ++m) {
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

#if WORK_ITEMS > 1
#define LOCAL_VECTORS (VECTORS * WORK_ITEMS / 2)
#define LOCAL_BYTES(element_bytes) ((LOCAL_VECTORS * LANES * (element_bytes) + 15) / 16 * 16)
#endif

KERNEL void select_best(GLOBAL key_t* keys, offset_t offset, index_t count, uint parts, uint k, uint load_coding,
                        uint store_coding, flip_t flip, GLOBAL key_t* best_keys,
                        offset_t best_offset NUMBERS_PARAMETERS) {
    AWAIT_LAST_LAUNCH();
    offset_t row = (offset_t)GROUP_ID / parts;
    index_t part = (index_t)((offset_t)GROUP_ID % parts);
    arrays_t arrays = {keys + offset AND_NUMBERS(numbers + numbers_offset)};
    arrays_t selected = {best_keys + best_offset AND_NUMBERS(best_numbers + best_numbers_offset)};
    ADVANCE(arrays, row * count)
    ADVANCE(selected, (offset_t)GROUP_ID * k)

    element_t best[VECTORS];
    UNROLL for (uint m = 0; m < VECTORS; ++m) best[m] = element_beyond(CODING_NONE, flip);
    for (index_t first = part * BATCH_ELEMENTS; first < count; first += parts * BATCH_ELEMENTS) {
        element_t r[REGISTER_VECTORS];
        load_batch(r, arrays, count, first, load_coding, flip);
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) KEEP_BETTER(best, m, r[m])
        merge_best(best);
    }

#if WORK_ITEMS > 1
    DECLARE_LOCAL(key_t, local_keys, LOCAL_VECTORS * LANES, 0);
    WITH_NUMBERS(DECLARE_LOCAL(number_t, local_numbers, LOCAL_VECTORS * LANES, LOCAL_BYTES(KEY_BYTES));)
    local_arrays_t shared = {local_keys AND_NUMBER(local_numbers)};
    for (uint takers = WORK_ITEMS / 2; takers > 0; takers /= 2) {
        uint place = LOCAL_ID & (takers - 1);
        if (LOCAL_ID >= takers && LOCAL_ID < 2 * takers) {
            UNROLL for (uint m = 0; m < VECTORS; ++m) store_local_element(best[m], shared, (m * takers + place) * LANES);
        }
        BARRIER();
        if (LOCAL_ID < takers) {
            UNROLL for (uint m = 0; m < VECTORS; ++m)
                KEEP_BETTER(best, m, load_local_element(shared, (m * takers + place) * LANES))
            merge_best(best);
        }
        BARRIER();
    }
#endif
    if (LOCAL_ID == 0) store_best(best, selected, k, store_coding, flip);
}
