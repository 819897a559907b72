// SPDX-License-Identifier: MIT
// Sorts on the ranks of MPI, here one, in C++. Exit status: 0 right, 1 wrong.
#include <algorithm>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/mpi.hpp>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    lanesort::Sorter sorter(lanesort::find_device("built-in"));
    std::vector<float> keys{3, 1, 2};
    lanesort::mpi::sort(MPI_COMM_WORLD, sorter, keys);
    MPI_Finalize();
    return std::ranges::is_sorted(keys) ? 0 : 1;
}
