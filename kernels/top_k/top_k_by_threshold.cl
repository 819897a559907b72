// SPDX-License-Identifier: MIT
/* The first k elements of an array, or of each of its rows, in order, where k is much less than their number: a
 * threshold lets pass only what can still matter.
 *
 * A work-group streams a row and appends what does not lie behind the threshold, an element, to a buffer in local
 * memory. If the buffer is full, the best K elements of it stay, the power of two from k on, and the last one of these
 * is the threshold from then on. The first threshold comes from a sample of the row: the element of a rank with a
 * margin, so that the k-th element of all seldom lies behind it; if less than k have passed, the row is streamed again
 * with one of twice that rank, and then with none. In the end the best of the buffer are sorted. Elements have indices,
 * so no two are equal: which are the first k depends neither on the threshold nor on the order in which they pass.
 * Where rows are few, several work-groups stream a row and append what passes to memory; a last launch selects among
 * that, or in the row if too little or too much has passed. Cost: each element is read once, if the sample is a fair
 * one. At worst each K elements of a row cost the network on the buffer.
 * After Shanbhag, Pirk and Madden, "Efficient Top-K Query Processing on GPUs", SIGMOD 2018, for the network; the
 * threshold is that of Floyd and Rivest, "Expected time bounds for selection", 1975.
 * Requires: L = 1; REGISTER_VECTORS = 8; indices are stored.
 * Local memory: VECTORS * WORK_ITEMS elements and, for every 8 of them, another; two integers.
 */
#define HIDES_LATENCY 1 /* of its small groups many are resident */
#include "top_k/runs_in_local.h"
#include "common/sentinels.h"

#if !STORES_INDICES
#error "To select by a threshold, INDEX_BITS must be 32 or 64."
#endif

#define CAPACITY (WORK_ITEMS * VECTORS)
#define BATCH (WORK_ITEMS * REGISTER_VECTORS)
#define DECLARE_BUFFER(tile) DECLARE_LOCAL_ARRAYS(tile, SLOT(CAPACITY))
#define DECLARE_COUNTS(counts)    \
    DECLARE_LOCAL(uint, counts, 2, \
                  LOCAL_BYTES(SLOT(CAPACITY), KEY_BYTES) + LOCAL_BYTES(SLOT(CAPACITY), INDEX_BITS / 8))

/* What is streamed: keys of the caller's, whose indices are their places, or elements that have passed. */
typedef struct {
    arrays_t arrays;
    position_t count;
    uint coding; /* of the caller's keys, which have no indices; else none */
    flip_t flip;
} stream_t;

INLINE stream_t stream_of(arrays_t arrays, position_t count, uint coding, flip_t flip) {
    stream_t from;
    from.arrays = arrays;
    from.count = count;
    from.coding = coding;
    from.flip = flip;
    return from;
}

INLINE element_t load_from(stream_t from, position_t i) {
    element_t e = load_element(from.arrays, i, i, from.coding != CODING_NONE);
    e.key = encode(e.key, from.coding, from.flip);
    return e;
}

/* How far a work-item has come: it takes every WORK_ITEMS-th element from `position` on. Of the next eight, those of
 * the bits `pending` are still to be looked at. */
typedef struct {
    position_t position;
    position_t end;
    uint pending;
} progress_t;

INLINE progress_t begin_at(position_t first, position_t end) {
    progress_t progress = {first + LOCAL_ID, end, (1u << REGISTER_VECTORS) - 1};
    return progress;
}

/* Appends those of the next eight elements that pass. Gives 0 if some of them had no room. `whole`: all eight are
 * there. */
INLINE uint append_passing(LOCAL_TILE tile, LOCAL uint* found, stream_t from, progress_t* at, element_t threshold,
                           uint whole) {
    element_t r[REGISTER_VECTORS];
    uint passes = 0;
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        position_t i = at->position + m * WORK_ITEMS;
        r[m].key = from.arrays.keys[whole ? i : MIN(i, at->end - 1)];
    }
    /* Few pass: that one may is found by keys alone. */
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        r[m].key = encode(r[m].key, from.coding, from.flip);
#if RECORD_BYTES
        passes = 1;
#else
        passes |= r[m].key <= threshold.key;
