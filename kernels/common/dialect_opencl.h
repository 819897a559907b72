// SPDX-License-Identifier: MIT
/* The neutral names of the kernels, in OpenCL C 1.2. */
#ifndef DIALECT_OPENCL_H
#define DIALECT_OPENCL_H

/* Unsigned integers of so many bits, and the signed ones that compare vectors of them. */
#define UINT_0 uchar /* of what there is none: arguments have a type all the same */
#define UINT_8 uchar
#define UINT_16 ushort
#define UINT_32 uint
#define UINT_64 ulong
#define UINT_128 ulong2
#define TWICE_8 16
#define TWICE_16 32
#define TWICE_32 64
#define SINT_8 char
#define SINT_16 short
#define SINT_32 int
#define SINT_64 long

#if RECORD_BYTES
typedef PASTE(UINT_, RECORD_WORD_BITS) record_word_t;
typedef struct {
    record_word_t words[RECORD_WORDS];
} key_t;
#else
typedef PASTE(UINT_, KEY_BITS) key_t;
#endif
typedef PASTE(UINT_, VALUE_BITS) value_t;
typedef PASTE(UINT_, INDEX_BITS) index_t;
typedef PASTE(UINT_, SEGMENT_BITS) segment_t;
/* Values in the caller's array, and the argument that tells where that is. Processors sort where the values are, which
 * may be anywhere, and their instructions for 16 aligned bytes fault at other addresses. From LLVM 15 on an argument is
 * taken to be aligned as its type is, whatever the attribute says. */
#ifdef __NV_CL_C_VERSION
typedef value_t stored_value_t, value_argument_t;
#else
#if VALUE_BITS == 128
typedef value_t stored_value_t __attribute__((aligned(4)));
#else
typedef value_t stored_value_t;
#endif
typedef uchar value_argument_t;
#endif
typedef PASTE(UINT_, POSITION_BITS) position_t;
typedef ulong offset_t;

/* Whether the integers of a tile pass are one argument (pass_arguments.h). The host says 0 where a device does not gain
 * by it. */
#ifndef INTEGERS_IN_ONE
#define INTEGERS_IN_ONE 1
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
#define GLOBAL __global
#define LOCAL __local
#define CONSTANT __constant
#define INLINE static inline __attribute__((always_inline))
/* Of what a processor's kernel has in several places, or seldom needs, one copy: half of the time to compile. */
#if defined(__clang__) && WALKS_IN_CACHE
#define OUTLINED static __attribute__((noinline))
#else
#define OUTLINED INLINE
#endif
#define FORGET(pointer) ((void)0)
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
/* get_num_groups may be a division where groups need not be of one size. */
#define GROUPS ((position_t)(get_global_size(0) / WORK_ITEMS))
#define GROUP_ID ((position_t)get_group_id(0))
#define LOCAL_ID ((uint)get_local_id(0))
/* A key that one work-item read from the array another one may write there, so the array is fenced, too. One work-item
 * waits for nobody, and PoCL 6 ends the process on some kernels that have barriers for it. */
#if WORK_ITEMS == 1
#define BARRIER() ((void)0)
#else
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define TILE_BARRIER() BARRIER()
/* A queue launches a kernel when the one ahead of it has ended. */
#define AWAIT_LAST_LAUNCH()
/* PoCL (3.1) gives every thread local arrays of its own, but knows of them in kernels alone. So where functions are
 * called with an array, LLVM is not to learn that it is always the same: it would put its address there. A quicksort,
 * whose tiles are small, calls none: it would take up to a quarter longer. */
#if WALKS_IN_CACHE && !QUICKSORT && defined(__clang__) && defined(__x86_64__)
#define CALLS_WITH_LOCAL 1
#define DECLARE_LOCAL(type, name, size, bytes_before) \
    __local type name##_array[size];                  \
    __local type* name = name##_array;                \
    __asm__("" : "+r"(name))
