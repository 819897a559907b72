// SPDX-License-Identifier: MIT
/* Histograms in bins that sorted keys bound: a key is in bin i if bounds[i] does not come after it, but bounds[i + 1] does.
 * histogram.h has the kernels. */
#include "histogram/bin_rule.h"

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

#include "histogram/histogram.h"
