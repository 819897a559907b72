// SPDX-License-Identifier: MIT
/* The tile passes for devices with work-groups: registers, and local memory to hand keys over between rounds.
 *
 * All kernels take the same arguments (pass_arguments.h).
 * They are launched as a plan says (lib/src/ops/sort/plan.cpp), with a work-group for TILES_PER_GROUP tiles or, with
 * TILE_WORK_ITEMS 1, a work-item for each tile. Requires: any count, any element offset; keys beyond `count` are
 * neither read nor written.
 * Local memory: LOCAL_BYTES of LOCAL_SLOTS vectors a tile; none where a work-item has a tile of its own.
 * Barriers: one in every hand-over; with REMAP two in every one but the first, because keys then change places and
 * must all have been read before any is written. Without REMAP it is a warp's, where there are warps, if the hand-over
 * crosses none.
 *
 *   array --load--> registers --round--> hand-over --round--> ... --round--> registers --store--> array
 */
#define JOINS_WORDS 1
#include "sort/sync_count.h"
#include "sort/tile_io.h"

/* A loop that turns while `going`, at most up to `last`. Unless unrolled, the compiler is not told of `last`: PoCL 5
 * fails on a loop around a barrier that it can see to turn once. */
#if UNROLL_ROUNDS
#define LOOP(i, first, last, going) UNROLL for (uint i = (first); i <= (last); ++i) if (going)
#else
#define LOOP(i, first, last, going) for (uint i = (first); going; ++i)
#endif

/* The most rounds that so many steps of one phase take. */
#define ROUNDS(steps) (((steps) + FIELD_BITS - 1) / FIELD_BITS)

/* The slots of a write-back lie powers of two apart. One unused slot after every 2^shift brings them into different
 * banks; unlike an exclusive-or this keeps every address a base plus a constant. LANES is 1. */
#define PADDING(slot, shift) (BANK_PADDING ? (slot) >> (shift) : 0)
#define PADDED(slot, shift) ((slot) + PADDING(slot, shift))
/* lg of the slots that cover every bank once. Of longer shifts, some hand-overs have this one besides. */
#define ROW_OF_BANKS_BITS (WHOLE_IN_LOCAL || KEY_BYTES >= 8 ? 4 : 5)
#if REMAP
#define LOCAL_SLOTS (PADDED(TILE_VECTORS - 1, ROW_OF_BANKS_BITS) + \
                     PADDING(TILE_VECTORS - 1, ROW_OF_BANKS_BITS + 1) + 1)
#else
#define LOCAL_SLOTS PADDED(TILE_VECTORS, FIELD_BITS)
#endif

/* Behind the first round of each phase, rounds are on the fields that begin at multiples of FIELD_BITS, if vectors keep
 * their slots. As these are those of every phase, the compiler has them once, and code that is two thirds as long comes
 * sooner; but first rounds have fewer steps, which lost where 16 warps wait for each other
 * (docs/decisions.md#shared-rounds). The host's twin, shares_rounds() in lib/src/ops/sort/rounds.hpp, does not know of
 * rows that end in a tile. */
#define SHARES_ROUNDS \
    (!REMAP && !TWO_RANGES && TILE_WORK_ITEMS > 1 && \
     (ENDS_IN_TILE || (TILE_WORK_ITEMS >= REGISTER_VECTORS && TILE_WORK_ITEMS <= 256)))

#if TILE_WORK_ITEMS > 1
#if REMAP
/* The shift of the hand-over from the field at `from` to the one at `to`. The remapping moves some of the low bits of
 * a work-item's number above the row of banks; the shift brings each down to a bank bit that no other one holds. */
INLINE uint padding_shift(int from, int to) {
    int lowest = to < from ? to : to <= FIELD_BITS ? to - FIELD_BITS : max(to - max(FIELD_BITS, ROW_OF_BANKS_BITS), 0);
    return max(CONTIGUOUS_START - lowest, ROW_OF_BANKS_BITS);
}

/* The slot of vector v in local memory, in the hand-over from the field at `from` to the one at `to`.
 * Remapped, the field moves to the top: register m of work-item t is read at t + m * TILE_WORK_ITEMS.
 * Additive like vector_of, padding included, since it only moves bits. */
