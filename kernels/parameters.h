/* What a program is compiled for. The host defines it; the defaults let a file be compiled alone.
 *
 *   KEY_BITS          8, 16, 32 or 64
 *   RECORD_BYTES      of a record, in whose place KEY_BITS has no meaning, else 0; only with L = 1
 *   VALUE_BITS        8, 16, 32, 64 or 128 where values belong to the keys, else 0; 128 only with L = 1
 *   INDEX_BITS       32 or 64 where the elements are numbered, 8 for records that are not, else 0 (elements.h)
 *   POSITION_BITS        32 for fewer than 2^31 keys, else 64
 *   LANES             L, keys in a vector: 1, 2, 4, 8 or 16
 *   VECTORS           M, vectors in each of the two groups of a work-item's tile share
 *   WORK_ITEMS        ITEMS, work-items in a work-group
 *   IN_ROWS           1 where the array is rows of `count` elements or fewer, each sorted by itself
 *   SEGMENT_BITS      32 or 64 where an array of such integers tells where each row begins and ends, else 0
 *   SHORT_ROWS        1 where a tile is rows of a power of two of elements, each sorted by itself
 *   FIRST_ONLY             1 where only the heads of sorted runs are merged, for the first keys of the order
 *   TWO_RANGES             1 where two sorted ranges are merged, and the first tile may begin before the array (tile.h)
 *   TILES_PER_GROUP   tiles of one work-group, whose work-items they share out among them
 *   REGISTER_VECTORS  vectors that a work-item holds in registers at a time
 *   STEPS_PER_PASS    r, the most steps of a pass on rows
 *   RESIDENT_GROUPS   work-groups for which the compiler must leave registers on one multiprocessor, where it can be told
 */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#ifndef KEY_BITS
#define KEY_BITS 32
#endif
#ifndef RECORD_BYTES
#define RECORD_BYTES 0
#endif
#ifndef VALUE_BITS
#define VALUE_BITS 0
#endif
#ifndef INDEX_BITS
#if RECORD_BYTES
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
#ifndef IN_ROWS
#define IN_ROWS 0
#endif
#ifndef SEGMENT_BITS
#define SEGMENT_BITS 0
#endif
#ifndef SHORT_ROWS
#define SHORT_ROWS 0
#endif
#ifndef FIRST_ONLY
#define FIRST_ONLY 0
#endif
#ifndef TWO_RANGES
#define TWO_RANGES 0
#endif
#ifndef TILES_PER_GROUP
#define TILES_PER_GROUP 1
#endif
#ifndef REGISTER_VECTORS
#define REGISTER_VECTORS 2
#endif
#ifndef STEPS_PER_PASS
#define STEPS_PER_PASS 1
#endif
#ifndef RESIDENT_GROUPS
#define RESIDENT_GROUPS 1
#endif

#endif
