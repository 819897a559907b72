// SPDX-License-Identifier: MIT
// The kernel table: the rows of all families.
#pragma once

#include "compact/kernels.hpp"
#include "histogram/kernels.hpp"
#include "move/kernels.hpp"
#include "reduce/kernels.hpp"
#include "scan/kernels.hpp"
#include "search/kernels.hpp"
#include "sort/kernels.hpp"
#include "top_k/kernels.hpp"

namespace lanesort::inline v0_1::detail::families {

inline constexpr const Family* all[] = {&binary_search,
                                        &bins_by_bounds,
                                        &classify,
                                        &equal_runs,
                                        &find_runs,
                                        &float_bins,
                                        &float_run_scan,
                                        &float_runs,
                                        &float_scan,
                                        &float_sum,
                                        &gather,
                                        &integer_bins,
                                        &integer_run_scan,
                                        &integer_runs,
                                        &integer_scan,
                                        &integer_sum,
                                        &iota,
                                        &mark_segments,
                                        &merge_across,
                                        &min_max,
                                        &min_max_place,
                                        &min_max_run_scan,
                                        &min_max_runs,
                                        &min_max_scan,
                                        &move_blocks,
                                        &operator_reduction,
                                        &operator_run_scan,
                                        &operator_scan,
                                        &order_test,
                                        &permute,
                                        &place_blocks,
                                        &quicksort,
                                        &select,
                                        &sieve,
                                        &sort,
                                        &sort_first,
                                        &top_k_in_local,
                                        &top_k_in_registers,
                                        &two_ranges};

}  // namespace lanesort::inline v0_1::detail::families
