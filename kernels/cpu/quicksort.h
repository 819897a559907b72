// SPDX-License-Identifier: MIT
/* Quicksort for processors whose vectors can be parted: the lanes of a mask come first. What it leaves to the network
 * is small ranges.
 *
 * A range is parted by a pivot, from both ends inwards. Before vectors are written, more are read on each side than
 * that takes: the first ones are held. So it is in place. (Bramas: A Novel Hybrid Quicksort Algorithm Vectorized using
 * AVX-512 on Intel Skylake, 2017; Wassenberg, Blacher, Giesen, Sanders: Vectorized and performance-portable Quicksort,
 * 2022.) What is read first is encoded; what is in its place is decoded.
 */
#ifndef QUICKSORT_H
#define QUICKSORT_H

/* So many vectors are read at a time, and held of each end. */
#define READ_AT_ONCE 8
#define HELD_OF_ENDS (2 * READ_AT_ONCE)

/* So many vectors before they are read, they are fetched into the cache. */
#define AHEAD 32

/* The most vectors of a sample, in which the middle element is the pivot. */
#define SAMPLE_VECTORS 8

/* Ranges are given up as soon as so many times their elements were parted to little use: an eighth or less was parted
 * off. */
#define MOST_WASTE 6

/* A range of the array. */
typedef struct {
    position_t begin, end;
} range_t;

/* The part of a range that is not read, and that is not written. */
typedef struct {
    range_t unread, unwritten;
} parting_t;

INLINE uint lanes_below(element_t e, vec_t pivot) { return LANES_LESS(e.key, pivot); }

/* Writes a vector's lanes that come before the pivot to the left, the others to the right. Requires: at each side one
 * vector or more was read that is not written. */
INLINE void put_parted(element_t e, vec_t pivot, arrays_t arrays, parting_t* p) {
    uint below = lanes_below(e, pivot), count = COUNT_BITS(below);
    element_t last;
    PART(e.key, below, &e.key, &last.key);
    store_element(e, arrays, p->unwritten.begin);
    store_element(last, arrays, p->unwritten.end - LANES);
    p->unwritten.begin += count;
    p->unwritten.end -= LANES - count;
}

/* Writes a range, from registers that were stored one after the other. Whole vectors are read. */
INLINE void store_keys(const register_key_t* from, arrays_t arrays, range_t to) {
    for (position_t i = to.begin; i < to.end; i += LANES)
        store_elements(ELEMENT(LOAD_VECTOR(from + (i - to.begin)), 0, 0), arrays, i, 1, to.end, CODING_NONE, 0);
}

/* The elements that are held fill what is unwritten: those of `ends` vectors, and `rest` of one that is not full.
 * Returns where those begin that do not come before the pivot. */
OUTLINED position_t put_held(const element_t* held, uint ends, uint rest, vec_t pivot, arrays_t arrays,
                             range_t unwritten) {
    register_key_t low[(HELD_OF_ENDS + READ_AT_ONCE + 2) * LANES], high[(HELD_OF_ENDS + READ_AT_ONCE + 2) * LANES];
    uint lows = 0, highs = sizeof high / sizeof *high - LANES; /* whole vectors are read */
    /* The one that is not full first: what is beyond its end comes to the very last places, which are not written. */
    for (uint i = 0; i <= ends; ++i) {
        if (i == 0 && rest == 0) continue;
        element_t e = held[i == 0 ? ends : i - 1], behind;
        uint below = lanes_below(e, pivot), count = COUNT_BITS(below);
        PART(e.key, below, &e.key, &behind.key);
        STORE_VECTOR(e.key, low + lows);
        STORE_VECTOR(behind.key, high + highs - LANES);
        lows += count;
        highs -= LANES - count;
    }
    range_t below = {unwritten.begin, unwritten.begin + lows}, others = {below.end, unwritten.end};
    store_keys(low, arrays, below);
    store_keys(high + highs, arrays, others);
    return others.begin;
}

