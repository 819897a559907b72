// SPDX-License-Identifier: MIT
/* What a program is compiled for. The host defines it; the defaults let a file be compiled alone.
 *
 * The elements:
 *   KEY_BITS          8, 16, 32 or 64
 *   RECORD_BYTES      of a record, in whose place KEY_BITS has no meaning, else 0; only with L = 1
 *   RECORD_TYPE       in a C++ template, the type of a record, which has RECORD_BYTES at most; else not defined
 *   ANY_WIDTH         1 there where the widths of values and indices are known at run time, and these may have no array
 *   VALUES_ARE_INDICES  1 where keys have values or indices, but not both: values then take the way of indices. Both
 *                     are integers that decide between equal keys, but no pass makes values
 *   VALUE_BITS        8, 16, 32, 64 or 128 where values belong to the keys, else 0; 128 only with L = 1
 *   INDEX_BITS        32 or 64 where the elements have indices, 8 for records that have none, else 0 (elements.h). Of
 *                     equal_runs.cl: of the lengths of runs
 *   POSITION_BITS     32 for fewer than 2^31 keys, else 64
 * The shape:
 *   LANES             L, keys in a vector: 1, 2, 4, 8 or 16
 *   VECTORS           M, vectors in each of the two groups of a work-item's tile share
 *   WORK_ITEMS        ITEMS, work-items in a work-group
 *   TILE_WORK_ITEMS   work-items that share one tile: WORK_ITEMS / TILES_PER_GROUP, or 1, where each has a tile of its
 *                     own; or more than WORK_ITEMS: all rows end in the first part of a tile (ENDS_IN_TILE), and the
 *                     work-items that would have none of it are not there
 *   TILES_PER_GROUP   tiles of one work-group, whose work-items they share out among them
 *   REGISTER_VECTORS  vectors that a work-item holds in registers at a time
 *   STEPS_PER_PASS    r, the most steps of a pass on strips
 *   RESIDENT_GROUPS   work-groups for which the compiler must leave registers on one multiprocessor, where it can be
 *   told
 *   REMAP             1: write-back addresses remapped so that the next round reads contiguously
 *   BANK_SWAP         1: half of the work-items write their two groups of vectors in the other order
 *   BANK_PADDING      1: unused words between the slots spread a write-back over the banks
 *   COALESCED_STORE   1: neighbouring work-items store neighbouring vectors, after one more hand-over, or pairs, after
 *   none
 *   UNROLL_ROUNDS     1: rounds unrolled, so that their local-memory addresses are constants; 0 compiles faster
 *   COLUMN_BITS       lg of the columns in which the tiles of tile_in_local.cl are sorted, if at all, else 0; only with
 *   L = 1
 *   BUCKET_BITS       lg of the children that a range is divided into, where it is sorted by distribution
 *   BLOCK             elements of a block there; a multiple of 32
 *   HELD_BLOCKS       blocks of each child that local memory has room for there; a power of two
 *   SAMPLE            elements of the sample that splitters are chosen from
 *   CHUNK_BYTES       of the part of a tile that tile_in_cache.cl finishes in the first-level cache
 * What is done with them:
 *   IN_ROWS           1 where the array is rows of `count` elements or fewer, each sorted by itself
 *   SEGMENT_BITS      32 or 64 where an array of such integers tells where each row begins and ends, else 0
 *   LEAVES            1 where rows are the leaves of a distribution: each has an end of its own, and indices are there
 *   SHORT_ROWS        1 where a tile is rows of a power of two of elements, each sorted by itself
 *   QUICKSORT         1 where a range is parted by pivots (quicksort.h); of the network there is what sorts tiles
 *   FIRST_ONLY        1 where only the heads of sorted runs are merged, for the first keys of the order
 *   TWO_RANGES        1 where two sorted ranges are merged, and the first tile may begin before the array (rows.h).
 *                     Compiled ahead, one program sorts, merges, and has FIRST_ONLY, too
 *   APART             1 where the pass reads the caller's arrays and writes others: a first pass, alone in its program
 *   TILES_ONLY        1 where a sort's program has no kernels that merge: that is APART or QUICKSORT, or all is done
 *   NAN_LAST          1 where numbers descend, but no NaN comes before one. Compiled ahead, it is decided at run time
 *   NUMBERS           what is combined, scanned or counted in bins, in kernel files that say so of it: INTEGER,
 *                     FLOATING, MIN_MAX, MIN_MAX_PLACE, BY_OPERATOR or BY_BOUNDS
 *   HAS_RUNS          1 where runs of keys are scanned, each by itself
 *   HAS_PREDICATE     1: the text in place of comparator.h says which records are wanted, and orders none
 *   HAS_OPERATOR      1: the text in place of comparator.h combines records, and orders none
 *   HAS_TRANSFORM     1: it also tells what pairs of them become, which are combined then
 *   COUNT_SYNC        1: work-groups count their hand-overs and barriers (sync_count.h)
 * What a kernel file says of itself, ahead of its includes:
 *   WALKS_IN_CACHE    1: a work-item walks its tile in the array, and pairs may stay packed there (packed.h)
 *   JOINS_WORDS       1: a key and a value or index of 32 bits each lie together in local memory
 *   HIDES_LATENCY     1: so many work-items are resident that products may take their time (compare_exchange.h)
 */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#define INTEGER 1
