// SPDX-License-Identifier: MIT
/* The tile passes for processors with caches: one work-item is a whole work-group.
 *
 * All kernels take the arguments of those in tile_in_local.cl, and give the same result. They are launched as a plan
 * says (lib/src/ops/sort/plan.cpp), with a work-group of one work-item for each tile. Requires: any count, any element
 * offset. Local memory: LOCAL_ELEMENTS elements, which are to stay in the processor's second-level cache. Barriers:
 * none.
 *
 *   array --load, transposed--> local memory, walked REGISTER_VECTORS vectors at a time --store, transposed--> array
 */
#define WALKS_IN_CACHE 1
#include "cpu/tile_layout_cpu.h"
#include "cpu/partition_lanes.h"
#include "sort/sync_count.h"
#include "sort/tile_io.h"

/* Compiled ahead, and in a quicksort, an array or row of so few vectors has a shorter way: whole registers would be
 * mostly beyond its end. */
#define SORTS_FEW ((DECIDES_AT_RUN_TIME || QUICKSORT) && LANES > 1)
#define FEW_VECTORS (REGISTER_VECTORS / 4 * 3)

/* A vector of which not all lanes are neighbours in the array. */
#if LANES > 1
OUTLINED void load_apart(element_t* e, arrays_t arrays, position_t first, position_t distance, position_t count,
                         uint first_pass, uint coding, flip_t flip) {
    lanes_t lanes = lanes_of(element_beyond(coding, flip));
    load_to_end(&lanes, arrays, first, count, distance, first_pass, coding, flip);
    *e = element_of(&lanes);
}
OUTLINED void store_apart(element_t e, arrays_t arrays, position_t first, position_t distance, position_t count) {
    lanes_t lanes = lanes_of(e);
    store_to_end(&lanes, arrays, first, count, distance);
}
#else
INLINE void load_apart(element_t* e, arrays_t arrays, position_t first, position_t distance, position_t count,
                       uint first_pass, uint coding, flip_t flip) {
    *e = is_in_front(first) ? element_in_front(coding, flip) : element_beyond(coding, flip);
}
INLINE void store_apart(element_t e, arrays_t arrays, position_t first, position_t distance, position_t count) {}
#define lies_in_array(first, count) ((first) < (count))
#endif

/* L elements from the array, and back: at `first`, and at such distances from there. */
INLINE void load_elements(element_t* e, arrays_t arrays, position_t first, position_t distance, position_t count,
                          uint first_pass, uint coding, flip_t flip) {
    if ((LANES == 1 || distance == 1) && lies_in_array(first, count))
        *e = load_element(arrays, first, first, first_pass);
    else load_apart(e, arrays, first, distance, count, first_pass, coding, flip);
    e->key = encode(e->key, coding, flip);
}
INLINE void store_elements(element_t e, arrays_t arrays, position_t first, position_t distance, position_t count,
                           uint coding, flip_t flip) {
    e.key = decode(e.key, coding, flip);
    if ((LANES == 1 || distance == 1) && lies_in_array(first, count)) store_element(e, arrays, first);
    else store_apart(e, arrays, first, distance, count);
}

/* Where the key of that number in the tile is, and at which distance the ones behind it. Of 2^column_bits columns, a
 * tile that is not whole has them as its rows. */
INLINE position_t position_of(tile_t tile, uint key, uint column_bits, position_t count, position_t* distance) {
    position_t strip = tile.base + ((position_t)(key >> tile.strip_bits) << tile.strip_stride);
    uint in_strip = LOW_BITS(key, tile.strip_bits);
    uint is_row = column_bits > 0 && strip + ((position_t)1 << tile.strip_stride) > count;
    *distance = is_row ? 1u << column_bits : 1u;
    if (is_row) return strip + tile.place + ((position_t)in_strip << column_bits);
    return strip + (tile.place << tile.strip_bits) + in_strip;
}

/* A tile of 2^bits vectors whose lanes are to be its parts; or a column of 2^column_bits, else 0. */
WALK void load_tile(local_arrays_t held, uint bits, arrays_t arrays, position_t count, tile_t tile, uint column_bits,
                    uint first_pass, uint coding, flip_t flip) {
    for (uint v = 0; v < 1u << bits; v += LANES) {
        element_t r[LANES];
        UNROLL for (uint l = 0; l < LANES; ++l) {
            position_t distance, first = position_of(tile, (l << bits) + v, column_bits, count, &distance);
            load_elements(&r[l], arrays, first, distance, count, first_pass, coding, flip);
        }
        transpose_lanes(r);
        UNROLL for (uint l = 0; l < LANES; ++l) store_held(r[l], held, v + l);
    }
}

