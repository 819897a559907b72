// SPDX-License-Identifier: MIT
/* The neutral names of the kernels, in CUDA C++ for NVRTC. See dialect_opencl.h for the parameters. */
#ifndef DIALECT_CUDA_H
#define DIALECT_CUDA_H

struct __align__(16) uint128 {
    ulong x, y;
};

template <int bits>
struct unsigned_of;
template <>
struct unsigned_of<0> { using type = uchar; };  /* of what there is none: arguments have a type all the same */
template <>
struct unsigned_of<8> { using type = uchar; };
template <>
struct unsigned_of<16> { using type = ushort; };
template <>
struct unsigned_of<32> { using type = uint; };
template <>
struct unsigned_of<64> { using type = ulong; };
template <>
struct unsigned_of<128> { using type = uint128; };

#if RECORD_BYTES
using record_word_t = unsigned_of<RECORD_WORD_BITS>::type;
struct __align__(RECORD_BYTES % 16 == 0 ? 16 : RECORD_WORD_BITS / 8) key_t {
    record_word_t words[RECORD_WORDS];
};
#else
using key_t = unsigned_of<KEY_BITS>::type;
#endif
using value_t = unsigned_of<VALUE_BITS>::type;
typedef value_t stored_value_t, value_argument_t;
using index_t = unsigned_of<INDEX_BITS>::type;
using segment_t = unsigned_of<SEGMENT_BITS>::type;
using position_t = unsigned_of<POSITION_BITS>::type;
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
#define OUTLINED INLINE
#define FORGET(pointer) ((void)0)
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define GROUPS ((position_t)gridDim.x)
#define GROUP_ID ((position_t)blockIdx.x)
#define LOCAL_ID (threadIdx.x)
#define BARRIER() __syncthreads()
/* Of the work-items that share a tile. Those of a warp need not wait for the other tiles of their group. */
#define TILE_BARRIER() (TILE_WORK_ITEMS <= 32 ? __syncwarp() : __syncthreads())
#define HAS_WARPS 1
#define WARP_BITS 5
#define WARP_BARRIER() __syncwarp()
/* A kernel that is launched before the one ahead of it has ended reads and writes nothing before this. Those without it
 * are never launched so. */
#if __CUDA_ARCH__ >= 900
#define AWAIT_LAST_LAUNCH() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define AWAIT_LAST_LAUNCH()
#endif
/* Dynamic, so that a tile may exceed the 48 KB of static shared memory; the host gives the size. */
#define DECLARE_LOCAL(type, name, size, bytes_before)            \
    extern __shared__ __align__(16) unsigned char local_bytes[]; \
    type* name = reinterpret_cast<type*>(local_bytes + (bytes_before))
#define ATOMIC_ADD(address, value) atomicAdd(address, value)
#define COUNT_BITS(bits) __popc(bits)
#define BARRIERS_IN_BRANCHES 1
#if RECORD_BYTES == 0 && KEY_BITS < 32
/* The compiler is not to know that a key is narrow: it would compare it as such, and mask each result. */
INLINE uint held_key(uint key) {
    asm("" : "+r"(key));
    return key;
}
#if LANES == 1
#define HELD_KEY(key) held_key(key)
#endif
/* Nor how an address is made: it would add up array, offset and position anew for each key, and hold a tile's sums in
 * twice the registers. */
INLINE key_t* keys_at(key_t* array, offset_t offset) {
    size_t address = __cvta_generic_to_global(array + offset);
    asm("" : "+l"(address));
    return (key_t*)__cvta_global_to_generic(address);
}
#define KEYS_AT(array, offset) keys_at(array, offset)
#endif
/* For compare_exchange.h: a 1 that the compiler does not know, and whether maxima are sums less minima. */
#define ONE_OF_LAUNCH gridDim.y
#define MAXIMA_BY_PRODUCTS 1
#define DECIDES_AT_RUN_TIME 0

