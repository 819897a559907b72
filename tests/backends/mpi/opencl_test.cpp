// SPDX-License-Identifier: MIT
// Calls across ranks on OpenCL buffers, which pass through host memory, against the standard library's sort.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/lanesort_mpi.h>
#include <lanesort/error.hpp>
#include <lanesort/mpi.hpp>

#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

/// As long as MPI runs.
struct Mpi {
    Mpi() { MPI_Init(nullptr, nullptr); }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
    ~Mpi() { MPI_Finalize(); }
};

int rank() {
    int of = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &of);
    return of;
}

/// The same pairs on all ranks, of which rank 1 has none.
std::vector<std::pair<std::uint32_t, std::uint64_t>> pairs_of_all(int ranks) {
    std::mt19937_64 random(3);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> all(static_cast<std::size_t>(ranks) * 700 + 1);
    for (auto& [key, value] : all) key = static_cast<std::uint32_t>(random() % 900), value = random();
    return all;
}

TEST_CASE("ranks: keys and pairs in OpenCL buffers") {
    const Mpi running;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (opencl_devices().empty()) return;
    OpenClTarget& target = opencl_devices().front();
    Sorter sorter = target.new_sorter();
    auto all = pairs_of_all(ranks);
    std::vector<std::size_t> begins(static_cast<std::size_t>(ranks) + 1, all.size());
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) begins[i] = i * all.size() / static_cast<std::size_t>(ranks);
    if (ranks > 2) begins[2] = begins[1];
    const std::size_t begin = begins[static_cast<std::size_t>(rank())],
                      end = begins[static_cast<std::size_t>(rank()) + 1];
    constexpr std::size_t before = 5;
    std::vector<std::uint32_t> keys(before, 77);
    std::vector<std::uint64_t> values(before, 78);
    for (std::size_t i = begin; i < end; ++i) keys.push_back(all[i].first), values.push_back(all[i].second);
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> wanted(keys.begin(), keys.begin() + before);
    std::vector<std::uint64_t> wanted_values(values.begin(), values.begin() + before);
    for (std::size_t i = begin; i < end; ++i) wanted.push_back(all[i].first), wanted_values.push_back(all[i].second);

    for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
        const cl::Buffer of_keys = buffer_of(target, keys), of_values = buffer_of(target, values);
        const opencl::KeyRange range{
            .memory = of_keys, .offset = before, .count = keys.size() - before, .type = KeyType::u32, .schedule = schedule};
        mpi::sort_by_key(MPI_COMM_WORLD, sorter, target.queue, range, {of_values(), before, 8});
        CHECK(read<std::uint32_t>(target.queue, of_keys, keys.size()) == wanted);
        CHECK(read<std::uint64_t>(target.queue, of_values, values.size()) == wanted_values);
        const cl::Buffer keys_alone = buffer_of(target, keys);
        opencl::KeyRange alone = range;
        alone.memory = keys_alone;
        mpi::sort(MPI_COMM_WORLD, sorter, target.queue, alone);
        CHECK(read<std::uint32_t>(target.queue, keys_alone, keys.size()) == wanted);
    }

    // Indices and the first keys, of keys that stay as they are.
    std::vector<std::uint32_t> keys_of_all;
    for (const auto& [key, value] : pairs_of_all(ranks)) keys_of_all.push_back(key);
    std::vector<std::uint64_t> places(all.size()), wanted_places(before, 79), wanted_best(before, 79);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    std::ranges::stable_sort(places, {}, [&](std::uint64_t place) { return keys_of_all[place]; });
    wanted_places.insert(wanted_places.end(), places.begin() + static_cast<std::ptrdiff_t>(begin),
                         places.begin() + static_cast<std::ptrdiff_t>(end));
    const cl::Buffer given = buffer_of(target, keys);
    opencl::KeyRange range{.memory = given, .offset = before, .count = keys.size() - before, .type = KeyType::u32};
    const cl::Buffer indices = buffer_of(target, std::vector<std::uint64_t>(wanted_places.size(), 79));
    mpi::argsort(MPI_COMM_WORLD, sorter, target.queue, range, {indices(), before, 8});
    CHECK(read<std::uint64_t>(target.queue, indices, wanted_places.size()) == wanted_places);
    range.order = Order::ascending;
    const std::size_t k = all.size() - 1;  // more than this rank has
    std::vector<std::uint32_t> wanted_keys(before, 80);
    for (std::size_t i = 0; i < k; ++i) wanted_keys.push_back(all[i].first), wanted_best.push_back(places[i]);
    const cl::Buffer best = buffer_of(target, std::vector<std::uint32_t>(before + k, 80)),
                     best_indices = buffer_of(target, std::vector<std::uint64_t>(before + k, 79));
    mpi::top_k(MPI_COMM_WORLD, sorter, target.queue, range, k, {best(), before, {best_indices(), before, 8}});
    CHECK(read<std::uint32_t>(target.queue, best, before + k) == wanted_keys);
    CHECK(read<std::uint64_t>(target.queue, best_indices, before + k) == wanted_best);
    CHECK(read<std::uint32_t>(target.queue, given, keys.size()) == keys);

    // In C, and an error of one rank's on all.
    lanesort_sorter* in_c = nullptr;
    CHECK(lanesort_opencl_create(&in_c, target.context(), target.device(), nullptr) == LANESORT_SUCCESS);
    const cl::Buffer buffer = buffer_of(target, keys);
    lanesort_request request{};
    request.memory = buffer();
    request.offset = before;
    request.count = keys.size() - before;
    request.type = LANESORT_U32;
    CHECK(lanesort_mpi_run_opencl(in_c, target.queue(), MPI_COMM_WORLD, &request, 0) == LANESORT_SUCCESS);
    CHECK(read<std::uint32_t>(target.queue, buffer, keys.size()) == wanted);
    if (rank() == 0) request.offset = keys.size();
    CHECK(lanesort_mpi_run_opencl(in_c, target.queue(), MPI_COMM_WORLD, &request, 0) == LANESORT_OUT_OF_RANGE);
    CHECK(read<std::uint32_t>(target.queue, buffer, keys.size()) == wanted);
    lanesort_destroy(in_c);
}

}  // namespace
}  // namespace lanesort::test
