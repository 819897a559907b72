/* The names that every kernel file is written in, so that one text serves every device language.
 *
 * Parameters (defined by the host, the defaults let a file be compiled alone):
 *   KEY_BITS          8, 16, 32 or 64
 *   RECORD_BYTES      of a record, in whose place KEY_BITS has no meaning, else 0; only with L = 1
 *   VALUE_BITS        8, 16, 32, 64 or 128 where values belong to the keys, else 0; 128 only with L = 1
 *   NUMBER_BITS       32 or 64 where the elements are numbered, 8 for records that are not, else 0 (elements.h)
 *   INDEX_BITS        32 for fewer than 2^31 keys, else 64
 *   LANES             L, keys in a vector: 1, 2, 4, 8 or 16
 *   VECTORS           M, vectors in each of the two groups of a work-item's tile share
 *   WORK_ITEMS        ITEMS, work-items in a work-group
 *   IN_ROWS           1 where the array is rows of `count` elements or fewer, each sorted by itself
 *   SEGMENT_BITS      32 or 64 where an array of such integers tells where each row begins and ends, else 0
 *   SHORT_ROWS        1 where a tile is rows of a power of two of elements, each sorted by itself
 *   HEADS             1 where only the heads of sorted runs are merged, for the first keys of the order
 *   TILES_PER_GROUP   tiles of one work-group, whose work-items they share out among them
 *   REGISTER_VECTORS  vectors that a work-item holds in registers at a time
 *   STEPS_PER_PASS    r, the most steps of a pass on rows
 *   RESIDENT_GROUPS   work-groups for which the compiler must leave registers on one multiprocessor, where it can be told
 */
#ifndef DIALECT_H
#define DIALECT_H

#ifndef KEY_BITS
#define KEY_BITS 32
#endif
#ifndef RECORD_BYTES
#define RECORD_BYTES 0
#endif
#ifndef VALUE_BITS
#define VALUE_BITS 0
#endif
#ifndef NUMBER_BITS
#define NUMBER_BITS (RECORD_BYTES ? 8 : 0)
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
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
#ifndef HEADS
#define HEADS 0
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

/* A record is moved as integers, so that all of its bytes are. */
#if RECORD_BYTES
#if RECORD_BYTES % 8 == 0
#define RECORD_WORD_BITS 64
#elif RECORD_BYTES % 4 == 0
#define RECORD_WORD_BITS 32
#elif RECORD_BYTES % 2 == 0
#define RECORD_WORD_BITS 16
#else
#define RECORD_WORD_BITS 8
#endif
#define RECORD_WORDS (RECORD_BYTES * 8 / RECORD_WORD_BITS)
#define KEY_BYTES RECORD_BYTES
#else
#define KEY_BYTES (KEY_BITS / 8)
#endif

#ifdef __CUDACC_RTC__
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;
#endif

/* The caller's text comes first, so that none of our names can change it. */
#if RECORD_BYTES
#include "comparator.h"
#endif

#ifdef __CUDACC_RTC__
#include "dialect_cuda.h"
#else
#include "dialect_opencl.h"
#endif

/* Of a constant power of two up to 2^23. */
#define LOG2(x) \
    ((x) >= 1u << 16 ? 16 + LOG2_BELOW_8((x) >> 16) : (x) >= 1u << 8 ? 8 + LOG2_BELOW_8((x) >> 8) : LOG2_BELOW_8(x))
#define LOG2_BELOW_8(x) \
    ((x) < 2 ? 0 : (x) < 4 ? 1 : (x) < 8 ? 2 : (x) < 16 ? 3 : (x) < 32 ? 4 : (x) < 64 ? 5 : (x) < 128 ? 6 : 7)

#endif
