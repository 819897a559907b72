// SPDX-License-Identifier: MIT
#include <lanesort/plan.hpp>

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "rounds.hpp"

namespace lanesort::inline v0_1 {
namespace {

/// What one shape's kernels can do, in bits of key and vector numbers.
struct TileBits {
    unsigned lanes, registers, keys;
    explicit TileBits(const Shape& shape)
        : lanes(log2(shape.lanes)), registers(lanes + log2(shape.register_vectors)), keys(log2(shape.tile_keys())) {}
};

/// Fills in what follows from the number of tiles and the rounds.
Pass counted(Pass pass, const Shape& shape) {
    pass.groups = shape.local_sync ? pass.tiles : ceil_div(pass.tiles, shape.work_items);
    if (shape.tile_work_items() > 1) {
        const bool leaves_columns = pass.kind == Pass::Kind::sort_tiles && pass.column_bits > 0;
        const bool stores_through_local =
            shape.coalesced_store && pass.kind != Pass::Kind::merge_strips && !leaves_columns;
        const bool whole_tile = pass.kind == Pass::Kind::merge_tiles || pass.last_phase == TileBits(shape).keys;
        const bool last_round_stores = whole_tile && stores_pairs(shape);
        pass.hand_overs = pass.rounds - 1 + (stores_through_local && !last_round_stores);
        // Where vectors change places, all of them are read before one is written.
        pass.barriers = pass.hand_overs + (shape.remap && pass.hand_overs > 0 ? pass.hand_overs - 1 : 0);
    }
    return pass;
}

/// `loads_contiguously`: neighbouring work-items load neighbouring keys and hand them over to those that sort them.
Pass sort_tiles(std::uint64_t count, unsigned last_phase, const Shape& shape, bool loads_contiguously = false) {
    const TileBits bits(shape);
    Pass pass{};
    pass.kind = Pass::Kind::sort_tiles;
    pass.first_phase = 1;
    pass.last_phase = last_phase;
    pass.top_stride = last_phase - 1;
    pass.bottom_stride = 0;
    pass.mirrored = true;
    pass.tiles = ceil_div(count, shape.tile_keys());
    pass.steps = last_phase * (last_phase + 1) / 2;
    pass.rounds = loads_contiguously && shape.tile_work_items() > 1 ? 2 : 1;
    for (unsigned phase = bits.registers + 1; phase <= last_phase; ++phase)
        pass.rounds += rounds(shape, phase - bits.lanes, 0);
    return counted(pass, shape);
}

/// The steps of `phase` with strides 2^top .. 2^bottom, in tiles of strips of 2^strip_bits keys or, where bottom is
/// 0, in contiguous ones.
Pass merge(std::uint64_t count, unsigned phase, unsigned top, unsigned bottom, unsigned strip_bits,
           const Shape& shape) {
    const TileBits bits(shape);
    Pass pass{};
    pass.kind = bottom > 0 ? Pass::Kind::merge_strips : Pass::Kind::merge_tiles;
    pass.first_phase = pass.last_phase = phase;
    pass.top_stride = top;
    pass.bottom_stride = bottom;
    pass.mirrored = top + 1 == phase;
    pass.strip_stride = bottom;
    pass.strip_bits = strip_bits;
    pass.tiles = ceil_div(count, std::uint64_t{2} << top) << (bottom - strip_bits);
    pass.steps = top - bottom + 1;
    pass.rounds = rounds(shape, bits.keys - bits.lanes, std::max(strip_bits, bits.lanes) - bits.lanes);
    return counted(pass, shape);
}

/// The steps with strides of 2^top and less of a phase whose runs are no smaller than a tile, on `count` keys.
void append_phase(std::vector<Pass>& passes, std::uint64_t count, unsigned phase, unsigned top, const Shape& shape) {
    const TileBits bits(shape);
    // The global steps are spread evenly over as few passes as can hold them: fewer steps a pass have longer strips.
    unsigned steps_left = top + 1 - bits.keys;
    for (auto left = static_cast<unsigned>(ceil_div(steps_left, shape.steps_per_pass)); left > 0; --left) {
        const auto steps = static_cast<unsigned>(ceil_div(steps_left, left));
        passes.push_back(merge(count, phase, top, top + 1 - steps, bits.keys - steps, shape));
        top -= steps;
        steps_left -= steps;
    }
    passes.push_back(merge(count, phase, bits.keys - 1, 0, 0, shape));
}

/// Sorts runs of as many tiles as there are columns, in columns (Leighton 1985): the keys of equal rank in their tiles
/// are as good as in order once those whose ranks differ by a multiple of the columns are. What is then out of order in
/// a tile, a walked one mends by truncated odd-even merges; in local memory a merge of all columns has fewer
/// hand-overs.
std::vector<Pass> sort_in_columns(std::uint64_t count, unsigned column_bits, const Shape& shape) {
    const TileBits bits(shape);
    const bool walks = shape.walks_in_cache();
    std::vector<Pass> passes{sort_tiles(count, bits.keys, shape)};
    const std::uint64_t tiles = passes.front().tiles;
    passes.front().column_bits = column_bits;
    passes.front() = counted(passes.front(), shape);
    const auto add = [&](Pass::Kind kind, unsigned first, unsigned last) -> Pass& {
        Pass pass{};
        pass.kind = kind;
        pass.first_phase = first;
        pass.last_phase = last;
        pass.top_stride = last - 1;
        pass.mirrored = true;
        pass.tiles = tiles;
        pass.column_bits = column_bits;
        pass.steps = (last * (last + 1) - (first - 1) * first) / 2;
        pass.rounds = walks ? 1 : 0;
        for (unsigned phase = first; phase <= last; ++phase) pass.rounds += rounds(shape, phase - bits.lanes, 0);
        return passes.emplace_back(pass);
    };
    const unsigned strip_bits = bits.keys - column_bits;
    Pass& columns = add(Pass::Kind::merge_columns, strip_bits + 1, bits.keys);
    columns.tiles = ceil_div(tiles, std::uint64_t{1} << column_bits) << column_bits;
    columns.strip_stride = bits.keys;
    columns.strip_bits = strip_bits;
    if (walks) {
        Pass& of_tile = add(Pass::Kind::merge_tile_columns, column_bits, column_bits);
        of_tile.steps = of_tile.rounds = column_bits * column_bits;
        of_tile.top_stride = 2 * column_bits - 1;
        of_tile.mirrored = false;
    } else {
        Pass& of_tile = add(Pass::Kind::merge_tile_columns, strip_bits + 1, bits.keys);
        of_tile.strip_stride = of_tile.strip_bits = strip_bits;
    }
    const unsigned least_border = walks ? bits.registers : strip_bits;
    const unsigned border_bits = std::max(2 * column_bits + 1, least_border);
    Pass& borders = add(Pass::Kind::merge_borders, border_bits, border_bits);
    if (!walks) {
        // As many borders as a tile has room for (kernels/common/tile.h).
        borders.tiles = ceil_div(tiles, std::uint64_t{1} << (bits.keys - border_bits));
        borders.strip_stride = bits.keys;
        borders.strip_bits = border_bits;
    }
    for (Pass& pass : passes) pass = counted(pass, shape);
    return passes;
}

/// Throws Error(too_large).
void check_count(std::uint64_t count, std::uint64_t rows = 1) {
    if (product_exceeds(count, rows, std::uint64_t{1} << 62))
        throw Error(ErrorCode::too_large, "a sort of more than 2^62 keys cannot be planned");
}

/// Phases first .. last among the heads of runs of 2^run_bits keys; each tile has as many heads as it can hold.
Pass merge_heads(std::uint64_t count, unsigned first, unsigned last, unsigned run_bits, unsigned head_bits,
                 const Shape& shape) {
    const TileBits bits(shape);
    Pass pass{};
    pass.kind = Pass::Kind::merge_heads;
    pass.first_phase = first;
    pass.last_phase = last;
    pass.top_stride = last - 1;
    pass.mirrored = true;
    pass.strip_stride = run_bits;
    pass.strip_bits = head_bits;
    pass.tiles = ceil_div(ceil_div(count, std::uint64_t{1} << run_bits), std::uint64_t{1} << (bits.keys - head_bits));
    pass.steps = (last * (last + 1) - (first - 1) * first) / 2;
    pass.rounds = 1;
    for (unsigned phase = first; phase <= last; ++phase) pass.rounds += rounds(shape, phase - bits.lanes, 0);
    return counted(pass, shape);
}

/// The passes of a plan for the first keys of `count`, which are more than a tile.
std::vector<Pass> passes_over_heads(std::uint64_t count, unsigned head_bits, const Shape& shape) {
    // More phases a pass mean fewer passes, but steps on keys that are no longer wanted.
    constexpr unsigned phases_at_once = 3;
    const TileBits bits(shape);
    const auto phases = static_cast<unsigned>(std::bit_width(count - 1));
    unsigned run_bits = std::min(head_bits + phases_at_once, bits.keys);
    std::vector<Pass> passes{sort_tiles(count, run_bits, shape, true)};
    const unsigned heads_of_tile = bits.keys - head_bits;
    while (run_bits < phases) {
        const unsigned left = phases - run_bits;
        const unsigned merged = left <= heads_of_tile ? left : std::min(phases_at_once, heads_of_tile);
        passes.push_back(merge_heads(count, head_bits + 1, head_bits + merged, run_bits, head_bits, shape));
        run_bits += merged;
    }
    // A few steps that do no harm, on all keys as they lie, since those that dropped out are still encoded.
    passes.push_back(merge_heads(count, bits.registers + 1, bits.registers + 1, 0, 0, shape));
    return passes;
}

}  // namespace

const char* name(Pass::Kind kind) noexcept {
    switch (kind) {
        case Pass::Kind::sort_tiles: return "sort_tiles";
        case Pass::Kind::merge_strips: return "merge_strips";
        case Pass::Kind::merge_tiles: return "merge_tiles";
        case Pass::Kind::merge_heads: return "merge_heads";
        case Pass::Kind::merge_columns: return "merge_columns";
        case Pass::Kind::merge_tile_columns: return "merge_tile_columns";
        case Pass::Kind::merge_borders: return "merge_borders";
    }
    return "none";
}

Plan make_row_plan(std::uint64_t rows, std::uint64_t length, const Shape& shape, unsigned tiles_per_group,
                   std::uint64_t first, bool tiles_hold_rows) {
    const TileBits bits(shape);
    check_count(rows, length);
    Plan plan = make_plan(length, shape, first);
    plan.rows = rows;
    plan.tiles_per_group = tiles_per_group;
    if (rows == 0) plan.passes.clear();
    if (plan.passes.empty()) return plan;
    const auto phases = static_cast<unsigned>(std::bit_width(length - 1));
    plan.short_rows = tiles_hold_rows && bits.keys > phases && bits.registers <= phases && std::has_single_bit(length);
    if (plan.short_rows) {
        plan.passes = {sort_tiles(rows * length, phases, shape, shape.coalesced_store)};
        return plan;
    }
    if (bits.keys > std::max(bits.registers, phases) && !shape.walks_in_cache())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("a tile of {} keys was asked for, but a row has {}", shape.tile_keys(), length));
    for (Pass& pass : plan.passes) {
        pass.tiles = rows * std::bit_ceil(pass.tiles);
        pass.groups =
            ceil_div(pass.tiles, std::uint64_t{tiles_per_group} * (shape.work_items / shape.tile_work_items()));
    }
    return plan;
}

