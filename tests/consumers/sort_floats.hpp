// SPDX-License-Identifier: MIT
// Sorting by lanesort, behind an interface that names nothing of it.
#pragma once

#include <span>

/// Sorts in the order of std::strong_order. Returns false if there is no device to sort on.
bool sort_floats(std::span<float> numbers);

/// Sorts numbers without NaN by their size, whatever their sign; the sort is stable.
void sort_by_size(std::span<float> numbers);

/// The version that the headers of lanesort tell.
const char* sorter_version();