/* L neighbours of the array. */
INLINE element_t load_coded(arrays_t arrays, position_t position, uint coding, flip_t flip) {
    element_t e = load_element(arrays, position, position, coding != CODING_NONE);
    e.key = encode(e.key, coding, flip);
    return e;
}

/* Reads the vectors that are held, of each end. */
INLINE void hold_ends(element_t* held, arrays_t arrays, parting_t* p, uint coding, flip_t flip) {
    for (uint i = 0; i < READ_AT_ONCE; ++i) {
        held[i] = load_coded(arrays, p->unread.begin + i * LANES, coding, flip);
        held[READ_AT_ONCE + i] = load_coded(arrays, p->unread.end - (i + 1) * LANES, coding, flip);
    }
    p->unread.begin += READ_AT_ONCE * LANES;
    p->unread.end -= READ_AT_ONCE * LANES;
}

/* Parts the next READ_AT_ONCE vectors of the side where less room is. Requires: so many are unread there. */
INLINE void part_next(arrays_t arrays, parting_t* p, vec_t pivot, uint coding, flip_t flip) {
    element_t r[READ_AT_ONCE];
    uint is_left = p->unread.begin - p->unwritten.begin <= p->unwritten.end - p->unread.end;
    position_t from = is_left ? p->unread.begin : p->unread.end - READ_AT_ONCE * LANES;
    p->unread.begin += is_left ? READ_AT_ONCE * LANES : 0;
    p->unread.end -= is_left ? 0 : READ_AT_ONCE * LANES;
    UNROLL for (uint i = 0; i < READ_AT_ONCE; ++i) {
        PREFETCH(arrays.keys + p->unread.begin + (AHEAD + i) * LANES);
        PREFETCH(arrays.keys + p->unread.end - (AHEAD + i) * LANES);
    }
    UNROLL for (uint i = 0; i < READ_AT_ONCE; ++i) r[i] = load_coded(arrays, from + i * LANES, coding, flip);
    UNROLL for (uint i = 0; i < READ_AT_ONCE; ++i) put_parted(r[i], pivot, arrays, p);
}

/* Parts a range; returns where the elements begin that do not come before the pivot. */
INLINE position_t part_coded(arrays_t arrays, range_t range, vec_t pivot, uint coding, flip_t flip) {
    element_t held[HELD_OF_ENDS + READ_AT_ONCE + 1];
    uint ends = 0, rest = (uint)((range.end - range.begin) % LANES);
    parting_t p = {range, range};
    p.unread.end -= rest;
    if (rest > 0)
        load_elements(&held[HELD_OF_ENDS + READ_AT_ONCE], arrays, p.unread.end, 1, range.end, coding != CODING_NONE,
                      coding, flip);
    if (p.unread.end - p.unread.begin >= HELD_OF_ENDS * LANES) {
        hold_ends(held, arrays, &p, coding, flip);
        ends = HELD_OF_ENDS;
        while (p.unread.end - p.unread.begin >= READ_AT_ONCE * LANES) part_next(arrays, &p, pivot, coding, flip);
    }
    for (; p.unread.begin < p.unread.end; p.unread.begin += LANES)
        held[ends++] = load_coded(arrays, p.unread.begin, coding, flip);
    if (rest > 0) held[ends] = held[HELD_OF_ENDS + READ_AT_ONCE];
    return put_held(held, ends, rest, pivot, arrays, p.unwritten);
}
OUTLINED position_t part(arrays_t arrays, range_t range, vec_t pivot, uint coding, flip_t flip) {
    if (coding == CODING_NONE) return part_coded(arrays, range, pivot, CODING_NONE, flip);
    return part_coded(arrays, range, pivot, coding, flip);
}

/* Encodes a range, or decodes it. */
OUTLINED void recode_range(arrays_t arrays, range_t range, uint load_coding, uint store_coding, flip_t flip) {
    if (load_coding == CODING_NONE && store_coding == CODING_NONE) return;
    element_t e;
    for (position_t i = range.begin; i < range.end; i += LANES) {
        load_elements(&e, arrays, i, 1, range.end, load_coding != CODING_NONE, load_coding, flip);
        store_elements(e, arrays, i, 1, range.end, store_coding, flip);
    }
}
INLINE void decode_range(arrays_t arrays, range_t range, uint coding, flip_t flip) {
    recode_range(arrays, range, CODING_NONE, coding, flip);
}

