// SPDX-License-Identifier: MIT
/* Histograms of floating-point numbers in even bins: of f16 and f32 reckoned in f32, of f64 in f64. histogram.h has the kernels.
 *
 * A number x from `lower` to `span`, which is the upper bound, is in bin (x - lower) * factor, rounded down, and in the last one if
 * that is beyond. NaN is in none.
 */
#include "histogram/bin_rule.h"
#include "common/float_number.h"

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

#include "histogram/histogram.h"
