// SPDX-License-Identifier: MIT
// IEEE 754 binary16 numbers as text sees them: by way of double, which holds each of them exactly.
#pragma once

#include <lanesort/key_types.hpp>

double to_double(lanesort::half value) noexcept;

/// The nearest half, to even where two are as near; infinity from 65520 on.
lanesort::half to_half(double value) noexcept;

/// Whether the number lies exactly between two halves.
bool between_halves(double value) noexcept;
