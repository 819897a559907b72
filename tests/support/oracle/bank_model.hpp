// SPDX-License-Identifier: MIT
/// @file
/// A model of local-memory banks: how many work-items meet in one bank when keys are written back.
#pragma once

#include <vector>

#include <lanesort/shape.hpp>

namespace lanesort {

/// Local memory, as the model sees it.
struct Banks {
    unsigned banks = 32;            ///< B: 4-byte banks that serve one access each at a time
    unsigned banks_per_vector = 1;  ///< K: 4-byte banks that one vector covers
    unsigned work_items = 32;       ///< G: work-items that issue one instruction together
};

/// Returns the most accesses to one bank among the write instructions of one remapped hand-over, from the round on the
/// field that begins at vector bit `from` to the round at `to` (see kernels/common/tile.h). The floor is
/// work_items * banks_per_vector / banks. Uses the shape's vectors, work_items, bank_swap and bank_padding.
/// For M = 1 and from = to + 1 this is the write-back after a step of stride 2^from in patent CN102750131A.
unsigned write_conflicts(const Shape& shape, const Banks& banks, unsigned from, unsigned to);

}  // namespace lanesort
