/* The tile passes for processors with caches: one work-item is a whole work-group.
 *
 * Launched by the executor with WORK_ITEMS = 1, one work-item a tile. Each round walks the tile, REGISTER_VECTORS
 * vectors at a time, in the array itself: the tile is small enough to stay in the processor's cache, so nothing is
 * copied and nothing waits. Same arguments and same result as tile_in_local.cl.
 * Requires: any count, any element offset. Local memory: none. Barriers: none.
 */
#include "tile.h"

#define WALK_LENGTH (TILE_VECTORS / REGISTER_VECTORS)

/* One round over the whole tile. */
INLINE void merge_round(GLOBAL key_t* keys, tile_t tile, index_t count, uint start, uint mirrored, uint top,
                        uint bottom, uint lanes, uint store_coding, key_t flip) {
    for (uint t = 0; t < WALK_LENGTH; ++t) {
        vec_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            r[m] = load_keys(keys, key_index(tile, held_vector(t, m, start, mirrored)), count, CODING_NONE,
                             flip);
        merge_registers(r, mirrored, top, bottom, lanes);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            store_keys(r[m], keys, key_index(tile, held_vector(t, m, start, mirrored)), count, store_coding,
                       flip);
    }
}

KERNEL void sort_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint phases, uint load_coding,
                       uint store_coding, key_t flip) {
    tile_t tile = contiguous_tile(GROUP_ID);
    keys += offset;

    uint last_coding = phases == FIELD_BITS ? store_coding : CODING_NONE;
    for (uint t = 0; t < WALK_LENGTH; ++t) {
        vec_t r[REGISTER_VECTORS];
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            r[m] = load_keys(keys, key_index(tile, held_vector(t, m, 0, 0)), count, load_coding, flip);
        sort_registers(r);
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
            store_keys(r[m], keys, key_index(tile, held_vector(t, m, 0, 0)), count, last_coding, flip);
    }

    for (uint phase = FIELD_BITS + 1; phase <= phases; ++phase) {
        uint top = phase, start;
        do {
            --top;
            start = field_start(top, 0);
            uint coding = phase == phases && start == 0 ? store_coding : CODING_NONE;
            merge_round(keys, tile, count, start, top + 1 == phase, top - start, 0, start == 0, coding, flip);
            top = start;
        } while (start > 0);
    }
}

KERNEL void merge_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint row_stride, uint column_bits,
                        uint mirrored, uint store_coding, key_t flip) {
    tile_t tile = strided_tile(GROUP_ID, row_stride, column_bits, mirrored);
    uint bottom = max(column_bits, (uint)LANE_BITS) - LANE_BITS;
    uint top = TILE_BITS, start;
    keys += offset;
    do {
        --top;
        start = field_start(top, bottom);
        uint first = top == TILE_BITS - 1;
        uint coding = start <= bottom ? store_coding : CODING_NONE;
        merge_round(keys, tile, count, start, mirrored && first, top - start, max(start, bottom) - start,
                    column_bits == 0 && start == 0, coding, flip);
        top = start;
    } while (start > bottom);
}
