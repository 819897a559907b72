// SPDX-License-Identifier: MIT
/* A launch for each step, a work-item for each comparator, which always stores both keys. The count is a power of two.
 * Comparators of a run of `run` keys point up, those of the next run down. */
__kernel void scalar_bitonic_step(__global KEY* keys, uint stride, uint run) {
    const uint comparator = get_global_id(0);
    const uint left = comparator / stride * (2 * stride) + comparator % stride, right = left + stride;
    const KEY a = keys[left], b = keys[right];
    const KEY smaller = b < a ? b : a, larger = b < a ? a : b;
    const int up = (comparator / (run / 2)) % 2 == 0;
    keys[left] = up ? smaller : larger;
    keys[right] = up ? larger : smaller;
}
