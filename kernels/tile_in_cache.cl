/* The tile passes for processors with caches: one work-item is a whole work-group.
 *
 * All kernels take the arguments of those in tile_in_local.cl, and give the same result. They are launched as a plan says
 * (lib/src/plan.cpp), with a work-group of one work-item for each tile. Requires: any count, any element offset. Local memory:
 * none. Barriers: none.
 *
 * Each round walks the tile, REGISTER_VECTORS vectors at a time, in the array itself: the tile is small enough to stay in the
 * processor's second-level cache, so nothing is copied and nothing waits. What is left of a phase once its strides are inside
 * a chunk, which stays in the first-level cache, is done chunk by chunk. Between passes blocks of L x L keys lie transposed
 * (lane_blocks.h).
 */
#define WALKS_IN_CACHE 1
#include "lane_blocks.h"
#include "sync_count.h"
#include "tile_io.h"

/* A chunk has no more vectors than the tile. */
#define CHUNK_VECTORS_BITS LOG2(CHUNK_BYTES / (LANES * KEY_BYTES))
#define CHUNK_BITS (TILE_BITS < CHUNK_VECTORS_BITS ? TILE_BITS : CHUNK_VECTORS_BITS)

/* How often REGISTER_VECTORS vectors are loaded to have had all of a tile, or of a chunk. */
#define WALK_OF_TILE (TILE_VECTORS >> FIELD_BITS)
#define WALK_OF_CHUNK (1u << (CHUNK_BITS - FIELD_BITS))
#define CHUNKS (WALK_OF_TILE / WALK_OF_CHUNK)

/* Blocks of so many vectors lie transposed. Where ranges are merged that are in order, none do. */
#define BLOCK_VECTORS (TWO_RANGES ? 1 : LANES)
#define BLOCK_KEYS (BLOCK_VECTORS * LANES)

/* The tile, whole if only what is held for t is. */
INLINE tile_t part_of_tile(tile_t tile, uint t, uint start, uint mirrored, position_t count) {
    if (!tile.whole) {
        position_t last = held_position(tile, t, REGISTER_VECTORS - 1, start, mirrored);
#if TWO_RANGES
        tile.whole = lower_position(tile, t, start) < count && last + (LANES - 1) < count;
#else
        tile.whole = (last / BLOCK_KEYS + 1) * BLOCK_KEYS <= count;
#endif
    }
    return tile;
}

/* Nothing of what is held for t lies in the array. */
INLINE uint is_beyond(tile_t tile, uint t, uint start, uint mirrored, position_t count) {
    if (tile.whole) return 0;
    position_t first = lower_position(tile, t, start);
#if TWO_RANGES
    position_t last = held_position(tile, t, REGISTER_VECTORS - 1, start, mirrored) + LANES;
    return is_in_front(first) ? is_in_front(last) : first >= count;
#else
    return first / BLOCK_KEYS * BLOCK_KEYS >= count;
#endif
}

/* Compiled ahead, all kernels share one copy: that halves the library. */
#if DECIDES_AT_RUN_TIME
#define WALK OUTLINED
#else
#define WALK INLINE
#endif

/* Compiled ahead, an array or row of so few vectors has a shorter way: whole registers would be mostly beyond its end. */
#define SORTS_FEW (DECIDES_AT_RUN_TIME && LANES > 1)
#define FEW_VECTORS (REGISTER_VECTORS / 4 * 3)

/* The steps of strides 2^(top - 1) .. 2^bottom vectors, walking from first_t to last_t. The first round encodes. */
WALK void merge_vectors(arrays_t arrays, position_t count, tile_t tile, uint first_t, uint last_t, uint mirrored,
                          uint top, uint bottom, uint coding, flip_t flip) {
    while (top > bottom) {
        uint start = field_start(top - 1);
        uint last = max(start, bottom);
        for (uint t = first_t; t < last_t; ++t) {
            tile_t part = part_of_tile(tile, t, start, mirrored, count);
            if (is_beyond(part, t, start, mirrored, count)) continue;
            element_t r[REGISTER_VECTORS];
            load_registers(r, arrays, count, part, t, start, mirrored, BLOCK_VECTORS, coding, flip);
            merge_registers(r, mirrored, top - 1 - start, last - start, 0);
            store_registers(r, arrays, count, part, t, start, mirrored, BLOCK_VECTORS, CODING_NONE, flip);
        }
        top = last;
        mirrored = 0;
        coding = CODING_NONE;
    }
}

#if !TWO_RANGES
/* Stores whole blocks: at rest transposed, and in order once the array is sorted, which `coding` tells. */
INLINE void store_blocks(element_t* r, arrays_t arrays, position_t count, tile_t tile, uint t, uint coding, flip_t flip) {
    if (coding == CODING_NONE) {
        store_registers(r, arrays, count, tile, t, 0, 0, LANES, coding, flip);
    } else {
        trade_all_lanes(r);
        store_registers(r, arrays, count, tile, t, 0, 0, 1, coding, flip);
    }
}
#endif

