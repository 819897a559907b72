// SPDX-License-Identifier: MIT
/* One read and one write of everything: what a device's memory allows. */
__kernel void copy(__global const uint4* from, __global uint4* to) { to[get_global_id(0)] = from[get_global_id(0)]; }