/* Whether all of a range are equal to the pivot: then it is encoded. Elsewhere that ends soon; and to read all of it
 * takes less than to part it. Requires: it has a vector or more. */
OUTLINED uint encode_if_equal(arrays_t arrays, range_t range, vec_t pivot, uint coding, flip_t flip) {
    for (position_t i = range.begin; i < range.end; i += LANES) {
        element_t e = load_coded(arrays, min(i, range.end - LANES), coding, flip);
        if (LANES_LESS(e.key, pivot) || LANES_LESS(pivot, e.key)) return 0;
    }
    recode_range(arrays, range, coding, CODING_NONE, flip);
    return 1;
}

/* Where nothing of a sample comes before its middle, the pivot is that, or the next larger one: if the sample has a
 * larger one, or even if it is all equal. */
#define ABOVE_IF_MIXED 1
#define ABOVE_IF_EQUAL 2

/* The middle of a sample of a range, or the next larger one where `above` says so. */
OUTLINED register_key_t choose_pivot(arrays_t arrays, range_t range, uint above, uint coding, flip_t flip, uint seed) {
    position_t size = range.end - range.begin;
    uint vectors = size < 1024 * LANES ? 2 : size < 8192 * LANES ? 4 : SAMPLE_VECTORS, elements = vectors * LANES;
    element_t r[SAMPLE_VECTORS];
    register_key_t in_order[SAMPLE_VECTORS * LANES];
    lanes_t lanes;
    /* Of the seed both halves of the sum have something: what an LCG draws depends on its lower half, too. */
    ulong random = (size + seed * 0xbf58476d1ce4e5b9ul) * 0x9e3779b97f4a7c15ul + range.begin;
    for (uint v = 0; v < vectors; ++v) {
        UNROLL for (uint l = 0; l < LANES; ++l) {
            random = random * 6364136223846793005ul + 1442695040888963407ul;
            load_lane(&lanes, l, arrays, range.begin + ((random >> 32) * (size >> 4) >> 28), coding != CODING_NONE);
        }
        r[v] = element_of(&lanes);
        r[v].key = encode(r[v].key, coding, flip);
    }
    sort_vectors(r, vectors);
    for (uint v = 0; v < vectors; ++v) STORE_VECTOR(r[v].key, in_order + v * LANES);
    register_key_t pivot = in_order[elements / 2];
    uint is_mixed = pivot != in_order[elements - 1];
    if (pivot == in_order[0] && (above & (is_mixed ? ABOVE_IF_MIXED : ABOVE_IF_EQUAL)) && pivot != LARGEST_KEY) ++pivot;
    return pivot;
}

/* What becomes of a range that is parted: before `middle` is what comes before the pivot. Where there is nothing,
 * `equal` are all equal to it. */
typedef struct {
    position_t middle, equal;
} parted_t;

INLINE parted_t part_by_sample(arrays_t arrays, range_t range, uint coding, flip_t flip, uint seed) {
    register_key_t pivot = choose_pivot(arrays, range, 0, coding, flip, seed);
    parted_t parted = {range.begin, range.end};
    if (encode_if_equal(arrays, range, BROADCAST(vec_t, pivot), coding, flip)) return parted;
    parted.middle = parted.equal = part(arrays, range, BROADCAST(vec_t, pivot), coding, flip);
    if (parted.middle > range.begin) return parted;
    /* The pivot is the first of all. */
    parted.equal = range.end;
    if (pivot != LARGEST_KEY)
        parted.equal = part(arrays, range, BROADCAST(vec_t, (register_key_t)(pivot + 1)), CODING_NONE, 0);
    return parted;
}

/* A range's place in the table of bounds, into which those of its parts come. */
typedef struct {
    GLOBAL ulong* bounds;
    uint apart; /* so many bounds from its first one to its second */
} entry_t;

