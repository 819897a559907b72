// SPDX-License-Identifier: MIT
/* Where keys belong in a sorted range, by bisection: in a sample of the range, which is in local memory, then between
 * two of its keys in the range itself. All keys of a call take as many steps.
 *
 * The sample has key stride * (i + 1) - 1 of the range for each i up to count / stride. So a key that follows s of
 * these belongs behind stride * s keys, with fewer than stride more. A range of `stride - 1` keys has none.
 */
#ifndef BINARY_SEARCH_H
#define BINARY_SEARCH_H
#include "common/key_order.h"

/* The most keys that a work-item looks for at once, so that it waits for all of them together. */
#if WORK_ITEMS == 1
#define AT_ONCE 16
#else
#define AT_ONCE 4
#endif

/* A sorted range, and how its keys are encoded. `upper`: the place is behind equal keys, else ahead of them. */
typedef struct {
    GLOBAL const key_t* keys;
    LOCAL const register_key_t* sample;
    position_t count, stride;
    uint samples, coding;
    flip_t flip;
    uint upper;
} sorted_t;

/* Whether an encoded key of the range is in front of the place of another one. */
INLINE uint is_in_front(vec_t key, vec_t wanted, uint upper) {
#if RECORD_BYTES
    return upper ? !record_before(wanted, key) : record_before(key, wanted);
#else
    return (uint)(key < wanted) | (upper & (uint)(key == wanted));
#endif
}

INLINE vec_t sorted_key(sorted_t in, position_t i) {
    return encode(LOAD_GLOBAL_VECTOR(vec_t, in.keys + i), in.coding, in.flip);
}

/* Barriers: one, which follows it. */
INLINE void load_sample(sorted_t in, LOCAL register_key_t* sample) {
    for (uint i = LOCAL_ID; i < in.samples; i += WORK_ITEMS)
        sample[i] = sorted_key(in, (position_t)(i + 1) * in.stride - 1);
    BARRIER();
}

/* The places of `number` encoded keys, which is a constant. */
INLINE void find_bounds(const vec_t* wanted, position_t* places, uint number, sorted_t in) {
    uint sampled[AT_ONCE];
    UNROLL for (uint j = 0; j < number; ++j) sampled[j] = 0;
    for (uint left = in.samples; left > 0;) {
        uint step = (left + 1) / 2;
        UNROLL for (uint j = 0; j < number; ++j)
            sampled[j] += is_in_front(in.sample[sampled[j] + step - 1], wanted[j], in.upper) ? step : 0;
        left -= step;
    }
    /* Between the last of the sample and the end there are fewer keys. Those that come in for them are in front,
     * too. */
    position_t between = in.stride - 1;
    UNROLL for (uint j = 0; j < number; ++j) places[j] = MIN(sampled[j] * in.stride, in.count - between);
    for (position_t left = between; left > 0;) {
        position_t step = (left + 1) / 2;
        vec_t keys[AT_ONCE];
        UNROLL for (uint j = 0; j < number; ++j) keys[j] = sorted_key(in, places[j] + step - 1);
        UNROLL for (uint j = 0; j < number; ++j)
            places[j] += is_in_front(keys[j], wanted[j], in.upper) ? step : 0;
        left -= step;
    }
}

#endif