#else
#define DECLARE_LOCAL(type, name, size, bytes_before) __local type name[size]
#endif
#define ATOMIC_ADD(address, value) atomic_add(address, value)
/* What several work-groups may write at a time, but no other value. */
#define WRITE_THE_SAME(address, value) (*(volatile GLOBAL ulong*)(address) = (value))
#define COUNT_BITS(bits) popcount(bits)
#ifdef __clang__
/* Of one vector as another; and what is asked for ahead. (The compiler's own function wants no address of OpenCL's.) */
#define BITS_AS(type, v) __builtin_astype(v, type)
#define PREFETCH(address) __builtin_prefetch((const void*)(size_t)(address))
#endif
/* Whether both ways of a branch that all work-items take alike may have barriers. PoCL 3.1 compiles them to code that
 * writes beyond the end of the array. */
#ifdef __NV_CL_C_VERSION
#define BARRIERS_IN_BRANCHES 1
/* For compare_exchange.h: a 1 that the compiler does not know. */
#define ONE_OF_LAUNCH ((uint)get_global_size(1))
#define HAS_WARPS 1
#define WARP_BARRIER() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define BARRIERS_IN_BRANCHES 0
#define HAS_WARPS 0
#define WARP_BARRIER() BARRIER()
#endif
/* lg of the work-items of a warp. Devices without warps have neighbouring elements in as many work-items. */
#define WARP_BITS 5
/* Slower under NVIDIA's OpenCL than maxima (docs/decisions.md#nvidias-opencl). */
#define MAXIMA_BY_PRODUCTS 0
#define DECIDES_AT_RUN_TIME 0

/* A key and the value or index that decides between equal ones are one integer in registers, where they have as many
 * bits (packed.h). */
#if defined(__clang__) && WALKS_IN_CACHE && LANES >= 4 && RECORD_BYTES == 0 && KEY_BITS <= 32 && \
    VALUE_BITS + INDEX_BITS == KEY_BITS && (VALUE_BITS == 0 || INDEX_BITS == 0)
#define PACKED 1
#define REGISTER_KEY_BITS PASTE(TWICE_, KEY_BITS)
typedef PASTE(UINT_, REGISTER_KEY_BITS) register_key_t;
#else
#define PACKED 0
#define REGISTER_KEY_BITS KEY_BITS
typedef key_t register_key_t;
#endif

/* A vector of which each lane is that scalar. */
#define BROADCAST(type, scalar) ((type)(scalar))

#if LANES == 1
typedef key_t vec_t;
typedef value_t value_vec_t;
typedef index_t index_vec_t;
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#if HAS_PAIRS
/* Structures rather than vectors, whose parts Oclgrind stores after a whole of undefined bytes. */
#define PAIR_OF(bits)                                                 \
    struct {                                                          \
        PASTE(UINT_, bits) first, second;                             \
    } __attribute__((aligned(2 * sizeof(PASTE(UINT_, bits)))))
typedef PAIR_OF(KEY_BITS) key_pair_t;
typedef PAIR_OF(VALUE_BITS) value_pair_t;
typedef PAIR_OF(INDEX_BITS) index_pair_t;
#define MAKE_PAIR(pair_t, a, b) ((pair_t){a, b})
#endif
#else
#define UINTS_OF(bits) PASTE(PASTE(UINT_, bits), LANES)
#define SINTS_OF(bits) PASTE(PASTE(SINT_, bits), LANES)
typedef UINTS_OF(REGISTER_KEY_BITS) vec_t;
typedef UINTS_OF(VALUE_BITS) value_vec_t;
typedef UINTS_OF(INDEX_BITS) index_vec_t;
#define LOAD_VECTOR(address) PASTE(vload, LANES)(0, address)
#define STORE_VECTOR(value, address) PASTE(vstore, LANES)(value, 0, address)
#endif

/* The same for addresses in the array, and stores to local memory. PoCL's vstore of 16 keys is three instructions; a
 * type that may lie at any key takes one. */