INLINE entry_t entry_of(GLOBAL ulong* bounds, ulong range, uint ranges, uint levels) {
    entry_t entry = {bounds + (range << levels) / ranges, (1u << levels) / ranges};
    return entry;
}

/* In a bound: all elements from the bound in front of it on are equal. What a range becomes is known to its own
 * work-group, so it writes that in a bound of its own: that of the middle, where the left part ends. */
#define ENDS_EQUAL ((ulong)1 << 63)

INLINE range_t range_between(ulong begin, ulong end) {
    range_t range = {begin & ~ENDS_EQUAL, end & ~ENDS_EQUAL};
    return range;
}
INLINE range_t range_of(entry_t entry) { return range_between(entry.bounds[0], entry.bounds[entry.apart]); }
INLINE uint is_equal(entry_t entry) { return (entry.bounds[entry.apart] & ENDS_EQUAL) != 0; }

/* Equal elements are halved, since each thread is to decode some. */
INLINE ulong middle_of_equal(range_t range) { return (range.begin + (range.end - range.begin) / 2) | ENDS_EQUAL; }

/* The only range of the first level is the array. */
INLINE void begin_levels(entry_t entry, uint ranges, position_t count) {
    if (ranges > 1) return;
    entry.bounds[0] = 0;
    entry.bounds[entry.apart] = count;
}

/* Where ranges are few, several work-groups share each. One chooses its pivot, each parts two stripes of it, and each
 * exchanges a share of what is then on the wrong side of the range's middle. The two are mirror images, and what comes
 * before the pivot is brought to the left one: so that is no more than the pivot is off the middle. What they leave for
 * each other is in places of the table whose bounds come later: the pivot where the middle will be, the stripes'
 * middles behind the range's first bound. */
INLINE GLOBAL ulong* pivot_of(entry_t entry) { return entry.bounds + entry.apart / 2; }
INLINE GLOBAL ulong* stripe_middles(entry_t entry) { return entry.bounds + 1; }

INLINE range_t stripe_of(range_t range, uint stripes, uint number) {
    position_t length = (range.end - range.begin) / stripes / LANES * LANES;
    range_t stripe = {range.begin + number * length, range.begin + (number + 1) * length};
    if (number + 1 == stripes) stripe.end = range.end;
    return stripe;
}

/* Writes the pivot of each range.
 * Launched ahead of part_stripes, as that writes what this reads, with a work-group a range. */
KERNEL void choose_pivots(GLOBAL key_t* keys, offset_t keys_offset, position_t count, uint ranges, uint levels,
                          uint load_coding, flip_t flip, GLOBAL value_argument_t* values, offset_t values_offset,
                          GLOBAL index_t* indices, offset_t indices_offset, GLOBAL ulong* bounds,
                          offset_t bounds_offset, uint seed) {
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    entry_t entry = entry_of(bounds + bounds_offset, GROUP_ID, ranges, levels);
    begin_levels(entry, ranges, count);
    range_t range = range_of(entry);
    /* A range is parted once. Where a sample is all equal, it does not tell whether all are or how many are smaller, so
     * levels do by turns what either takes. */
    uint above = ABOVE_IF_MIXED | (ranges & 0xaaaaaaaau ? ABOVE_IF_EQUAL : 0);
    if (range.begin < range.end && !is_equal(entry))
        *pivot_of(entry) = choose_pivot(arrays, range, above, load_coding, flip, seed);
}

/* Parts two stripes at once, so that what comes before the pivot is in the left one, as far as it goes. `middles` are
 * where the elements begin in each that do not come before it. Requires: each has READ_AT_ONCE vectors or more. */