INLINE uint slot(uint v, uint from, uint to) {
    uint remapped = (LOW_BITS(v >> to, FIELD_BITS) << CONTIGUOUS_START) | ((v >> (to + FIELD_BITS)) << to) |
                    LOW_BITS(v, to);
    /* What a work-item's vectors are spread over to begin a phase lies in bank bits on both sides of the shift. */
    uint shift = padding_shift(from, to), twice = shift > ROW_OF_BANKS_BITS && from < to && to > FIELD_BITS;
    return PADDED(remapped, shift) + (twice ? PADDING(remapped, ROW_OF_BANKS_BITS) : 0);
}
#else
/* Every vector keeps its slot: a work-item writes where it has read, and nobody waits for it to have done so. With one
 * unused slot for each work-item's vectors, hardly any two work-items meet in a bank. */
INLINE uint slot(uint v, uint from, uint to) {
    return PADDED(v, FIELD_BITS);
}
#endif

#define LOCAL_TILE local_arrays_t

/* Where every vector keeps its slot, a warp has the same ones in each round on a field that begins no higher than
 * WARP_BITS: between two of these it waits for no other one. Devices without warps wait for all. */
#define WITHIN_WARP(from, to) (HAS_WARPS && !REMAP && max((uint)(from), (uint)(to)) <= WARP_BITS)

INLINE void synchronise(uint within_warp, sync_t* sync) {
    if (within_warp) {
        WARP_BARRIER();
    } else {
        TILE_BARRIER();
    }
    ++sync->barriers;
}

/* The arrays in local memory from the slot of vector v on, in the hand-over from the field at `from` to that at
 * `to`. */
INLINE LOCAL_TILE local_from(LOCAL_TILE tile, uint v, uint from, uint to) {
    return local_arrays_from(tile, slot(v, from, to) * LANES);
}

/* A work-item gives away the elements of the round at `from`, for the one at `to`. */
INLINE void give(const element_t* r, LOCAL_TILE tile, uint t, uint from, uint from_mirrored, uint to) {
    LOCAL_TILE lower = local_from(tile, vector_of(t, 0, from), from, to);
    LOCAL_TILE upper = local_from(tile, vector_of(upper_number(t, from, from_mirrored), VECTORS, from), from, to);
#if BANK_SWAP
    uint swap = (t >> to) & 1;
    LOCAL_TILE first = swap ? upper : lower;
    LOCAL_TILE second = swap ? lower : upper;
    UNROLL for (uint m = 0; m < VECTORS; ++m)
        store_local_element(swap ? r[m + VECTORS] : r[m], first, slot(vector_of(0, m, from), from, to) * LANES);
    UNROLL for (uint m = 0; m < VECTORS; ++m)
        store_local_element(swap ? r[m] : r[m + VECTORS], second, slot(vector_of(0, m, from), from, to) * LANES);
#else
    UNROLL for (uint m = 0; m < VECTORS; ++m) {
        store_local_element(r[m], lower, slot(vector_of(0, m, from), from, to) * LANES);
        store_local_element(r[m + VECTORS], upper, slot(vector_of(0, m, from), from, to) * LANES);
    }
#endif
}

/* It takes those of the round at `to`, which were given away in that at `from`. */
INLINE void take(element_t* r, LOCAL_TILE tile, uint t, uint from, uint to, uint to_mirrored) {
    LOCAL_TILE lower = local_from(tile, vector_of(t, 0, to), from, to);
    LOCAL_TILE upper = local_from(tile, vector_of(upper_number(t, to, to_mirrored), VECTORS, to), from, to);
    UNROLL for (uint m = 0; m < VECTORS; ++m) {
        r[m] = load_local_element(lower, slot(vector_of(0, m, to), from, to) * LANES);
        r[m + VECTORS] = load_local_element(upper, slot(vector_of(0, m, to), from, to) * LANES);
    }
}

/* All work-items give away the elements of the round at `from` and take those of the round at `to`. */
INLINE void hand_over(element_t* r, LOCAL_TILE tile, uint t, uint from, uint from_mirrored, uint to,
                      uint to_mirrored, sync_t* sync) {
    if (REMAP && sync->hand_overs > 0) synchronise(0, sync);
    give(r, tile, t, from, from_mirrored, to);
    synchronise(WITHIN_WARP(from, to), sync);
    take(r, tile, t, from, to, to_mirrored);
    ++sync->hand_overs;
}