#endif
    }
    if (passes) {
        passes = 0;
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            position_t i = at->position + m * WORK_ITEMS;
            uint is_there = whole || i < at->end;
            r[m].index = from.coding != CODING_NONE ? (index_t)i : from.arrays.indices[is_there ? i : at->end - 1];
            passes |= (uint)(is_there && !BEFORE(threshold, r[m])) << m;
        }
        passes &= at->pending;
        uint slot = 0;
        if (passes) slot = ATOMIC_ADD(found, COUNT_BITS(passes));
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
            if ((passes >> m & 1) && slot < CAPACITY) {
                store_local_element(r[m], tile, SLOT(slot));
                passes ^= 1u << m;
                ++slot;
            }
        }
    }
    at->pending = passes > 0 ? passes : (1u << REGISTER_VECTORS) - 1;
    if (passes == 0) at->position += BATCH;
    return passes == 0;
}

/* Appends what passes until the buffer is full, or all has been read. */
INLINE void fill_buffer(LOCAL_TILE tile, LOCAL uint* found, stream_t from, progress_t* at, element_t threshold) {
    uint has_room = 1;
    while (has_room && at->position < at->end && at->end - at->position > BATCH - WORK_ITEMS)
        has_room = append_passing(tile, found, from, at, threshold, 1);
    if (has_room && at->position < at->end) append_passing(tile, found, from, at, threshold, 0);
}

/* Sorts runs of eight, then the best of so many elements: the first k are in order after that. */
INLINE void keep_best(LOCAL_TILE tile, uint elements, uint k) {
    for (uint t = LOCAL_ID; t < elements >> FIELD_BITS; t += WORK_ITEMS) {
        element_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_local_element(tile, SLOT((t << FIELD_BITS) + m));
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_local_element(r[m], tile, SLOT((t << FIELD_BITS) + m));
    }
    BARRIER();
    keep_first_run(tile, elements, k);
}

/* The power of two from `least` on, but no less than 8. */
INLINE uint power_from(uint least) {
    uint power = 1u << FIELD_BITS;
    while (power < least) power *= 2;
    return power;
}

/* Of the sample: its size, a power of two, or 0 for none; how many come before the threshold, and before the next one
 * if that lets pass too few. */
typedef struct {
    uint size;
    uint rank;
    uint next;
} sample_t;

/* Of a sample so large that about 256 of it are expected among the first k, or as there is room for. The margin is so
 * many times the standard deviation of their number, and a piece of the sample. */
INLINE sample_t sample_for(position_t count, uint k, uint deviations) {
    sample_t sample = {0, 0, 0};
    if (count <= CAPACITY) return sample;
    sample.size = CAPACITY;
    while ((ulong)sample.size * k > (ulong)count * 256) sample.size /= 2;
    uint expected = (uint)((ulong)sample.size * k / count) + 1, root = 1;
    while (root * root < expected) ++root;
    sample.rank = expected + deviations * root + 4;
    sample.next = sample.rank + deviations * root + 16;
    return sample;
}

/* The sample: pieces of eight neighbours, at equal distances. */
INLINE void load_sample(LOCAL_TILE tile, stream_t from, uint size) {
    position_t distance = from.count / MAX(size >> FIELD_BITS, 1u);
    ROLLED for (uint i = LOCAL_ID; i < size; i += WORK_ITEMS)
        store_local_element(load_from(from, (i >> FIELD_BITS) * distance + (i & ((1u << FIELD_BITS) - 1))), tile,
                            SLOT(i));
}

/* The element of that rank in the sorted sample. */
INLINE element_t threshold_at(LOCAL_TILE tile, uint rank, uint size, flip_t flip) {
    element_t threshold = element_beyond(CODING_NONE, flip);
    if (rank < size) threshold = load_local_element(tile, SLOT(rank));
    return threshold;
}

/* Integers of each row, in the memory of `states`: how many have passed, the first time and the second; whether a
 * second time is needed; of what is counted by digits, how many elements come before; and how many have each digit. */
#define PASSED 0
#define PASSES_AGAIN 2
#define BEFORE_DIGIT 3
#define DIGIT_COUNTS 4
#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)
#define STATE_OF(states, row) ((GLOBAL uint*)((states) + states##_offset) + (row) * (DIGIT_COUNTS + DIGITS))

/* So many have passed that the first k are among them, and all of them were kept. */
#define SUFFICE(passed, k, room) ((passed) >= (k) && (passed) <= (room))