WALK void store_tile(local_arrays_t held, uint bits, arrays_t arrays, position_t count, tile_t tile, uint column_bits,
                     uint coding, flip_t flip) {
    for (uint v = 0; v < 1u << bits; v += LANES) {
        element_t r[LANES];
        UNROLL for (uint l = 0; l < LANES; ++l) r[l] = load_held(held, v + l);
        transpose_lanes(r);
        UNROLL for (uint l = 0; l < LANES; ++l) {
            position_t distance, first = position_of(tile, (l << bits) + v, column_bits, count, &distance);
            store_elements(r[l], arrays, first, distance, count, coding, flip);
        }
    }
}

#if !TWO_RANGES || DECIDES_AT_RUN_TIME
#if SORTS_FEW
/* All phases of an array of FEW_VECTORS vectors or fewer. */
WALK void sort_few(arrays_t arrays, position_t count, uint load_coding, uint store_coding, flip_t flip) {
    element_t r[FEW_VECTORS];
    uint last = (uint)(count - 1) / LANES; /* the one vector that may reach beyond the end */
    ROLLED for (uint m = 0; m <= last; ++m)
        load_elements(&r[m], arrays, m * LANES, 1, count, load_coding != CODING_NONE, load_coding, flip);
    sort_vectors(r, last + 1);
    ROLLED for (uint m = 0; m <= last; ++m) store_elements(r[m], arrays, m * LANES, 1, count, store_coding, flip);
}
#endif

/* Vectors `first` .. end - 1 of a tile whose keys are in no order yet: as they lie in the array. */
WALK void load_unsorted(local_arrays_t held, uint first, uint end, arrays_t arrays, position_t count, tile_t tile,
                        uint coding, flip_t flip) {
    for (uint v = first; v < end; ++v) {
        element_t e;
        load_elements(&e, arrays, tile.base + v * LANES, 1, count, coding != CODING_NONE, coding, flip);
        store_held(e, held, v);
    }
}

/* The tile's columns: every 2^column_bits-th key, all that begin with the same one side by side. */
WALK void store_columns(local_arrays_t held, arrays_t arrays, tile_t tile, uint column_bits) {
    for (uint column = 0; column < 1u << column_bits; ++column)
        for (uint row = 0; row < TILE_VECTORS >> column_bits; row += LANES) {
            element_t r[LANES];
            UNROLL for (uint l = 0; l < LANES; ++l) r[l] = load_held(held, ((row + l) << column_bits) + column);
            transpose_lanes(r);
            position_t first = tile.base + row + ((position_t)column << (TILE_BITS + LANE_BITS - column_bits));
            UNROLL for (uint l = 0; l < LANES; ++l)
                store_element(r[l], arrays, first + (l << (TILE_BITS - column_bits)));
        }
}
#if (!FIRST_ONLY && !TILES_ONLY) || DECIDES_AT_RUN_TIME
WALK void load_columns(local_arrays_t held, arrays_t arrays, tile_t tile, uint column_bits) {
    for (uint column = 0; column < 1u << column_bits; ++column)
        for (uint row = 0; row < TILE_VECTORS >> column_bits; row += LANES) {
            element_t r[LANES];
            position_t first = tile.base + row + ((position_t)column << (TILE_BITS + LANE_BITS - column_bits));
            UNROLL for (uint l = 0; l < LANES; ++l) {
                position_t position = first + (l << (TILE_BITS - column_bits));
                r[l] = load_element(arrays, position, position, 0);
            }
            transpose_lanes(r);
            UNROLL for (uint l = 0; l < LANES; ++l) store_held(r[l], held, ((row + l) << column_bits) + column);
        }
}
#endif

/* Phases 1 .. `phases` of a tile, counted in vectors; of heads that are sorted only those from first_phase on. From
 * `sources` to `arrays`, of which `kept` elements are written. */
