// SPDX-License-Identifier: MIT
/* The network as a first course on GPUs teaches it: a launch for each step, a work-item for each key, of which the one
 * with the smaller index does the work. The count is a power of two. */
__kernel void global_bitonic_step(__global KEY* keys, uint stride, uint run) {
    const uint i = get_global_id(0), partner = i ^ stride;
    if (partner < i) return;
    const KEY a = keys[i], b = keys[partner];
    const int out_of_order = i & run ? a < b : b < a;
    if (out_of_order) {
        keys[i] = b;
        keys[partner] = a;
    }
}