/* Of each row a threshold that nearly always lets pass k elements or more, and no element that has passed yet.
 * Launched first where several work-groups share a row, with one for each row. Requires: count > CAPACITY. Barriers:
 * those of the sample's network, and one. */
KERNEL void choose_threshold(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL key_t* thresholds,
                             offset_t thresholds_offset, GLOBAL index_t* threshold_indices,
                             offset_t threshold_indices_offset, GLOBAL ulong* states, offset_t states_offset,
                             position_t count, uint k, uint coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    DECLARE_BUFFER(tile);
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, 0, 0);
    arrays_t to = arrays_of(thresholds, thresholds_offset, 0, 0, threshold_indices, threshold_indices_offset);
    stream_t from = stream_of(arrays_from(arrays, (offset_t)GROUP_ID * count), count, coding, flip);
    sample_t sample = sample_for(count, k, 5);
    load_sample(tile, from, sample.size);
    BARRIER();
    keep_best(tile, sample.size, MIN(sample.rank + 1, sample.size));
    if (LOCAL_ID == 0) store_element(threshold_at(tile, sample.rank, sample.size, flip), to, GROUP_ID);
    for (uint i = LOCAL_ID; i < DIGIT_COUNTS + DIGITS; i += WORK_ITEMS) STATE_OF(states, GROUP_ID)[i] = 0;
}

/* Appends to `kept` what passes of each work-group's share of a row; of what there is no room for, only the number.
 * Launched next, and, where the digits have been counted, once more, as turn 1, with `parts` work-groups for each row.
 * Requires: count < 2^31. Barriers: four each time that the buffer is full, and four. */
KERNEL void keep_passing(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL key_t* thresholds, offset_t thresholds_offset,
                         GLOBAL index_t* threshold_indices, offset_t threshold_indices_offset, GLOBAL key_t* kept_keys,
                         offset_t kept_offset, GLOBAL index_t* kept_indices, offset_t kept_indices_offset,
                         GLOBAL ulong* states, offset_t states_offset, position_t count, position_t share, uint parts,
                         uint room, uint turn, uint load_coding, uint store_coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    DECLARE_BUFFER(tile);
    DECLARE_COUNTS(counts);
    uint row = (uint)GROUP_ID / parts;
    position_t first = (position_t)((uint)GROUP_ID % parts) * share;
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, 0, 0);
    arrays_t limits = arrays_of(thresholds, thresholds_offset, 0, 0, threshold_indices, threshold_indices_offset);
    arrays_t kept = arrays_of(kept_keys, kept_offset, 0, 0, kept_indices, kept_indices_offset);
    kept = arrays_from(kept, (offset_t)row * room);
    stream_t from = stream_of(arrays_from(arrays, (offset_t)row * count), count, load_coding, flip);
    element_t threshold = load_element(limits, row, row, 0);
    GLOBAL uint* state = STATE_OF(states, row);
    progress_t at = begin_at(first, turn == 0 || state[PASSES_AGAIN] > 0 ? MIN(first + share, count) : 0);
    uint total;
    do {
        if (LOCAL_ID == 0) counts[0] = 0;
        BARRIER();
        fill_buffer(tile, &counts[0], from, &at, threshold);
        BARRIER();
        total = counts[0];
        uint filled = MIN(total, (uint)CAPACITY);
        if (LOCAL_ID == 0) counts[1] = ATOMIC_ADD(&state[PASSED + turn], filled);
        BARRIER();
        uint place = counts[1];
        for (uint i = LOCAL_ID; i < filled && place + i < room; i += WORK_ITEMS) {
            element_t e = load_local_element(tile, SLOT(i));
            e.key = decode(e.key, store_coding, flip);
            store_element(e, kept, place + i);
        }
        BARRIER();
    } while (total > CAPACITY);
}

#if !RECORD_BYTES
/* The digit from bit `shift` on of a key or, where `in_index`, an index. */
#define DIGIT_OF(e, in_index, shift) \
    ((in_index) ? (uint)((e).index >> (shift)) & (DIGITS - 1) : (uint)((e).key >> (shift)) & (DIGITS - 1))

