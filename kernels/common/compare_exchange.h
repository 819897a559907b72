// SPDX-License-Identifier: MIT
/* The compare-exchange of two elements, which the whole network is made of.
 *
 * On NVIDIA's devices compare-exchanges keep the integer unit busy: each comparison, selection and minimum of a 32-bit
 * word takes one of its slots. Multiply-adds have a unit of their own. So every second word trades places there by
 * predicated multiply-adds of the words' difference, and in CUDA every second maximum is the sum less the minimum
 * (docs/decisions.md#compare-exchanges). The factor 1 is a size of the launch, which has one dimension, so that the
 * compiler cannot make additions of the products and give them to the integer unit. Products take longer to come, which
 * the small groups for small arrays do not hide. Of words that one instruction loaded together the compiler predicates
 * no product, but selects its result from two. So in the first step after a load one word is selected, and the other
 * is their sum less that one. */
#ifndef COMPARE_EXCHANGE_H
#define COMPARE_EXCHANGE_H
#include "common/elements.h"

/* Two registers trade places where `swap` is 1: of copies, which compilers select without a branch. */
#define SWAP_BY_SELECTION(type, swap, a, b) \
    do {                                    \
        type first_ = (a), second_ = (b);   \
        (a) = (swap) ? second_ : first_;    \
        (b) = (swap) ? first_ : second_;    \
    } while (0)

#ifdef ONE_OF_LAUNCH
#define MINUS_ONE_OF_LAUNCH (0u - ONE_OF_LAUNCH)

INLINE void swap_by_products(uint swap, uint* a, uint* b) {
    asm("{\n"
        ".reg .pred p;\n"
        ".reg .u32 difference;\n"
        "setp.ne.u32 p, %2, 0;\n"
        "sub.u32 difference, %1, %0;\n"
        "@p mad.lo.u32 %0, difference, %3, %0;\n"
        "@p mad.lo.u32 %1, difference, %4, %1;\n"
        "}"
        : "+&r"(*a), "+&r"(*b)
        : "r"(swap), "r"(ONE_OF_LAUNCH), "r"(MINUS_ONE_OF_LAUNCH));
}

/* first = swap ? b : a, and the other is a + b - first. */
INLINE void swap_loaded(uint swap, uint* a, uint* b) {
    asm("{\n"
        ".reg .pred p;\n"
        ".reg .u32 first, sum;\n"
        "setp.ne.u32 p, %2, 0;\n"
        "selp.u32 first, %1, %0, p;\n"
        "mad.lo.u32 sum, %0, %3, %1;\n"
        "mad.lo.u32 %1, first, %4, sum;\n"
        "mov.u32 %0, first;\n"
        "}"
        : "+&r"(*a), "+&r"(*b)
        : "r"(swap), "r"(ONE_OF_LAUNCH), "r"(MINUS_ONE_OF_LAUNCH));
}

INLINE void swap_words(uint swap, uint loaded, uint* a, uint* b) {
    if (loaded) swap_loaded(swap, a, b);
    else swap_by_products(swap, a, b);
}

/* In groups of every size: of selections alone the compiler would make a minimum and a maximum, which compare twice. */
#define SWAP_64(swap, loaded, a, b)                           \
    do {                                                      \
        uint low_a_ = (uint)(a), high_a_ = (uint)((a) >> 32); \
        uint low_b_ = (uint)(b), high_b_ = (uint)((b) >> 32); \
        swap_words(swap, loaded, &low_a_, &low_b_);           \
        SWAP_BY_SELECTION(uint, swap, high_a_, high_b_);      \
        (a) = (ulong)high_a_ << 32 | low_a_;                  \
        (b) = (ulong)high_b_ << 32 | low_b_;                  \
    } while (0)
#else
#define SWAP_64(swap, loaded, a, b) SWAP_BY_SELECTION(ulong, swap, a, b)
#endif
#if defined(ONE_OF_LAUNCH) && HIDES_LATENCY
/* Words that lie apart are loaded apart. Of those that do not, rows and sorts into other arrays have no register to
 * spare for a sum. */
#define SELECTS_LOADED (WHOLE_IN_LOCAL && (APART || (IN_ROWS && !LEAVES)))
#define SWAP_32(swap, loaded, a, b)                                          \
    do {                                                                     \
        if ((loaded) && SELECTS_LOADED) SWAP_BY_SELECTION(uint, swap, a, b); \
        else swap_words(swap, (loaded) && WHOLE_IN_LOCAL, &(a), &(b));       \
    } while (0)
#else
#define SWAP_32(swap, loaded, a, b) SWAP_BY_SELECTION(uint, swap, a, b)
#endif
#define SWAP_8(swap, loaded, a, b) SWAP_BY_SELECTION(uchar, swap, a, b)
#define SWAP_16(swap, loaded, a, b) SWAP_BY_SELECTION(ushort, swap, a, b)
#define SWAP_128(swap, loaded, a, b)         \
    do {                                     \
        SWAP_64(swap, loaded, (a).x, (b).x); \
        SWAP_64(swap, loaded, (a).y, (b).y); \
    } while (0)

