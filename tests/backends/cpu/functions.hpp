// SPDX-License-Identifier: MIT
// Records that C++ functions order, and sorts of them in another file.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <lanesort/sorter.hpp>

namespace lanesort::test {

struct Particle {
    float score;
    std::uint32_t id;
    std::uint32_t group;

    friend bool operator<(const Particle& a, const Particle& b) {
        return a.score > b.score || (a.score == b.score && a.id < b.id);
    }
    bool operator==(const Particle&) const = default;
};

/// In the orders of std::less, of which this file has kernels, too, and of a function of its own.
void sort_elsewhere(Sorter& sorter, std::vector<Particle>& records);
void sort_elsewhere_by_group(Sorter& sorter, std::vector<Particle>& records);

}  // namespace lanesort::test