unsigned head_bits(std::uint64_t count, const Shape& shape, std::uint64_t first) {
    const TileBits bits(shape);
    if (count >> bits.keys < 2 || first >= count) return 0;
    // Blocks that lie transposed are not to be cut, nor what a work-item sorts by itself.
    const unsigned whole = std::max(bits.registers + 1, shape.walks_in_cache() ? 2 * bits.lanes : 0);
    const unsigned wanted =
        std::max(static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(first, 1) - 1)), whole);
    return wanted < bits.keys ? wanted : 0;
}

Plan make_plan(std::uint64_t count, const Shape& shape, std::uint64_t first) {
    check_shape(shape);
    check_count(count);
    Plan plan{count, shape, {}};
    if (count < 2) return plan;

    if (const unsigned heads = head_bits(count, shape, first); heads > 0) {
        plan.passes = passes_over_heads(count, heads, shape);
        return plan;
    }
    const TileBits bits(shape);
    const auto phases = static_cast<unsigned>(std::bit_width(count - 1));
    unsigned sorted = bits.keys;
    if (const unsigned columns = column_bits(shape, phases); columns > 0) {
        plan.passes = sort_in_columns(count, columns, shape);
        sorted += columns;
    } else {
        plan.passes.push_back(sort_tiles(count, std::min(bits.keys, std::max(phases, bits.registers)), shape));
    }
    for (unsigned phase = sorted + 1; phase <= phases; ++phase)
        append_phase(plan.passes, count, phase, phase - 1, shape);
    return plan;
}

