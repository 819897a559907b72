// SPDX-License-Identifier: MIT
/* The first k elements of an array, or of each of its rows, in order: a network that is truncated to what can still
 * matter, in registers.
 *
 * A work-group of one work-item selects among `share` elements. It keeps the best vectors that it has seen, sorted, and
 * reads REGISTER_VECTORS at a time. Those of their elements that come before the k-th of the best wait until there are
 * as many again; then it sorts these, compares them with the worst of the best, mirrored, keeps the better ones and
 * merges. If it depends on no key, all wait. It writes k elements; where a row has several work-groups, a further
 * launch selects among those.
 * Requires: WORK_ITEMS = 1, k <= VECTORS * LANES; any count, any element offset. The input is only read. No local
 * memory, no barriers.
 * After Shanbhag, Pirk and Madden, "Efficient Top-K Query Processing on GPUs", SIGMOD 2018, but for the best, which
 * here stay from batch to batch.
 */
#define LOCAL_TILE uint
#define DECLARE_LOCAL_TILE(name) LOCAL_TILE name = 0
#include "top_k/top_k_candidates.h"

#if WORK_ITEMS != 1 || VALUE_BITS
#error "To select in registers, WORK_ITEMS must be 1 and VALUE_BITS 0."
#endif

#define BATCH_ELEMENTS (REGISTER_VECTORS * LANES)

/* Of few best vectors there are always as many, in registers. Of more, in memory, there are as many as k needs. */
#if VECTORS > REGISTER_VECTORS
#define EACH_BEST ROLLED
INLINE uint best_vectors(uint k) {
    uint vectors = REGISTER_VECTORS;
    while (vectors < VECTORS && vectors * LANES < k) vectors *= 2;
    return vectors;
}
#else
#define EACH_BEST UNROLL
#define best_vectors(k) VECTORS
#endif

/* The steps that sort the best again once the worst of them were replaced. */
INLINE void merge_best(element_t* best, uint vectors) {
    if (vectors == REGISTER_VECTORS) {
        merge_registers(best, 0, FIELD_BITS - 1, 0, 1, 0);
        return;
    }
    EACH_BEST for (uint bit = LOG2(VECTORS); bit > 0; --bit) {
        uint stride = 1u << (bit - 1), pairs = stride < vectors ? vectors / 2 : 0;
        EACH_BEST for (uint i = 0; i < pairs; ++i) {
            uint lower = LOWER_OF_PAIR(i, bit - 1);
            compare_exchange(&best[lower], &best[lower + stride], i, 0);
        }
    }
    EACH_BEST for (uint m = 0; m < vectors; ++m) best[m] = merge_lanes(best[m]);
}

/* A batch replaces those of the best that it is better than. */
OUTLINED void keep_better(element_t* best, uint vectors, element_t* r) {
    sort_registers(r);
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        element_t other = ON_LANES(MIRROR_LANES, r[m]);
        compare_exchange(&best[vectors - 1 - m], &other, m, 0);
    }
    merge_best(best, vectors);
}

/* The keys are decoded as they are written if `store_coding` says so. */
INLINE void store_best(const element_t* best, uint vectors, arrays_t to, uint k, uint store_coding, flip_t flip) {
    EACH_BEST for (uint m = 0; m < vectors; ++m) {
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

/* Elements that wait, and what they have to come before. */
typedef struct {
#if LANES == 1
    element_t elements[2 * BATCH_ELEMENTS];
    element_t limit;
#else
    register_key_t keys[2 * BATCH_ELEMENTS];
    WITH_INDICES(index_t indices[2 * BATCH_ELEMENTS];)
    register_key_t limit;
#endif
    uint count;
    uint takes_all; /* there is no limit yet, or none that rules anything out */
} waiting_t;

/* The k-th of the best is the new limit. Elements that are `in_order` of their indices come behind it if they are
 * equal. */
INLINE void set_limit(waiting_t* waiting, const element_t* best, uint k, uint in_order) {
    uint last = max(k, 1u) - 1;
#if LANES == 1
    waiting->limit = best[last];
    waiting->takes_all = 0;
#else
    lanes_t lanes = lanes_of(best[last / LANES]);
    waiting->limit = lanes.keys[last % LANES];
    waiting->takes_all = !in_order && waiting->limit == LARGEST_KEY;
    waiting->limit = (register_key_t)(waiting->limit + !in_order);
#endif
}

/* Those of a batch that come before the limit wait. Of most batches there are none. */
INLINE void let_wait(waiting_t* waiting, const element_t* r) {
#if LANES == 1
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        waiting->elements[waiting->count] = r[m];
        waiting->count += waiting->takes_all || BEFORE(r[m], waiting->limit);
    }
#else
    vec_t limit = BROADCAST(vec_t, waiting->limit), least = r[0].key;
    UNROLL for (uint m = 1; m < REGISTER_VECTORS; ++m) least = MIN(least, r[m].key);
    if (!waiting->takes_all && !ANY_LANE_LESS(least, limit)) return;
    ROLLED for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        if (!waiting->takes_all && !ANY_LANE_LESS(r[m].key, limit)) continue;
        lanes_t lanes = lanes_of(r[m]);
        UNROLL for (uint l = 0; l < LANES; ++l) {
            waiting->keys[waiting->count] = lanes.keys[l];
            WITH_INDICES(waiting->indices[waiting->count] = lanes.indices[l];)
            waiting->count += waiting->takes_all | (lanes.keys[l] < waiting->limit);
        }
    }
#endif
}

