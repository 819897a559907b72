// SPDX-License-Identifier: MIT
/* One work-group sorts the whole array. Follows bitonic_in_local.h. `size` is the next power of two of `count`. */

/* Up to as many keys as fit into local memory, padded with the largest. */
__kernel void sort_in_local(__global KEY* keys, uint count, uint size, __local KEY* local_keys) {
    for (uint i = get_local_id(0); i < size; i += get_local_size(0)) local_keys[i] = i < count ? keys[i] : LARGEST;
    bitonic_in_local(local_keys, size);
    for (uint i = get_local_id(0); i < count; i += get_local_size(0)) keys[i] = local_keys[i];
}

/* Any count: the work-items loop over the array in global memory. `side` holds the padding. */
__kernel void sort_in_global(__global KEY* keys, uint count, uint size, __global KEY* side) {
    for (uint i = count + get_local_id(0); i < size; i += get_local_size(0)) side[i - count] = LARGEST;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint run = 2; run <= size; run *= 2)
        for (uint stride = run / 2; stride > 0; stride /= 2) {
            for (uint t = get_local_id(0); t < size / 2; t += get_local_size(0)) {
                const uint left = 2 * t - (t & (stride - 1)), right = left + stride;
                __global KEY* const first = left < count ? keys + left : side + (left - count);
                __global KEY* const second = right < count ? keys + right : side + (right - count);
                const KEY a = *first, b = *second;
                const int out_of_order = left & run ? a < b : b < a;
                *first = out_of_order ? b : a;
                *second = out_of_order ? a : b;
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
}