INLINE void sort_tile(local_arrays_t held, arrays_t sources, position_t count, arrays_t arrays, position_t kept,
                      tile_t tile, uint phases, uint first_phase, uint load_coding, uint store_coding, flip_t flip,
                      uint column_bits) {
    uint is_one_run = phases == TILE_BITS || count <= (position_t)LANES << phases;
    if (SHORT_ROWS || IS_SORTED) is_one_run = 0;
    uint bits = is_one_run ? phases : TILE_BITS;
    while (IS_SORTED && tile.strip_stride == 0 && bits > phases && count - tile.base <= (position_t)LANES << (bits - 1))
        --bits;
    uint chunk_bits = min(bits, (uint)CHUNK_BITS);
    uint first = IS_SORTED ? first_phase + LANE_BITS : 1, last = phases + LANE_BITS;
    if (!is_one_run) load_tile(held, bits, sources, count, tile, 0, load_coding != CODING_NONE, load_coding, flip);
    for (uint chunk = 0; chunk < 1u << (bits - chunk_bits); ++chunk) {
        uint v = chunk << chunk_bits;
        if (is_one_run) load_unsorted(held, v, v + (1u << chunk_bits), sources, count, tile, load_coding, flip);
        sort_chunk(held, chunk, chunk_bits, first, last);
    }
    merge_chunks(held, bits, first, last);
    if (column_bits > 0 && tile.whole) store_columns(held, arrays, tile, column_bits);
    else store_tile(held, bits, arrays, kept, tile, 0, store_coding, flip);
}

#if !QUICKSORT
/* The first phases of each tile. Launched as the first pass, and for heads as each. Where columns follow, whole tiles
 * are left in columns. */
