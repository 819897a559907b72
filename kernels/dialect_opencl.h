/* The neutral names of the kernels, in OpenCL C 1.2. */
#ifndef DIALECT_OPENCL_H
#define DIALECT_OPENCL_H

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#if KEY_BITS == 8
typedef uchar key_t;
#define VECTOR_OF(lanes) PASTE(uchar, lanes)
#elif KEY_BITS == 16
typedef ushort key_t;
#define VECTOR_OF(lanes) PASTE(ushort, lanes)
#elif KEY_BITS == 32
typedef uint key_t;
#define VECTOR_OF(lanes) PASTE(uint, lanes)
#else
typedef ulong key_t;
#define VECTOR_OF(lanes) PASTE(ulong, lanes)
#endif

#if INDEX_BITS == 32
typedef uint index_t;
#else
typedef ulong index_t;
#endif
typedef ulong offset_t;

#define KERNEL __kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
#define GLOBAL __global
#define LOCAL __local
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#define GROUP_ID ((index_t)get_group_id(0))
#define LOCAL_ID ((uint)get_local_id(0))
#define GLOBAL_ID ((index_t)get_global_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define DECLARE_LOCAL(type, name, size) __local type name[size]
#define ATOMIC_ADD(address, value) atomic_add(address, value)

#if LANES == 1
typedef key_t vec_t;
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#else
typedef VECTOR_OF(LANES) vec_t;
#define LOAD_VECTOR(address) PASTE(vload, LANES)(0, address)
#define STORE_VECTOR(value, address) PASTE(vstore, LANES)(value, 0, address)
#endif

#define MIN(a, b) min(a, b)
#define MAX(a, b) max(a, b)

/* MIRROR_LANES(v): all lanes reversed.
 * SWAP_LANES_h(v): lane l takes lane l ^ h.  MIRROR_LANES_w(v): lane l takes lane l ^ (w - 1).
 * BLEND_h(low, high): lanes without bit h from low, lanes with it from high.
 * Swizzles rather than shuffle(): they are constant by grammar, so every compiler makes one instruction of them. */
#if LANES == 1
#define MIRROR_LANES(v) (v)
#elif LANES == 2
#define SWAP_LANES_1(v) ((v).s10)
#define MIRROR_LANES(v) SWAP_LANES_1(v)
#elif LANES == 4
#define SWAP_LANES_1(v) ((v).s1032)
#define SWAP_LANES_2(v) ((v).s2301)
#define MIRROR_LANES_4(v) ((v).s3210)
#define MIRROR_LANES(v) MIRROR_LANES_4(v)
#elif LANES == 8
#define SWAP_LANES_1(v) ((v).s10325476)
#define SWAP_LANES_2(v) ((v).s23016745)
#define SWAP_LANES_4(v) ((v).s45670123)
#define MIRROR_LANES_4(v) ((v).s32107654)
#define MIRROR_LANES_8(v) ((v).s76543210)
#define MIRROR_LANES(v) MIRROR_LANES_8(v)
#elif LANES == 16
#define SWAP_LANES_1(v) ((v).s1032547698badcfe)
#define SWAP_LANES_2(v) ((v).s23016745ab89efcd)
#define SWAP_LANES_4(v) ((v).s45670123cdef89ab)
#define SWAP_LANES_8(v) ((v).s89abcdef01234567)
#define MIRROR_LANES_4(v) ((v).s32107654ba98fedc)
#define MIRROR_LANES_8(v) ((v).s76543210fedcba98)
#define MIRROR_LANES_16(v) ((v).sfedcba9876543210)
#define MIRROR_LANES(v) MIRROR_LANES_16(v)
#endif

#if LANES == 2
#define BLEND_1(low, high) ((vec_t)((low).s0, (high).s1))
#elif LANES == 4
#define BLEND_1(low, high) ((vec_t)((low).s0, (high).s1, (low).s2, (high).s3))
#define BLEND_2(low, high) ((vec_t)((low).s01, (high).s23))
#elif LANES == 8
#define BLEND_1(low, high) ((vec_t)((low).s0, (high).s1, (low).s2, (high).s3, (low).s4, (high).s5, (low).s6, (high).s7))
#define BLEND_2(low, high) ((vec_t)((low).s01, (high).s23, (low).s45, (high).s67))
#define BLEND_4(low, high) ((vec_t)((low).s0123, (high).s4567))
#elif LANES == 16
#define BLEND_1(low, high) \
    ((vec_t)((low).s0, (high).s1, (low).s2, (high).s3, (low).s4, (high).s5, (low).s6, (high).s7, \
             (low).s8, (high).s9, (low).sa, (high).sb, (low).sc, (high).sd, (low).se, (high).sf))
#define BLEND_2(low, high) \
    ((vec_t)((low).s01, (high).s23, (low).s45, (high).s67, (low).s89, (high).sab, (low).scd, (high).sef))
#define BLEND_4(low, high) ((vec_t)((low).s0123, (high).s4567, (low).s89ab, (high).scdef))
#define BLEND_8(low, high) ((vec_t)((low).s01234567, (high).s89abcdef))
#endif

#endif
