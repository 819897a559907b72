// SPDX-License-Identifier: MIT
/* Steps of the network among the keys that a work-item holds in registers: REGISTER_VECTORS vectors of LANES keys.
 * Every compare-exchange ascends: the lower address keeps the smaller key. No synchronisation happens here.
 *
 * A step of stride 2^b vectors pairs vector m with m + 2^b; its first, mirrored form pairs m with m ^ (2^(b+1) - 1),
 * lane l with lane L - 1 - l. All loops have constant bounds and are unrolled, so that r[] stays in registers. */
#ifndef REGISTERS_H
#define REGISTERS_H
#include "common/compare_exchange.h"

#if LANES == 1
/* Keeps in `best` the one of the two that comes first. */
INLINE void keep_first(element_t* best, element_t other) {
#if RECORD_BYTES
    if (BEFORE(other, *best)) *best = other;
#else
    uint takes = BEFORE(other, *best);
    best->key = takes ? other.key : best->key;
    WITH_INDICES(best->index = takes ? other.index : best->index;)
#endif
}
#endif


/* The bits of a number that tells the vectors in registers apart. */
#define FIELD_BITS LOG2(REGISTER_VECTORS)

/* A step inside one vector: its lanes meet those of the vector with the lanes moved. */
#define EXCHANGE_LANES(v, partner, blend)        \
    do {                                         \
        element_t other_ = ON_LANES(partner, v); \
        compare_exchange(&v, &other_, 0, 0);     \
        v = ON_BOTH_LANES(blend, v, other_);     \
    } while (0)

/* The steps of strides L/2 .. 1, inside one vector. */
INLINE element_t merge_lanes(element_t v) {
#if LANES >= 16
    EXCHANGE_LANES(v, SWAP_LANES_8, BLEND_8);
#endif
#if LANES >= 8
    EXCHANGE_LANES(v, SWAP_LANES_4, BLEND_4);
#endif
#if LANES >= 4
    EXCHANGE_LANES(v, SWAP_LANES_2, BLEND_2);
#endif
#if LANES >= 2
    EXCHANGE_LANES(v, SWAP_LANES_1, BLEND_1);
#endif
    return v;
}

/* Phases 1 .. lg L: sorts the lanes of one vector. */
INLINE element_t sort_lanes(element_t v) {
#if LANES >= 2
    EXCHANGE_LANES(v, SWAP_LANES_1, BLEND_1);
#endif
#if LANES >= 4
    EXCHANGE_LANES(v, MIRROR_LANES_4, BLEND_2);
    EXCHANGE_LANES(v, SWAP_LANES_1, BLEND_1);
#endif
#if LANES >= 8
    EXCHANGE_LANES(v, MIRROR_LANES_8, BLEND_4);
    EXCHANGE_LANES(v, SWAP_LANES_2, BLEND_2);
    EXCHANGE_LANES(v, SWAP_LANES_1, BLEND_1);
#endif
#if LANES >= 16
    EXCHANGE_LANES(v, MIRROR_LANES_16, BLEND_8);
    EXCHANGE_LANES(v, SWAP_LANES_4, BLEND_4);
    EXCHANGE_LANES(v, SWAP_LANES_2, BLEND_2);
    EXCHANGE_LANES(v, SWAP_LANES_1, BLEND_1);
#endif
    return v;
}

INLINE void merge_lanes_of_all(element_t* r) {
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = merge_lanes(r[m]);
}

/* The lower partner of the i-th compare-exchange of a step of stride 2^bit. */
#define LOWER_OF_PAIR(i, bit) ((((i) >> (bit)) << ((bit) + 1)) | ((i) & ((1u << (bit)) - 1)))

INLINE void register_step(element_t* r, uint bit, uint loaded) {
    UNROLL for (uint i = 0; i < REGISTER_VECTORS / 2; ++i)
        compare_exchange(&r[LOWER_OF_PAIR(i, bit)], &r[LOWER_OF_PAIR(i, bit) + (1u << bit)], i, loaded);
}

