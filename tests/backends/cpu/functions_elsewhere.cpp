// SPDX-License-Identifier: MIT
// A second file of one program with kernels for C++ functions, among macros that have the names of the kernels' own.
#define LANES 17
#define MIN(a, b) a_macro_of_the_callers
#define min no_function
#define RECORD_TYPE 1
#include <lanesort/cpu.hpp>
#if LANES != 17 || RECORD_TYPE != 1 || !defined(MIN)
#error "The header has changed a macro."
#endif
#if defined(GLOBAL) || defined(WORK_ITEMS) || defined(KERNEL) || defined(ELEMENTS_H) || defined(ORDER_TYPE)
#error "The header has left a macro behind."
#endif
#undef min

#include "functions.hpp"

namespace lanesort::test {

void sort_elsewhere(Sorter& sorter, std::vector<Particle>& records) {
    sorter.sort({records, std::less<Particle>()}, {.stable = true});
}

void sort_elsewhere_by_group(Sorter& sorter, std::vector<Particle>& records) {
    sorter.sort(records, [](const Particle& a, const Particle& b) { return a.group < b.group; });
}

}  // namespace lanesort::test
