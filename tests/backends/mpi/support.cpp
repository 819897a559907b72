// SPDX-License-Identifier: MIT
#include "support.hpp"

#include <lanesort/device.hpp>

#include "large/rank_layout.hpp"

namespace lanesort::test {

mpi::Traffic seen;

int ranks() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}
int rank() {
    int of = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &of);
    return of;
}

bool is_within(const mpi::Traffic& some, const mpi::Traffic& planned) {
    return some.all_to_alls <= planned.all_to_alls && some.all_to_all_bytes <= planned.all_to_all_bytes &&
           some.messages <= planned.messages && some.message_bytes <= planned.message_bytes &&
           some.reductions <= planned.reductions && some.reduction_bytes <= planned.reduction_bytes;
}

std::uint64_t most_counts() {
    return 3 * lanesort::Blocks{.count = 1, .blocks = static_cast<std::uint64_t>(ranks())}.window();
}

std::vector<Counts> cases() {
    const auto p = static_cast<std::size_t>(ranks());
    const std::uint64_t many = 2 * (p - 1) * (p - 1);
    std::mt19937_64 random(7);
    std::vector<Counts> all{Counts(p, 0),
                            Counts(p, 1),
                            Counts(p, 5),
                            Counts(p, std::max<std::uint64_t>(many, 1) - 1),
                            Counts(p, many),
                            Counts(p, many + 1),
                            Counts(p, many + p + 3),
                            Counts(p, many + 300)};
    for (const std::uint64_t size : {std::uint64_t{4}, many, many + 90}) {
        Counts one(p), ascending(p), any(p), short_last(p, size);
        one[p / 2] = p * size + 1;
        for (std::size_t i = 0; i < p; ++i) ascending[i] = 2 * i * size / p;
        for (std::uint64_t& count : any) count = random() % 3 == 0 ? 0 : random() % (2 * size + 1);
        short_last[p - 1] = size > p ? size - p / 2 : 0;
        for (Counts& counts : {std::ref(one), std::ref(ascending), std::ref(any), std::ref(short_last)})
            all.push_back(counts);
    }
    return all;
}

std::size_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

std::string text(const Counts& counts) {
    std::string all;
    for (const std::uint64_t count : counts) all += std::to_string(count) + " ";
    return all;
}

Sorter& sorter() {
    static Sorter one(find_device("built-in"), {.use_tuned = false});
    return one;
}

}  // namespace lanesort::test

using namespace lanesort::test;

namespace {

void see(int count) {
    ++seen.messages;
    seen.message_bytes += static_cast<std::uint64_t>(count);
}
}  // namespace

extern "C" {
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                 MPI_Comm on) {
    ++seen.all_to_alls;
    seen.all_to_all_bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(ranks() - 1);
    return PMPI_Alltoall(from, count, type, to, to_count, to_type, on);
}
int MPI_Alltoallv(const void* from, const int* counts, const int* begins, MPI_Datatype type, void* to,
                  const int* to_counts, const int* to_begins, MPI_Datatype to_type, MPI_Comm on) {
    int width = 0;
    MPI_Type_size(type, &width);
    ++seen.all_to_alls;
    for (int i = 0; i < ranks(); ++i)
        if (i != rank()) seen.all_to_all_bytes += static_cast<std::uint64_t>(counts[i]) * static_cast<unsigned>(width);
    return PMPI_Alltoallv(from, counts, begins, type, to, to_counts, to_begins, to_type, on);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm on) {
    // Of one number it is what the ranks agree by; a round of splitters has more.
    if (count > 1) {
        ++seen.reductions;
        seen.reduction_bytes += 8 * static_cast<std::uint64_t>(count);
    }
    return PMPI_Allreduce(from, to, count, type, operation, on);
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm on) {
    ++seen.reductions;
    seen.reduction_bytes += 8 * static_cast<std::uint64_t>(count);
    return PMPI_Exscan(from, to, count, type, operation, on);
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm on, MPI_Request* request) {
    see(count);
    return PMPI_Isend(from, count, type, to, tag, on, request);
}
}