/* Lanes are elements of an array there, and a pair of integers gains nothing as one of twice the bits. */
#define PACKED 0
#define REGISTER_KEY_BITS KEY_BITS
typedef key_t register_key_t;

#define BROADCAST(type, scalar) ((type)(scalar))

#if LANES == 1
typedef key_t vec_t;
typedef value_t value_vec_t;
typedef index_t index_vec_t;
#if HAS_PAIRS
template <class T>
struct __align__(2 * sizeof(T)) pair {
    typedef T scalar;
    T first, second;
};
typedef pair<key_t> key_pair_t;
typedef pair<value_t> value_pair_t;
typedef pair<index_t> index_pair_t;
#define MAKE_PAIR(pair_t, a, b) (pair_t{(pair_t::scalar)(a), (pair_t::scalar)(b)})
#endif
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#define MIRROR_LANES(v) (v)
#define COUNT_LANES(first) (first)
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) < (a) ? (a) : (b))
#else
/* OpenCL's vectors, as far as the kernels use them. */
template <class T>
struct vector {
    T lane[LANES];
    vector() = default;
    __device__ __forceinline__ vector(T every_lane) {
        UNROLL for (uint l = 0; l < LANES; ++l) lane[l] = every_lane;
    }
};
typedef vector<key_t> vec_t;

#define LANEWISE(T, expression)                                                  \
    {                                                                            \
        vector<T> result;                                                     \
        UNROLL for (uint l = 0; l < LANES; ++l) result.lane[l] = (T)(expression); \
        return result;                                                           \
    }
INLINE vec_t operator^(vec_t a, vec_t b) LANEWISE(key_t, a.lane[l] ^ b.lane[l])
INLINE vec_t operator|(vec_t a, vec_t b) LANEWISE(key_t, a.lane[l] | b.lane[l])
INLINE vec_t operator+(vec_t a, vec_t b) LANEWISE(key_t, a.lane[l] + b.lane[l])
INLINE vec_t operator-(vec_t a, vec_t b) LANEWISE(key_t, a.lane[l] - b.lane[l])
INLINE vec_t operator>>(vec_t a, int bits) LANEWISE(key_t, a.lane[l] >> bits)
INLINE vec_t& operator^=(vec_t& a, vec_t b) { return a = a ^ b; }
INLINE vec_t MIN(vec_t a, vec_t b) LANEWISE(key_t, b.lane[l] < a.lane[l] ? b.lane[l] : a.lane[l])
INLINE vec_t MAX(vec_t a, vec_t b) LANEWISE(key_t, b.lane[l] < a.lane[l] ? a.lane[l] : b.lane[l])

template <class T>
INLINE vector<T> load_vector(const T* address) LANEWISE(T, address[l])
template <class T>
INLINE void store_vector(vector<T> value, T* address) {
    UNROLL for (uint l = 0; l < LANES; ++l) address[l] = value.lane[l];
}
#define LOAD_VECTOR(address) load_vector(address)
#define STORE_VECTOR(value, address) store_vector(value, address)

typedef vector<value_t> value_vec_t;
typedef vector<index_t> index_vec_t;
typedef vector<bool> key_mask_t;
typedef key_mask_t value_mask_t;
typedef key_mask_t index_mask_t;
template <class T>
INLINE key_mask_t LESS(vector<T> a, vector<T> b) LANEWISE(bool, a.lane[l] < b.lane[l])
template <class T>
INLINE key_mask_t EQUAL(vector<T> a, vector<T> b) LANEWISE(bool, a.lane[l] == b.lane[l])
INLINE key_mask_t operator&(key_mask_t a, key_mask_t b) LANEWISE(bool, a.lane[l] && b.lane[l])
INLINE key_mask_t operator|(key_mask_t a, key_mask_t b) LANEWISE(bool, a.lane[l] || b.lane[l])
template <class T>
INLINE vector<T> SELECT(vector<T> a, vector<T> b, key_mask_t mask) LANEWISE(T, mask.lane[l] ? b.lane[l] : a.lane[l])
#define TO_KEY_MASK(mask) (mask)
#define TO_VALUE_MASK(mask) (mask)
#define TO_INDEX_MASK(mask) (mask)
INLINE index_vec_t COUNT_LANES(index_t first) LANEWISE(index_t, first + l)