#define FLOATING 2
#define MIN_MAX 3
#define MIN_MAX_PLACE 4
#define BY_OPERATOR 5
#define BY_BOUNDS 6
#ifndef NUMBERS
#define NUMBERS 0
#endif
#ifndef HAS_RUNS
#define HAS_RUNS 0
#endif
#ifndef KEY_BITS
#define KEY_BITS 32
#endif
#ifndef RECORD_BYTES
#define RECORD_BYTES 0
#endif
#ifndef ANY_WIDTH
#define ANY_WIDTH 0
#endif
#ifndef VALUES_ARE_INDICES
#define VALUES_ARE_INDICES 0
#endif
#ifndef VALUE_BITS
#if ANY_WIDTH && !VALUES_ARE_INDICES
#define VALUE_BITS 128
#else
#define VALUE_BITS 0
#endif
#endif
#ifndef INDEX_BITS
#if ANY_WIDTH
#define INDEX_BITS 64
#elif RECORD_BYTES
#define INDEX_BITS 8
#else
#define INDEX_BITS 0
#endif
#endif
#ifndef POSITION_BITS
#define POSITION_BITS 32
#endif
#ifndef LANES
#define LANES 4
#endif
#ifndef VECTORS
#define VECTORS 1
#endif
#ifndef WORK_ITEMS
#define WORK_ITEMS 64
#endif
#ifndef TILES_PER_GROUP
#define TILES_PER_GROUP 1
#endif
#ifndef TILE_WORK_ITEMS
#define TILE_WORK_ITEMS (WORK_ITEMS / TILES_PER_GROUP)
#endif
#define ENDS_IN_TILE (TILES_PER_GROUP == 1 && WORK_ITEMS < TILE_WORK_ITEMS)
#ifndef REGISTER_VECTORS
#define REGISTER_VECTORS 2
#endif
#ifndef STEPS_PER_PASS
#define STEPS_PER_PASS 1
#endif
#ifndef RESIDENT_GROUPS
#define RESIDENT_GROUPS 1
#endif
#ifndef REMAP
#define REMAP 0
#endif
#ifndef BANK_SWAP
#define BANK_SWAP 0
#endif
#ifndef BANK_PADDING
#define BANK_PADDING 0
#endif
#ifndef COALESCED_STORE
#define COALESCED_STORE 0
#endif
#ifndef UNROLL_ROUNDS
#define UNROLL_ROUNDS 0
#endif
#ifndef COLUMN_BITS
#define COLUMN_BITS 0
#endif
#ifndef NAN_LAST
#define NAN_LAST 0
#endif
#ifndef BUCKET_BITS
#define BUCKET_BITS 6
#endif
#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef HELD_BLOCKS
#define HELD_BLOCKS 2
#endif
#ifndef SAMPLE
#define SAMPLE (16 << BUCKET_BITS)
#endif
#ifndef CHUNK_BYTES
#define CHUNK_BYTES 16384
#endif
#ifndef IN_ROWS
#define IN_ROWS 0
#endif
#ifndef SEGMENT_BITS
#define SEGMENT_BITS 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef SHORT_ROWS
#define SHORT_ROWS 0
#endif
#ifndef QUICKSORT
#define QUICKSORT 0
#endif
#ifndef FIRST_ONLY
#define FIRST_ONLY 0
#endif
#ifndef TWO_RANGES
#define TWO_RANGES 0
#endif
#ifndef APART
#define APART 0
#endif
#ifndef TILES_ONLY
#define TILES_ONLY 0
#endif
#ifndef HAS_PREDICATE
#define HAS_PREDICATE 0
#endif
#ifndef HAS_OPERATOR
#define HAS_OPERATOR 0
#endif
#ifndef HAS_TRANSFORM
#define HAS_TRANSFORM 0
#endif
#ifndef COUNT_SYNC
#define COUNT_SYNC 0
#endif
#ifndef WALKS_IN_CACHE
#define WALKS_IN_CACHE 0
#endif
#ifndef JOINS_WORDS
#define JOINS_WORDS 0
#endif
#ifndef HIDES_LATENCY
#define HIDES_LATENCY (WORK_ITEMS >= 256 || ENDS_IN_TILE)
#endif

