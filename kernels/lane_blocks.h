/* Steps of the network inside vectors without moving lanes for their own sake, for tiles that are walked in the cache.
 *
 * Between passes a block of L x L keys lies transposed: lane l of its vector j holds key l * L + j of the block, so the
 * lanes are columns of neighbouring keys. The steps of strides L*L/2 .. L, between lanes of one vector, and those of
 * strides L/2 .. 1, between vectors, then cost one shuffle and one comparison a vector each: two vectors swap the halves
 * that differ in one bit of the lane's number, and what was a bit of the lane is now one of the vector.
 *
 *   key bits:   block | 2 lg L - 1 .. lg L | lg L - 1 .. 0
 *   at rest            lane                 vector
 *   half-way           vector               lane          also the order of the array before the first pass and after
 *                                                         the last
 */
#ifndef LANE_BLOCKS_H
#define LANE_BLOCKS_H
#include "registers.h"

/* Vectors whose numbers differ in the bit of value h trade lanes: the first gets all lanes that had bit h clear, the
 * second those that had it set, and bit h of a lane now tells which of the two vectors it came from. The first keeps
 * the smaller keys: the step of the lane's bit. */
#define TRADE_LANES(r, h)                                                          \
    do {                                                                           \
        UNROLL for (uint i = 0; i < REGISTER_VECTORS / 2; ++i) {                   \
            uint lower_ = LOWER_OF_PAIR(i, LOG2(h)), upper_ = lower_ + (h);        \
            element_t clear_ = ON_BOTH_LANES(LOW_LANES_##h, r[lower_], r[upper_]); \
            element_t set_ = ON_BOTH_LANES(HIGH_LANES_##h, r[lower_], r[upper_]);  \
            compare_exchange(&clear_, &set_, i);                                   \
            r[lower_] = clear_;                                                    \
            r[upper_] = set_;                                                      \
        }                                                                          \
    } while (0)

/* Lanes become vectors and vectors lanes, with the steps of all bits of the lane's number. Where a step is not due, it
 * does no harm: whole sorted runs that exchange keys stay sorted, and keys of one sorted run do not exchange. */
INLINE void trade_all_lanes(element_t* r) {
#if LANES >= 16
    TRADE_LANES(r, 8);
#endif
#if LANES >= 8
    TRADE_LANES(r, 4);
#endif
#if LANES >= 4
    TRADE_LANES(r, 2);
#endif
#if LANES >= 2
    TRADE_LANES(r, 1);
#endif
}

/* The steps of strides L*L/2 .. 1 of a phase. */
INLINE void merge_blocks(element_t* r) {
    trade_all_lanes(r);
    trade_all_lanes(r);
}

/* Phases 1 .. lg(REGISTER_VECTORS * L): sorts the keys of the work-item, each lane first. */
INLINE void sort_blocks(element_t* r) {
    UNROLL for (uint phase = 0; phase < LOG2(LANES); ++phase) {
        UNROLL for (uint i = 0; i < REGISTER_VECTORS / 2; ++i)
            compare_exchange(&r[LOWER_OF_PAIR(i, phase)], &r[LOWER_OF_PAIR(i, phase) ^ ((2u << phase) - 1)], i);
        UNROLL for (uint below = 1; below <= phase; ++below) register_step(r, phase - below);
    }
    ROLLED for (uint phase = 0; phase < LOG2(LANES); ++phase) {
        trade_all_lanes(r);
        UNROLL for (uint above = 1; above <= LOG2(LANES); ++above) {
            uint bit = LOG2(LANES) - above;
            if (bit == phase) register_mirrored_step(r, bit);
            if (bit < phase) register_step(r, bit);
        }
        trade_all_lanes(r);
    }
    UNROLL for (uint phase = LOG2(LANES); phase < FIELD_BITS; ++phase) {
        register_mirrored_step(r, phase);
        UNROLL for (uint bit = phase; bit > LOG2(LANES); --bit) register_step(r, bit - 1);
        merge_blocks(r);
    }
}

#endif
