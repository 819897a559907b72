// SPDX-License-Identifier: MIT
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
/* Addresses are computed anew from the pointer. GCC would keep all that a loop has, in vector registers where there are
 * no others left, and to move them takes the port that minima take. */
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

#if WALKS_IN_CACHE && VALUES_ARE_INDICES && KEY_BITS <= 32 && INDEX_BITS <= 32
#define PACKED 1
#if ANY_WIDTH || INDEX_BITS == 32
#define REGISTER_KEY_BITS 64
#else
#define REGISTER_KEY_BITS (2 * INDEX_BITS)
#endif
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

#if LANES == 1
typedef register_key_t vec_t;
typedef typename integer<VALUE_BITS>::type value_vec_t;
typedef typename integer<INDEX_BITS>::type index_vec_t;
#define BROADCAST(type, x) ((type)(x))
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#define MIRROR_LANES(v) (v)
#define COUNT_LANES(first) (first)
#if PACKED
#define TO_REGISTER_KEYS(keys) ((vec_t)(keys))
#define TO_KEYS(register_keys) ((key_vec_t)(register_keys))
#define TO_TIES(register_keys) ((index_vec_t)(register_keys))
typedef typename integer<KEY_BITS>::type key_vec_t;
typedef typename integer<REGISTER_KEY_BITS>::with_sign signed_vec_t;
#define MIN(a, b) ((vec_t)min((signed_vec_t)(a), (signed_vec_t)(b)))
#define MAX(a, b) ((vec_t)max((signed_vec_t)(a), (signed_vec_t)(b)))
#else
#define MIN(a, b) min(a, b)
#define MAX(a, b) max(a, b)
#endif
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
#define TO_TIES(register_keys) __builtin_convertvector(register_keys, index_vec_t)

/* A vector has no bits, or some. */
template <class V>
INLINE uint any_lane(V mask) {
#if defined(__AVX2__)
    typedef long long in_32_bytes __attribute__((vector_size(32)));
    typedef long long in_16_bytes __attribute__((vector_size(16)));
    if constexpr (sizeof mask == 32) return !__builtin_ia32_ptestz256((in_32_bytes)mask, (in_32_bytes)mask);
    if constexpr (sizeof mask == 16) return !__builtin_ia32_ptestz128((in_16_bytes)mask, (in_16_bytes)mask);
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

#if ANY_WIDTH
/* The call says how wide values and indices are in their arrays; 0 bytes mean that there is no array. Registers have
 * the widest that the program is compiled for. An address is computed where the width is known, which needs no
 * product. */
struct any_width_t {
    uchar* array;
    ulong bytes;
    ulong first;

    any_width_t operator+(ulong elements) const { return {array, bytes, first + elements}; }
    void operator+=(ulong elements) { first += elements; }
};
typedef any_width_t values_t, indices_t;
template <class T>
INLINE T* place_of(any_width_t element) { return (T*)element.array + element.first; }
INLINE ulong load_integer(any_width_t from) {
    if (from.bytes == 4) return load<uint>(place_of<uint>(from));
    if (from.bytes == 8) return load<ulong>(place_of<ulong>(from));
    if (from.bytes == 2) return load<ushort>(place_of<ushort>(from));
    return from.bytes == 1 ? *place_of<uchar>(from) : 0;
}
INLINE void store_integer(ulong value, any_width_t to) {
    if (to.bytes == 4) store((uint)value, place_of<uint>(to));
    if (to.bytes == 8) store(value, place_of<ulong>(to));
    if (to.bytes == 2) store((ushort)value, place_of<ushort>(to));
    if (to.bytes == 1) store((uchar)value, place_of<uchar>(to));
}
template <class T>
INLINE T load_one(any_width_t from) {
    if constexpr (sizeof(T) == 16) return from.bytes == 16 ? load<T>(place_of<T>(from)) : T{load_integer(from), 0};
    else return (T)load_integer(from);
}
template <class T>
INLINE void store_one(T value, any_width_t to) {
    if constexpr (sizeof(T) == 16)
        if (to.bytes == 16) store(value, place_of<T>(to));
        else store_integer(value.x, to);
    else store_integer(value, to);
}
#define INDEX_AT(array, i) load_one<typename integer<INDEX_BITS>::type>((array) + (i))
#define SET_INDEX_AT(array, i, index) store_one<typename integer<INDEX_BITS>::type>(index, (array) + (i))
#if LANES == 1
template <class T>
INLINE T load(any_width_t from) { return load_one<T>(from); }
template <class T>
INLINE void store(T value, any_width_t to) { store_one(value, to); }
#else
template <class Element, class V>
INLINE V load_lanes(any_width_t from) {
    return __builtin_convertvector(load<typename lanes_of_type<Element>::vector>(place_of<Element>(from)), V);
}
template <class Element, class V>
INLINE void store_lanes(V value, any_width_t to) {
    store(__builtin_convertvector(value, typename lanes_of_type<Element>::vector), place_of<Element>(to));
}
/* Common widths have programs of their own, so these are compiled once. */
template <class V>
OUTLINED V load(any_width_t from) {
    if (from.bytes == 4) return load_lanes<uint, V>(from);
    if (from.bytes == 8) return load_lanes<ulong, V>(from);
    return from.bytes == 2 ? load_lanes<ushort, V>(from) : load_lanes<uchar, V>(from);
}
template <class V>
OUTLINED void store(V value, any_width_t to) {
    if (to.bytes == 4) store_lanes<uint>(value, to);
    else if (to.bytes == 8) store_lanes<ulong>(value, to);
    else if (to.bytes == 2) store_lanes<ushort>(value, to);
    else store_lanes<uchar>(value, to);
}
#endif
template <class T>
INLINE void copy_one(any_width_t from, any_width_t to) { store(load<T>(place_of<T>(from)), place_of<T>(to)); }
INLINE void COPY_VALUE(values_t from, values_t to) {
    if (from.bytes == 4) copy_one<uint>(from, to);
    else if (from.bytes == 8) copy_one<ulong>(from, to);
    else if (from.bytes == 16) copy_one<typename integer<128>::type>(from, to);
    else if (from.bytes == 2) copy_one<ushort>(from, to);
    else if (from.bytes == 1) copy_one<uchar>(from, to);
}
#define VALUES_AT(array) values_t{(uchar*)(array), this->context->value_bytes, 0}
#define INDICES_AT(array) indices_t{(uchar*)(array), this->context->index_bytes, 0}
#define IS_THERE(array) (!RECORD_BYTES || (array).bytes > 0)
#endif
#define HAS_VALUES (this->context->value_bytes > 0)

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