#if LANES > 1 && defined(__clang__)
typedef vec_t unaligned_vec_t __attribute__((aligned(REGISTER_KEY_BITS / 8)));
#if PACKED
typedef UINTS_OF(KEY_BITS) key_vec_t;
typedef key_vec_t unaligned_key_vec_t __attribute__((aligned(KEY_BITS / 8)));
#define TO_REGISTER_KEYS(keys) PASTE(convert_, UINTS_OF(REGISTER_KEY_BITS))(keys)
#define TO_KEYS(register_keys) PASTE(convert_, UINTS_OF(KEY_BITS))(register_keys)
#endif
#if VALUE_BITS
typedef value_vec_t unaligned_value_vec_t __attribute__((aligned(VALUE_BITS / 8)));
#endif
#if INDEX_BITS
typedef index_vec_t unaligned_index_vec_t __attribute__((aligned(INDEX_BITS / 8)));
#endif
#define LOAD_GLOBAL_VECTOR(type, address) (*(__global const unaligned_##type*)(address))
#define STORE_GLOBAL_VECTOR(type, value, address) (*(__global unaligned_##type*)(address) = (value))
#else
#define LOAD_GLOBAL_VECTOR(type, address) LOAD_VECTOR(address)
#define STORE_GLOBAL_VECTOR(type, value, address) STORE_VECTOR(value, address)
#endif
#if LANES > 1 && defined(__clang__) && WALKS_IN_CACHE
#define STORE_LOCAL_VECTOR(type, value, address) (*(LOCAL unaligned_##type*)(address) = (value))
#else
#define STORE_LOCAL_VECTOR(type, value, address) STORE_VECTOR(value, address)
#endif

/* Values as unsigned integers: their order decides between equal keys. */
#if VALUE_BITS == 128
#define LARGEST_VALUE ((value_t)(~0ul))
#define SMALLEST_VALUE ((value_t)(0ul))
#define VALUE_LESS(a, b) (((a).y < (b).y) | (((a).y == (b).y) & ((a).x < (b).x)))
#else
#define LARGEST_VALUE BROADCAST(value_vec_t, (value_t)~(value_t)0)
#define SMALLEST_VALUE BROADCAST(value_vec_t, 0)
#define VALUE_LESS(a, b) ((a) < (b))
#endif

/* Comparisons of vectors. COUNT_LANES(first): lane l is first + l. */
#if LANES == 1
#define COUNT_LANES(first) (first)
#else
#if LANES == 2
#define LANE_NUMBERS ((index_vec_t)(0, 1))
#elif LANES == 4
#define LANE_NUMBERS ((index_vec_t)(0, 1, 2, 3))
#elif LANES == 8
#define LANE_NUMBERS ((index_vec_t)(0, 1, 2, 3, 4, 5, 6, 7))
#elif LANES == 16
#define LANE_NUMBERS ((index_vec_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#define COUNT_LANES(first) (BROADCAST(index_vec_t, first) + LANE_NUMBERS)
#define ANY_LANE_LESS(a, b) any((a) < (b))
#if VALUE_BITS || INDEX_BITS
typedef SINTS_OF(KEY_BITS) key_mask_t;
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define SELECT(a, b, mask) select(a, b, mask)
#define TO_KEY_MASK(mask) PASTE(convert_, SINTS_OF(KEY_BITS))(mask)
#if VALUE_BITS
typedef SINTS_OF(VALUE_BITS) value_mask_t;
#define TO_VALUE_MASK(mask) PASTE(convert_, SINTS_OF(VALUE_BITS))(mask)
#endif
#if INDEX_BITS
typedef SINTS_OF(INDEX_BITS) index_mask_t;
#define TO_INDEX_MASK(mask) PASTE(convert_, SINTS_OF(INDEX_BITS))(mask)
#endif
#endif
#endif

#if PACKED
/* AVX2 compares 64-bit integers as signed ones only. */
#define AS_SIGNED(v) PASTE(as_, SINTS_OF(REGISTER_KEY_BITS))(v)
#define AS_UNSIGNED(v) PASTE(as_, UINTS_OF(REGISTER_KEY_BITS))(v)
#define MIN(a, b) AS_UNSIGNED(min(AS_SIGNED(a), AS_SIGNED(b)))
#define MAX(a, b) AS_UNSIGNED(max(AS_SIGNED(a), AS_SIGNED(b)))
#else
#define MIN(a, b) min(a, b)
#define MAX(a, b) max(a, b)
#endif

#include "common/lanes_opencl.h"

#endif