Plan make_merge_plan(std::uint64_t count, std::uint64_t middle, const Shape& shape) {
    check_shape(shape);
    check_count(count);
    Plan plan{count, shape, {}};
    if (middle == 0 || middle >= count) return plan;
    const std::uint64_t longer = std::max(middle, count - middle);
    const unsigned phase = std::max(static_cast<unsigned>(std::bit_width(longer - 1)) + 1, TileBits(shape).keys);
    plan.front = (std::uint64_t{1} << (phase - 1)) - middle;
    append_phase(plan.passes, plan.front + count, phase, phase - 1, shape);
    return plan;
}

Plan make_half_plan(std::uint64_t count, bool is_lower, const Shape& shape) {
    check_shape(shape);
    check_count(count);
    Plan plan{count, shape, {}};
    if (count < 2) return plan;
    // The two meet at a multiple of 2^half, in the middle of what the phase merges. There is a pass over strips: a
    // first one over tiles would begin mirrored.
    const unsigned half = std::max(static_cast<unsigned>(std::bit_width(count - 1)), TileBits(shape).keys + 1);
    plan.front = is_lower ? (std::uint64_t{1} << half) - count : 0;
    append_phase(plan.passes, plan.front + count, half + 1, half - 1, shape);
    return plan;
}

std::vector<Step> steps(const Pass& pass, const Shape& shape) {
    const TileBits bits(shape);
    const bool shared = shape.tile_work_items() > 1;
    std::vector<Step> steps;
    if (pass.kind == Pass::Kind::merge_tile_columns && shape.walks_in_cache()) {
        for (unsigned column = pass.column_bits; column-- > 0;)
            for (unsigned row = pass.column_bits; row-- > 0;)
                steps.push_back(
                    {pass.last_phase, column + row, false, false, ((std::uint64_t{2} << row) - 1) << column});
        return steps;
    }
    const bool merges = pass.kind == Pass::Kind::merge_strips || pass.kind == Pass::Kind::merge_tiles;
    unsigned rounds = 0, start = 0;
    for (unsigned phase = pass.first_phase; phase <= pass.last_phase; ++phase) {
        const bool last = phase == pass.last_phase;
        const unsigned top = last ? pass.top_stride : phase - 1, bottom = last ? pass.bottom_stride : 0;
        // The first phases of a tile run in the registers that a work-item has loaded.
        bool begins_round = pass.kind != Pass::Kind::sort_tiles || phase == 1 || phase > bits.registers;
        for (unsigned stride = top + 1; stride-- > bottom;) {
            const unsigned in_tile =
                pass.kind == Pass::Kind::merge_strips ? stride - pass.strip_stride + pass.strip_bits : stride;
            const unsigned bottom_of_round = merges ? start : round_bottom(shape, start);
            begins_round = begins_round || (start > 0 && in_tile < bits.lanes + bottom_of_round);
            if (begins_round) {
                start = field_start(shape, std::max(in_tile, bits.lanes) - bits.lanes);
                ++rounds;
            }
            steps.push_back({phase, stride, stride + 1 == phase, shared && begins_round && rounds > 1});
            begins_round = false;
        }
    }
    // Rounds in which nothing is compared: the pass loads its keys in another order than it needs them.
    steps.front().handed_over = shared && pass.rounds > rounds;
    return steps;
}

}  // namespace lanesort::inline v0_1
