/* The tile passes for devices with work-groups: registers, and local memory to hand keys over between rounds.
 *
 * Launched by the executor, one work-group a tile (or, with TILE_WORK_ITEMS 1, one work-item a tile and no barrier).
 * Requires: any count, any element offset; keys beyond `count` are neither read nor written.
 * Local memory: TILE_KEYS keys where a tile is shared, else none.
 * Barriers: one in every hand-over; with REMAP two in every one but the first, because keys then change places and
 * must all have been read before any is written.
 *
 *   array --load--> registers --round--> hand-over --round--> ... --round--> registers --store--> array
 */
#include "tile.h"

/* REMAP            write-back addresses remapped so that the next round reads contiguously
 * BANK_SWAP        half of the work-items write their two groups of vectors in the other order
 * COALESCED_STORE  one more hand-over before the store, so that neighbouring work-items store neighbouring vectors
 * COUNT_SYNC       count hand-overs and barriers in the buffer `counters` */
#ifndef REMAP
#define REMAP 0
#endif
#ifndef BANK_SWAP
#define BANK_SWAP 0
#endif
#ifndef COALESCED_STORE
#define COALESCED_STORE 0
#endif
#ifndef COUNT_SYNC
#define COUNT_SYNC 0
#endif

#define CONTIGUOUS_START (TILE_BITS - FIELD_BITS)

typedef struct {
    uint hand_overs;
    uint barriers;
} sync_t;

/* The slot of vector v in local memory, where a round on the field at `start` reads it.
 * Remapped, the field moves to the top: register m of work-item t is read at t + m * TILE_WORK_ITEMS. */
INLINE uint slot(uint v, uint start, uint mirrored) {
#if REMAP
    uint field = LOW_BITS(v >> start, FIELD_BITS);
    if (mirrored && field >= REGISTER_VECTORS / 2) v ^= (1u << start) - 1;
    return (field << (TILE_BITS - FIELD_BITS)) | ((v >> (start + FIELD_BITS)) << start) | LOW_BITS(v, start);
#else
    return v;
#endif
}

#if TILE_WORK_ITEMS > 1
#define SYNCHRONISE(sync) \
    {                     \
        BARRIER();        \
        ++(sync)->barriers; \
    }

/* All work-items give away the keys of the round at `from` and take those of the round at `to`. */
INLINE void hand_over(vec_t* r, LOCAL key_t* tile, uint t, uint from, uint from_mirrored, uint to, uint to_mirrored,
                      sync_t* sync) {
    if (REMAP && sync->hand_overs > 0) SYNCHRONISE(sync)
    uint first[VECTORS], second[VECTORS];
    vec_t first_keys[VECTORS], second_keys[VECTORS];
    uint swap = BANK_SWAP && ((t >> to) & 1);
    UNROLL for (uint m = 0; m < VECTORS; ++m) {
        uint lower = slot(held_vector(t, m, from, from_mirrored), to, to_mirrored);
        uint upper = slot(held_vector(t, m + VECTORS, from, from_mirrored), to, to_mirrored);
        first[m] = swap ? upper : lower;
        second[m] = swap ? lower : upper;
        first_keys[m] = swap ? r[m + VECTORS] : r[m];
        second_keys[m] = swap ? r[m] : r[m + VECTORS];
    }
    UNROLL for (uint m = 0; m < VECTORS; ++m) STORE_VECTOR(first_keys[m], tile + first[m] * LANES);
    UNROLL for (uint m = 0; m < VECTORS; ++m) STORE_VECTOR(second_keys[m], tile + second[m] * LANES);
    SYNCHRONISE(sync)
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        r[m] = LOAD_VECTOR(tile + slot(held_vector(t, m, to, to_mirrored), to, to_mirrored) * LANES);
    ++sync->hand_overs;
}
#define TILE_NUMBER GROUP_ID
#define TILE_WORK_ITEM LOCAL_ID
#define LOCAL_TILE(name) LOCAL key_t name[TILE_KEYS]
#define HAND_OVER(...) hand_over(__VA_ARGS__)
#else
#define TILE_NUMBER GLOBAL_ID
#define TILE_WORK_ITEM 0
#define LOCAL_TILE(name)
#define HAND_OVER(...)
#endif

