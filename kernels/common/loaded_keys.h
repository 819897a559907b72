// SPDX-License-Identifier: MIT
/* Keys that are loaded and stored 16 bytes at once. They are taken out of these by integers: of a union Oclgrind's
 * compiler would make integers of 128 bits. */
#ifndef LOADED_KEYS_H
#define LOADED_KEYS_H
#include "common/key_order.h"

#define KEYS_OF_16_BYTES (128 / KEY_BITS)

#if WORK_ITEMS > 1
typedef struct {
    uint words[4];
} loaded_keys_t;

/* The 16 bytes of number i. */
INLINE loaded_keys_t load_keys(GLOBAL const key_t* keys, position_t i) {
    uint4 all = ((GLOBAL const uint4*)keys)[i];
    loaded_keys_t loaded = {{all.x, all.y, all.z, all.w}};
    return loaded;
}

INLINE void store_keys(GLOBAL key_t* keys, position_t i, loaded_keys_t stored) {
    uint4 all;
    all.x = stored.words[0], all.y = stored.words[1], all.z = stored.words[2], all.w = stored.words[3];
    ((GLOBAL uint4*)keys)[i] = all;
}

INLINE vec_t key_in(const loaded_keys_t* from, uint k) {
#if KEY_BITS == 64
    return from->words[2 * k] | (ulong)from->words[2 * k + 1] << 32;
#else
    return (vec_t)(from->words[k * KEY_BITS / 32] >> k * KEY_BITS % 32);
#endif
}

/* Into bits that are 0. */
INLINE void put_key_in(loaded_keys_t* to, uint k, vec_t key) {
#if KEY_BITS == 64
    to->words[2 * k] = (uint)key;
    to->words[2 * k + 1] = (uint)(key >> 32);
#else
    to->words[k * KEY_BITS / 32] |= (uint)key << k * KEY_BITS % 32;
#endif
}
#endif

#endif
