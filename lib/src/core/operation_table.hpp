// SPDX-License-Identifier: MIT
// What the planner knows of operations; the table is ops/operations.cpp.
#pragma once

#include "planner.hpp"

namespace lanesort::inline v0_1::detail {

/// Members of a request that not every operation uses.
enum Option : unsigned {
    stable = 1,
    first = 2,
    middle = 4,
    values = 8,
    indices = 16,
    lengths = 32,
    counters = 64,
    in_place = 128,
    apart = 256,
    schedules = 512,      ///< `schedule` and `extra_bytes`
    independence = 1024,  ///< `data_independent`
    limit = 2048,
    nan = 4096,             ///< `nan_last`
    reductions = 8192,      ///< `reduction`
    inversion = 1 << 14,    ///< `inverted`
    predicates = 1 << 15,   ///< keys of which a text says whether they are wanted
    value_types = 1 << 16,  ///< `value_type`
    operators = 1 << 17,    ///< keys that a text combines
    operators_of_values = 1 << 18,
    second_range = 1 << 20,  ///< `second_count`
    binning = 1 << 21        ///< `bins`, `lower`, `upper` and `bounded`
};

/// What the planner knows of an operation.
struct OperationRow {
    Operation operation;
    const char* name;
    unsigned options;  ///< that it uses
    /// The caller's arrays. Throws Error for what the operation cannot do.
    Arrays (*arrays)(const Request& request);
    /// Adds programs, commands and own arrays to a work that has the caller's.
    void (*make)(Planner& planner, const Request& request, Work& work);
};

/// Throws Error(invalid_argument) for an operation that is none.
const OperationRow& row_of(Operation operation);

}  // namespace lanesort::inline v0_1::detail