INLINE void part_two_coded(arrays_t arrays, range_t left, range_t right, vec_t pivot, uint coding, flip_t flip,
                           ulong* middles) {
    element_t held[HELD_OF_ENDS];
    register_key_t keys[(HELD_OF_ENDS + 1) * LANES];
    range_t both = {left.begin, right.end};
    parting_t p = {both, both};
    hold_ends(held, arrays, &p, coding, flip);
    while (left.end - p.unread.begin >= READ_AT_ONCE * LANES && p.unread.end - right.begin >= READ_AT_ONCE * LANES)
        part_next(arrays, &p, pivot, coding, flip);
    /* Of one of them fewer are unread: each for itself then, with what is held in its room. */
    for (uint i = 0; i < HELD_OF_ENDS; ++i) STORE_VECTOR(held[i].key, keys + i * LANES);
    range_t left_room = {p.unwritten.begin, p.unread.begin}, right_room = {p.unread.end, p.unwritten.end};
    store_keys(keys, arrays, left_room);
    store_keys(keys + (left_room.end - left_room.begin), arrays, right_room);
    range_t left_unread = {p.unread.begin, left.end}, right_unread = {right.begin, p.unread.end};
    recode_range(arrays, left_unread, coding, CODING_NONE, flip);
    recode_range(arrays, right_unread, coding, CODING_NONE, flip);
    range_t left_rest = {left_room.begin, left.end}, right_rest = {right.begin, right_room.end};
    middles[0] = part(arrays, left_rest, pivot, CODING_NONE, flip);
    middles[1] = part(arrays, right_rest, pivot, CODING_NONE, flip);
}
OUTLINED void part_two(arrays_t arrays, range_t left, range_t right, vec_t pivot, uint coding, flip_t flip,
                       ulong* middles) {
    if (coding == CODING_NONE) part_two_coded(arrays, left, right, pivot, CODING_NONE, flip, middles);
    else part_two_coded(arrays, left, right, pivot, coding, flip, middles);
}

/* Parts each stripe of each range together with its mirror image, and writes their middles, with marks where a stripe
 * is all equal to the pivot. Ranges that are too small for stripes stay as they are, and so do those that are all
 * equal.
 * Launched after choose_pivots, with a work-group for two stripes. Requires: stripes < 2^levels / ranges / 2. */
KERNEL void part_stripes(GLOBAL key_t* keys, offset_t keys_offset, position_t count, uint ranges, uint levels,
                         uint load_coding, flip_t flip, GLOBAL value_argument_t* values, offset_t values_offset,
                         GLOBAL index_t* indices, offset_t indices_offset, GLOBAL ulong* bounds,
                         offset_t bounds_offset) {
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    uint pairs = (uint)GROUPS / ranges, stripes = 2 * pairs, number = (uint)GROUP_ID % pairs,
         image = stripes - 1 - number;
    entry_t entry = entry_of(bounds + bounds_offset, GROUP_ID / pairs, ranges, levels);
    range_t range = range_of(entry), left = stripe_of(range, stripes, number), right = stripe_of(range, stripes, image);
    ulong middles[2] = {left.begin, right.begin};
    if (range.end - range.begin >= (position_t)stripes * TILE_KEYS && !is_equal(entry)) {
        vec_t pivot = BROADCAST(vec_t, (register_key_t)*pivot_of(entry));
        if (encode_if_equal(arrays, left, pivot, load_coding, flip)) {
            middles[0] |= ENDS_EQUAL;
            if (encode_if_equal(arrays, right, pivot, load_coding, flip)) middles[1] |= ENDS_EQUAL;
            else middles[1] = part(arrays, right, pivot, load_coding, flip);
        } else part_two(arrays, left, right, pivot, load_coding, flip, middles);
    }
    stripe_middles(entry)[number] = middles[0];
    stripe_middles(entry)[image] = middles[1];
}

/* A range whose stripes are parted. */
typedef struct {
    range_t range;
    GLOBAL const ulong* middles; /* of its stripes */
    uint stripes;
    position_t middle; /* where its elements will begin that do not come before the pivot */
} striped_t;

/* What is on the wrong side of a striped range's middle, stripe by stripe: in front of it what does not come before the
 * pivot, behind it what does. */
typedef struct {
    uint is_behind, next_stripe;
    position_t skipped; /* so many are still to be passed over */
    range_t left;       /* of the stripe in front of the next one */
} misplaced_t;