KERNEL void sort_tiles(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(held);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t sources = SOURCES_OR(arrays);
    offset_t number = enter_row(&sources, &count, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = tile_of(number, strip_stride, strip_bits, count);
    /* A row may be shorter than the longest one. If it is one tile, no later pass changes it, so this one decodes
     * it. */
    uint is_one_head = IS_SORTED && strip_stride > 0 && count <= (position_t)1 << strip_stride;
    if (tile.base >= count || is_one_head) return;
    if (count <= TILE_KEYS) column_bits = 0;
    else if (!(SHORT_ROWS || IS_SORTED)) store_coding = CODING_NONE;
#if APART
    enter_row(&arrays, &kept, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
#else
    arrays = sources;
    position_t kept = count;
#endif
    index_each_run(&sources, phases);
    /* A row that is shorter than others takes fewer phases. */
    while (!IS_SORTED && phases > FIELD_BITS && count <= (position_t)LANES << (phases - 1)) --phases;
#if SORTS_FEW
    uint is_few = number == 0 && count - 1 < FEW_VECTORS * LANES && store_coding != CODING_NONE && !IS_SORTED;
    if (is_few) sort_few(arrays, count, load_coding, store_coding, flip);
    else
#endif
        sort_tile(held, sources, count, arrays, kept, tile, phases, first_phase, load_coding, store_coding, flip,
                  column_bits);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}
#endif
#if (!FIRST_ONLY && !TILES_ONLY) || DECIDES_AT_RUN_TIME
/* Each column, which is a strip in order of each tile: phases first_phase .. `phases`.
 * Launched after sort_tiles, with a work-group for each column. */
KERNEL void merge_columns(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(held);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = strided_tile((position_t)number, strip_stride, strip_bits, 0, count);
    if (count <= TILE_KEYS || tile.base >= count) return;
    load_tile(held, TILE_BITS, arrays, count, tile, column_bits, 0, CODING_NONE, flip);
    uint first = first_phase + LANE_BITS, last = phases + LANE_BITS,
         chunk_bits = min((uint)TILE_BITS, (uint)CHUNK_BITS);
    for (uint chunk = 0; first <= chunk_bits && chunk < 1u << (TILE_BITS - chunk_bits); ++chunk)
        sort_chunk(held, chunk, chunk_bits, first, last);
    merge_chunks(held, TILE_BITS, first, last);
    store_tile(held, TILE_BITS, arrays, count, tile, column_bits, CODING_NONE, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}

/* Each tile, whose columns are in order: sorts it, where no column has more than 2^phases tiles.
 * Launched after merge_columns. */
KERNEL void merge_tile_columns(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(held);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = contiguous_tile((position_t)number, count);
    if (count <= TILE_KEYS || tile.base >= count) return;
    if (tile.whole) load_columns(held, arrays, tile, column_bits);
    else load_tile(held, TILE_BITS, arrays, count, tile, 0, 0, CODING_NONE, flip);
    merge_columns_of_tile(held, TILE_BITS, column_bits, phases);
    store_tile(held, TILE_BITS, arrays, count, tile, 0, store_coding, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}

/* What lies about the border between two tiles of the same columns: the phase that merges two runs of half as many
 * vectors as 2^phases.
 * Launched after merge_tile_columns, with a work-group for the border in front of each tile. */
KERNEL void merge_borders(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(held);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, tile_bits);
    position_t border = (position_t)number * TILE_KEYS, each_side = (position_t)LANES << (phases - 1);
    if (LOW_BITS((position_t)number, column_bits) > 0 && border < count) {
        tile_t tile = contiguous_tile(0, count);
        tile.base = border - each_side;
        load_tile(held, phases, arrays, count, tile, 0, 0, load_coding, flip);
        merge_local(held, phases, 1, phases + LANE_BITS, 0, 0);
        store_tile(held, phases, arrays, count, tile, 0, store_coding, flip);
    }
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}
#endif
#endif

#ifdef PART
#include "cpu/quicksort.h"
#endif

#if (!FIRST_ONLY && !TILES_ONLY) || DECIDES_AT_RUN_TIME
/* Whether a tile of a merge has nothing to do, as in a row that sort_tiles has completed. */
INLINE uint is_complete(tile_t tile, position_t count, offset_t rows, uint phases, uint store_coding) {
    if (!ARE_ROWS(rows)) return 0;
    return count <= TILE_KEYS || is_merged(tile, count, phases, store_coding);
}

/* The last steps of a phase, in contiguous tiles: strides from half the tile down to one key.
 * Launched as the last pass of each phase. */
KERNEL void merge_tiles(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(held);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_FROM_END, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = behind_front(contiguous_tile((position_t)number, count), front, count);
    if (is_complete(tile, count, rows, phases, store_coding)) return;
    load_tile(held, TILE_BITS, arrays, count, tile, 0, FIRST_CODING != CODING_NONE, FIRST_CODING, flip);
    merge_local(held, TILE_BITS, FIRST_CODING != CODING_NONE, TILE_BITS + LANE_BITS, 0, 0);
    store_tile(held, TILE_BITS, arrays, count, tile, 0, store_coding, flip);
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}

/* Global steps of a phase, in tiles of strips 2^strip_stride keys apart, of 2^strip_bits keys: strides from half the
 * strips down to one strip. Vectors of neighbouring keys meet as they lie in the array, so nothing is transposed.
 * Launched ahead of merge_tiles, where a phase has such steps. */
KERNEL void merge_strips(PASS_PARAMETERS) {
    ENTER_PASS()
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    offset_t number = enter_row(&arrays, &count, GROUP_ID, segments + segments_offset, rows, end, tile_bits);
    tile_t tile = strided_tile((position_t)number, strip_stride, strip_bits, mirrored, count);
    tile = behind_front(tile, front, count);
    if (is_complete(tile, count, rows, phases, store_coding)) return;
    uint bottom = max(strip_bits, (uint)LANE_BITS) - LANE_BITS, coding = FIRST_CODING;
    for (uint top = TILE_BITS; top > bottom;) {
        uint start = field_start(top - 1), last = max(start, bottom);
        for (uint t = 0; t < WALK_OF(TILE_BITS); ++t) {
            /* Work on vectors in front of the array, and beyond its end, changes nothing. */
            position_t lower = lower_position(tile, t, start);
            if (!tile.whole && !is_in_front(lower) && lower >= count) continue;
            element_t r[REGISTER_VECTORS];
            load_registers(r, arrays, count, tile, t, start, mirrored, coding, flip);
            merge_registers(r, mirrored, top - 1 - start, last - start, 0, 0);
            store_registers(r, arrays, count, tile, t, start, mirrored, CODING_NONE, flip);
        }
        top = last;
        mirrored = 0;
        coding = CODING_NONE;
    }
    sync_t none = {0, 0};
    report_sync(counters, counters_offset, none);
}
#endif
