// SPDX-License-Identifier: MIT
/* The names that every kernel file is written in, so that one text serves every device language.
 *
 * The caller's text comes first, so that none of our macros can change it.
 */
#ifndef DIALECT_H
#define DIALECT_H

#ifdef __cplusplus
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
#endif
#ifdef __CUDACC_RTC__
typedef unsigned long long ulong;
#elif defined(__cplusplus)
typedef unsigned long ulong;
#endif

#include "common/comparator.h"
#include "common/parameters.h"

/* A record is moved as integers, so that all of its bytes are. */
#if RECORD_BYTES
#ifdef RECORD_TYPE
#define RECORD_WORD_BITS \
    (sizeof(RECORD_TYPE) % 8 == 0 ? 64 : sizeof(RECORD_TYPE) % 4 == 0 ? 32 : sizeof(RECORD_TYPE) % 2 == 0 ? 16 : 8)
#elif RECORD_BYTES % 8 == 0
#define RECORD_WORD_BITS 64
#elif RECORD_BYTES % 4 == 0
#define RECORD_WORD_BITS 32
#elif RECORD_BYTES % 2 == 0
#define RECORD_WORD_BITS 16
#else
#define RECORD_WORD_BITS 8
#endif
#ifdef RECORD_TYPE
#define KEY_BYTES sizeof(RECORD_TYPE)
#else
#define KEY_BYTES RECORD_BYTES
#endif
#define RECORD_WORDS (KEY_BYTES * 8 / RECORD_WORD_BITS)
#else
#define KEY_BYTES (KEY_BITS / 8)
#endif

/* Two neighbouring scalars have a type of twice the size that a device loads and stores at once. */
#define HAS_PAIRS (LANES == 1 && RECORD_BYTES == 0 && VALUE_BITS <= 64)

/* In local memory the two words of an element lie together, as one access moves both
 * (docs/decisions.md#local-memory). */
#define WHOLE_IN_LOCAL \
    (JOINS_WORDS && LANES == 1 && RECORD_BYTES == 0 && KEY_BITS == 32 && VALUE_BITS + INDEX_BITS == 32)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#ifdef __CUDACC_RTC__
#include "common/dialect_cuda.h"
#elif defined(__cplusplus)
#include "common/dialect_cpp.h"
#else
#include "common/dialect_opencl.h"
#endif

/* In registers a narrow key by itself takes a word: GPUs compare words, and would mask each result. */
#if LANES == 1 && RECORD_BYTES == 0 && KEY_BITS < 32 && !DECIDES_AT_RUN_TIME
typedef uint held_key_t;
#else
typedef vec_t held_key_t;
#endif
#ifndef HELD_KEY
#define HELD_KEY(key) (key)
#endif

/* Where keys, values and indices are, of an argument of a kernel, and whether they are anywhere. */
#ifndef KEYS_AT
#define KEYS_AT(array, offset) ((array) + (offset))
#endif
#if !ANY_WIDTH
#if VALUES_ARE_INDICES
typedef GLOBAL index_t* values_t;
#elif VALUE_BITS
typedef GLOBAL stored_value_t* values_t;
#endif
typedef GLOBAL index_t* indices_t;
#define VALUES_AT(array) ((values_t)(array))
#define COPY_VALUE(from, to) STORE_GLOBAL_VECTOR(value_vec_t, LOAD_GLOBAL_VECTOR(value_vec_t, from), to)
#define INDICES_AT(array) (array)
#define IS_THERE(array) 1
#define INDEX_AT(array, i) (array)[i]
#define SET_INDEX_AT(array, i, index) ((array)[i] = (index))
#endif

/* Of a constant power of two up to 2^23. */
#define LOG2(x) \
    ((x) >= 1u << 16 ? 16 + LOG2_BELOW_8((x) >> 16) : (x) >= 1u << 8 ? 8 + LOG2_BELOW_8((x) >> 8) : LOG2_BELOW_8(x))
#define LOG2_BELOW_8(x) \
    ((x) < 2 ? 0 : (x) < 4 ? 1 : (x) < 8 ? 2 : (x) < 16 ? 3 : (x) < 32 ? 4 : (x) < 64 ? 5 : (x) < 128 ? 6 : 7)

#endif
