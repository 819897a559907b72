// SPDX-License-Identifier: MIT
// Sorts numbers that lie on the ranks of MPI, in place: each rank has as many after as before, the first rank the
// first. A rank uses the best device that it finds.
//
//     mpirun -n 3 build/release/examples/mpi_sort
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <vector>

#include <lanesort/lanesort.hpp>
#include <lanesort/mpi.hpp>

namespace {

/// Whether no key is below one of an earlier rank, and the keys are those that were there, by their sum. On all ranks.
bool is_right(const std::vector<std::uint32_t>& keys, std::uint64_t sum_before) {
    struct {
        std::uint64_t sum, first, last;
    } const mine{std::accumulate(keys.begin(), keys.end(), std::uint64_t{0}), keys.front(), keys.back()};
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(ranks));
    MPI_Allgather(&mine, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, MPI_COMM_WORLD);
    std::uint64_t sum = 0, ordered = 1;
    for (std::size_t i = 0; i < all.size(); i += 3) {
        sum += all[i];
        if (i > 0 && all[i - 1] > all[i + 1]) ordered = 0;
    }
    ordered = ordered && std::ranges::is_sorted(keys) && sum == sum_before;
    MPI_Allreduce(MPI_IN_PLACE, &ordered, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return ordered == 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool right = false;
    try {
        std::mt19937 random(static_cast<unsigned>(rank));
        std::vector<std::uint32_t> keys(100'000 + 1000 * static_cast<std::size_t>(rank));
        std::ranges::generate(keys, random);
        std::uint64_t sum = std::accumulate(keys.begin(), keys.end(), std::uint64_t{0});
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);

        lanesort::Sorter sorter(lanesort::find_device());
        lanesort::mpi::sort(MPI_COMM_WORLD, sorter, keys);

        right = is_right(keys, sum);
        std::printf("rank %d: %zu keys on %s, %u to %u: %s\n", rank, keys.size(), sorter.device().name.c_str(),
                    keys.front(), keys.back(), right ? "sorted" : "WRONG");
    } catch (const std::exception& error) {
        // A wrong argument is an error on all ranks, who all come here.
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
