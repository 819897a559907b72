// SPDX-License-Identifier: MIT
/* Histograms of integers in even bins. histogram.h has the kernels.
 *
 * Of the span + 1 integers from `lower` on, which is encoded, the one at distance d is in bin d * bins / (span + 1), rounded down,
 * without any other rounding: `factor` is bins / (span + 1) as a binary fraction, with enough digits (lib/src/ops/histogram/histogram_schedule.cpp).
 */
#include "histogram/bin_rule.h"
#include "common/multiply.h"

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

#include "histogram/histogram.h"
