/* The neutral names of the kernels, in C++ with the vectors of GCC and Clang, for kernels that are compiled with the
 * library. A work-group is one work-item. See dialect_opencl.h for what the names mean.
 *
 * All of it is inside a structure, of which each thread has one, with the base Group (lanesort/compiled.hpp): what is a
 * function elsewhere is a member. In a template its parameters are RECORD_TYPE, and ORDER_TYPE, a function object. */
#ifndef DIALECT_CPP_H
#define DIALECT_CPP_H

/* Arrays may lie at any address, so nothing in them is taken to be aligned. */
#define ANYWHERE __attribute__((aligned(1), may_alias))

/* Inside a structure nothing can be specialised as a whole. */
template <int bits, int = 0>
struct integer;
template <int unused> struct integer<8, unused> {
    typedef uchar type;
    typedef uchar ANYWHERE stored;
    typedef signed char with_sign;
};
template <int unused> struct integer<0, unused> : integer<8> {};
template <int unused> struct integer<16, unused> {
    typedef ushort type;
    typedef ushort ANYWHERE stored;
    typedef short with_sign;
};
template <int unused> struct integer<32, unused> {
    typedef uint type;
    typedef uint ANYWHERE stored;
    typedef int with_sign;
};
template <int unused> struct integer<64, unused> {
    typedef ulong type;
    typedef ulong ANYWHERE stored;
    typedef long with_sign;
};
template <int unused> struct integer<128, unused> {
    struct type {
        ulong ANYWHERE x, y;
    };
    typedef type stored;
};
#define TWICE_8 16
#define TWICE_16 32
#define TWICE_32 64

#if RECORD_BYTES
typedef typename integer<RECORD_WORD_BITS>::type record_word_t;
struct key_t {
    typename integer<RECORD_WORD_BITS>::stored words[RECORD_WORDS];
};
struct register_key_t {
    record_word_t words[RECORD_WORDS];
};
#else
typedef typename integer<KEY_BITS>::stored key_t;
#endif
typedef typename integer<VALUE_BITS>::stored value_t;
typedef value_t stored_value_t;
typedef uchar value_argument_t;
typedef typename integer<INDEX_BITS>::stored index_t;
typedef ulong ANYWHERE segment_t;
typedef ulong position_t;
typedef ulong offset_t;

#define KERNEL
#define GLOBAL
#define LOCAL
#define CONSTANT static constexpr
#define INLINE inline __attribute__((always_inline))
#define OUTLINED __attribute__((noinline))
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("nounroll")
#else
#define UNROLL _Pragma("GCC unroll 64")
#define ROLLED _Pragma("GCC unroll 1")
#endif
#define GROUPS this->groups
#define GROUP_ID this->group_id
#if WALKS_IN_CACHE
/* Nor does a program depend on how large tiles are. */
#define TILE_BITS this->context->tile_bits
#define TILE_VECTORS (1u << TILE_BITS)
#endif
/* Addresses are computed anew from the pointer. GCC would keep all that a loop has, in vector registers where there are no
 * others left, and to move them takes the port that minima take. */
#define FORGET(pointer) __asm__("" : "+r"(pointer))
#define LOCAL_ID 0u
#define BARRIER() ((void)0)
#define AWAIT_LAST_LAUNCH() ((void)0)
#define DECLARE_LOCAL(type, name, size, bytes_before) type* const name = (type*)(this->local_memory + (bytes_before))
#define ATOMIC_ADD(address, value) __atomic_fetch_add(address, value, __ATOMIC_RELAXED)
#define WRITE_THE_SAME(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)
#define PREFETCH(address) __builtin_prefetch(address)
#define BITS_AS(type, v) ((type)(v))
#ifdef __POPCNT__
#define COUNT_BITS(mask) ((uint)__builtin_popcount(mask))
#endif
#define BARRIERS_IN_BRANCHES 1
#define MAXIMA_BY_PRODUCTS 0
/* One program sorts arrays, rows and segments, and counts where it is asked to. */
#define DECIDES_AT_RUN_TIME 1

template <class T>
INLINE T min(T a, T b) { return b < a ? b : a; }
template <class T>
INLINE T max(T a, T b) { return a < b ? b : a; }

#if WALKS_IN_CACHE && LANES >= 4 && RECORD_BYTES == 0 && KEY_BITS <= 32 && VALUE_BITS + INDEX_BITS == KEY_BITS && \
    (VALUE_BITS == 0 || INDEX_BITS == 0)
#define PACKED 1
#define REGISTER_KEY_BITS PASTE(TWICE_, KEY_BITS)
#else
#define PACKED 0
#define REGISTER_KEY_BITS KEY_BITS
#endif
#if !RECORD_BYTES
typedef typename integer<REGISTER_KEY_BITS>::type register_key_t;
#endif

/* To and from any address. */
template <class T>
INLINE T load(const void* address) {
    T value;
    __builtin_memcpy(&value, address, sizeof value);
    return value;
}
template <class T>
INLINE void store(T value, void* address) {
    __builtin_memcpy(address, &value, sizeof value);
}
#define LOAD_GLOBAL_VECTOR(type, address) load<type>(address)
#define STORE_GLOBAL_VECTOR(type, value, address) store<type>(value, address)
#define STORE_LOCAL_VECTOR(type, value, address) STORE_VECTOR(value, address)