/* The steps of strides 2^(top - 1) vectors .. 1 key of one chunk, walking from first_t to last_t. */
WALK void merge_chunk(arrays_t arrays, position_t count, tile_t tile, uint first_t, uint last_t, uint mirrored, uint top,
                        uint first_coding, uint store_coding, flip_t flip) {
    merge_vectors(arrays, count, tile, first_t, last_t, mirrored, top, FIELD_BITS, first_coding, flip);
    for (uint t = first_t; t < last_t; ++t) {
        tile_t part = part_of_tile(tile, t, 0, 0, count);
        if (is_beyond(part, t, 0, 0, count)) continue;
        element_t r[REGISTER_VECTORS];
        load_registers(r, arrays, count, part, t, 0, 0, BLOCK_VECTORS, CODING_NONE, flip);
#if TWO_RANGES
        merge_registers(r, 0, FIELD_BITS - 1, 0, 1);
        store_registers(r, arrays, count, part, t, 0, 0, 1, store_coding, flip);
#else
        merge_registers(r, 0, FIELD_BITS - 1, LANE_BITS, 0);
        merge_blocks(r);
        store_blocks(r, arrays, count, part, t, store_coding, flip);
#endif
    }
}

/* The chunks of a contiguous tile that begin before the end of the array. */
INLINE uint chunks_before_end(tile_t tile, position_t count) {
    position_t chunk_keys = (position_t)LANES << CHUNK_BITS;
    if (tile.whole || tile.strip_stride > 0 || TWO_RANGES) return CHUNKS;
    return tile.base < count ? (uint)((count - tile.base + chunk_keys - 1) / chunk_keys) : 0;
}

#if !TWO_RANGES
#if SORTS_FEW
/* All phases of an array of FEW_VECTORS vectors or fewer. */
WALK void sort_few(arrays_t arrays, position_t count, uint load_coding, uint store_coding, flip_t flip) {
    element_t r[FEW_VECTORS];
    uint last = (uint)(count - 1) / LANES; /* the one vector that may reach beyond the end */
    lanes_t lanes = lanes_of(element_beyond(load_coding, flip));
    load_to_end(&lanes, arrays, last * LANES, count, 1, load_coding, flip);
    r[last] = element_of(&lanes);
    ROLLED for (uint m = 0; m < last; ++m) r[m] = load_element(arrays, m * LANES, m * LANES, 1);
    ROLLED for (uint m = 0; m <= last; ++m) r[m].key = encode(r[m].key, load_coding, flip);
    sort_vectors(r, last + 1);
    ROLLED for (uint m = 0; m <= last; ++m) r[m].key = decode(r[m].key, store_coding, flip);
    ROLLED for (uint m = 0; m < last; ++m) store_of_pass(r[m], arrays, m * LANES, 1);
    lanes = lanes_of(r[last]);
    store_to_end(&lanes, arrays, last * LANES, count, 1, 1);
}
#endif

/* Phases 1 .. `phases` of a tile, counted in vectors; of heads that are sorted only those from first_phase on. */
INLINE void sort_tile(arrays_t arrays, position_t count, tile_t tile, uint phases, uint first_phase, uint load_coding,
                      uint store_coding, flip_t flip) {
    uint is_one_run = count <= (position_t)LANES << phases; /* the rest of the tile is beyond the end */
    uint walk = is_one_run ? 1u << (phases - FIELD_BITS) : WALK_OF_TILE;
    /* The first walk over the chunks runs all phases of runs that lie in one, each further walk what is left of a phase
     * of longer ones. */
    for (uint last = max(IS_SORTED ? FIRST_PHASE : 0u, min(phases, (uint)CHUNK_BITS)); last <= phases; ++last) {
        uint is_first_walk = last <= CHUNK_BITS, last_in_chunk = min(last, (uint)CHUNK_BITS);
        if (!is_first_walk) merge_vectors(arrays, count, tile, 0, walk, 1, last, CHUNK_BITS, CODING_NONE, flip);
        for (uint chunk = 0; chunk < chunks_before_end(tile, count); ++chunk) {
            uint first_t = chunk * WALK_OF_CHUNK, last_t = min(first_t + WALK_OF_CHUNK, walk);
            for (uint t = first_t; !IS_SORTED && is_first_walk && t < last_t; ++t) {
                tile_t part = part_of_tile(tile, t, 0, 0, count);
                if (is_beyond(part, t, 0, 0, count)) continue;
                element_t r[REGISTER_VECTORS];
                load_registers(r, arrays, count, part, t, 0, 0, 1, load_coding, flip); /* in any order */
                sort_blocks(r);
                store_blocks(r, arrays, count, part, t, phases == FIELD_BITS ? store_coding : CODING_NONE, flip);
            }
            for (uint phase = is_first_walk ? FIRST_PHASE : CHUNK_BITS; phase <= last_in_chunk; ++phase)
                merge_chunk(arrays, count, tile, first_t, last_t, is_first_walk, phase, CODING_NONE,
                            last == phases && phase == last_in_chunk ? store_coding : CODING_NONE, flip);
        }
    }
}

