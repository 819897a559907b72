// SPDX-License-Identifier: MIT
// What the planner knows of operations; the table is ops/operations.cpp.
#pragma once

#include "planner.hpp"

namespace lanesort::inline v0_1::detail {

/// Members of a request, and arrays of a call, that not every operation uses.
enum Option : unsigned {
    stable = 1u << 0,
    first = 1u << 1,
    k = 1u << 2,  ///< `first`, which has to be there
    middle = 1u << 3,
    counters = 1u << 4,
    in_place = 1u << 5,
    apart = 1u << 6,
    schedules = 1u << 7,     ///< `schedule` and `extra_bytes`
    independence = 1u << 8,  ///< `data_independent`
    limit = 1u << 9,
    nan = 1u << 10,          ///< `nan_last`
    reductions = 1u << 11,   ///< `reduction`
    inversion = 1u << 12,    ///< `inverted`
    value_types = 1u << 13,  ///< `value_type`
    predicates = 1u << 14,   ///< keys of which a text says whether they are wanted
    operators = 1u << 15,    ///< keys that a text combines
    operators_of_values = 1u << 16,
    second_range = 1u << 17,  ///< `second_count`
    binning = 1u << 18,       ///< `bins`, `lower`, `upper` and `bounded`
    // Arrays.
    keyless = 1u << 19,  ///< without keys: values are moved
    values = 1u << 20,
    second_keys = 1u << 21,
    indices = 1u << 22,
    lengths = 1u << 23,
    flags = 1u << 24,
    results = 1u << 25,
    result_values = 1u << 26,
    answers = 1u << 27
};

/// What the planner knows of an operation.
struct OperationRow {
    Operation operation;
    const char* name;
    unsigned options;  ///< that it uses
    bool uses(unsigned some) const noexcept { return (options & some) != 0; }
    /// The caller's arrays. Throws Error for what the operation cannot do.
    Arrays (*arrays)(const Request& request);
    /// Adds programs, commands and own arrays to a work that has the caller's.
    void (*make)(Planner& planner, const Request& request, Work& work);
};

/// Throws Error(invalid_argument) for an operation that is none.
const OperationRow& row_of(Operation operation);

}  // namespace lanesort::inline v0_1::detail
