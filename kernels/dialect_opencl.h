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
#if VALUE_BITS
/* In the caller's array, and the argument that tells where that is. Processors sort where the values are, which may be
 * anywhere, and their instructions for 16 aligned bytes fault at other addresses. From LLVM 15 on an argument is taken to
 * be aligned as its type is, whatever the attribute says. */
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
#endif
typedef PASTE(UINT_, POSITION_BITS) position_t;
typedef ulong offset_t;

#define KERNEL __kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
#define GLOBAL __global
#define LOCAL __local
#define INLINE static inline __attribute__((always_inline))
/* Of what a processor's kernel has in several places, or seldom needs, one copy: half of the time to compile. */
#if defined(__clang__) && WALKS_IN_CACHE
#define OUTLINED static __attribute__((noinline))
#else
#define OUTLINED INLINE
#endif
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
/* get_num_groups may be a division where groups need not be of one size. */
#define GROUPS ((position_t)(get_global_size(0) / WORK_ITEMS))
#define GROUP_ID ((position_t)get_group_id(0))
#define LOCAL_ID ((uint)get_local_id(0))
/* A key that one work-item read from the array another one may write there, so the array is fenced, too. */
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* A queue launches a kernel when the one ahead of it has ended. */
#define AWAIT_LAST_LAUNCH()
#define DECLARE_LOCAL(type, name, size, bytes_before) __local type name[size]
#define ATOMIC_ADD(address, value) atomic_add(address, value)
/* Whether both ways of a branch that all work-items take alike may have barriers. PoCL 3.1 compiles them to code that writes
 * beyond the end of the array. */
#ifdef __NV_CL_C_VERSION
#define BARRIERS_IN_BRANCHES 1
/* For swap.h: a 1 that the compiler does not know. */
#define ONE_OF_LAUNCH ((uint)get_global_size(1))
#else
#define BARRIERS_IN_BRANCHES 0
#endif
/* Slower under NVIDIA's OpenCL than maxima (bench/NOTES.md). */
#define MAXIMA_BY_PRODUCTS 0

/* A key and the value or number that decides between equal ones are one integer in registers, where they have as many
 * bits (elements.h). Between passes halves of vectors of these may lie at any key, which takes clang's attribute. */
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

#if LANES == 1
typedef key_t vec_t;
#if VALUE_BITS
typedef value_t value_vec_t;
#endif
#if INDEX_BITS
typedef index_t index_vec_t;
#endif
#define LOAD_VECTOR(address) (*(address))
#define STORE_VECTOR(value, address) (*(address) = (value))
#if HAS_PAIRS
/* Structures rather than vectors, whose parts Oclgrind stores after a whole of undefined bytes. */
#define PAIR_OF(bits)                                                 \
    struct {                                                          \
        PASTE(UINT_, bits) first, second;                             \
    } __attribute__((aligned(2 * sizeof(PASTE(UINT_, bits)))))
typedef PAIR_OF(KEY_BITS) key_pair_t;
#if VALUE_BITS
typedef PAIR_OF(VALUE_BITS) value_pair_t;
#endif
#if INDEX_BITS
typedef PAIR_OF(INDEX_BITS) index_pair_t;
#endif
#define MAKE_PAIR(pair_t, a, b) ((pair_t){a, b})
#endif
#else
typedef PASTE(PASTE(UINT_, REGISTER_KEY_BITS), LANES) vec_t;
#if VALUE_BITS
typedef PASTE(PASTE(UINT_, VALUE_BITS), LANES) value_vec_t;
#endif
#if INDEX_BITS
typedef PASTE(PASTE(UINT_, INDEX_BITS), LANES) index_vec_t;
#endif
#define LOAD_VECTOR(address) PASTE(vload, LANES)(0, address)
#define STORE_VECTOR(value, address) PASTE(vstore, LANES)(value, 0, address)
#endif

/* The same for addresses in the array. PoCL's vstore of 16 keys is three instructions; a type that may lie at any key
 * takes one. */
#if LANES > 1 && defined(__clang__)
#if PACKED
typedef PASTE(PASTE(UINT_, KEY_BITS), LANES) key_vec_t;
typedef key_vec_t unaligned_key_vec_t __attribute__((aligned(KEY_BITS / 8)));
typedef __typeof__(((vec_t)0).lo) half_of_vec_t;
typedef half_of_vec_t unaligned_half_of_vec_t __attribute__((aligned(KEY_BITS / 8)));
#define TO_REGISTER_KEYS(keys) PASTE(convert_, PASTE(PASTE(UINT_, REGISTER_KEY_BITS), LANES))(keys)
#define TO_KEYS(register_keys) PASTE(convert_, PASTE(PASTE(UINT_, KEY_BITS), LANES))(register_keys)
#else
typedef vec_t unaligned_vec_t __attribute__((aligned(KEY_BITS / 8)));
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

/* Values as unsigned integers: their order decides between equal keys. */
#if VALUE_BITS == 128
#define LARGEST_VALUE ((value_t)(~0ul))
#define SMALLEST_VALUE ((value_t)(0ul))
#define VALUE_LESS(a, b) (((a).y < (b).y) | (((a).y == (b).y) & ((a).x < (b).x)))
#elif VALUE_BITS
#define LARGEST_VALUE ((value_vec_t)(value_t)~(value_t)0)
#define SMALLEST_VALUE ((value_vec_t)(value_t)0)
#define VALUE_LESS(a, b) ((a) < (b))
#endif
#if INDEX_BITS
#define LARGEST_INDEX ((index_vec_t)(index_t)~(index_t)0)
#endif