#if SHARES_ROUNDS
/* The phases that a warp makes by itself. */
#define PHASES_OF_WARP (FIELD_BITS + WARP_BITS)
/* The field of the round behind a phase's first one, which is on the field at `start`. */
#define NEXT_FIELD(start) (((start) - 1) / FIELD_BITS * FIELD_BITS)
/* The lowest bit in registers of that first round's steps. */
#define FIRST_BOTTOM(start) (NEXT_FIELD(start) + FIELD_BITS - (start))
/* For that phase, and for the fields from that one down to the last but one: unrolled, each has constant slots. */
#if UNROLL_ROUNDS
#define OF_PHASE(p, phase) UNROLL for (uint p = FIELD_BITS + 1; p <= TILE_BITS; ++p) if (p == (phase))
#define FIELDS_FROM(field, next) \
    UNROLL for (uint field = NEXT_FIELD(CONTIGUOUS_START); field > 0; field -= FIELD_BITS) if (field <= (next))
#else
#define OF_PHASE(p, phase) for (uint p = (phase), once = 1; once; once = 0)
#define FIELDS_FROM(field, next) for (uint field = (next); field > 0; field -= FIELD_BITS)
#endif

#if ENDS_IN_TILE
/* A round among several warps, from slots to slots. Work-items stand for those that the group lacks, one after the
 * other; what these would hold beyond ROW_VECTORS is not there, and a run without a second one is in order. */
INLINE void merge_in_turns(element_t* r, LOCAL_TILE tile, uint t, uint start, uint mirrored, uint bottom) {
    ROLLED for (uint i = t; i < TILE_WORK_ITEMS; i += WORK_ITEMS) {
        /* Which tells the compiler the range of i. */
        uint first = ((i & (TILE_WORK_ITEMS - 1)) >> start) << (start + FIELD_BITS);
        if (first + (mirrored ? VECTORS << start : 0) >= ROW_VECTORS) break;
        uint held = MIN((ROW_VECTORS - first) >> start, (uint)REGISTER_VECTORS);
        LOCAL_TILE lower = local_from(tile, vector_of(i, 0, start), start, start);
        LOCAL_TILE upper = local_from(tile, vector_of(upper_number(i, start, mirrored), VECTORS, start), start, start);
        element_t beyond = ELEMENT(BROADCAST(vec_t, (key_t)~(key_t)0), LARGEST_VALUE, LARGEST_INDEX);
        UNROLL for (uint m = 0; m < VECTORS; ++m) {
            uint from = slot(vector_of(0, m, start), start, start);
            r[m] = r[m + VECTORS] = beyond;
            if (m < held) r[m] = load_local_element(lower, from);
            if (m + VECTORS < held) r[m + VECTORS] = load_local_element(upper, from);
        }
        merge_registers(r, mirrored, FIELD_BITS - 1, bottom, 0, 1);
        give(r, tile, i, start, mirrored, start);
    }
}
#endif

/* A round from slots to slots. */
INLINE void merge_slots(element_t* r, LOCAL_TILE tile, uint t, uint start, uint mirrored, uint bottom) {
#if ENDS_IN_TILE
    if (start > WARP_BITS) {
        merge_in_turns(r, tile, t, start, mirrored, bottom);
        return;
    }
#endif
    take(r, tile, t, start, start, mirrored);
    merge_registers(r, mirrored, FIELD_BITS - 1, bottom, 0, 1);
    give(r, tile, t, start, mirrored, start);
}

/* The rounds of a phase behind its first one, on the field at `start`, whose elements are in their slots. */
INLINE void finish_phase(element_t* r, LOCAL_TILE tile, uint t, uint start, sync_t* sync) {
    uint next = NEXT_FIELD(start);
    synchronise(WITHIN_WARP(start, next), sync);
    ++sync->hand_overs;
    FIELDS_FROM(field, next) {
        merge_slots(r, tile, t, field, 0, 0);
        synchronise(WITHIN_WARP(field, field), sync);
        ++sync->hand_overs;
    }
    take(r, tile, t, 0, 0, 0);
    merge_registers(r, 0, FIELD_BITS - 1, 0, 1, 1);
}

/* Phases `first` .. `last` of elements that are in their slots. */
INLINE void merge_phases(element_t* r, LOCAL_TILE tile, uint t, uint first, uint last, sync_t* sync) {
    ROLLED for (uint phase = first; phase <= last; ++phase) {
        /* Heads that are sorted come from any field. */
        synchronise(!FIRST_ONLY && WITHIN_WARP(0, phase - FIELD_BITS), sync);
        ++sync->hand_overs;
        OF_PHASE(p, phase) { merge_slots(r, tile, t, p - FIELD_BITS, 1, FIRST_BOTTOM(p - FIELD_BITS)); }
        finish_phase(r, tile, t, phase - FIELD_BITS, sync);
        if (phase < last) give(r, tile, t, 0, 0, 0);
    }
}
#endif

