// SPDX-License-Identifier: MIT
/* All work-items of a group sort a power of two of keys in local memory. */
void bitonic_in_local(__local KEY* keys, uint size) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = 2; run <= size; run *= 2)
        for (uint stride = run / 2; stride > 0; stride /= 2) {
            for (uint t = get_local_id(0); t < size / 2; t += get_local_size(0)) {
                const uint left = 2 * t - (t & (stride - 1)), right = left + stride;
                const KEY a = keys[left], b = keys[right];
                const int out_of_order = left & run ? a < b : b < a;
                keys[left] = out_of_order ? b : a;
                keys[right] = out_of_order ? a : b;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
}