/* In a template numbers are no literals. */
#ifndef RECORD_TYPE
#define IS_POWER_OF_TWO(x) ((x) > 0 && ((x) & ((x)-1)) == 0)
#define IS_SWITCH(x) ((x) == 0 || (x) == 1)

#if !RECORD_BYTES && KEY_BITS != 8 && KEY_BITS != 16 && KEY_BITS != 32 && KEY_BITS != 64
#error "KEY_BITS must be 8, 16, 32 or 64."
#endif
#if RECORD_BYTES < 0 || (RECORD_BYTES > 0 && LANES != 1)
#error "RECORD_BYTES must be 0 where LANES is not 1."
#endif
#if VALUE_BITS != 0 && VALUE_BITS != 8 && VALUE_BITS != 16 && VALUE_BITS != 32 && VALUE_BITS != 64 && VALUE_BITS != 128
#error "VALUE_BITS must be 0, 8, 16, 32, 64 or 128."
#endif
#if VALUE_BITS == 128 && LANES != 1
#error "VALUE_BITS must be at most 64 where LANES is not 1."
#endif
#if INDEX_BITS != 0 && INDEX_BITS != 32 && INDEX_BITS != 64 && !(INDEX_BITS == 8 && RECORD_BYTES) && !VALUES_ARE_INDICES
#error "INDEX_BITS must be 0, 32 or 64, or 8 for records."
#endif
#if POSITION_BITS != 32 && POSITION_BITS != 64
#error "POSITION_BITS must be 32 or 64."
#endif
#if !IS_POWER_OF_TWO(LANES) || LANES > 16
#error "LANES must be 1, 2, 4, 8 or 16."
#endif
#if !IS_POWER_OF_TWO(VECTORS)
#error "VECTORS must be a power of two."
#endif
#if !IS_POWER_OF_TWO(WORK_ITEMS) && !ENDS_IN_TILE
#error "WORK_ITEMS must be a power of two, unless it is less than TILE_WORK_ITEMS."
#endif
#if ENDS_IN_TILE && (WORK_ITEMS % 32 != 0 || TILE_WORK_ITEMS > 32 * REGISTER_VECTORS || REMAP || !COALESCED_STORE || \
                     LANES != 1 || RECORD_BYTES || !IN_ROWS || SEGMENT_BITS || !TILES_ONLY)
#error "WORK_ITEMS must be TILE_WORK_ITEMS, or of rows that end in a tile a multiple of 32."
#endif
#if !IS_POWER_OF_TWO(TILES_PER_GROUP)
#error "TILES_PER_GROUP must be a power of two."
#endif
#if TILE_WORK_ITEMS * TILES_PER_GROUP != WORK_ITEMS && !ENDS_IN_TILE && (TILE_WORK_ITEMS != 1 || TILES_PER_GROUP != 1)
#error "TILE_WORK_ITEMS must be WORK_ITEMS / TILES_PER_GROUP, or 1."
#endif
#if !IS_POWER_OF_TWO(REGISTER_VECTORS) || REGISTER_VECTORS < 2 || REGISTER_VECTORS > 2 * VECTORS
#error "REGISTER_VECTORS must be a power of two from 2 to twice VECTORS."
#endif
#if STEPS_PER_PASS < 1
#error "STEPS_PER_PASS must be at least 1."
#endif
#if RESIDENT_GROUPS < 1
#error "RESIDENT_GROUPS must be at least 1."
#endif
#if !IS_SWITCH(REMAP) || !IS_SWITCH(BANK_SWAP) || !IS_SWITCH(BANK_PADDING) || !IS_SWITCH(COALESCED_STORE) || \
    !IS_SWITCH(UNROLL_ROUNDS)