#if STORES_PAIRS
/* The slot of vector v in the hand-over to the round that holds pairs. Bit 0, which tells the two of a pair, moves up
 * to PAIR_BIT, and those between them down: reads are contiguous, and padding keeps writes in different banks. */
#define PAIR_BIT \
    (CONTIGUOUS_START < ROW_OF_BANKS_BITS + FIELD_BITS - 1 ? CONTIGUOUS_START : ROW_OF_BANKS_BITS + FIELD_BITS - 1)
INLINE uint slot_of_pairs(uint v) {
    uint remapped = ((v >> (PAIR_BIT + 1)) << (PAIR_BIT + 1)) | ((v & 1) << PAIR_BIT) | LOW_BITS(v >> 1, PAIR_BIT);
    return PADDED(remapped, ROW_OF_BANKS_BITS);
}

/* All work-items give away the elements of the round at `from` and take pairs. */
INLINE void hand_over_pairs(element_t* r, LOCAL_TILE tile, uint t, uint from, uint from_mirrored, sync_t* sync) {
    if (sync->hand_overs > 0) synchronise(0, sync);
    uint lower = slot_of_pairs(vector_of(t, 0, from));
    uint upper = slot_of_pairs(vector_of(upper_number(t, from, from_mirrored), VECTORS, from));
    UNROLL for (uint m = 0; m < VECTORS; ++m) {
        store_local_element(r[m], tile, lower + slot_of_pairs(vector_of(0, m, from)));
        store_local_element(r[m + VECTORS], tile, upper + slot_of_pairs(vector_of(0, m, from)));
    }
    synchronise(0, sync);
    uint first = slot_of_pairs(vector_in_pairs(t, 0));
    UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m)
        r[m] = load_local_element(tile, first + slot_of_pairs(vector_in_pairs(0, m)));
    ++sync->hand_overs;
}
#endif