/* The last batch of what waits. */
INLINE void take_batch(waiting_t* waiting, element_t* r) {
    waiting->count -= BATCH_ELEMENTS;
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) {
        uint first = waiting->count + m * LANES;
#if LANES == 1
        r[m] = waiting->elements[first];
#else
        r[m] = ELEMENT(LOAD_VECTOR(waiting->keys + first), 0, LOAD_VECTOR(waiting->indices + first));
#endif
    }
}

/* What is missing of a batch is made up by what lies beyond the end. */
INLINE void fill_batch(waiting_t* waiting, flip_t flip) {
    element_t beyond = element_beyond(CODING_NONE, flip);
#if LANES > 1
    lanes_t lanes = lanes_of(beyond);
#endif
    for (; waiting->count < BATCH_ELEMENTS; ++waiting->count) {
#if LANES == 1
        waiting->elements[waiting->count] = beyond;
#else
        waiting->keys[waiting->count] = lanes.keys[0];
        WITH_INDICES(waiting->indices[waiting->count] = lanes.indices[0];)
#endif
    }
}

/* Selects among the `share` candidates from `first` on. */
INLINE void select_share(LOCAL_TILE tile, source_t from, position_t first, position_t share, arrays_t selected, uint k,
                         uint skips, uint store_coding) {
    element_t best[VECTORS], r[REGISTER_VECTORS];
    waiting_t waiting;
    uint vectors = best_vectors(k);
    EACH_BEST for (uint m = 0; m < vectors; ++m) best[m] = element_beyond(CODING_NONE, from.flip);
    position_t end = first + share < from.candidates ? first + share : from.candidates, seen = 0;
    waiting.count = 0;
    waiting.takes_all = 1;
    for (; first < end; first += BATCH_ELEMENTS) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = load_candidates(from, first + m * LANES);
        if (!skips) {
            keep_better(best, vectors, r);
            continue;
        }
        let_wait(&waiting, r);
        if (waiting.count < BATCH_ELEMENTS) continue;
        take_batch(&waiting, r);
        keep_better(best, vectors, r);
        seen += BATCH_ELEMENTS;
        if (seen >= k) set_limit(&waiting, best, k, from.coding != CODING_NONE && from.bucket_bits == 0);
    }
    if (waiting.count > 0) {
        fill_batch(&waiting, from.flip);
        take_batch(&waiting, r);
        keep_better(best, vectors, r);
    }
    store_best(best, vectors, selected, k, store_coding, from.flip);
}

#include "top_k/top_k_of_share.h"

#if STORES_INDICES
/* Exchanges the first keys of each row for those that were selected, which are in order then.
 * Launched after select_best, with a work-group for each row, on what that wrote. Requires: k <= VECTORS * LANES. */
KERNEL void bring_to_front(GLOBAL key_t* keys, offset_t keys_offset, GLOBAL key_t* best_keys, offset_t best_offset,
                           GLOBAL index_t* best_indices, offset_t best_indices_offset, position_t count, uint k) {
    AWAIT_LAST_LAUNCH();
    GLOBAL key_t* row = keys + keys_offset + GROUP_ID * (offset_t)count;
    arrays_t best = arrays_of(best_keys, best_offset, 0, 0, best_indices, best_indices_offset);
    best = arrays_from(best, GROUP_ID * (offset_t)k);
    uint stays[VECTORS * LANES / 32 + 1], next = 0; /* the bits of first keys that are selected */
    for (uint i = 0; i < VECTORS * LANES / 32 + 1; ++i) stays[i] = 0;
    for (uint i = 0; i < k; ++i) {
        position_t place = (position_t)INDEX_AT(best.indices, i);
        if (place < k) stays[place / 32] |= 1u << place % 32;
    }
    for (uint i = 0; i < k; ++i) {
        position_t place = (position_t)INDEX_AT(best.indices, i);
        if (place < k) continue;
        while (stays[next / 32] >> next % 32 & 1) ++next;
        row[place] = row[next++];
    }
    for (uint i = 0; i < k; ++i) row[i] = best.keys[i];
}
#endif