INLINE range_t misplaced_in(striped_t striped, uint number, uint is_behind) {
    range_t stripe = stripe_of(striped.range, striped.stripes, number), misplaced;
    position_t middle = striped.middles[number] & ~ENDS_EQUAL;
    misplaced.begin = is_behind ? max(stripe.begin, striped.middle) : min(middle, striped.middle);
    misplaced.end = is_behind ? max(middle, striped.middle) : min(stripe.end, striped.middle);
    return misplaced;
}

/* On to the next one that is misplaced. Requires: there is one. */
INLINE void find_misplaced(striped_t striped, misplaced_t* misplaced) {
    while (misplaced->left.begin == misplaced->left.end) {
        misplaced->left = misplaced_in(striped, misplaced->next_stripe++, misplaced->is_behind);
        position_t skipped = min(misplaced->skipped, misplaced->left.end - misplaced->left.begin);
        misplaced->left.begin += skipped;
        misplaced->skipped -= skipped;
    }
}

INLINE void swap_neighbours(arrays_t arrays, position_t a, position_t b, position_t count) {
    for (position_t i = 0; i < count; i += LANES) {
        element_t of_a, of_b;
        load_elements(&of_a, arrays, a + i, 1, a + count, 0, CODING_NONE, 0);
        load_elements(&of_b, arrays, b + i, 1, b + count, 0, CODING_NONE, 0);
        store_elements(of_a, arrays, b + i, 1, b + count, CODING_NONE, 0);
        store_elements(of_b, arrays, a + i, 1, a + count, CODING_NONE, 0);
    }
}

/* Exchanges what is on the wrong side of each range's middle, as many in front of it as behind it, and writes that
 * middle.
 * Launched after part_stripes, with as many work-groups. */
KERNEL void exchange_misplaced(GLOBAL key_t* keys, offset_t keys_offset, position_t count, uint ranges, uint levels,
                               uint load_coding, flip_t flip, GLOBAL value_argument_t* values, offset_t values_offset,
                               GLOBAL index_t* indices, offset_t indices_offset, GLOBAL ulong* bounds,
                               offset_t bounds_offset) {
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    uint shares = (uint)GROUPS / ranges, stripes = 2 * shares, share = (uint)GROUP_ID % shares;
    entry_t entry = entry_of(bounds + bounds_offset, GROUP_ID / shares, ranges, levels);
    striped_t striped = {range_of(entry), stripe_middles(entry), stripes, range_of(entry).begin};
    ulong all_equal = ENDS_EQUAL;
    for (uint i = 0; i < stripes; ++i) {
        striped.middle += (striped.middles[i] & ~ENDS_EQUAL) - stripe_of(striped.range, stripes, i).begin;
        all_equal &= striped.middles[i];
    }
    if (share == 0)
        entry.bounds[entry.apart / 2] = is_equal(entry) ? middle_of_equal(striped.range)
                                        : all_equal     ? striped.range.end | ENDS_EQUAL
                                                        : striped.middle;
    position_t all = 0;
    for (uint i = 0; i < stripes; ++i) {
        range_t misplaced = misplaced_in(striped, i, 0);
        all += misplaced.end - misplaced.begin;
    }
    position_t first = all * share / shares, left = all * (share + 1) / shares - first;
    misplaced_t front = {0, 0, first, {0, 0}}, behind = {1, 0, first, {0, 0}};
    while (left > 0) {
        find_misplaced(striped, &front);
        find_misplaced(striped, &behind);
        position_t size = min(left, min(front.left.end - front.left.begin, behind.left.end - behind.left.begin));
        swap_neighbours(arrays, front.left.begin, behind.left.begin, size);
        front.left.begin += size;
        behind.left.begin += size;
        left -= size;
    }
}

/* Divides each of `ranges` ranges in two, in a table of the bounds of 2^levels in all, of which so far each
 * (2^levels / ranges)-th is there. With load_coding, the one range is as the caller gave it. bounds[2^levels + 1] and
 * the next one tell what is given up.
 * Launched for each level whose ranges are not shared, with a work-group a range. */
