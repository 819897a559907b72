// SPDX-License-Identifier: MIT
// The tests of sorts across ranks. Every rank runs every case; a check that fails on one rank ends no case, so that
// none waits for it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/device.hpp>
#include <lanesort/mpi.hpp>

#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;

namespace {

/// One rank ends in the middle of a sort, without a word. What the others do then is MPI's, which ends them.
void die() {
    Sorter dying(find_device("built-in"), {.use_tuned = false, .progress = [](std::size_t, std::size_t) {
                                               if (rank() == ranks() - 1) std::_Exit(3);
                                           }});
    std::vector<std::uint32_t> keys(1000);
    std::iota(keys.rbegin(), keys.rend(), 0u);
    mpi::sort(MPI_COMM_WORLD, dying, keys);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1 && std::string(argv[1]) == "--die") {
        die();
        std::printf("a rank outlived another\n");
        MPI_Finalize();
        return 1;
    }
    doctest::Context context(argc, argv);
    // The first rank tells what was tested; the others speak up where something fails.
    context.setOption("minimal", rank() != 0);
    const int failed = context.run();
    MPI_Finalize();
    return failed;
}