#error "REMAP, BANK_SWAP, BANK_PADDING, COALESCED_STORE and UNROLL_ROUNDS must be 0 or 1."
#endif
#if BANK_SWAP && !REMAP
#error "BANK_SWAP must be 0 where REMAP is 0."
#endif
#if BANK_PADDING && LANES != 1
#error "BANK_PADDING must be 0 where LANES is not 1."
#endif
#if COALESCED_STORE && TILE_WORK_ITEMS == 1
#error "COALESCED_STORE must be 0 where TILE_WORK_ITEMS is 1."
#endif
#if COLUMN_BITS < 0 || (COLUMN_BITS > 0 && (LANES != 1 || FIRST_ONLY || TWO_RANGES || SHORT_ROWS))
#error "COLUMN_BITS must be 0 where LANES is not 1 or FIRST_ONLY, TWO_RANGES or SHORT_ROWS is 1."
#endif
#if !IS_POWER_OF_TWO(CHUNK_BYTES)
#error "CHUNK_BYTES must be a power of two."
#endif
#if !IS_SWITCH(QUICKSORT) || !IS_SWITCH(IN_ROWS) || !IS_SWITCH(SHORT_ROWS) || !IS_SWITCH(FIRST_ONLY) ||   \
    !IS_SWITCH(TWO_RANGES) || !IS_SWITCH(APART) || !IS_SWITCH(TILES_ONLY) || !IS_SWITCH(HAS_PREDICATE) || \
    !IS_SWITCH(HAS_OPERATOR) || !IS_SWITCH(HAS_TRANSFORM) || !IS_SWITCH(COUNT_SYNC)
#error "A switch, from QUICKSORT to COUNT_SYNC, is neither 0 nor 1."
#endif
#if HAS_OPERATOR && !RECORD_BYTES
#error "HAS_OPERATOR must be 0 where RECORD_BYTES is 0."
#endif
#if HAS_TRANSFORM && !HAS_OPERATOR
#error "HAS_TRANSFORM must be 0 where HAS_OPERATOR is 0."
#endif
#if SEGMENT_BITS != 0 && ((SEGMENT_BITS != 32 && SEGMENT_BITS != 64) || !IN_ROWS)
#error "SEGMENT_BITS must be 0, or 32 or 64 where IN_ROWS is 1."
#endif
#if LEAVES && SEGMENT_BITS != 64
#error "LEAVES must be 0 where SEGMENT_BITS is not 64."
#endif
#if BUCKET_BITS < 3 || BUCKET_BITS > 8
#error "BUCKET_BITS must be 3 to 8."
#endif
#if BLOCK % 32 != 0
#error "BLOCK must be a multiple of 32."
#endif
#if SHORT_ROWS && (IN_ROWS || FIRST_ONLY)
#error "SHORT_ROWS must be 0 where IN_ROWS or FIRST_ONLY is 1."
#endif
#if TWO_RANGES && (IN_ROWS || SHORT_ROWS)
#error "TWO_RANGES must be 0 where IN_ROWS or SHORT_ROWS is 1."
#endif
#if TILES_ONLY && (TWO_RANGES || LEAVES)
#error "TILES_ONLY must be 0 where TWO_RANGES or LEAVES is 1."
#endif
#if APART && (TWO_RANGES || LEAVES)
#error "APART must be 0 where TWO_RANGES or LEAVES is 1."
#endif
#if WALKS_IN_CACHE && (WORK_ITEMS != 1 || REGISTER_VECTORS < LANES)
#error "In the cache WORK_ITEMS must be 1, and REGISTER_VECTORS at least LANES."
#endif
#endif

#endif
