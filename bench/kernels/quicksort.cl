// SPDX-License-Identifier: MIT
/* One level of a quicksort that the host drives: every segment of `from` is parted into smaller, equal and larger keys.
 * Smaller and larger ones go to the two ends of the segment in `to`, equal ones to their final place in `sorted`.
 * Segments are cut into chunks, a work-group for each. Follows bitonic_in_local.h.
 * A segment is (first key, end), a chunk (number of its segment, first key). */

/* One work-item a segment: the median of five keys; and nothing is counted yet. */
__kernel void choose_pivots(__global const KEY* from, __global const uint2* segments, __global KEY* pivots,
                            __global uint2* counts) {
    const uint segment = get_global_id(0), begin = segments[segment].x, size = segments[segment].y - begin;
    KEY sample[5];
    for (uint i = 0; i < 5; ++i) {
        const KEY key = from[begin + (uint)((ulong)size * (2 * i + 1) / 10)];
        uint place = i;
        for (; place > 0 && key < sample[place - 1]; --place) sample[place] = sample[place - 1];
        sample[place] = key;
    }
    pivots[segment] = sample[2];
    counts[segment] = (uint2)(0, 0);
}

/* `counts` becomes the numbers of smaller and of larger keys of each segment. */
__kernel void part(__global const KEY* from, __global KEY* to, __global const uint2* segments,
                   __global const KEY* pivots, __global const uint2* chunks, volatile __global uint* counts) {
    const uint item = get_local_id(0), segment = chunks[get_group_id(0)].x, begin = chunks[get_group_id(0)].y;
    const uint2 range = segments[segment];
    const uint end = min(range.y, begin + CHUNK);
    const KEY pivot = pivots[segment];
    __local uint sums[ITEMS], first_of_group[2];

    /* Smaller keys are counted in the lower half of a word, larger ones in the upper half. */
    uint mine = 0;
    for (uint i = begin + item; i < end; i += ITEMS) mine += (uint)(from[i] < pivot) + ((uint)(pivot < from[i]) << 16);
    sums[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < ITEMS; distance *= 2) {
        const uint before = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        const uint smaller = sums[ITEMS - 1] & 0xffff, larger = sums[ITEMS - 1] >> 16;
        first_of_group[0] = range.x + atomic_add(counts + 2 * segment, smaller);
        first_of_group[1] = range.y - larger - atomic_add(counts + 2 * segment + 1, larger);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint before = sums[item] - mine;
    uint smaller_at = first_of_group[0] + (before & 0xffff), larger_at = first_of_group[1] + (before >> 16);
    for (uint i = begin + item; i < end; i += ITEMS) {
        const KEY key = from[i];
        if (key < pivot) to[smaller_at++] = key;
        else if (pivot < key) to[larger_at++] = key;
    }
}

/* The keys that equal the pivot: each chunk writes those whose places it holds. */
__kernel void place_equal(__global KEY* sorted, __global const uint2* segments, __global const KEY* pivots,
                          __global const uint2* chunks, __global const uint2* counts) {
    const uint segment = chunks[get_group_id(0)].x, begin = chunks[get_group_id(0)].y;
    const uint2 range = segments[segment], outside = counts[segment];
    const uint end = min(range.y - outside.y, begin + CHUNK);
    const KEY pivot = pivots[segment];
    for (uint i = max(range.x + outside.x, begin) + get_local_id(0); i < end; i += ITEMS) sorted[i] = pivot;
}

/* A work-group for each segment of at most LEAF keys. */
__kernel void sort_leaves(__global const KEY* from, __global KEY* sorted, __global const uint2* leaves) {
    __local KEY keys[LEAF];
    const uint begin = leaves[get_group_id(0)].x, count = leaves[get_group_id(0)].y - begin;
    uint size = 1;
    while (size < count) size *= 2;
    for (uint i = get_local_id(0); i < size; i += ITEMS) keys[i] = i < count ? from[begin + i] : LARGEST;
    bitonic_in_local(keys, size);
    for (uint i = get_local_id(0); i < count; i += ITEMS) sorted[begin + i] = keys[i];
}