#ifdef RECORD_TYPE
typedef RECORD_TYPE comparator_record;
#define AS_RECORD(key) __builtin_bit_cast(comparator_record, key)
INLINE uint comparator_before(const comparator_record& a, const comparator_record& b) {
    return (*(const ORDER_TYPE*)this->context->order)(a, b) ? 1 : 0;
}
/* The compiler is not to know where a number comes from: of one that depends on keys it would make branches, which no
 * processor foresees. */
INLINE ulong opaque(ulong number) {
    __asm__("" : "+r"(number));
    return number;
}
#endif

#if ANY_WIDTH
/* In registers values have 16 bytes and indices 8; in their arrays as many as the call says, or there is no array. */
INLINE void copy(void* to, const void* from, ulong bytes) {
    if (bytes == 1) __builtin_memcpy(to, from, 1);
    if (bytes == 2) __builtin_memcpy(to, from, 2);
    if (bytes == 4) __builtin_memcpy(to, from, 4);
    if (bytes == 8) __builtin_memcpy(to, from, 8);
    if (bytes == 16) __builtin_memcpy(to, from, 16);
}
struct any_width_t {
    uchar* place;
    ulong bytes;

    any_width_t operator+(long elements) const { return {place + elements * (long)bytes, bytes}; }
    void operator+=(long elements) { place += elements * (long)bytes; }
};
typedef any_width_t values_t, indices_t;
template <class T>
INLINE T load(any_width_t from) {
    struct {
        T value;
        uchar beyond[16];
    } loaded = {};
    copy(&loaded, from.place, from.bytes);
    return loaded.value;
}
template <class T>
INLINE void store(T value, any_width_t to) {
    struct {
        T value;
        uchar beyond[16];
    } stored = {value, {}};
    copy(to.place, &stored, to.bytes);
}
#define VALUES_AT(array) values_t{(uchar*)(array), this->context->value_bytes}
#define INDICES_AT(array) indices_t{(uchar*)(array), this->context->index_bytes}
#define IS_THERE(array) ((array).bytes > 0)
#endif

#if LANES == 1
typedef register_key_t vec_t;
typedef typename integer<VALUE_BITS>::type value_vec_t;
typedef typename integer<INDEX_BITS>::type index_vec_t;
#define BROADCAST(type, x) ((type)(x))
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#define MIRROR_LANES(v) (v)
#define COUNT_LANES(first) (first)
#define MIN(a, b) min(a, b)
#define MAX(a, b) max(a, b)
#else
template <class T>
struct lanes_of_type {
    typedef T vector __attribute__((vector_size(LANES * sizeof(T))));
    typedef decltype(vector() < vector()) mask;
};
typedef typename lanes_of_type<register_key_t>::vector vec_t;
typedef typename lanes_of_type<typename integer<KEY_BITS>::type>::vector key_vec_t;
typedef typename lanes_of_type<typename integer<VALUE_BITS>::type>::vector value_vec_t;
typedef typename lanes_of_type<typename integer<INDEX_BITS>::type>::vector index_vec_t;
#define BROADCAST(type, x) (type{} + (x))
template <class T>
INLINE typename lanes_of_type<T>::vector LOAD_VECTOR(const T* address) {
    return load<typename lanes_of_type<T>::vector>(address);
}
#define STORE_VECTOR(value, address) store(value, address)
#define TO_REGISTER_KEYS(keys) __builtin_convertvector(keys, vec_t)
#define TO_KEYS(register_keys) __builtin_convertvector(register_keys, key_vec_t)

/* A vector has no bits, or some. */
template <class V>
INLINE uint any_lane(V mask) {
#if defined(__AVX2__)
    if constexpr (sizeof mask == 32) return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
    if constexpr (sizeof mask == 16) return !_mm_testz_si128((__m128i)mask, (__m128i)mask);
#endif
    ulong parts = 0;
    for (uint l = 0; l < LANES; ++l) parts |= (ulong)mask[l];
    return parts != 0;
}
#define ANY_LANE_LESS(a, b) any_lane((a) < (b))
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define SELECT(a, b, mask) ((mask) ? (b) : (a))
typedef typename lanes_of_type<register_key_t>::mask key_mask_t;
typedef typename lanes_of_type<typename integer<VALUE_BITS>::type>::mask value_mask_t;
typedef typename lanes_of_type<typename integer<INDEX_BITS>::type>::mask index_mask_t;
#define TO_KEY_MASK(mask) __builtin_convertvector(mask, key_mask_t)
#define TO_VALUE_MASK(mask) __builtin_convertvector(mask, value_mask_t)
#define TO_INDEX_MASK(mask) __builtin_convertvector(mask, index_mask_t)

