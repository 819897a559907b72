// SPDX-License-Identifier: MIT
// Even bins of histograms, as the kernels take them (kernels/histogram/histogram.cl). Pure.
#pragma once

#include <cstdint>

#include <lanesort/request.hpp>

namespace lanesort::inline v0_1::detail {

/// What tells the bin of a key, but for how many bins there are.
struct BinRule {
    std::uint64_t lower = 0;   ///< of integers encoded; else the bits of a number of 32 or 64 bits
    std::uint64_t span = 0;    ///< of integers: the last one less the first; else the bits of the upper bound
    std::uint64_t factor = 0;  ///< of integers: bins / (span + 1), a binary fraction; else the bits of a number
    unsigned shift = 0;        ///< tells where the point of that fraction is
};

/// Throws Error(invalid_argument) for bounds that no even bins can have.
BinRule rule_of(const Request& request);

}  // namespace lanesort::inline v0_1::detail
