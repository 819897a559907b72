// SPDX-License-Identifier: MIT
/* By one work-item, for some tenth of a millisecond on a GPU: meanwhile the host enqueues what comes behind it. */
__kernel void work(__global uint* number) {
    uint x = *number;
    for (uint i = 0; i < 60000; ++i) x = x * x + 7;
    *number = x;
}
