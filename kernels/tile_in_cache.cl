/* The tile passes for processors with caches: one work-item is a whole work-group.
 *
 * Launched by the executor with WORK_ITEMS = 1, one work-item a tile. Each round walks the tile, REGISTER_VECTORS
 * vectors at a time, in the array itself: the tile is small enough to stay in the processor's cache, so nothing is
 * copied and nothing waits. Same arguments and same result as tile_in_local.cl.
 * Requires: any count, any element offset. Local memory: none. Barriers: none.
 */
#include "sync_count.h"
#include "tile.h"

#define WALK_LENGTH (TILE_VECTORS / REGISTER_VECTORS)

/* One round over the whole tile. */
INLINE void merge_round(GLOBAL key_t* keys, index_t count, tile_t tile, uint start, uint mirrored, uint top,
                        uint bottom, uint lanes, uint store_coding, key_t flip) {
    for (uint t = 0; t < WALK_LENGTH; ++t) {
        vec_t r[REGISTER_VECTORS];
        load_registers(r, keys, count, tile, t, start, mirrored, CODING_NONE, flip);
        merge_registers(r, mirrored, top, bottom, lanes);
        store_registers(r, keys, count, tile, t, start, mirrored, store_coding, flip);
    }
}

KERNEL void sort_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint phases, uint load_coding,
                       uint store_coding, key_t flip COUNTERS_PARAMETER) {
    tile_t tile = contiguous_tile(GROUP_ID, count);
    keys += offset;

    uint first_store_coding = phases == FIELD_BITS ? store_coding : CODING_NONE;
    for (uint t = 0; t < WALK_LENGTH; ++t) {
        vec_t r[REGISTER_VECTORS];
        load_registers(r, keys, count, tile, t, 0, 0, load_coding, flip);
        sort_registers(r);
        store_registers(r, keys, count, tile, t, 0, 0, first_store_coding, flip);
    }

    for (uint phase = FIELD_BITS + 1; phase <= phases; ++phase) {
        uint top = phase, start;
        do {
            start = field_start(top - 1);
            merge_round(keys, count, tile, start, top == phase, top - 1 - start, 0, start == 0,
                        phase == phases && start == 0 ? store_coding : CODING_NONE, flip);
            top = start;
        } while (start > 0);
    }
    sync_t none = {0, 0};
    REPORT_SYNC(none)
}

INLINE void merge(GLOBAL key_t* keys, index_t count, tile_t tile, uint mirrored, uint store_coding, key_t flip) {
    uint bottom = max(tile.column_bits, (uint)LANE_BITS) - LANE_BITS;
    uint top = TILE_BITS, start;
    do {
        start = field_start(top - 1);
        merge_round(keys, count, tile, start, mirrored && top == TILE_BITS, top - 1 - start,
                    max(start, bottom) - start, tile.row_stride == 0 && start == 0,
                    start <= bottom ? store_coding : CODING_NONE, flip);
        top = start;
    } while (start > bottom);
}

KERNEL void merge_tiles(GLOBAL key_t* keys, offset_t offset, index_t count, uint store_coding,
                        key_t flip COUNTERS_PARAMETER) {
    merge(keys + offset, count, contiguous_tile(GROUP_ID, count), 0, store_coding, flip);
    sync_t none = {0, 0};
    REPORT_SYNC(none)
}

KERNEL void merge_rows(GLOBAL key_t* keys, offset_t offset, index_t count, uint store_coding, key_t flip,
                       uint row_stride, uint column_bits, uint mirrored COUNTERS_PARAMETER) {
    merge(keys + offset, count, strided_tile(GROUP_ID, row_stride, column_bits, mirrored, count), mirrored,
          store_coding, flip);
    sync_t none = {0, 0};
    REPORT_SYNC(none)
}