#if MAXIMA_BY_PRODUCTS && HIDES_LATENCY && LANES == 1 && KEY_BITS <= 32
INLINE uint larger_by_products(uint a, uint b, uint smaller) {
    uint larger;
    asm("{\n"
        ".reg .u32 sum;\n"
        "mad.lo.u32 sum, %1, %4, %2;\n"
        "mad.lo.u32 %0, %3, %5, sum;\n"
        "}"
        : "=r"(larger)
        : "r"(a), "r"(b), "r"(smaller), "r"(ONE_OF_LAUNCH), "r"(MINUS_ONE_OF_LAUNCH));
    return larger;
}
#define LARGER_KEY(i, a, b, smaller) ((i) % 2 == 0 ? MAX(a, b) : larger_by_products(a, b, smaller))
#elif LANES > 1 && (REGISTER_KEY_BITS == 64 || LANES * REGISTER_KEY_BITS >= 512)
/* What the smaller leaves: of AVX-512's vectors minima and maxima have one port, where two exclusive-ors are one
 * instruction of either. Of 64-bit integers a maximum takes more than one everywhere. */
#define LARGER_KEY(i, a, b, smaller) ((a) ^ (b) ^ (smaller))
#else
#define LARGER_KEY(i, a, b, smaller) MAX(a, b)
#endif

#ifdef RECORD_TYPE
/* No registers hold so many records: they trade places in memory, in the one array that has both. */
INLINE void swap_elements(ulong swap, element_t* a, element_t* b) {
    ulong distance = opaque(0 - swap) & (ulong)((uchar*)b - (uchar*)a);
    element_t first = *(const element_t*)((const uchar*)a + distance);
    element_t second = *(const element_t*)((const uchar*)b - distance);
    *a = first;
    *b = second;
}
#elif RECORD_BYTES
#define SWAP_KEYS(swap, loaded, a, b)                                                       \
    UNROLL for (uint i = 0; i < RECORD_WORDS; ++i)                                          \
        if (i % 2 == 0) SWAP_BY_SELECTION(record_word_t, swap, (a).words[i], (b).words[i]); \
        else PASTE(SWAP_, RECORD_WORD_BITS)(swap, loaded, (a).words[i], (b).words[i])
#elif KEY_BITS == 64
#define SWAP_KEYS SWAP_64
#else
#define SWAP_KEYS(swap, loaded, a, b) SWAP_BY_SELECTION(held_key_t, swap, a, b)
#endif
#define SWAP_VALUES PASTE(SWAP_, VALUE_BITS)
#define SWAP_INDICES PASTE(SWAP_, INDEX_BITS)

/* The i-th compare-exchange of a step: the smaller element goes to `lower`. Every second one may use another unit of
 * the device. `loaded`: the two were just loaded. Of long records, which no registers hold, a processor has it once: a
 * tenth of the time to compile, and no slower. */
#if RECORD_BYTES > 16
#define COMPARE_EXCHANGE OUTLINED
#else
#define COMPARE_EXCHANGE INLINE
#endif
COMPARE_EXCHANGE void compare_exchange(element_t* lower, element_t* upper, uint i, uint loaded) {
#ifdef RECORD_TYPE
    swap_elements(BEFORE(*upper, *lower), lower, upper);
#elif RECORD_BYTES || (LANES == 1 && (TIE_BITS || KEY_BITS == 64))
    uint swap = BEFORE(*upper, *lower);
    SWAP_KEYS(swap, loaded, lower->key, upper->key);
    WITH_VALUES(SWAP_VALUES(swap, loaded, lower->value, upper->value);)
    WITH_INDICES(SWAP_INDICES(swap, loaded, lower->index, upper->index);)
#elif TIE_BITS
    element_t a = *lower, b = *upper;
    key_mask_t swap = LESS(b.key, a.key) | (EQUAL(b.key, a.key) & TO_KEY_MASK(LESS(TIE(b), TIE(a))));
    WITH_VALUES(value_mask_t swap_values = TO_VALUE_MASK(swap);)
    WITH_INDICES(index_mask_t swap_indices = TO_INDEX_MASK(swap);)
    *lower = ELEMENT(SELECT(a.key, b.key, swap), SELECT(a.value, b.value, swap_values),
                     SELECT(a.index, b.index, swap_indices));
    *upper = ELEMENT(SELECT(b.key, a.key, swap), SELECT(b.value, a.value, swap_values),
                     SELECT(b.index, a.index, swap_indices));
#else
    held_key_t a = lower->key, b = upper->key;  /* Mesa 22's rusticl loses lanes of elements that are copied here */
    lower->key = MIN(a, b);
    upper->key = LARGER_KEY(i, a, b, lower->key);
#endif
}

#endif