#if TILES_PER_GROUP > 1
#define TILE_OF_GROUP (LOCAL_ID / TILE_WORK_ITEMS)
#define TILE_NUMBER(group) ((offset_t)(group) * TILES_PER_GROUP + TILE_OF_GROUP)
#else
#define TILE_OF_GROUP 0u
#define TILE_NUMBER(group) (group)
#endif
#define TILE_WORK_ITEM (LOCAL_ID & (TILE_WORK_ITEMS - 1)) /* tells the compiler the range */
/* The elements of all tiles; `name` are those of this one. */
#define LOCAL_ELEMENTS (LOCAL_SLOTS * LANES)
#define DECLARE_LOCAL_TILE(name)                                               \
    DECLARE_LOCAL_ARRAYS(all_of_##name, LOCAL_ELEMENTS * TILES_PER_GROUP);     \
    LOCAL_TILE name = local_arrays_from(all_of_##name, TILE_OF_GROUP * LOCAL_ELEMENTS)
#else
/* Each work-item has a tile of its own, in registers. */
#define LOCAL_TILE uint
#define DECLARE_LOCAL_TILE(name) LOCAL_TILE name = 0
#define TILE_NUMBER(group) ((offset_t)(group) * WORK_ITEMS + LOCAL_ID)
#define TILE_WORK_ITEM 0
INLINE void hand_over(element_t* r, LOCAL_TILE tile, uint t, uint from, uint from_mirrored, uint to, uint to_mirrored,
                      sync_t* sync) {}
#endif

/* What a pass over contiguous tiles ends with: from the round at `start`, the steps that are `left`, at most
 * STEPS_OF_STORE, and the store. Where the arrays lie so that pairs cannot be stored at once, one more hand-over is
 * faster than to store them one by one, if all work-items of a group can take it. */
#if STORES_PAIRS
#define STEPS_OF_STORE 1
#if BARRIERS_IN_BRANCHES && TILES_PER_GROUP == 1
#define TAKES_PAIRS(arrays, tile) lie_in_pairs(arrays, tile)
#else
#define TAKES_PAIRS(arrays, tile) 1
#endif
#else
#define STEPS_OF_STORE 0
#endif
/* The field of the round that stores: neighbouring work-items have neighbouring vectors, those of a warp if these
 * suffice. */
#define STORE_START (SHARES_ROUNDS && CONTIGUOUS_START > WARP_BITS ? WARP_BITS : CONTIGUOUS_START)
INLINE void store_tile(element_t* r, LOCAL_TILE local_tile, arrays_t arrays, position_t count, tile_t tile, uint t,
                       uint start, uint mirrored, uint left, uint coding, flip_t flip, sync_t* sync) {
#if STORES_PAIRS
    if (TAKES_PAIRS(arrays, tile)) {
        hand_over_pairs(r, local_tile, t, start, mirrored, sync);
        if (left > 0) register_step(r, 0, 1);
        store_pairs(r, arrays, count, tile, t, coding, flip);
        return;
    }
    if (left > 0) {
        hand_over(r, local_tile, t, start, mirrored, 0, 0, sync);
        register_step(r, 0, 1);
        start = mirrored = 0;
    }
#endif
#if COALESCED_STORE
    hand_over(r, local_tile, t, start, mirrored, STORE_START, 0, sync);
    start = STORE_START;
    mirrored = 0;
#endif
    store_registers(r, arrays, count, tile, t, start, mirrored, coding, flip);
}

#if COLUMN_BITS
#define PLACE_IN_COLUMNS(rank) ((LOW_BITS(rank, COLUMN_BITS) << STRIP_BITS) + ((rank) >> COLUMN_BITS))
/* The same for a tile that is to be left in columns: the element of rank k is one of column k mod 2^COLUMN_BITS, whose
 * elements are to lie side by side. A tile that the array ends in is left in order. */
INLINE void store_columns(element_t* r, LOCAL_TILE local_tile, arrays_t arrays, position_t count, tile_t tile, uint t,
                          uint start, uint mirrored, uint left, sync_t* sync) {
    if (left > 0) {
        hand_over(r, local_tile, t, start, mirrored, 0, 0, sync);
        register_step(r, 0, 1);
    }
    if (tile.whole) {
        uint first = t << FIELD_BITS;
        arrays_t to = arrays_from(arrays, tile.base + PLACE_IN_COLUMNS(first));
        UNROLL for (uint m = 0; m < REGISTER_VECTORS; ++m) store_element(r[m], to, PLACE_IN_COLUMNS(m));
    } else {
        store_registers(r, arrays, count, tile, t, 0, 0, CODING_NONE, 0);
    }
}
#endif

/* Segments may be shorter than the longest one: then there are tiles that they do not reach, and phases that have
 * nothing to merge. */
#define SKIPS (SEGMENT_BITS > 0 && TILES_PER_GROUP == 1 && TILE_WORK_ITEMS > 1 && BARRIERS_IN_BRANCHES && !COUNT_SYNC)

/* Of leaves few tiles have anything to merge: a work-group takes every so many-th of all, one tile at a time. */
#if LEAVES
/* Those that are too large for one tile are listed from the first on; nearly always there are none. */
#define EACH_TILE(number, first)                                                                             \
    for (offset_t number = GROUP_ID,                                                                         \
                  tiles = segments[segments_offset] < segments[segments_offset + 1] ? rows << tile_bits : 0; \
         number < tiles; number += GROUPS)
#define END_OF_TILE() BARRIER()
#else
#define EACH_TILE(number, first) for (offset_t number = (first), once = 1; once; once = 0)
#define END_OF_TILE()
#endif

#if ENDS_IN_TILE
/* What work-item t loads and stores is whole where all that its warp does lies in the row. */
INLINE tile_t part_of_warp(tile_t tile, uint t, position_t count) {
    tile.whole = ((t >> WARP_BITS) + 1) << PHASES_OF_WARP <= count;
    return tile;
}
#endif

#if !TWO_RANGES
/* So many of the phases are enough for so many elements of a tile; those in registers are made in any case. */
INLINE uint phases_for(position_t elements, uint phases) {
#if SKIPS && !FIRST_ONLY && !COLUMN_BITS
    while (phases > FIELD_BITS + 1 && elements <= (position_t)1 << (phases - 1 + LANE_BITS)) --phases;
#endif
    return phases;
}

/* Phases 1 .. lg(REGISTER_VECTORS * L) at once in registers, then one after the other up to the phase that sorts
 * runs of 2^phases vectors. Where that is the whole tile, the first round may take any keys for its own and so takes
 * them contiguously over the work-items; of short rows, heads and shorter segments, it takes them so and hands them
 * over. Of heads that are sorted only the phases from first_phase on. Where columns follow, whole tiles are left in
 * them. Where it is APART, it reads the sources, and of each row it writes the first `kept` elements.
 * Launched as the first pass, and for heads as each. Local memory and barriers: as above; a hand-over between two
 * rounds, and one for the store. */
KERNEL void sort_tiles(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    uint t = TILE_WORK_ITEM;
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    arrays_t sources = SOURCES_OR(arrays);
    offset_t number = enter_row(&sources, &count, TILE_NUMBER(GROUP_FROM_END), segments + segments_offset, rows, end,
                                tile_bits);
#if APART
    enter_row(&arrays, &kept, TILE_NUMBER(GROUP_FROM_END), segments + segments_offset, rows, end, tile_bits);
#else
    arrays = sources;
    position_t kept = count;
#endif
    index_each_run(&sources, phases);
    tile_t tile = tile_of(number, strip_stride, strip_bits, count);
#if SKIPS && !FIRST_ONLY
    if (tile.base >= count) return;
#endif
    phases = phases_for(count - tile.base, phases);
    sync_t sync = {0, 0};
    element_t r[REGISTER_VECTORS];
    uint start = 0, mirrors = 0;

#if FIRST_ONLY
    load_registers(r, sources, count, tile, t, CONTIGUOUS_START, 0, load_coding, flip);
    start = CONTIGUOUS_START;
    if (!IS_SORTED) {
        hand_over(r, local_tile, t, CONTIGUOUS_START, 0, 0, 0, &sync);
        start = 0;
        sort_registers(r);
    }
#elif (SHORT_ROWS || SKIPS) && COALESCED_STORE
    load_registers(r, sources, count, tile, t, CONTIGUOUS_START, 0, load_coding, flip);
    if (phases < TILE_BITS) hand_over(r, local_tile, t, CONTIGUOUS_START, 0, 0, 0, &sync);
    sort_registers(r);
#elif ENDS_IN_TILE
    load_registers(r, sources, count, part_of_warp(tile, t, count), t, WARP_BITS, 0, load_coding, flip);
    sort_registers(r);
#else
    load_registers(r, sources, count, tile, t, phases == TILE_BITS ? CONTIGUOUS_START : 0, 0, load_coding, flip);
    sort_registers(r);
#endif

#if SHARES_ROUNDS
#if FIRST_ONLY
    if (IS_SORTED) give(r, local_tile, t, CONTIGUOUS_START, 0, CONTIGUOUS_START);
    else
#endif
        give(r, local_tile, t, 0, 0, 0);
    merge_phases(r, local_tile, t, FIRST_PHASE, phases, &sync);
    start = 0;
#else
    LOOP(phase, UNROLL_ROUNDS ? FIELD_BITS + 1 : FIRST_PHASE, TILE_BITS, phase >= FIRST_PHASE && phase <= phases) {
        uint top = phase;
#if !FIRST_ONLY
        start = mirrors = 0; /* as they are, which NVIDIA's OpenCL does not see: its addresses would be no constants */
#endif
        LOOP(round, 0, ROUNDS(TILE_BITS) - 1, top > (phase == TILE_BITS ? STEPS_OF_STORE : 0)) {
            uint next = field_start(top - 1);
            hand_over(r, local_tile, t, start, mirrors, next, round == 0, &sync);
            start = next;
            mirrors = round == 0;
            merge_registers(r, mirrors, top - 1 - start, 0, start == 0, 1);
            top = start;
        }
    }
#endif

    uint left = phases == TILE_BITS ? STEPS_OF_STORE : 0;
#if ENDS_IN_TILE
    tile = part_of_warp(tile, t, kept);
#else
    tile.whole = tile.whole && kept == count;
#endif
#if COLUMN_BITS
    store_columns(r, local_tile, arrays, kept, tile, t, start, mirrors, left, &sync);
#else
    store_tile(r, local_tile, arrays, kept, tile, t, start, mirrors, left, store_coding, flip, &sync);
#endif
    report_sync(counters, counters_offset, sync);
}
#endif

#if COLUMN_BITS && !TILES_ONLY
/* Where rounds are a loop, the compiler is told no more than that of it. */
#define IF_UNROLLED(constant, argument) (UNROLL_ROUNDS ? (constant) : (argument))

#if !SHARES_ROUNDS
/* The rounds of a phase from the one with the step of stride 2^(top - 1) on: of all, or of those behind the first. */
INLINE void merge_rounds(element_t* r, LOCAL_TILE local_tile, uint t, uint phase, uint top, uint* start, uint* mirrors,
                         sync_t* sync) {
    uint of_all = top == phase;
    LOOP(round, 0, ROUNDS(TILE_BITS) - 1, top > (phase == TILE_BITS ? STEPS_OF_STORE : 0)) {
        uint next = field_start(top - 1), begins = of_all && round == 0;
        hand_over(r, local_tile, t, *start, *mirrors, next, begins, sync);
        *start = next;
        *mirrors = begins;
        merge_registers(r, begins, top - 1 - next, 0, 0, 1);
        top = next;
    }
}
#endif

/* Phases `first` .. `last` of a tile whose strips are in order. The first round loads what its first step compares. */
INLINE sync_t merge_sorted_strips(LOCAL_TILE local_tile, arrays_t arrays, position_t count, tile_t tile, uint first,
                                  uint last, uint load_coding, uint store_coding, flip_t flip) {
    uint t = TILE_WORK_ITEM;
    sync_t sync = {0, 0};
    element_t r[REGISTER_VECTORS];
    uint start = first - FIELD_BITS, mirrors = 1;
    load_registers(r, arrays, count, tile, t, start, mirrors, load_coding, flip);
#if SHARES_ROUNDS
    merge_registers(r, 1, FIELD_BITS - 1, FIRST_BOTTOM(start), 0, 1);
    give(r, local_tile, t, start, 1, start);
    finish_phase(r, local_tile, t, start, &sync);
    if (first < last) give(r, local_tile, t, 0, 0, 0);
    merge_phases(r, local_tile, t, first + 1, last, &sync);
    start = mirrors = 0;
#else
    merge_registers(r, mirrors, FIELD_BITS - 1, 0, 0, 1);
    merge_rounds(r, local_tile, t, first, start, &start, &mirrors, &sync);
    LOOP(phase, first + 1, last, phase <= last)
        merge_rounds(r, local_tile, t, phase, phase, &start, &mirrors, &sync);
#endif
    if (tile.layout == STRIPS_ARE_COLUMNS) tile.layout = STRIPS_IN_PLACE;
    store_tile(r, local_tile, arrays, count, tile, t, start, mirrors, last == TILE_BITS ? STEPS_OF_STORE : 0,
               store_coding, flip, &sync);
    return sync;
}

/* Each column, whose strips are in order, one of each tile of a run.
 * Launched after sort_tiles, with a tile for each column. Local memory and barriers: as above, but that nothing is
 * handed over to the first round; and one hand-over for the store. */
KERNEL void merge_columns(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    EACH_TILE(group, TILE_NUMBER(GROUP_ID)) {
        arrays_t row = arrays;
        position_t in_row = count;
        offset_t number = enter_row(&row, &in_row, group, segments + segments_offset, rows, end, tile_bits);
        if (SKIPS && in_row <= TILE_KEYS) continue;
        sync_t sync = merge_sorted_strips(local_tile, row, in_row, column_tile((position_t)number, in_row),
                                          IF_UNROLLED(STRIP_BITS + 1, first_phase), IF_UNROLLED(TILE_BITS, phases),
                                          CODING_NONE, CODING_NONE, flip);
        report_sync(counters, counters_offset, sync);
        END_OF_TILE();
    }
}

/* Each tile, whose columns are in order.
 * Launched after merge_columns. Local memory and barriers: as there. */
KERNEL void merge_tile_columns(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    EACH_TILE(group, TILE_NUMBER(GROUP_FROM_END)) {
        arrays_t row = arrays;
        position_t in_row = count;
        offset_t number = enter_row(&row, &in_row, group, segments + segments_offset, rows, end, tile_bits);
        /* A segment that fills no tile is in order. */
        uint is_in_order = store_coding == CODING_NONE && in_row < TILE_KEYS;
        if (SKIPS && (is_in_order || in_row <= (position_t)number * TILE_KEYS)) continue;
        sync_t sync = merge_sorted_strips(local_tile, row, in_row, tile_of_columns((position_t)number, in_row),
                                          IF_UNROLLED(STRIP_BITS + 1, first_phase), IF_UNROLLED(TILE_BITS, phases),
                                          CODING_NONE, store_coding, flip);
        report_sync(counters, counters_offset, sync);
        END_OF_TILE();
    }
}

/* What lies about the borders between tiles of one run: the phase that merges it.
 * Launched after merge_tile_columns, with a tile for as many borders as it has room for. Local memory and barriers: as
 * there. */
KERNEL void merge_borders(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    EACH_TILE(group, TILE_NUMBER(GROUP_ID)) {
        arrays_t row = arrays;
        position_t in_row = count;
        offset_t number = enter_row(&row, &in_row, group, segments + segments_offset, rows, end, tile_bits);
        position_t first_border = MAX((position_t)number << (TILE_BITS - BORDER_BITS), (position_t)1);
        if (SKIPS && in_row <= first_border * TILE_KEYS) continue;
        sync_t sync = merge_sorted_strips(local_tile, row, in_row, border_tile((position_t)number, in_row),
                                          IF_UNROLLED(BORDER_BITS, first_phase), IF_UNROLLED(BORDER_BITS, phases),
                                          load_coding, store_coding, flip);
        report_sync(counters, counters_offset, sync);
        END_OF_TILE();
    }
}
#endif

#if !FIRST_ONLY && !TILES_ONLY
/* The steps of one phase on a tile of strips of 2^strip_bits keys: the strides from half the tile down to one strip,
 * or, where the tile is contiguous, down to one key. Returns what the group synchronised. */
INLINE sync_t merge(LOCAL_TILE local_tile, arrays_t arrays, position_t count, tile_t tile, uint contiguous,
                    uint mirrored, uint most_rounds, uint first_coding, uint store_coding, flip_t flip) {
    uint t = TILE_WORK_ITEM;
    sync_t sync = {0, 0};
    element_t r[REGISTER_VECTORS];
    uint bottom = max(tile.strip_bits, (uint)LANE_BITS) - LANE_BITS;

    uint start = CONTIGUOUS_START;
    load_registers(r, arrays, count, tile, t, start, mirrored, first_coding, flip);
    merge_registers(r, mirrored, FIELD_BITS - 1, max(start, bottom) - start, contiguous && start == 0, 1);

    uint end = contiguous ? STEPS_OF_STORE : bottom;
    LOOP(round, 1, most_rounds - 1, start > end) {
        uint top = start - 1;
        /* Where strips are stored, no lower than the shortest of any pass: enough neighbouring vectors, at constant
         * slots. */
        uint next = max(field_start(top), contiguous ? 0u : (uint)(TILE_BITS - STEPS_PER_PASS));
        hand_over(r, local_tile, t, start, mirrored, next, 0, &sync);
        start = next;
        mirrored = 0;
        merge_registers(r, 0, top - start, max(start, bottom) - start, contiguous && start == 0, 1);
    }

    if (contiguous)
        store_tile(r, local_tile, arrays, count, tile, t, start, mirrored, STEPS_OF_STORE, store_coding, flip, &sync);
    else store_registers(r, arrays, count, tile, t, start, mirrored, store_coding, flip);
    return sync;
}

/* The last steps of a phase, in contiguous tiles: strides from half the tile down to one key.
 * Launched as the last pass of each phase. Local memory and barriers: as above; a hand-over between two rounds, and one
 * for the store. */
KERNEL void merge_tiles(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    EACH_TILE(group, TILE_NUMBER(GROUP_FROM_END)) {
        arrays_t row = arrays;
        position_t in_row = count;
        offset_t number = enter_row(&row, &in_row, group, segments + segments_offset, rows, end, tile_bits);
        tile_t tile = behind_front(contiguous_tile((position_t)number, in_row), front, in_row);
        if (SKIPS && is_merged(tile, in_row, phases, store_coding)) continue;
        sync_t sync = merge(local_tile, row, in_row, tile, 1, FIRST_CODING != CODING_NONE, ROUNDS(TILE_BITS),
                            FIRST_CODING, store_coding, flip);
        report_sync(counters, counters_offset, sync);
        END_OF_TILE();
    }
}

/* Global steps of a phase, in tiles of strips 2^strip_stride keys apart, of 2^strip_bits keys: strides from half the
 * strips down to one strip.
 * Launched ahead of merge_tiles, where a phase has such steps. Local memory and barriers: as above; a hand-over between
 * two rounds. */
KERNEL void merge_strips(PASS_PARAMETERS) {
    ENTER_PASS()
    DECLARE_LOCAL_TILE(local_tile);
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    EACH_TILE(group, TILE_NUMBER(GROUP_ID)) {
        arrays_t row = arrays;
        position_t in_row = count;
        offset_t number = enter_row(&row, &in_row, group, segments + segments_offset, rows, end, tile_bits);
        tile_t tile = strided_tile((position_t)number, strip_stride, strip_bits, mirrored, in_row);
        tile = behind_front(tile, front, in_row);
        if (SKIPS && is_merged(tile, in_row, phases, store_coding)) continue;
        sync_t sync =
            merge(local_tile, row, in_row, tile, 0, mirrored, ROUNDS(STEPS_PER_PASS), FIRST_CODING, store_coding, flip);
        report_sync(counters, counters_offset, sync);
        END_OF_TILE();
    }
}
#endif