/* Comparisons of vectors. COUNT_LANES(first): lane l is first + l. */
#if LANES == 1
#define COUNT_LANES(first) (first)
#elif VALUE_BITS || INDEX_BITS
typedef PASTE(PASTE(SINT_, KEY_BITS), LANES) key_mask_t;
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define SELECT(a, b, mask) select(a, b, mask)
#define TO_KEY_MASK(mask) PASTE(convert_, PASTE(PASTE(SINT_, KEY_BITS), LANES))(mask)
#if VALUE_BITS
typedef PASTE(PASTE(SINT_, VALUE_BITS), LANES) value_mask_t;
#define TO_VALUE_MASK(mask) PASTE(convert_, PASTE(PASTE(SINT_, VALUE_BITS), LANES))(mask)
#endif
#if INDEX_BITS
typedef PASTE(PASTE(SINT_, INDEX_BITS), LANES) index_mask_t;
#define TO_INDEX_MASK(mask) PASTE(convert_, PASTE(PASTE(SINT_, INDEX_BITS), LANES))(mask)
#if LANES == 2
#define COUNT_LANES(first) ((index_vec_t)(first) + (index_vec_t)(0, 1))
#elif LANES == 4
#define COUNT_LANES(first) ((index_vec_t)(first) + (index_vec_t)(0, 1, 2, 3))
#elif LANES == 8
#define COUNT_LANES(first) ((index_vec_t)(first) + (index_vec_t)(0, 1, 2, 3, 4, 5, 6, 7))
#elif LANES == 16
#define COUNT_LANES(first) ((index_vec_t)(first) + (index_vec_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#endif
#endif

#if PACKED
/* AVX2 compares 64-bit integers as signed ones only. */
#define AS_SIGNED(v) PASTE(as_, PASTE(PASTE(SINT_, REGISTER_KEY_BITS), LANES))(v)
#define AS_UNSIGNED(v) PASTE(as_, PASTE(PASTE(UINT_, REGISTER_KEY_BITS), LANES))(v)
#define MIN(a, b) AS_UNSIGNED(min(AS_SIGNED(a), AS_SIGNED(b)))
#define MAX_OF_LANES(a, b) AS_UNSIGNED(max(AS_SIGNED(a), AS_SIGNED(b)))
#else
#define MIN(a, b) min(a, b)
#define MAX_OF_LANES(a, b) max(a, b)
#endif
/* Where both are wanted, the larger is what the smaller leaves: for AVX-512's vectors of 64-bit integers a maximum takes
 * two slots of one port, two exclusive-ors one of either. */
#if LANES > 1 && REGISTER_KEY_BITS == 64
#define MAX(a, b) ((a) ^ (b) ^ MIN(a, b))
#else
#define MAX(a, b) MAX_OF_LANES(a, b)
#endif

/* MIRROR_LANES(v): all lanes reversed.
 * SWAP_LANES_h(v): lane l takes lane l ^ h.  MIRROR_LANES_w(v): lane l takes lane l ^ (w - 1).
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

/* BLEND_h(low, high): lanes without bit h from low, lanes with it from high.
 * LOW_LANES_h(a, b): the lanes of a and b without bit h, those of b in the places with it.
 * HIGH_LANES_h(a, b): the lanes with bit h, those of a in the places without it.
 * The lanes of the second vector are counted on from those of the first. */
#ifdef __clang__
#define PICK_LANES __builtin_shufflevector
#elif LANES == 2
#define PICK_LANES(a, b, i, j) shuffle2(a, b, (vec_t)(i, j))
#elif LANES == 4
#define PICK_LANES(a, b, i, j, k, l) shuffle2(a, b, (vec_t)(i, j, k, l))
#elif LANES == 8
#define PICK_LANES(a, b, i, j, k, l, m, n, o, p) shuffle2(a, b, (vec_t)(i, j, k, l, m, n, o, p))
#elif LANES == 16
#define PICK_LANES(a, b, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x) \
    shuffle2(a, b, (vec_t)(i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x))
#endif

#if LANES == 2
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 3)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 2)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 3)
#elif LANES == 4
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 5, 2, 7)
#define BLEND_2(a, b) PICK_LANES(a, b, 0, 1, 6, 7)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 4, 2, 6)
#define LOW_LANES_2(a, b) PICK_LANES(a, b, 0, 1, 4, 5)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 5, 3, 7)
#define HIGH_LANES_2(a, b) PICK_LANES(a, b, 2, 3, 6, 7)
#elif LANES == 8
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 9, 2, 11, 4, 13, 6, 15)
#define BLEND_2(a, b) PICK_LANES(a, b, 0, 1, 10, 11, 4, 5, 14, 15)
#define BLEND_4(a, b) PICK_LANES(a, b, 0, 1, 2, 3, 12, 13, 14, 15)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define LOW_LANES_2(a, b) PICK_LANES(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LOW_LANES_4(a, b) PICK_LANES(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define HIGH_LANES_2(a, b) PICK_LANES(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define HIGH_LANES_4(a, b) PICK_LANES(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#elif LANES == 16
#define BLEND_1(a, b) \
    PICK_LANES(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31)
#define BLEND_2(a, b) \
    PICK_LANES(a, b, 0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31)
#define BLEND_4(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31)
#define BLEND_8(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31)
#define LOW_LANES_1(a, b) \
    PICK_LANES(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define LOW_LANES_2(a, b) \
    PICK_LANES(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define LOW_LANES_4(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define LOW_LANES_8(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_LANES_1(a, b) \
    PICK_LANES(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define HIGH_LANES_2(a, b) \
    PICK_LANES(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define HIGH_LANES_4(a, b) \
    PICK_LANES(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define HIGH_LANES_8(a, b) \
    PICK_LANES(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#endif

#endif
