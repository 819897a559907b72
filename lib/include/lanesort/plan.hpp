// SPDX-License-Identifier: MIT
/// @file
/// The plan of a sort by the network or by columns: pure, known before it runs, the same for all keys of one count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

/// One kernel launch. Between two passes the host synchronises all work-groups; inside a pass, work-groups are
/// independent of each other. Strides, in keys, are given by their binary logarithms.
struct Pass {
    /// What the kernel of a pass does.
    enum class Kind : std::uint8_t {
        sort_tiles,          ///< sorts every tile: phases 1 .. last_phase
        merge_strips,        ///< global steps of one phase, on tiles of strips far apart
        merge_tiles,         ///< the last steps of one phase, on contiguous tiles
        merge_heads,         ///< phases among the heads of sorted runs, a tile being strips of one head each
        merge_columns,       ///< phases of each column, a tile being strips in order, one of each tile of the array
        merge_tile_columns,  ///< sorts every tile, of which each column is in order
        merge_borders,  ///< the phase that merges what lies before the border of two tiles with what lies behind it
    };
    Kind kind;               ///< what its kernel does
    unsigned first_phase;    ///< phase p merges runs of 2^(p-1) keys into runs of 2^p
    unsigned last_phase;     ///< the same as the first, but in sort_tiles and merge_heads
    unsigned top_stride;     ///< lg of the first step's stride (of the last phase)
    unsigned bottom_stride;  ///< lg of the last step's stride
    bool mirrored;           ///< begins a phase: the first step pairs i with i ^ (2^p - 1)
    unsigned strip_stride;   ///< a tile is strips 2^strip_stride keys apart, of 2^strip_bits keys; both are 0 where it
    unsigned strip_bits;   ///< is contiguous. The strides are those inside the tile for merge_heads, else in the array
    std::uint64_t tiles;   ///< tiles, each of shape.tile_keys() keys
    std::uint64_t groups;  ///< work-groups launched
    unsigned column_bits;  ///< lg of the columns, where the pass is one of those that sort in columns; else 0
    unsigned steps;        ///< steps of the network
    unsigned rounds;       ///< runs of steps between which a work-item changes keys
    unsigned hand_overs;   ///< points where the work-items of a group synchronise
    unsigned barriers;     ///< barriers that each work-item meets

    friend bool operator==(const Pass&, const Pass&) = default;
};

/// Returns the enumerator's name.
const char* name(Pass::Kind kind) noexcept;

/// More keys than there can be: all of them are to be in order.
inline constexpr std::uint64_t all_keys = ~std::uint64_t{0};

/// All passes of one sort, in order. An executor encodes keys in the first pass and decodes them in the last.
struct Plan {
    std::uint64_t count = 0;       ///< keys, or keys of a row
    Shape shape;                   ///< what the passes were cut for
    std::vector<Pass> passes;      ///< empty for 0 and 1 keys
    std::uint64_t rows = 0;        ///< rows of `count` keys, each sorted by itself; 0 where the array is no rows
    unsigned tiles_per_group = 1;  ///< tiles that a work-group sorts side by side, with shape.work_items for each
    bool short_rows = false;       ///< a tile holds several rows
    std::uint64_t front = 0;       ///< places before the first key, where smaller ones are made up

    /// Keys of the array.
    std::uint64_t keys() const noexcept { return rows > 0 ? rows * count : count; }

    friend bool operator==(const Plan&, const Plan&) = default;
};

/// Returns the plan for `count` keys: the normalised bitonic merge network (all compare-exchanges ascend, the first
/// step of each phase is mirrored, pairs that reach beyond the end are skipped) cut into passes, or columns where the
/// shape has them. It needs no device.
///
/// With a tile of 2^t keys and 2^(q-1) < count <= 2^q there are 1 + sum over p = t+1..q of (ceil((p-t)/r) + 1) passes.
/// In columns (Leighton 1985) up to 2^c tiles take four passes; more take 4 + sum over p = t+c+1..q. There 2c < t, and
/// c is smaller where lanes are many (kernels/README.md). Where a work-item walks its tile, the third pass has
/// truncated odd-even merges, and all together have as many steps as the network but for those about the borders of
/// tiles. Where a work-group shares it, that pass has phases t-c+1..t again, which take fewer hand-overs. Where only
/// the `first` keys of the order are to be in their places, and are no more than half a tile, the network is cut off:
/// runs of eight heads of 2^head_bits() keys are sorted, or of a tile if that is less. From then on only the first head
/// of each run is merged with those of other runs, eight to one in a pass, and all that are left once they are few. The
/// last pass decodes.
///
/// Memory and cost: proportional to the passes.
/// Errors: Error(invalid_argument) for an impossible shape; Error(too_large) above 2^62 keys.
Plan make_plan(std::uint64_t count, const Shape& shape, std::uint64_t first = all_keys);

/// Returns lg of the keys of a head in the plan for the first so many keys; 0 where it sorts all of them.
unsigned head_bits(std::uint64_t count, const Shape& shape, std::uint64_t first);

/// Returns the plan that merges two sorted ranges side by side, of `middle` keys (no more than `count`) and of the
/// others: the one phase of the network that merges two runs of 2^(p-1) keys, no less than the longer range, with
/// made-up keys in front of the first and behind the second. Memory, cost and errors are those of make_plan().
Plan make_merge_plan(std::uint64_t count, std::uint64_t middle, const Shape& shape);

/// Returns the plan of what is left of a merge of two sorted ranges that lie apart, after its mirrored first step: the
/// other steps of that phase, on the `count` keys of the lower range or of the upper one. Memory, cost and errors are
/// those of make_plan().
Plan make_half_plan(std::uint64_t count, bool is_lower, const Shape& shape);

/// Returns the plan for `rows` rows of `length` keys, one after the other in the array, each sorted by itself. All rows
/// share the launches of a sort of `length` keys. A tile lies in one row. Where `length` is a power of two, and no less
/// than the keys in a work-item's registers, a larger tile holds several rows, if `tiles_hold_rows`. Rows may end in
/// the first part of a tile: then the plan is that of the whole tile, of which kernels leave out what they can.
///
/// Memory and cost: as make_plan().
/// Errors: as make_plan(); Error(invalid_argument) also for any other tile of more keys than the next power of two from
/// `length`, or than a work-item has in registers if that is more, unless a work-item walks the tile in the cache.
Plan make_row_plan(std::uint64_t rows, std::uint64_t length, const Shape& shape, unsigned tiles_per_group = 1,
                   std::uint64_t first = all_keys, bool tiles_hold_rows = true);

/// All compare-exchanges of a pass at one stride.
struct Step {
    unsigned phase;   ///< whose step it is, from 1; of truncated odd-even merges lg of the columns
    unsigned stride;  ///< lg of it: inside the tile for merge_heads, in the column for merge_columns, else in the array
    bool mirrored;    ///< pairs i with i ^ (2^phase - 1), else with i ^ 2^stride
    bool handed_over;  ///< work-items of a group exchange keys just before it
    /// In merge_tile_columns of a walked tile, an odd multiple d of 2^b, of which 2^stride is the highest bit: pairs
    /// those i of the tile that have bit b with i + d. Else 0.
    std::uint64_t distance = 0;

    friend bool operator==(const Step&, const Step&) = default;
};

/// Returns the steps, in order, of a pass of a plan for that shape; for any other pass the result is undefined. At most
/// one hand-over of the pass comes before none of them: the last, which brings the keys into the order in which they
/// are stored.
std::vector<Step> steps(const Pass& pass, const Shape& shape);

}  // namespace lanesort::inline v0_1
