// Sorts by the standard library, for inputs that are sorted before a device is open.
#pragma once

#include <lanesort/calls.hpp>

/// Runs a sort, argsort or top_k of numbers, fewer than 2^32, with the result of Sorter::run where that is stable.
/// Takes 16 bytes of memory for each key of a row.
void sort_on_host(const lanesort::CallIn<void*>& call);
