// SPDX-License-Identifier: MIT
#include "oracle/bank_model.hpp"

#include <algorithm>

#include "ops/sort/rounds.hpp"

namespace lanesort {

unsigned write_conflicts(const Shape& shape, const Banks& banks, unsigned from, unsigned to) {
    const unsigned instructions = shape.register_vectors;
    const unsigned group = instructions / 2;
    const unsigned row_bits = log2(std::max(banks.banks / banks.banks_per_vector, 1u));
    unsigned worst = 0;
    for (unsigned first = 0; first < shape.tile_work_items(); first += banks.work_items)
        for (unsigned instruction = 0; instruction < instructions; ++instruction) {
            std::vector<unsigned> accesses(banks.banks, 0);
            const unsigned last = std::min(first + banks.work_items, shape.tile_work_items());
            for (unsigned t = first; t < last; ++t) {
                const bool swapped = shape.bank_swap && (t >> to & 1);
                const unsigned m = swapped ? instruction ^ group : instruction;
                const unsigned slot = padded_slot(shape, held_vector(shape, t, m, from, false), from, to, row_bits);
                for (unsigned bank = 0; bank < banks.banks_per_vector; ++bank)
                    ++accesses[(slot * banks.banks_per_vector + bank) % banks.banks];
            }
            worst = std::max(worst, *std::ranges::max_element(accesses));
        }
    return worst;
}

}  // namespace lanesort