template <class V>
INLINE V smaller(V a, V b) { return a < b ? a : b; }
template <class V>
INLINE V larger(V a, V b) { return a < b ? b : a; }
#if PACKED
typedef typename lanes_of_type<typename integer<REGISTER_KEY_BITS>::with_sign>::vector signed_vec_t;
#define MIN(a, b) ((vec_t)smaller((signed_vec_t)(a), (signed_vec_t)(b)))
#define MAX(a, b) ((vec_t)larger((signed_vec_t)(a), (signed_vec_t)(b)))
#else
#define MIN(a, b) smaller(a, b)
#define MAX(a, b) larger(a, b)
#endif

/* Lanes by their numbers, which the compiler computes. */
template <uint... l>
struct lane_numbers {};
#if LANES == 2
typedef lane_numbers<0, 1> all_lanes;
#elif LANES == 4
typedef lane_numbers<0, 1, 2, 3> all_lanes;
#elif LANES == 8
typedef lane_numbers<0, 1, 2, 3, 4, 5, 6, 7> all_lanes;
#elif LANES == 16
typedef lane_numbers<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15> all_lanes;
#endif
template <class V, uint... l>
INLINE V count_lanes(V first, lane_numbers<l...>) { return first + V{l...}; }
#define COUNT_LANES(first) count_lanes(BROADCAST(index_vec_t, first), all_lanes())
template <uint mask, class V, uint... l>
INLINE V permuted(V v, lane_numbers<l...>) { return __builtin_shufflevector(v, v, (l ^ mask)...); }
template <uint bit, class V, uint... l>
INLINE V blended(V low, V high, lane_numbers<l...>) {
    return __builtin_shufflevector(low, high, (l & bit ? l + LANES : l)...);
}
template <uint bit, class V, uint... l>
INLINE V low_lanes(V a, V b, lane_numbers<l...>) {
    return __builtin_shufflevector(a, b, (l & bit ? (l ^ bit) + LANES : l)...);
}
template <uint bit, class V, uint... l>
INLINE V high_lanes(V a, V b, lane_numbers<l...>) {
    return __builtin_shufflevector(a, b, (l & bit ? l + LANES : l ^ bit)...);
}
template <class V, uint... l>
INLINE V next_lanes(V v, V last, lane_numbers<l...>) { return __builtin_shufflevector(v, last, (l + 1)...); }
template <class V, uint... l>
INLINE V previous_lanes(V v, V first, lane_numbers<l...>) {
    return __builtin_shufflevector(v, first, (l == 0 ? LANES : l - 1)...);
}
#define NEXT_LANES(v, last) next_lanes(v, last, all_lanes())
#define PREVIOUS_LANES(v, first) previous_lanes(v, first, all_lanes())
#define SWAP_LANES_1(v) permuted<1>(v, all_lanes())
#define SWAP_LANES_2(v) permuted<2>(v, all_lanes())
#define SWAP_LANES_4(v) permuted<4>(v, all_lanes())
#define SWAP_LANES_8(v) permuted<8>(v, all_lanes())
#define MIRROR_LANES_2(v) SWAP_LANES_1(v)
#define MIRROR_LANES_4(v) permuted<3>(v, all_lanes())
#define MIRROR_LANES_8(v) permuted<7>(v, all_lanes())
#define MIRROR_LANES_16(v) permuted<15>(v, all_lanes())
#define MIRROR_LANES(v) permuted<LANES - 1>(v, all_lanes())
#define BLEND_1(low, high) blended<1>(low, high, all_lanes())
#define BLEND_2(low, high) blended<2>(low, high, all_lanes())
#define BLEND_4(low, high) blended<4>(low, high, all_lanes())
#define BLEND_8(low, high) blended<8>(low, high, all_lanes())
#define LOW_LANES_1(a, b) low_lanes<1>(a, b, all_lanes())
#define LOW_LANES_2(a, b) low_lanes<2>(a, b, all_lanes())
#define LOW_LANES_4(a, b) low_lanes<4>(a, b, all_lanes())
#define LOW_LANES_8(a, b) low_lanes<8>(a, b, all_lanes())
#define HIGH_LANES_1(a, b) high_lanes<1>(a, b, all_lanes())
#define HIGH_LANES_2(a, b) high_lanes<2>(a, b, all_lanes())
#define HIGH_LANES_4(a, b) high_lanes<4>(a, b, all_lanes())
#define HIGH_LANES_8(a, b) high_lanes<8>(a, b, all_lanes())
#endif

/* Values as unsigned integers: their order decides between equal keys. */
#if VALUE_BITS == 128
#define LARGEST_VALUE (value_vec_t{~0ul, ~0ul})
#define SMALLEST_VALUE (value_vec_t{0, 0})
#define VALUE_LESS(a, b) (((a).y < (b).y) | (((a).y == (b).y) & ((a).x < (b).x)))
#elif VALUE_BITS
#define LARGEST_VALUE BROADCAST(value_vec_t, (value_t)~(value_t)0)
#define SMALLEST_VALUE BROADCAST(value_vec_t, (value_t)0)
#define VALUE_LESS(a, b) ((a) < (b))
#endif
#if INDEX_BITS
#define LARGEST_INDEX BROADCAST(index_vec_t, (index_t)~(index_t)0)
#endif

#endif