/* Whether the digits above that one are those of the threshold. */
INLINE uint is_counted(element_t e, element_t threshold, uint in_index, uint shift) {
    if (in_index)
        return e.key == threshold.key && e.index >> shift >> DIGIT_BITS == threshold.index >> shift >> DIGIT_BITS;
    return e.key >> shift >> DIGIT_BITS == threshold.key >> shift >> DIGIT_BITS;
}

/* How many elements of each row have each digit, of those whose digits above are the threshold's.
 * Launched for each digit, the highest of the key first, with `parts` work-groups for each row; it finds nothing to do
 * in a row of which enough have passed. Requires: count < 2^31. Local memory: an integer a digit. Barriers: two. */
KERNEL void count_digits(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL key_t* thresholds, offset_t thresholds_offset,
                         GLOBAL index_t* threshold_indices, offset_t threshold_indices_offset, GLOBAL ulong* states,
                         offset_t states_offset, position_t count, position_t share, uint parts, uint k, uint room,
                         uint in_index, uint shift, uint coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    DECLARE_LOCAL(uint, counts, DIGITS, 0);
    uint row = (uint)GROUP_ID / parts;
    position_t first = (position_t)((uint)GROUP_ID % parts) * share;
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, 0, 0);
    arrays_t limits = arrays_of(thresholds, thresholds_offset, 0, 0, threshold_indices, threshold_indices_offset);
    stream_t from = stream_of(arrays_from(arrays, (offset_t)row * count), count, coding, flip);
    element_t threshold = load_element(limits, row, row, 0);
    GLOBAL uint* state = STATE_OF(states, row);
    position_t end = SUFFICE(state[PASSED], k, room) ? 0 : MIN(first + share, count);
    for (uint i = LOCAL_ID; i < DIGITS; i += WORK_ITEMS) counts[i] = 0;
    BARRIER();
    for (position_t i = first + LOCAL_ID; i < end; i += WORK_ITEMS) {
        element_t e = load_from(from, i);
        if (is_counted(e, threshold, in_index, shift)) ATOMIC_ADD(&counts[DIGIT_OF(e, in_index, shift)], 1u);
    }
    BARRIER();
    for (uint i = LOCAL_ID; i < DIGITS; i += WORK_ITEMS)
        if (counts[i] > 0) ATOMIC_ADD(&state[DIGIT_COUNTS + i], counts[i]);
}

/* The digit of each row's k-th element becomes the threshold's, with the largest digits below. If all that pass have
 * room then, these are to be kept, and no further digit is counted. `bounds` tells where the kept ones of the row begin
 * and end.
 * Launched behind each count_digits, with a work-group a row. Local memory: an integer a digit. Barriers: two. */
KERNEL void choose_digit(GLOBAL key_t* thresholds, offset_t thresholds_offset, GLOBAL index_t* threshold_indices,
                         offset_t threshold_indices_offset, GLOBAL ulong* states, offset_t states_offset,
                         GLOBAL ulong* bounds, offset_t bounds_offset, position_t count, uint k, uint room,
                         uint in_index, uint shift) {
    AWAIT_LAST_LAUNCH();
    DECLARE_LOCAL(uint, counts, DIGITS, 0);
    GLOBAL uint* state = STATE_OF(states, GROUP_ID);
    arrays_t limits = arrays_of(thresholds, thresholds_offset, 0, 0, threshold_indices, threshold_indices_offset);
    uint passed = state[PASSED];
    for (uint i = LOCAL_ID; i < DIGITS; i += WORK_ITEMS) {
        counts[i] = state[DIGIT_COUNTS + i];
        state[DIGIT_COUNTS + i] = 0;
    }
    BARRIER();
    if (LOCAL_ID == 0) {
        if (!SUFFICE(passed, k, room)) {
            uint digit = 0, before = state[BEFORE_DIGIT];
            while (digit + 1 < DIGITS && before + counts[digit] < k) before += counts[digit++];
            element_t threshold = load_element(limits, GROUP_ID, GROUP_ID, 0);
            if (in_index) {
                index_t above = threshold.index >> shift >> DIGIT_BITS << DIGIT_BITS;
                threshold.index = (index_t)(above | digit) << shift | (((index_t)1 << shift) - 1);
            } else {
                key_t above = (key_t)(threshold.key >> shift >> DIGIT_BITS << DIGIT_BITS);
                threshold.key = (key_t)((key_t)(above | digit) << shift | (((key_t)1 << shift) - 1));
                threshold.index = (index_t)(count - 1); /* above whose highest digit there is nothing */
            }
            store_element(threshold, limits, GROUP_ID);
            state[BEFORE_DIGIT] = before;
            passed = before + counts[digit];
            if (SUFFICE(passed, k, room)) {
                state[PASSED] = passed;
                state[PASSES_AGAIN] = 1;
            }
        }
        GLOBAL ulong* ends = bounds + bounds_offset;
        ends[2 * GROUP_ID] = (ulong)GROUP_ID * room;
        ends[2 * GROUP_ID + 1] = (ulong)GROUP_ID * room + MIN(passed, room);
    }
}
#endif