#if COUNT_SYNC
#define COUNTERS_PARAMETER , GLOBAL uint* counters
#define REPORT_SYNC(sync)                                 \
    if (LOCAL_ID == 0) {                                  \
        ATOMIC_ADD(counters + 0, 1u);                     \
        ATOMIC_ADD(counters + 1, (sync).hand_overs);      \
        ATOMIC_ADD(counters + 2, (sync).barriers);        \
    }
#else
#define COUNTERS_PARAMETER
#define REPORT_SYNC(sync)
#endif

/* Phases 1 .. lg(REGISTER_VECTORS * L) at once in registers, then one after the other up to the phase that sorts
 * runs of 2^phases vectors. Where that is the whole tile, the first round may take any keys for its own and so takes
 * them contiguously over the work-items. */
KERNEL void sort_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint phases, uint load_coding,
                       uint store_coding, key_t flip COUNTERS_PARAMETER) {
    LOCAL_TILE(local_tile);
    uint t = TILE_WORK_ITEM;
    tile_t tile = contiguous_tile(TILE_NUMBER);
    sync_t sync = {0, 0};
    vec_t r[REGISTER_VECTORS];
    keys += offset;

    uint load_start = phases == TILE_BITS ? CONTIGUOUS_START : 0;
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        r[m] = load_keys(keys, key_index(tile, held_vector(t, m, load_start, 0)), count, load_coding, flip);
    sort_registers(r);

    uint start = 0, mirrored = 0;
    for (uint phase = FIELD_BITS + 1; phase <= phases; ++phase) {
        uint top = phase;
        do {
            --top;
            uint next = field_start(top, 0);
            HAND_OVER(r, local_tile, t, start, mirrored, next, top + 1 == phase, &sync);
            start = next;
            mirrored = top + 1 == phase;
            merge_registers(r, mirrored, top - start, 0, start == 0);
            top = start;
        } while (start > 0);
    }

#if COALESCED_STORE
    HAND_OVER(r, local_tile, t, start, mirrored, CONTIGUOUS_START, 0, &sync);
    start = CONTIGUOUS_START;
    mirrored = 0;
#endif
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        store_keys(r[m], keys, key_index(tile, held_vector(t, m, start, mirrored)), count, store_coding, flip);
    REPORT_SYNC(sync)
}

/* The steps of one phase whose operands lie in 2^(TILE_BITS + LANE_BITS - column_bits) rows of 2^column_bits keys:
 * the strides from half the tile down to one row, or, where column_bits is 0, down to one key. */
KERNEL void merge_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint row_stride, uint column_bits,
                        uint mirrored, uint store_coding, key_t flip COUNTERS_PARAMETER) {
    LOCAL_TILE(local_tile);
    uint t = TILE_WORK_ITEM;
    tile_t tile = strided_tile(TILE_NUMBER, row_stride, column_bits, mirrored);
    sync_t sync = {0, 0};
    vec_t r[REGISTER_VECTORS];
    uint bottom = max(column_bits, (uint)LANE_BITS) - LANE_BITS;
    uint start = field_start(TILE_BITS - 1, bottom);
    keys += offset;

    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        r[m] = load_keys(keys, key_index(tile, held_vector(t, m, start, mirrored)), count, CODING_NONE, flip);
    merge_registers(r, mirrored, TILE_BITS - 1 - start, max(start, bottom) - start, column_bits == 0 && start == 0);

    uint round_mirrored = mirrored;
    while (start > bottom) {
        uint top = start - 1;
        uint next = field_start(top, bottom);
        HAND_OVER(r, local_tile, t, start, round_mirrored, next, 0, &sync);
        start = next;
        round_mirrored = 0;
        merge_registers(r, 0, top - start, max(start, bottom) - start, column_bits == 0 && start == 0);
    }

#if COALESCED_STORE
    if (column_bits == 0) {
        HAND_OVER(r, local_tile, t, start, round_mirrored, CONTIGUOUS_START, 0, &sync);
        start = CONTIGUOUS_START;
        round_mirrored = 0;
    }
#endif
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        store_keys(r[m], keys, key_index(tile, held_vector(t, m, start, round_mirrored)), count, store_coding,
                   flip);
    REPORT_SYNC(sync)
}
