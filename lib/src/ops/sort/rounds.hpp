// SPDX-License-Identifier: MIT
// The rounds of a tile, as the kernels run them; the host's twin of kernels/common/tile.h, where the terms are
// explained.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

constexpr unsigned log2(unsigned power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }

/// The start of the field of a round whose first step has stride 2^top vectors. In a pass over rows the last field
/// starts no lower than the stride of the last step.
unsigned field_start(const Shape& shape, unsigned top);

/// Whether every vector keeps its slot in local memory: a work-item writes where it has read.
bool keeps_slots(const Shape& shape);

/// Whether, where a pass makes several phases, all rounds but the first of each are on fields that begin at multiples
/// of a field's bits (kernels/sort/tile_in_local.cl). Kernels also do so in larger tiles in which rows end.
bool shares_rounds(const Shape& shape);

/// lg of the lowest stride, in vectors, of the round on the field at `start` there.
unsigned round_bottom(const Shape& shape, unsigned start);

/// The field of the round that stores a contiguous tile, unless that holds pairs.
unsigned store_start(const Shape& shape);

/// Rounds that the steps of strides 2^(phase-1) .. 2^bottom vectors take.
unsigned rounds(const Shape& shape, unsigned phase, unsigned bottom);

/// lg of the work-items of a warp, in kernels.
inline constexpr unsigned warp_bits = 5;

/// Whether the last round of a pass over contiguous tiles holds pairs of neighbours, which are stored as they are held:
/// where the other rounds of a whole tile leave it a single step.
bool stores_pairs(const Shape& shape);

/// In place of a field's start, as the `start` or `to` of held_vector, padding_shift and padded_slot: the round that
/// holds pairs. No tile has so many bits.
inline constexpr unsigned in_pairs = 31;

/// The vector that work-item t holds in register m in the round on the field at `start`.
unsigned held_vector(const Shape& shape, unsigned t, unsigned m, unsigned start, bool mirrored);

/// The slot of vector v in local memory under remapping, where the round on the field at `start` reads it.
unsigned remapped_slot(const Shape& shape, unsigned v, unsigned start);

/// lg of the slots after which the hand-over from the field at `from` to the one at `to` leaves one unused, under bank
/// padding, where 2^row_bits vectors cover every bank once.
unsigned padding_shift(const Shape& shape, unsigned from, unsigned to, unsigned row_bits);

/// The slot of vector v in that hand-over, with the padding if the shape has it: of a phase's first, where
/// padding_shift is longer than row_bits, with a slot after 2^row_bits besides. Of pairs, the bit that tells the two
/// moves up to where work-items that write together meet in fewer banks.
unsigned padded_slot(const Shape& shape, unsigned v, unsigned from, unsigned to, unsigned row_bits);

/// Whether tiles of that shape can be sorted in columns: those that are walked, and those of scalars in local memory.
bool may_have_columns(const Shape& shape);

/// lg of the most columns in which tiles of that shape are sorted; 0 where they are not. A column is sorted in a tile,
/// and so is what lies about a border; a strip is a block of L x L keys or more, and more than registers hold; and in a
/// walked tile keys move no further than to the next lane. The shape may have fewer.
unsigned most_column_bits(const Shape& shape);

/// lg of the columns with which tiles in local memory are faster than the network (docs/decisions.md#columns).
inline constexpr unsigned least_column_bits = 4;

/// lg of the columns in which an array of that many phases is sorted, as many as tiles or, of more tiles, the most; 0
/// where it is not. In local memory there are least_column_bits or more, or half of the most columns.
unsigned column_bits(const Shape& shape, unsigned phases);

/// lg of the vectors after which a tile that is walked in the cache has an unused place
/// (kernels/cpu/tile_layout_cpu.h).
inline constexpr unsigned cache_padding_shift = 6;

/// Whether an element's two words lie together in local memory (WHOLE_IN_LOCAL in kernels/common/dialect.h).
constexpr bool lies_whole(ElementBytes bytes) { return !bytes.is_record && bytes.key == 4 && bytes.all() == 8; }

/// The row_bits of elements, in vectors of one: of those that lie whole, else of their keys.
constexpr unsigned row_of_banks_bits(ElementBytes bytes) { return lies_whole(bytes) || bytes.key >= 8 ? 4 : 5; }

}  // namespace lanesort::inline v0_1