INLINE void register_mirrored_step(element_t* r, uint bit, uint loaded) {
    UNROLL for (uint i = 0; i < REGISTER_VECTORS / 2; ++i) {
        uint lower = LOWER_OF_PAIR(i, bit);
        uint upper = lower ^ ((2u << bit) - 1);
        r[upper] = ON_LANES(MIRROR_LANES, r[upper]);
        compare_exchange(&r[lower], &r[upper], i, loaded);
        r[upper] = ON_LANES(MIRROR_LANES, r[upper]);
    }
}

/* Phases 1 .. lg(REGISTER_VECTORS * L): sorts the keys of the work-item. */
INLINE void sort_registers(element_t* r) {
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) r[m] = sort_lanes(r[m]);
    UNROLL for (uint phase = 0; phase < FIELD_BITS; ++phase) {
        register_mirrored_step(r, phase, 0);
        UNROLL for (uint below = 1; below <= phase; ++below) register_step(r, phase - below, 0);
        merge_lanes_of_all(r);
    }
}

/* The same for so many vectors, of which the compiler makes loops. */
INLINE void sort_vectors(element_t* r, uint vectors) {
    ROLLED for (uint m = 0; m < vectors; ++m) r[m] = sort_lanes(r[m]);
    ROLLED for (uint run = 1; run < vectors; run *= 2) {
        for (uint lower = 0; lower < vectors; ++lower) {
            uint upper = lower ^ (2 * run - 1);
            if ((lower & run) || upper >= vectors) continue;
            r[upper] = ON_LANES(MIRROR_LANES, r[upper]);
            compare_exchange(&r[lower], &r[upper], 0, 0);
            r[upper] = ON_LANES(MIRROR_LANES, r[upper]);
        }
        for (uint stride = run / 2; stride > 0; stride /= 2)
            for (uint lower = 0; lower + stride < vectors; ++lower)
                if (!(lower & stride)) compare_exchange(&r[lower], &r[lower + stride], 0, 0);
        ROLLED for (uint m = 0; m < vectors; ++m) r[m] = merge_lanes(r[m]);
    }
}

/* The steps of strides 2^top .. 2^bottom vectors where lanes are apart from each other. A mirrored round is as
 * below. */
INLINE void merge_whole_vectors(element_t* r, uint mirrored, uint top, uint bottom) {
    if (mirrored) {
        UNROLL for (uint m = 0; m < REGISTER_VECTORS / 2; ++m)
            compare_exchange(&r[m], &r[REGISTER_VECTORS - 1 - m], m, 0);
        --top;
    }
    UNROLL for (uint above = 1; above <= FIELD_BITS; ++above) {
        uint bit = FIELD_BITS - above;
        if (bit + 1 <= top + 1 && bit >= bottom) register_step(r, bit, 0);
    }
}

/* Phases 1 .. lg REGISTER_VECTORS there. */
INLINE void sort_whole_vectors(element_t* r) {
    UNROLL for (uint phase = 0; phase < FIELD_BITS; ++phase) {
        UNROLL for (uint i = 0; i < REGISTER_VECTORS / 2; ++i) {
            uint lower = LOWER_OF_PAIR(i, phase);
            compare_exchange(&r[lower], &r[lower ^ ((2u << phase) - 1)], i, 0);
        }
        UNROLL for (uint below = 1; below <= phase; ++below) register_step(r, phase - below, 0);
    }
}

/* One round: the steps of strides 2^top .. 2^bottom vectors, then, where `lanes`, those inside the vectors.
 * A mirrored round begins with the first step of a phase, which is always the top stride of the registers. The first
 * step is told `loaded` (compare_exchange.h). */
INLINE void merge_registers(element_t* r, uint mirrored, uint top, uint bottom, uint lanes, uint loaded) {
    uint first = top;
    if (mirrored) {
        register_mirrored_step(r, FIELD_BITS - 1, loaded);
        --top;
    }
    UNROLL for (uint above = 1; above <= FIELD_BITS; ++above) {
        uint bit = FIELD_BITS - above;
        if (bit + 1 <= top + 1 && bit >= bottom) register_step(r, bit, loaded && bit == first);
    }
    if (lanes) merge_lanes_of_all(r);
}

#endif
