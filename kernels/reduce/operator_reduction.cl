// SPDX-License-Identifier: MIT
/* Combines the elements of ranges by the caller's operator, in their order, by a tree that is the same on every device.
 * The operator need not be commutative, as that of combine.h must be, so the elements of a leaf lie side by side here.
 *
 * A range is cut into blocks (reduce_blocks.h) of 256 leaves, and its elements are shared out among them in their
 * order, as many to each as fit 64 bytes, or as many more as the block has; a short block has fewer leaves:
 *   1. a leaf combines its elements from the first one on;
 *   2. neighbouring leaves are combined: the first two, the next two .., of an odd number the last one stays as it is,
 *      until one is left, which is the block's partial result;
 *   3. the partial results of a range are shared out among 256 leaves in the same way and combined by 1. and 2.
 * The identity is what a range without elements gives, and takes part in nothing else. With HAS_TRANSFORM an element is
 * what the operator makes of two, of which the other lies in a second array.
 */
#include "common/operator.h"

#define ALL_LEAVES 256
#define UNIT ALL_LEAVES
#define LEAST_UNITS (KEY_BYTES < 64 ? 64 / KEY_BYTES : 1)
#include "reduce/reduce_blocks.h"

#if LANES != 1 || !HAS_OPERATOR || WORK_ITEMS > ALL_LEAVES
#error "To combine elements by an operator, LANES must be 1, HAS_OPERATOR 1 and WORK_ITEMS at most 256."
#endif
/* Neighbouring ones, so a work-item combines what it has before others are asked. */
#define OWN_LEAVES (ALL_LEAVES / WORK_ITEMS)

#if WORK_ITEMS > 1
#define DECLARE_SHARED() DECLARE_LOCAL(key_t, shared, WORK_ITEMS, 0)
#else
#define DECLARE_SHARED() LOCAL key_t* shared = 0
#endif

#if HAS_TRANSFORM
#define ELEMENT(i) (others ? transformed(elements[i], others[i]) : elements[i])
#else
#define ELEMENT(i) (elements[i])
#endif

/* Steps 1 and 2, of elements number begin .. end - 1, `run` for each leaf. The result is the first work-item's
 * alone. */
INLINE vec_t combine_run(GLOBAL const key_t* elements, GLOBAL const key_t* others, position_t begin, position_t end,
                         position_t run, LOCAL key_t* shared) {
    uint leaves = (uint)((end - begin + run - 1) / run), first = LOCAL_ID * OWN_LEAVES;
    uint mine = leaves <= first ? 0 : leaves - first < OWN_LEAVES ? leaves - first : OWN_LEAVES;
    vec_t own[OWN_LEAVES];
    own[0] = identity();
    for (uint l = 0; l < mine; ++l) {
        position_t i = begin + (first + l) * run, last = end - i < run ? end : i + run;
        vec_t leaf = ELEMENT(i);
        for (++i; i < last; ++i) leaf = combined(leaf, ELEMENT(i));
        own[l] = leaf;
    }
    for (uint left = mine; left > 1; left -= left / 2) {
        for (uint l = 0; l < left / 2; ++l) own[l] = combined(own[2 * l], own[2 * l + 1]);
        if (left % 2) own[left / 2] = own[left - 1];
    }
#if WORK_ITEMS > 1
    shared[LOCAL_ID] = own[0];
    BARRIER();
    ROLLED for (uint apart = 1; apart < WORK_ITEMS; apart *= 2) {
        if (LOCAL_ID % (2 * apart) == 0 && (LOCAL_ID + apart) * OWN_LEAVES < leaves)
            shared[LOCAL_ID] = combined(shared[LOCAL_ID], shared[LOCAL_ID + apart]);
        BARRIER();
    }
    return shared[LOCAL_ID];
#else
    return own[0];
#endif
}

/* Combines each block's elements: to a partial result or, where a range is one block, to the result.
 * Launched with a work-group for each slot. Requires: any count, any element offset. Local memory: an element for each
 * work-item, if there are several. Barriers: one, and one more for each doubling up to the work-items. */
KERNEL void combine_blocks(GLOBAL const key_t* elements, offset_t elements_offset, GLOBAL const key_t* others,
                           offset_t others_offset, position_t count, uint parts, GLOBAL const segment_t* segments,
                           offset_t segments_offset, offset_t ranges, offset_t end, GLOBAL key_t* partials,
                           offset_t partials_offset, GLOBAL key_t* results, offset_t results_offset) {
    DECLARE_SHARED();
    block_t block = block_of_group(count, parts, segments + segments_offset, ranges, end);
    if (BARRIERS_IN_BRANCHES && !block.is_there) return;
    elements += elements_offset + block.range.first;
    others += others_offset + block.range.first;
    vec_t partial =
        combine_run(elements, others, block.begin, block.end, block.range.share / ALL_LEAVES, shared);
    if (LOCAL_ID == 0 && block.is_there) {
        if (block.range.parts > 1) partials[partials_offset + GROUP_ID] = partial;
        else results[results_offset + block.range.number] = partial;
    }
}

/* Step 3. Launched after combine_blocks, with a work-group for each range. Local memory and barriers: as there. */
KERNEL void combine_parts(GLOBAL const key_t* partials, offset_t partials_offset, position_t count, uint parts,
                          GLOBAL const segment_t* segments, offset_t segments_offset, offset_t ranges, offset_t end,
                          GLOBAL key_t* results, offset_t results_offset) {
    DECLARE_SHARED();
    range_t range = range_of(GROUP_ID, count, parts, segments + segments_offset, ranges, end);
    if (BARRIERS_IN_BRANCHES && range.parts == 1) return;
    partials += partials_offset + range.slot;
    vec_t all = combine_run(partials, 0, 0, range.parts, (range.parts + ALL_LEAVES - 1) / ALL_LEAVES, shared);
    if (LOCAL_ID == 0 && range.parts > 1) results[results_offset + range.number] = all;
}
