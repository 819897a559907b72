// SPDX-License-Identifier: MIT
/* What work-groups tell each other while they run, and work-items of a group without local memory, in every dialect.
 *
 * A status is a word that other groups write meanwhile. It is loaded and stored as a whole; when others see it, nobody
 * says. So a number takes several: each has a part of it and, in its lowest two bits, what it is a part of. Words that
 * do not say the same are not there yet; at first they are zeroes.
 * HAS_SHUFFLES: 32 neighbouring work-items hand each other what they have in registers.
 */
#ifndef LOOK_BACK_WORDS_H
#define LOOK_BACK_WORDS_H
#include "common/dialect.h"

#ifdef __CUDACC_RTC__
#define STATUS_BITS 64
typedef ulong status_t;
#define LOAD_STATUS(address) (*(volatile const status_t*)(address))
#define STORE_STATUS(address, word) (*(volatile status_t*)(address) = (word))
#define HAS_SHUFFLES 1
#define SHUFFLE(value, from) __shfl_sync(~0u, value, from)
#define SHUFFLE_UP(value, distance) __shfl_up_sync(~0u, value, distance)
#define SHUFFLE_XOR(value, mask) __shfl_xor_sync(~0u, value, mask)
#define BALLOT(condition) __ballot_sync(~0u, condition)
#define FIRST_BIT(bits) ((uint)__ffs((int)(bits)) - 1)
#define LAST_BIT(bits) (31 - (uint)__clz((int)(bits)))
#elif defined(__cplusplus)
#define STATUS_BITS 64
typedef ulong status_t;
#define LOAD_STATUS(address) __atomic_load_n(address, __ATOMIC_RELAXED)
#define STORE_STATUS(address, word) __atomic_store_n(address, word, __ATOMIC_RELAXED)
#define HAS_SHUFFLES 0
#else
#define STATUS_BITS 32
typedef uint status_t;
#ifdef __NV_CL_C_VERSION
#define LOAD_STATUS(address) (*(volatile GLOBAL const status_t*)(address))
#define STORE_STATUS(address, word) (*(volatile GLOBAL status_t*)(address) = (word))
#else
#define LOAD_STATUS(address) atomic_or(address, 0)
#define STORE_STATUS(address, word) ((void)atomic_xchg(address, word))
#endif
#define HAS_SHUFFLES 0
#endif

#define NOT_THERE 0u

#define PART_BITS (STATUS_BITS - 2)
/* Words of a number of so many bits, up to 64. */
#define WORDS_OF(bits) (((bits) + PART_BITS - 1) / PART_BITS)

INLINE void publish_words(GLOBAL status_t* status, uint words, ulong number, uint what) {
    UNROLL for (uint w = 0; w < words; ++w) {
        status_t part = (status_t)(number >> w * PART_BITS);
        STORE_STATUS(status + w, (status_t)(part << 2 | what));
    }
}

/* Gives what the words say that they are. */
INLINE uint look_at_words(GLOBAL status_t* status, uint words, ulong* number) {
    ulong parts = 0;
    status_t all = 3, any = 0;
    UNROLL for (uint w = 0; w < words; ++w) {
        status_t word = LOAD_STATUS(status + w);
        parts |= (ulong)(word >> 2) << w * PART_BITS;
        all &= word;
        any |= word;
    }
    *number = parts;
    return all == (any & 3) ? (uint)all : NOT_THERE;
}

#endif