/* The first k elements of each row, in order: of those that have passed if these are k or more and all were kept, else
 * of the row.
 * Launched last, with a work-group for each row, or by itself with room = 0. Barriers: those of the network on the
 * sample and, each time that the buffer is full and in the end, on the buffer, and four. */
KERNEL void select_passing(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL key_t* kept_keys, offset_t kept_offset,
                           GLOBAL index_t* kept_indices, offset_t kept_indices_offset, GLOBAL ulong* states,
                           offset_t states_offset, GLOBAL key_t* best_keys, offset_t best_offset,
                           GLOBAL index_t* best_indices, offset_t best_indices_offset, position_t count, uint k,
                           uint room, uint coding, flip_t flip) {
    AWAIT_LAST_LAUNCH();
    DECLARE_BUFFER(tile);
    DECLARE_COUNTS(counts);
    arrays_t selected = arrays_of(best_keys, best_offset, 0, 0, best_indices, best_indices_offset);
    selected = arrays_from(selected, (offset_t)GROUP_ID * k);
    arrays_t arrays = arrays_of(keys, keys_offset, 0, 0, 0, 0);
    stream_t from = stream_of(arrays_from(arrays, (offset_t)GROUP_ID * count), count, coding, flip);
    uint passed = room > 0 ? STATE_OF(states, GROUP_ID)[PASSED] : 0;
    if (SUFFICE(passed, k, room)) {
        arrays_t kept = arrays_of(kept_keys, kept_offset, 0, 0, kept_indices, kept_indices_offset);
        from = stream_of(arrays_from(kept, (offset_t)GROUP_ID * room), passed, CODING_NONE, flip);
    }

    /* First the sample, if there is one, then what passes. Each round fills the buffer, the sample's with nothing: PoCL
     * 5 cannot compile a branch to either. */
    sample_t sample = sample_for(from.count, k, 3);
    element_t threshold = element_beyond(CODING_NONE, flip), next = threshold;
    uint samples = sample.size > 0, ends;
    progress_t at = begin_at(samples ? from.count : 0, from.count);
    load_sample(tile, from, sample.size);
    if (LOCAL_ID == 0) counts[0] = 0;
    BARRIER();
    do {
        fill_buffer(tile, &counts[0], from, &at, threshold);
        BARRIER();
        uint total = counts[0], wanted = samples ? MIN(sample.next + 1, sample.size) : k;
        uint filled = samples ? sample.size : MIN(total, (uint)CAPACITY);
        uint elements = power_from(MAX(filled, wanted));
        for (uint i = filled + LOCAL_ID; i < elements; i += WORK_ITEMS)
            store_local_element(element_beyond(CODING_NONE, flip), tile, SLOT(i));
        BARRIER();
        keep_best(tile, elements, wanted);
        uint starts = samples || total < k; /* the row is streamed, or once more */
        ends = !starts && total <= CAPACITY;
        threshold = next;
        if (samples || !starts)
            threshold = threshold_at(tile, samples ? sample.rank : MAX(k, 1u) - 1, filled, flip);
        if (starts) {
            next = threshold_at(tile, samples ? sample.next : filled, filled, flip);
            at = begin_at(0, from.count);
        }
        if (LOCAL_ID == 0) counts[0] = starts ? 0 : k;
        samples = 0;
        BARRIER();
    } while (!ends);
    for (uint i = LOCAL_ID; i < k; i += WORK_ITEMS) {
        element_t e = load_local_element(tile, SLOT(i));
        e.key = decode(e.key, coding, flip);
        store_element(e, selected, i);
    }
}
