// SPDX-License-Identifier: MIT
/* How ranges that are combined are cut into blocks, of which each is a work-group's. A range is the array, a row or a
 * segment.
 *
 * A block has `share` elements: as few as LEAST_UNITS of UNIT elements, or as many more as leave at most 4096 blocks of
 * the range (lib/src/ops/reduce/reduce_schedule.hpp). So the blocks of a range depend on its own length alone, whatever
 * lies beside it. Each block has a slot, where its partial result goes. A row's blocks have slots of their own, `parts`
 * for each row. Those of segment s begin at slot s + b / LEAST, where b is its first element and LEAST the fewest of a
 * block: so far apart that the blocks in front fit between, and a bisection finds the segment of a slot. Where no
 * segment is longer than LEAST (parts = 1), each is one block, and its slot is its number.
 *
 * A file that includes this has defined UNIT and LEAST_UNITS.
 */
#ifndef REDUCE_BLOCKS_H
#define REDUCE_BLOCKS_H
#include "common/dialect.h"

#define MOST_BLOCKS 4096
#define LEAST (UNIT * LEAST_UNITS)
#define ARE_SEGMENTS(segments) (DECIDES_AT_RUN_TIME ? (segments) != 0 : SEGMENT_BITS > 0)

typedef struct {
    offset_t number, first; /* of the range, and of its first element in the array */
    offset_t slot;          /* of its first block */
    position_t count, share;
    uint parts; /* blocks, at least one */
} range_t;

/* Elements number begin .. end - 1 of the range; none, where no block is in the slot. */
typedef struct {
    range_t range;
    position_t begin, end;
    uint is_there;
} block_t;

INLINE position_t share_of(position_t count) {
    position_t units = (count / UNIT + (count % UNIT != 0) + MOST_BLOCKS - 1) / MOST_BLOCKS;
    return (units < LEAST_UNITS ? LEAST_UNITS : units) * UNIT;
}

/* Rows have `count` elements. Segments have at most so many, all before `end`, and there are `ranges` of them. */
INLINE range_t range_of(offset_t number, position_t count, uint parts, GLOBAL const segment_t* segments,
                        offset_t ranges, offset_t end) {
    range_t range;
    range.number = number;
    range.first = number * count;
    range.slot = number * parts;
    range.count = count;
    range.parts = parts;
    if (ARE_SEGMENTS(segments)) {
        offset_t first = 0, last = 0;
        if (number < ranges) {
            first = min((offset_t)segments[number], end);
            last = min((offset_t)segments[number + 1], end);
        }
        range.first = first;
        range.slot = parts > 1 ? number + first / LEAST : number;
        range.count = last > first ? (position_t)min(last - first, (offset_t)count) : 0;
    }
    range.share = share_of(range.count);
    if (ARE_SEGMENTS(segments)) {
        uint blocks = (uint)(range.count / range.share) + (range.count % range.share != 0);
        range.parts = blocks > 1 ? blocks : 1;
    }
    return range;
}

/* The block of this work-group. */
INLINE block_t block_of_group(position_t count, uint parts, GLOBAL const segment_t* segments, offset_t ranges,
                              offset_t end) {
    /* Not by %: Oclgrind cannot follow the `freeze` that LLVM makes of that beside a division. */
    offset_t number = (uint)GROUP_ID / parts;
    if (ARE_SEGMENTS(segments) && parts > 1) {
        number = 0;
        for (offset_t behind = ranges; behind > number + 1;) {
            offset_t middle = number + (behind - number) / 2;
            if (middle + min((offset_t)segments[middle], end) / LEAST <= GROUP_ID) number = middle;
            else behind = middle;
        }
    }
    block_t block;
    block.range = range_of(number, count, parts, segments, ranges, end);
    /* Larger than any, where the slot is in front of the range's. */
    offset_t part = (offset_t)GROUP_ID - block.range.slot;
    block.is_there = part < block.range.parts;
    /* A rehearsal has more blocks than elements. */
    offset_t begin = block.is_there ? part * block.range.share : block.range.count;
    block.begin = begin < block.range.count ? (position_t)begin : block.range.count;
    block.end =
        block.range.count - block.begin < block.range.share ? block.range.count : block.begin + block.range.share;
    return block;
}

#endif