KERNEL void part_ranges(GLOBAL key_t* keys, offset_t keys_offset, position_t count, uint ranges, uint levels,
                        uint load_coding, flip_t flip, GLOBAL value_argument_t* values, offset_t values_offset,
                        GLOBAL index_t* indices, offset_t indices_offset, GLOBAL ulong* bounds, offset_t bounds_offset,
                        uint seed) {
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    entry_t entry = entry_of(bounds + bounds_offset, GROUP_ID, ranges, levels);
    begin_levels(entry, ranges, count);
    range_t range = range_of(entry);
    ulong middle = range.begin;
    if (is_equal(entry)) middle = middle_of_equal(range);
    else if (range.end - range.begin > TILE_KEYS) {
        parted_t parted = part_by_sample(arrays, range, load_coding, flip, seed);
        middle = parted.equal;
        if (parted.middle == range.begin) middle |= ENDS_EQUAL;
    }
    entry.bounds[entry.apart / 2] = middle;
}

/* Sorts each of the ranges, or lets the bounds behind the last range tell that all is to be sorted once more.
 * Launched after part_ranges, with a work-group a range. */
KERNEL void sort_ranges(GLOBAL key_t* keys, offset_t keys_offset, position_t count, uint ranges, uint load_coding,
                        uint store_coding, flip_t flip, GLOBAL value_argument_t* values, offset_t values_offset,
                        GLOBAL index_t* indices, offset_t indices_offset, GLOBAL ulong* bounds, offset_t bounds_offset,
                        uint seed) {
    DECLARE_LOCAL_TILE(tile);
    arrays_t arrays = arrays_of(keys, keys_offset, values, values_offset, indices, indices_offset);
    GLOBAL ulong* own = bounds + bounds_offset + GROUP_ID;
    range_t range = {0, count}, waiting[POSITION_BITS];
    if (ranges > 1) {
        range = range_between(own[0], own[1]);
        if (own[1] & ENDS_EQUAL) {
            decode_range(arrays, range, store_coding, flip);
            return;
        }
    }
    /* Of the two parts the smaller comes first: so no more than lg of them wait. */
    position_t waste = MOST_WASTE * (range.end - range.begin);
    uint waits = 0;
    for (;;) {
        position_t size = range.end - range.begin;
        if (size <= TILE_KEYS) {
            arrays_t leaf = arrays_from(arrays, range.begin);
            if (load_coding != CODING_NONE) leaf = arrays; /* the whole array, from whose beginning indices count */
            uint phases = FIELD_BITS;
            while (size > (position_t)LANES << phases) ++phases;
            if (size > 0 && size <= FEW_VECTORS * LANES) sort_few(leaf, size, load_coding, store_coding, flip);
            else if (size > 0)
                sort_tile(tile, leaf, size, leaf, size, contiguous_tile(0, size), phases, 0, load_coding, store_coding,
                          flip, 0);
            if (waits == 0) return;
            range = waiting[--waits];
            continue;
        }
        parted_t parted = part_by_sample(arrays, range, load_coding, flip, seed);
        load_coding = CODING_NONE;
        position_t most_left = range.end - parted.equal;
        if (parted.middle == range.begin) {
            range_t equal = {range.begin, parted.equal};
            decode_range(arrays, equal, store_coding, flip);
            range.begin = parted.equal;
        } else {
            range_t left = {range.begin, parted.middle}, right = {parted.middle, range.end};
            uint left_is_smaller = left.end - left.begin < right.end - right.begin;
            most_left = max(left.end - left.begin, right.end - right.begin);
            waiting[waits++] = left_is_smaller ? right : left;
            range = left_is_smaller ? left : right;
        }
        if (most_left <= size - size / 8) continue;
        if (size <= waste) {
            waste -= size;
            continue;
        }
        /* Given up: all of it is as it was given, but in another order. What ends behind the array, ends with it. */
        decode_range(arrays, range, store_coding, flip);
        while (waits > 0) decode_range(arrays, waiting[--waits], store_coding, flip);
        WRITE_THE_SAME(&(bounds + bounds_offset)[(ulong)ranges + 2], (ulong)count);
        return;
    }
}

#endif
