// The rounds of a tile, as the kernels run them; the host's twin of kernels/tile.h, where the terms are explained.
#pragma once

#include <bit>

#include <lanesort/shape.hpp>

namespace lanesort {

constexpr unsigned log2(unsigned power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }

/// The start of the field of a round whose first step has stride 2^top vectors, in a pass that ends at 2^bottom.
unsigned field_start(const Shape& shape, unsigned top, unsigned bottom);

/// Rounds that the steps of strides 2^(phase-1) .. 2^bottom vectors take.
unsigned rounds(const Shape& shape, unsigned phase, unsigned bottom);

/// The vector that work-item t holds in register m in the round on the field at `start`.
unsigned held_vector(const Shape& shape, unsigned t, unsigned m, unsigned start, bool mirrored);

/// The slot of vector v in local memory under remapping, where the round on the field at `start` reads it.
unsigned remapped_slot(const Shape& shape, unsigned v, unsigned start);

/// That slot after bank padding, if the shape has it, for keys that cover 2^bank_bits 4-byte banks.
unsigned padded_slot(const Shape& shape, unsigned slot, unsigned bank_bits);

}  // namespace lanesort
