// SPDX-License-Identifier: MIT
/* Histograms. count_keys.h has the kernels. NUMBERS:
 *   INTEGER   even bins: of the span + 1 integers from `lower` on, which is encoded, the one at distance d is in bin
 *              d * bins / (span + 1), rounded down, without any other rounding: `factor` is bins / (span + 1) as a
 *              binary fraction, with enough digits (lib/src/ops/histogram/histogram_schedule.cpp)
 *   FLOATING     even bins, of f16 and f32 reckoned in f32, of f64 in f64: a number x from `lower` to `span`, which is
 *              the upper bound, is in bin (x - lower) * factor, rounded down, and in the last one if that is beyond.
 *              NaN is in none
 *   BY_BOUNDS  bins that sorted keys bound: a key is in bin i if bounds[i] does not come after it, but bounds[i + 1]
 *   does
 */
#include "histogram/bin_rule.h"
#if NUMBERS == FLOATING
#include "common/float_number.h"
#endif
#if NUMBERS == INTEGER
#include "common/multiply.h"
#endif

#if NUMBERS == INTEGER
typedef rule_t bins_t;

INLINE bins_t bins_in(rule_t rule, sorted_t sorted) {
    (void)sorted;
    return rule;
}

INLINE uint bin_of(vec_t distance, bins_t in) {
#if KEY_BITS == 64
    /* One less, or right: a product of 128 bits decides. */
    uint bin = (uint)(MUL_HIGH(distance << in.shift, in.factor) >> 31);
    ulong next = (ulong)bin + 1, low = next * in.span, high = MUL_HIGH(next, in.span), all = distance * in.bins,
          all_high = MUL_HIGH((ulong)distance, (ulong)in.bins);
    low += next;
    high += low < next;
    return bin + (uint)((high < all_high) | ((high == all_high) & (low <= all)));
#else
    ulong whole = (ulong)distance * (uint)(in.factor >> 32), part = (ulong)distance * (uint)in.factor >> 32;
    return (uint)((whole + part) >> in.shift);
#endif
}

INLINE void find_bins(const vec_t* keys, uint* bins, uint number, bins_t in) {
    UNROLL for (uint j = 0; j < number; ++j) {
        vec_t distance = (vec_t)((keys[j] ^ (vec_t)in.flip) - (vec_t)in.lower);
        uint bin = bin_of(distance, in);
        bins[j] = distance <= (vec_t)in.span ? bin : ~0u;
    }
}
#elif NUMBERS == FLOATING
typedef struct {
    number_t lower, upper, factor;
    uint last;
} bins_t;

INLINE number_t number_in(ulong bits) {
    either_t both;
    both.bits = (number_bits_t)bits;
    return both.number;
}

INLINE bins_t bins_in(rule_t rule, sorted_t sorted) {
    bins_t in = {number_in(rule.lower), number_in(rule.span), number_in(rule.factor), rule.bins - 1};
    (void)sorted;
    return in;
}

INLINE void find_bins(const vec_t* keys, uint* bins, uint number, bins_t in) {
    UNROLL for (uint j = 0; j < number; ++j) {
        number_t x = number_of(keys[j]);
        bins[j] = ~0u;
        if (x >= in.lower && x <= in.upper) {
            uint bin = (uint)((x - in.lower) * in.factor);
            bins[j] = MIN(bin, in.last);
        }
    }
}
#elif NUMBERS == BY_BOUNDS
typedef sorted_t bins_t;

INLINE bins_t bins_in(rule_t rule, sorted_t sorted) {
    (void)rule;
    return sorted;
}

INLINE void find_bins(const vec_t* keys, uint* bins, uint number, bins_t in) {
    vec_t wanted[AT_ONCE];
    position_t places[AT_ONCE];
    UNROLL for (uint j = 0; j < number; ++j) wanted[j] = encode(keys[j], in.coding, in.flip);
    find_bounds(wanted, places, number, in);
    UNROLL for (uint j = 0; j < number; ++j) bins[j] = (uint)places[j] - 1;
}
#endif

#include "histogram/count_keys.h"
