/* What both ways to select share: where the elements come from, and the best of chunks.
 *
 * A chunk is 2^chunk_bits elements of a row. Those of a work-group lie in each other, CHUNKS of them, so that neighbouring
 * work-items and lanes read neighbouring keys. The first k elements of a row all lie in the k chunks whose own first
 * elements come first: before an element of any other chunk come those k. So it is enough to read every key once for the
 * first element of each chunk, to select among these, and to select among the elements of k chunks.
 * After Gaihre, Zheng, Weitze et al., "Dr. Top-k: Delegate-Centric Top-k on GPUs", SC 2021, but with whole chunks and no
 * threshold: how much is read depends on no key, only where in the row the k chunks lie does.
 */
#ifndef SELECT_H
#define SELECT_H
#include "registers.h"

#define CHUNKS (WORK_ITEMS * LANES)

/* The numbers of what is read, which the passes over the caller's keys make, and of what is selected. */
#if STORES_NUMBERS
#define NUMBERS_PARAMETERS                                                              \
    , GLOBAL number_t *numbers, offset_t numbers_offset, GLOBAL number_t *best_numbers, \
        offset_t best_numbers_offset
#define AND_NUMBERS(numbers) , numbers, ~(index_t)0
#else
#define NUMBERS_PARAMETERS
#define AND_NUMBERS(numbers)
#endif

/* What is selected from: all `count` elements of a row, or those of k of its chunks. */
typedef struct {
    arrays_t arrays;
    index_t count;
    index_t candidates;
    uint chunk_bits; /* 0: all elements */
    uint coding;     /* of keys that the caller wrote, which are also to be numbered */
    flip_t flip;
    WITH_STORED_NUMBERS(GLOBAL number_t* firsts;) /* the number of one element of each chunk */
} source_t;

/* Of arrays whose numbers are those of the elements, or of the chunks. */
INLINE source_t source_of(arrays_t arrays, offset_t row, index_t count, uint chunk_bits, uint k, uint coding, flip_t flip) {
    source_t from;
    from.arrays = arrays;
    from.count = count;
    from.candidates = chunk_bits > 0 ? (index_t)k << chunk_bits : count;
    from.chunk_bits = chunk_bits;
    from.coding = coding;
    from.flip = flip;
    WITH_STORED_NUMBERS(from.firsts = arrays.numbers + row * k;)
    ADVANCE(from.arrays, row * count)
    return from;
}

/* Where candidate i lies in the row. The last chunks may reach beyond its end. */
INLINE index_t index_of(source_t from, index_t i) {
#if STORES_NUMBERS
    if (from.chunk_bits > 0) {
        index_t in_chunk = (index_t)from.firsts[i >> from.chunk_bits];
        uint group_bits = from.chunk_bits + LOG2(CHUNKS);
        return (in_chunk >> group_bits << group_bits) + (in_chunk & (CHUNKS - 1)) +
               (i & (((index_t)1 << from.chunk_bits) - 1)) * CHUNKS;
    }
#endif
    (void)from;
    return i;
}

/* The candidates i, i + 1, .. of a work-item's lanes. What would lie beyond the end of the row is read as its last element
 * and not used, so that always as many are read. */
INLINE element_t load_candidates(source_t from, index_t i) {
    uint by_caller = from.coding != CODING_NONE;
    element_t e;
#if LANES == 1
    e = element_beyond(from.coding, from.flip);
    if (i < from.candidates) {
        index_t index = index_of(from, i), place = MIN(index, from.count - 1);
        element_t read = load_element(from.arrays, place, place, by_caller);
        if (index < from.count) e = read;
    }
#else
    if (from.chunk_bits == 0 && i + LANES <= from.count) {
        e = load_element(from.arrays, i, i, by_caller);
    } else {
        lanes_t lanes = lanes_of(element_beyond(from.coding, from.flip));
        ROLLED for (uint l = 0; l < LANES; ++l) if (i + l < from.candidates) {
            index_t index = index_of(from, i + l), place = MIN(index, from.count - 1);
            key_t key = from.arrays.keys[place];
            WITH_STORED_NUMBERS(number_t number = by_caller ? (number_t)place : from.arrays.numbers[place];)
            if (index < from.count) {
                lanes.keys[l] = key;
                WITH_STORED_NUMBERS(lanes.numbers[l] = number;)
            }
        }
        e = element_of(&lanes);
    }
#endif
    if (by_caller) e.key = encode(e.key, from.coding, from.flip);
    return e;
}

#if LANES == 1
/* Keeps in `best` the one of the two that comes first. */
INLINE void keep_first(element_t* best, element_t other) {
#if RECORD_BYTES
    if (BEFORE(other, *best)) *best = other;
#else
    uint takes = BEFORE(other, *best);
    best->key = takes ? other.key : best->key;
    WITH_NUMBERS(best->number = takes ? other.number : best->number;)
#endif
}
#endif

#if STORES_NUMBERS
/* The same for an element that has larger numbers, so that those need not be compared. */
INLINE void keep_first_in_order(element_t* best, element_t later) {
#if RECORD_BYTES
    keep_first(best, later);
#elif LANES == 1
    uint takes = later.key < best->key;
    best->key = takes ? later.key : best->key;
    best->number = takes ? later.number : best->number;
#else
    key_mask_t takes = LESS(later.key, best->key);
    best->number = SELECT(best->number, later.number, TO_NUMBER_MASK(takes));
    best->key = MIN(best->key, later.key);
#endif
}

/* The first element of each chunk, encoded: CHUNKS of each work-group, of which a row has `parts`. Chunks that would lie
 * behind the end of the row have an element beyond. */
KERNEL void best_of_chunks(GLOBAL key_t* keys, offset_t offset, index_t count, uint parts, uint chunk_bits, uint coding,
                           flip_t flip, GLOBAL key_t* best_keys, offset_t best_offset NUMBERS_PARAMETERS) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = {keys + offset AND_NUMBERS(numbers + numbers_offset)};
    arrays_t best_of = {best_keys + best_offset AND_NUMBERS(best_numbers + best_numbers_offset)};
    ADVANCE(best_of, (offset_t)GROUP_ID * CHUNKS)
    source_t from = source_of(arrays, (uint)GROUP_ID / parts, count, 0, 0, coding, flip);
    index_t first = ((index_t)((uint)GROUP_ID % parts) * CHUNKS << chunk_bits) + (index_t)LOCAL_ID * LANES;

    element_t best = load_candidates(from, first);
    for (index_t i = 0; i < (index_t)1 << chunk_bits; i += REGISTER_VECTORS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + (i + m) * CHUNKS);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) keep_first_in_order(&best, r[m]);
    }
    store_element(best, best_of, LOCAL_ID * LANES);
}
#endif

#endif