/* The first phases of each tile. Launched as the first pass, and for heads as each. */
KERNEL void sort_tiles(GLOBAL key_t* keys, offset_t keys_offset, position_t count, offset_t rows, offset_t end,
                       uint tile_bits, uint phases, position_t front, uint first_phase, uint load_coding,
                       uint store_coding, flip_t flip, uint strip_stride, uint strip_bits, uint mirrored,
                       GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL index_t* indices,
                       offset_t indices_offset, GLOBAL const segment_t* segments, offset_t segments_offset,
                       GLOBAL uint* counters, offset_t counters_offset) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
    index_each_run(&arrays, phases);
    /* A row that is shorter than others takes fewer phases. */
    while (!IS_SORTED && phases > FIELD_BITS && count <= (position_t)LANES << (phases - 1)) --phases;
#if SORTS_FEW
    uint is_few = number == 0 && count - 1 < FEW_VECTORS * LANES && store_coding != CODING_NONE && !IS_SORTED;
    if (is_few) sort_few(arrays, count, load_coding, store_coding, flip);
    else
#endif
        sort_tile(arrays, count, tile_of(number, strip_stride, strip_bits, count), phases, first_phase, load_coding,
                  store_coding, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}
#endif

#if !FIRST_ONLY || DECIDES_AT_RUN_TIME
/* The steps of strides 2^(top - 1) vectors .. 1 key of a contiguous tile. */
INLINE void merge_tile(arrays_t arrays, position_t count, tile_t tile, uint mirrored, uint top, uint first_coding,
                       uint store_coding, flip_t flip) {
    uint in_chunks = top == CHUNK_BITS;
    merge_vectors(arrays, count, tile, 0, WALK_OF_TILE, mirrored, top, CHUNK_BITS, first_coding, flip);
    for (uint chunk = 0; chunk < chunks_before_end(tile, count); ++chunk)
        merge_chunk(arrays, count, tile, chunk * WALK_OF_CHUNK, (chunk + 1) * WALK_OF_CHUNK, in_chunks ? mirrored : 0,
                    CHUNK_BITS, in_chunks ? first_coding : CODING_NONE, store_coding, flip);
}

/* The last steps of a phase, in contiguous tiles: strides from half the tile down to one key.
 * Launched as the last pass of each phase. */
KERNEL void merge_tiles(GLOBAL key_t* keys, offset_t keys_offset, position_t count, offset_t rows, offset_t end,
                        uint tile_bits, uint phases, position_t front, uint first_phase, uint load_coding,
                        uint store_coding, flip_t flip, uint strip_stride, uint strip_bits, uint mirrored,
                        GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL index_t* indices,
                        offset_t indices_offset, GLOBAL const segment_t* segments, offset_t segments_offset,
                        GLOBAL uint* counters, offset_t counters_offset) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = behind_front(contiguous_tile((position_t)number, count), front, count);
    merge_tile(arrays, count, tile, FIRST_CODING != CODING_NONE, TILE_BITS, FIRST_CODING, store_coding, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}

/* Global steps of a phase, in tiles of strips 2^strip_stride keys apart, of 2^strip_bits keys: strides from half the strips
 * down to one strip.
 * Launched ahead of merge_tiles, where a phase has such steps. So it is never the last pass: the keys stay encoded and the
 * blocks transposed. */
KERNEL void merge_strips(GLOBAL key_t* keys, offset_t keys_offset, position_t count, offset_t rows, offset_t end,
                         uint tile_bits, uint phases, position_t front, uint first_phase, uint load_coding,
                         uint store_coding, flip_t flip, uint strip_stride, uint strip_bits, uint mirrored,
                         GLOBAL value_argument_t* values, offset_t values_offset, GLOBAL index_t* indices,
                         offset_t indices_offset, GLOBAL const segment_t* segments, offset_t segments_offset,
                         GLOBAL uint* counters, offset_t counters_offset) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = strided_tile((position_t)number, strip_stride, strip_bits, mirrored, count);
    tile = behind_front(tile, front, count);
    uint bottom = max(strip_bits, (uint)LANE_BITS) - LANE_BITS;
    uint chunk_bottom = max(bottom, (uint)CHUNK_BITS);
    uint in_chunks = CHUNK_BITS == TILE_BITS;
    merge_vectors(arrays, count, tile, 0, WALK_OF_TILE, mirrored, TILE_BITS, chunk_bottom, FIRST_CODING, flip);
    for (uint chunk = 0; chunk < CHUNKS; ++chunk)
        merge_vectors(arrays, count, tile, chunk * WALK_OF_CHUNK, (chunk + 1) * WALK_OF_CHUNK, in_chunks ? mirrored : 0,
                      CHUNK_BITS, bottom, in_chunks ? FIRST_CODING : CODING_NONE, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}
#endif
