// SPDX-License-Identifier: MIT
// The bank model reproduces the figures of patent.md.
#include "oracle/bank_model.hpp"

#include "support.hpp"

namespace lanesort {
namespace {

/// The patent's hand-overs: M = 1, 512 vectors in a group, vectors of K banks.
unsigned conflicts(unsigned banks_per_vector, unsigned stride, bool swapped) {
    const Shape shape{.lanes = banks_per_vector, .work_items = 256, .remap = true, .bank_swap = swapped};
    return write_conflicts(shape, {.banks_per_vector = banks_per_vector}, stride, stride - 1);
}

TEST_CASE("bank model: with the swap, every write-back falls to the floor") {
    for (const unsigned banks_per_vector : {1, 2, 4, 8})
        for (unsigned stride = 1; stride <= 8; ++stride) {
            CAPTURE(banks_per_vector);
            CAPTURE(stride);
            CHECK(conflicts(banks_per_vector, stride, true) == banks_per_vector);
        }
}

TEST_CASE("bank model: without the swap, short strides meet twice as often") {
    const struct { unsigned banks_per_vector, last_conflict; } figures[] = {{1, 5}, {2, 4}, {4, 3}, {8, 2}};
    for (const auto& figure : figures)
        for (unsigned stride = 1; stride <= 8; ++stride) {
            CAPTURE(figure.banks_per_vector);
            CAPTURE(stride);
            CHECK(conflicts(figure.banks_per_vector, stride, false) ==
                  figure.banks_per_vector * (stride <= figure.last_conflict ? 2 : 1));
        }
}

TEST_CASE("bank model: one work-item at a time meets nobody") {
    const Shape shape{.work_items = 256, .remap = true};
    CHECK(write_conflicts(shape, {.work_items = 1}, 3, 2) == 1);
}

TEST_CASE("bank model: a single bank serves one access after the other") {
    const Shape shape{.work_items = 256, .remap = true, .bank_swap = true};
    CHECK(write_conflicts(shape, {.banks = 1, .banks_per_vector = 2}, 3, 2) == 64);
}

}  // namespace
}  // namespace lanesort
