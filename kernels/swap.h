/* Two registers that trade places where `swap` is 1: what follows the comparison of a compare-exchange of scalars.
 *
 * On NVIDIA's devices compare-exchanges keep the integer unit busy: each comparison, selection and minimum of a 32-bit
 * word takes one of its slots. Multiply-adds have a unit of their own. So every second word trades places there by
 * predicated multiply-adds of the words' difference, and in CUDA every second maximum is the sum less the minimum
 * (bench/NOTES.md). The factor 1 is a size of the launch, which has one dimension, so that the compiler cannot make
 * additions of the products and give them to the integer unit. Products take longer to come, which the small groups for
 * small arrays do not hide. */
#ifndef SWAP_H
#define SWAP_H
#include "dialect.h"

#ifndef HIDES_LATENCY
#define HIDES_LATENCY (WORK_ITEMS >= 256)
#endif

/* Of copies, which compilers select without a branch. */
#define SWAP_BY_SELECTION(type, swap, a, b) \
    {                                       \
        type first_ = (a), second_ = (b);   \
        (a) = (swap) ? second_ : first_;    \
        (b) = (swap) ? first_ : second_;    \
    }

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

/* In groups of every size: of selections alone the compiler would make a minimum and a maximum, which compare twice. */
#define SWAP_64(swap, a, b)                                   \
    {                                                         \
        uint low_a_ = (uint)(a), high_a_ = (uint)((a) >> 32); \
        uint low_b_ = (uint)(b), high_b_ = (uint)((b) >> 32); \
        swap_by_products(swap, &low_a_, &low_b_);             \
        SWAP_BY_SELECTION(uint, swap, high_a_, high_b_)       \
        (a) = (ulong)high_a_ << 32 | low_a_;                  \
        (b) = (ulong)high_b_ << 32 | low_b_;                  \
    }
#else
#define SWAP_64(swap, a, b) SWAP_BY_SELECTION(ulong, swap, a, b)
#endif
#if defined(ONE_OF_LAUNCH) && HIDES_LATENCY
#define SWAP_32(swap, a, b) swap_by_products(swap, &(a), &(b));
#else
#define SWAP_32(swap, a, b) SWAP_BY_SELECTION(uint, swap, a, b)
#endif
#define SWAP_8(swap, a, b) SWAP_BY_SELECTION(uchar, swap, a, b)
#define SWAP_16(swap, a, b) SWAP_BY_SELECTION(ushort, swap, a, b)
#define SWAP_128(swap, a, b)        \
    {                               \
        SWAP_64(swap, (a).x, (b).x) \
        SWAP_64(swap, (a).y, (b).y) \
    }

#if MAXIMA_BY_PRODUCTS && HIDES_LATENCY && LANES == 1 && KEY_BITS == 32
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
#else
#define LARGER_KEY(i, a, b, smaller) MAX(a, b)
#endif

#if RECORD_BYTES
#define SWAP_KEYS(swap, a, b)                                                              \
    UNROLL for (uint i = 0; i < RECORD_WORDS; ++i)                                         \
        if (i % 2 == 0) SWAP_BY_SELECTION(record_word_t, swap, (a).words[i], (b).words[i]) \
        else PASTE(SWAP_, RECORD_WORD_BITS)(swap, (a).words[i], (b).words[i])
#elif KEY_BITS == 64
#define SWAP_KEYS SWAP_64
#else
#define SWAP_KEYS(swap, a, b) SWAP_BY_SELECTION(key_t, swap, a, b)
#endif
#define SWAP_VALUES PASTE(SWAP_, VALUE_BITS)
#define SWAP_INDICES PASTE(SWAP_, INDEX_BITS)

#endif