/* Lane l takes lane l ^ mask. */
template <class T>
INLINE vector<T> permuted(vector<T> v, uint mask) LANEWISE(T, v.lane[l ^ mask])
template <class T>
INLINE vector<T> blended(vector<T> low, vector<T> high, uint bit) LANEWISE(T, l & bit ? high.lane[l] : low.lane[l])
template <class T>
INLINE vector<T> next_lanes(vector<T> v, vector<T> last)
    LANEWISE(T, l + 1 < LANES ? v.lane[(l + 1) % LANES] : last.lane[0])
template <class T>
INLINE vector<T> previous_lanes(vector<T> v, vector<T> first)
    LANEWISE(T, l > 0 ? v.lane[(l - 1) % LANES] : first.lane[0])
#define NEXT_LANES(v, last) next_lanes(v, last)
#define PREVIOUS_LANES(v, first) previous_lanes(v, first)
#define SWAP_LANES_1(v) permuted(v, 1)
#define SWAP_LANES_2(v) permuted(v, 2)
#define SWAP_LANES_4(v) permuted(v, 4)
#define SWAP_LANES_8(v) permuted(v, 8)
#define MIRROR_LANES_2(v) SWAP_LANES_1(v)
#define MIRROR_LANES_4(v) permuted(v, 3)
#define MIRROR_LANES_8(v) permuted(v, 7)
#define MIRROR_LANES_16(v) permuted(v, 15)
#define MIRROR_LANES(v) permuted(v, LANES - 1)
#define BLEND_1(low, high) blended(low, high, 1)
#define BLEND_2(low, high) blended(low, high, 2)
#define BLEND_4(low, high) blended(low, high, 4)
#define BLEND_8(low, high) blended(low, high, 8)

template <class T>
INLINE vector<T> low_lanes(vector<T> a, vector<T> b, uint bit) LANEWISE(T, l & bit ? b.lane[l ^ bit] : a.lane[l])
template <class T>
INLINE vector<T> high_lanes(vector<T> a, vector<T> b, uint bit) LANEWISE(T, l & bit ? b.lane[l] : a.lane[l ^ bit])
#define LOW_LANES_1(a, b) low_lanes(a, b, 1)
#define LOW_LANES_2(a, b) low_lanes(a, b, 2)
#define LOW_LANES_4(a, b) low_lanes(a, b, 4)
#define LOW_LANES_8(a, b) low_lanes(a, b, 8)
#define HIGH_LANES_1(a, b) high_lanes(a, b, 1)
#define HIGH_LANES_2(a, b) high_lanes(a, b, 2)
#define HIGH_LANES_4(a, b) high_lanes(a, b, 4)
#define HIGH_LANES_8(a, b) high_lanes(a, b, 8)
#endif

#if VALUE_BITS == 128
#define LARGEST_VALUE (value_t{~0ull, ~0ull})
#define SMALLEST_VALUE (value_t{0, 0})
INLINE bool VALUE_LESS(value_t a, value_t b) { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }
#else
#define LARGEST_VALUE BROADCAST(value_vec_t, (value_t)~(value_t)0)
#define SMALLEST_VALUE BROADCAST(value_vec_t, (value_t)0)
#define VALUE_LESS(a, b) ((a) < (b))
#endif

#define LOAD_GLOBAL_VECTOR(type, address) LOAD_VECTOR(address)
#define STORE_GLOBAL_VECTOR(type, value, address) STORE_VECTOR(value, address)
#define STORE_LOCAL_VECTOR(type, value, address) STORE_VECTOR(value, address)

#endif
