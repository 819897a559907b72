/* The neutral names of the kernels, in CUDA C++ for NVRTC. See dialect_opencl.h for the parameters. */
#ifndef DIALECT_CUDA_H
#define DIALECT_CUDA_H

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;

#if KEY_BITS == 8
typedef uchar key_t;
#elif KEY_BITS == 16
typedef ushort key_t;
#elif KEY_BITS == 32
typedef uint key_t;
#else
typedef ulong key_t;
#endif

#if INDEX_BITS == 32
typedef uint index_t;
#else
typedef ulong index_t;
#endif
typedef ulong offset_t;

/* The numbers of groups were measured on sm_90. Code for others takes a few more registers and would spill. */
#if __CUDA_ARCH__ == 900 || RESIDENT_GROUPS == 1
#define GROUPS_IN_REGISTERS RESIDENT_GROUPS
#else
#define GROUPS_IN_REGISTERS (RESIDENT_GROUPS * 2 / 3)
#endif
#define KERNEL extern "C" __global__ __launch_bounds__(WORK_ITEMS, GROUPS_IN_REGISTERS)
#define GLOBAL
#define LOCAL
#define INLINE static __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define GROUP_ID ((index_t)blockIdx.x)
#define LOCAL_ID (threadIdx.x)
#define GLOBAL_ID ((index_t)blockIdx.x * WORK_ITEMS + threadIdx.x)
#define BARRIER() __syncthreads()
/* Dynamic, so that a tile may exceed the 48 KB of static shared memory; the host gives the size. */
#define DECLARE_LOCAL(type, name, size)                          \
    extern __shared__ __align__(16) unsigned char local_bytes[]; \
    type* name = reinterpret_cast<type*>(local_bytes)
#define ATOMIC_ADD(address, value) atomicAdd(address, value)

#if LANES == 1
typedef key_t vec_t;
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#define MIRROR_LANES(v) (v)
INLINE vec_t MIN(vec_t a, vec_t b) { return b < a ? b : a; }
INLINE vec_t MAX(vec_t a, vec_t b) { return b < a ? a : b; }
#else
/* OpenCL's vector, as far as the kernels use it. */
struct vec_t {
    key_t lane[LANES];
    vec_t() = default;
    __device__ __forceinline__ vec_t(key_t every_lane) {
        UNROLL for (uint l = 0; l < LANES; ++l) lane[l] = every_lane;
    }
};

#define LANEWISE(expression)                                          \
    {                                                                 \
        vec_t result;                                                 \
        UNROLL for (uint l = 0; l < LANES; ++l) result.lane[l] = (key_t)(expression); \
        return result;                                                \
    }
INLINE vec_t operator^(vec_t a, vec_t b) LANEWISE(a.lane[l] ^ b.lane[l])
INLINE vec_t operator|(vec_t a, vec_t b) LANEWISE(a.lane[l] | b.lane[l])
INLINE vec_t operator+(vec_t a, vec_t b) LANEWISE(a.lane[l] + b.lane[l])
INLINE vec_t operator-(vec_t a, vec_t b) LANEWISE(a.lane[l] - b.lane[l])
INLINE vec_t operator>>(vec_t a, int bits) LANEWISE(a.lane[l] >> bits)
INLINE vec_t& operator^=(vec_t& a, vec_t b) { return a = a ^ b; }
INLINE vec_t MIN(vec_t a, vec_t b) LANEWISE(b.lane[l] < a.lane[l] ? b.lane[l] : a.lane[l])
INLINE vec_t MAX(vec_t a, vec_t b) LANEWISE(b.lane[l] < a.lane[l] ? a.lane[l] : b.lane[l])

INLINE vec_t load_vector(const key_t* address) LANEWISE(address[l])
INLINE void store_vector(vec_t value, key_t* address) {
    UNROLL for (uint l = 0; l < LANES; ++l) address[l] = value.lane[l];
}
#define LOAD_VECTOR(address) load_vector(address)
#define STORE_VECTOR(value, address) store_vector(value, address)

/* Lane l takes lane l ^ mask. */
INLINE vec_t permuted(vec_t v, uint mask) LANEWISE(v.lane[l ^ mask])
INLINE vec_t blended(vec_t low, vec_t high, uint bit) LANEWISE(l & bit ? high.lane[l] : low.lane[l])
#define SWAP_LANES_1(v) permuted(v, 1)
#define SWAP_LANES_2(v) permuted(v, 2)
#define SWAP_LANES_4(v) permuted(v, 4)
#define SWAP_LANES_8(v) permuted(v, 8)
#define MIRROR_LANES_4(v) permuted(v, 3)
#define MIRROR_LANES_8(v) permuted(v, 7)
#define MIRROR_LANES_16(v) permuted(v, 15)
#define MIRROR_LANES(v) permuted(v, LANES - 1)
#define BLEND_1(low, high) blended(low, high, 1)
#define BLEND_2(low, high) blended(low, high, 2)
#define BLEND_4(low, high) blended(low, high, 4)
#define BLEND_8(low, high) blended(low, high, 8)

INLINE vec_t low_lanes(vec_t a, vec_t b, uint bit) LANEWISE(l & bit ? b.lane[l ^ bit] : a.lane[l])
INLINE vec_t high_lanes(vec_t a, vec_t b, uint bit) LANEWISE(l & bit ? b.lane[l] : a.lane[l ^ bit])
#define LOW_LANES_1(a, b) low_lanes(a, b, 1)
#define LOW_LANES_2(a, b) low_lanes(a, b, 2)
#define LOW_LANES_4(a, b) low_lanes(a, b, 4)
#define LOW_LANES_8(a, b) low_lanes(a, b, 8)
#define HIGH_LANES_1(a, b) high_lanes(a, b, 1)
#define HIGH_LANES_2(a, b) high_lanes(a, b, 2)
#define HIGH_LANES_4(a, b) high_lanes(a, b, 4)
#define HIGH_LANES_8(a, b) high_lanes(a, b, 8)
#endif

#define LOAD_GLOBAL_VECTOR(address) LOAD_VECTOR(address)
#define STORE_GLOBAL_VECTOR(value, address) STORE_VECTOR(value, address)

#endif
