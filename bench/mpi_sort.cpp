// SPDX-License-Identifier: MIT
// Sorts across the ranks of MPI beside a plain sample sort: medians of wall time on the slowest rank, one call of each
// in turn, checked. What is printed of bytes is what a rank sends at most, in times of the bytes of a rank's keys.
//
// With a GPU of CUDA for each rank, keys in its memory are sorted, too: with what MPI says that it takes of such
// memory, and staged. The rank's number on its machine chooses the GPU where DEVICE is "CUDA".
//
// usage: mpirun -n RANKS lanesort_mpi_bench weak|strong KEYS [DEVICE [REPETITIONS [PART_OF_WAYS]]]
//   weak    KEYS are those of each rank    strong    KEYS are those of all ranks
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/mpi.hpp>

#include "core/sorter_core.hpp"

namespace {

using namespace lanesort;
using Keys32 = std::vector<std::uint32_t>;

int ranks = 1, rank = 0;

/// What a rank sent, and how many keys it got.
struct Outcome {
    std::uint64_t bytes = 0, keys = 0;
};

/// The sample sort that everybody writes: a sample gives splitters, one MPI_Alltoallv moves each key once, and each
/// rank sorts what it got. How many keys that are depends on the sample.
template <class SortAlone>
Outcome sample_sort(Keys32& keys, const SortAlone& sort_alone) {
    const auto p = static_cast<std::size_t>(ranks);
    constexpr std::size_t samples = 256;
    std::mt19937 random(static_cast<unsigned>(rank));
    Keys32 sample(samples), all(samples * p);
    for (std::uint32_t& key : sample) key = keys.empty() ? 0 : keys[random() % keys.size()];
    MPI_Allgather(sample.data(), samples, MPI_UINT32_T, all.data(), samples, MPI_UINT32_T, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    Keys32 splitters;
    for (std::size_t i = 1; i < p; ++i) splitters.push_back(all[i * samples]);

    // Which part each key goes to, and then all of a part side by side.
    std::vector<std::uint16_t> part(keys.size());
    std::vector<int> sent(p), sent_at(p), received(p), received_at(p);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        part[i] = static_cast<std::uint16_t>(std::upper_bound(splitters.begin(), splitters.end(), keys[i]) -
                                             splitters.begin());
        ++sent[part[i]];
    }
    std::exclusive_scan(sent.begin(), sent.end(), sent_at.begin(), 0);
    Keys32 parted(keys.size());
    std::vector<int> next = sent_at;
    for (std::size_t i = 0; i < keys.size(); ++i) parted[static_cast<std::size_t>(next[part[i]]++)] = keys[i];

    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(received.begin(), received.end(), received_at.begin(), 0);
    keys.resize(static_cast<std::size_t>(received_at.back() + received.back()));
    MPI_Alltoallv(parted.data(), sent.data(), sent_at.data(), MPI_UINT32_T, keys.data(), received.data(),
                  received_at.data(), MPI_UINT32_T, MPI_COMM_WORLD);
    sort_alone(keys);
    return {4 * (parted.size() - static_cast<std::uint64_t>(sent[static_cast<std::size_t>(rank)])), keys.size()};
}

/// Whether the keys of all ranks are in order, and are those of before, as far as their sums tell.
bool is_right(const Keys32& keys, std::uint64_t sum_before) {
    const auto sum = [](std::uint64_t mine) {
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return mine;
    };
    const std::uint64_t least[] = {keys.empty() ? UINT64_MAX : keys.front(), keys.empty() ? 0 : keys.back()};
    std::vector<std::uint64_t> ends(2 * static_cast<std::size_t>(ranks));
    MPI_Allgather(least, 2, MPI_UINT64_T, ends.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
    bool is_sorted = std::is_sorted(keys.begin(), keys.end());
    for (std::size_t i = 2; i < ends.size(); i += 2) is_sorted = is_sorted && ends[i - 1] <= ends[i];
    const bool has_all = sum(std::accumulate(keys.begin(), keys.end(), std::uint64_t{0})) == sum(sum_before);
    return sum(is_sorted ? 0 : 1) == 0 && has_all;
}

struct Way {
    const char* name;
    std::function<Outcome(Keys32&)> run;
    bool on_device = false;  ///< the keys are in device memory
    std::vector<double> seconds = {};
    Outcome most = {};
};

/// The keys in the device's memory.
class OnDevice {
public:
    OnDevice(Sorter& sorter, std::uint64_t count)
        : memory_(sorter.core().backend().allocate(std::max<std::uint64_t>(4 * count, 4), false)),
          queue_(sorter.core().backend().use_queue(nullptr)) {}
    void upload(const Keys32& keys) {
        queue_->upload(lanesort::detail::one_row(const_cast<std::uint32_t*>(keys.data()), 4 * keys.size()),
                       {memory_->handle});
        queue_->wait();
    }
    void download(Keys32& keys) {
        queue_->download({memory_->handle}, lanesort::detail::one_row(keys.data(), 4 * keys.size()));
        queue_->wait();
    }
    void* address() const { return memory_->handle; }

private:
    std::unique_ptr<lanesort::detail::SharedMemory> memory_;
    std::unique_ptr<lanesort::detail::DeviceQueue> queue_;
};

/// One of the machine's, for each rank on it another one, as far as there are so many.
int gpu_of_rank() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    int on_machine = 0;
    MPI_Comm_rank(machine, &on_machine);
    MPI_Comm_free(&machine);
    const auto gpus = std::ranges::count_if(
        devices(), [](const Device& device) { return device.info().backend == std::string("CUDA"); });
    return gpus > 0 ? on_machine % static_cast<int>(gpus) : 0;
}

void measure(const char* scaling, std::uint64_t count, Sorter& sorter, int repetitions, const std::string& some_ways) {
    std::mt19937 random(static_cast<unsigned>(rank + 1));
    Keys32 pristine(count);
    for (std::uint32_t& key : pristine) key = static_cast<std::uint32_t>(random());
    const std::uint64_t sum = std::accumulate(pristine.begin(), pristine.end(), std::uint64_t{0});
    const auto by = [&](Schedule schedule) {
        return [&, schedule](Keys32& keys) {
            const mpi::Options options{.schedule = schedule};
            mpi::sort(MPI_COMM_WORLD, sorter, keys, options);
            const std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks), keys.size());
            return Outcome{mpi::traffic(counts, static_cast<std::uint64_t>(rank), 4, 0, options).bytes(), keys.size()};
        };
    };
    std::vector<Way> ways{
        {"columns", by(Schedule::columns)},
        {"distribution", by(Schedule::distribution)},
        {"sample sort with lanesort",
         [&](Keys32& keys) { return sample_sort(keys, [&](Keys32& some) { sorter.sort(some); }); }},
    };
    std::optional<OnDevice> on_device;
    if (sorter.device().backend == std::string("CUDA")) {
        on_device.emplace(sorter, count);
        const auto in_memory = [&](Schedule schedule, mpi::DeviceMessages messages, bool data_independent) {
            return [&, schedule, messages, data_independent](Keys32& keys) {
                const cu::KeyRange range{.memory = on_device->address(),
                                         .count = keys.size(), .type = lanesort::KeyType::u32,
                                         .schedule = schedule,
                                         .data_independent = data_independent};
                mpi::sort(MPI_COMM_WORLD, sorter, nullptr, range, {.device_messages = messages});
                const std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks), keys.size());
                const mpi::Options options{.schedule = schedule};
                return Outcome{mpi::traffic(counts, static_cast<std::uint64_t>(rank), 4, 0, options).bytes(),
                               keys.size()};
            };
        };
        using enum mpi::DeviceMessages;
        ways.push_back({"columns in device memory", in_memory(Schedule::columns, automatic, false), true});
        ways.push_back({"merge-splits in device memory", in_memory(Schedule::network, automatic, true), true});
        ways.push_back({"distribution in device memory", in_memory(Schedule::distribution, automatic, false), true});
        if (mpi::takes_cuda_memory())
            ways.push_back(
                {"distribution in device memory, staged", in_memory(Schedule::distribution, staged, false), true});
    }
    // Beside a GPU it would take all the time.
    if (sorter.device().kind == DeviceKind::cpu)
        ways.push_back({"sample sort with std::sort", [](Keys32& keys) {
                            return sample_sort(keys, [](Keys32& some) { std::sort(some.begin(), some.end()); });
                        }});
    std::erase_if(ways, [&](const Way& way) { return std::string(way.name).find(some_ways) == std::string::npos; });
    Keys32 keys;
    for (int repetition = -1; repetition < repetitions; ++repetition)
        for (Way& way : ways) {
            keys = pristine;
            if (way.on_device) on_device->upload(keys);
            MPI_Barrier(MPI_COMM_WORLD);
            double seconds = MPI_Wtime();
            Outcome outcome = way.run(keys);
            seconds = MPI_Wtime() - seconds;
            MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            MPI_Allreduce(MPI_IN_PLACE, &outcome, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
            if (way.on_device) on_device->download(keys);
            if (!is_right(keys, sum)) {
                std::fprintf(stderr, "rank %d: %s is WRONG\n", rank, way.name);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            way.most = outcome;
            if (repetition >= 0) way.seconds.push_back(seconds);
        }
    if (rank > 0) return;
    for (Way& way : ways) {
        std::ranges::sort(way.seconds);
        const double median = way.seconds[way.seconds.size() / 2], n = static_cast<double>(count);
        std::printf("%s,%d,%llu,%s,%.6f,%.1f,%.2f,%.3f\n", scaling, ranks, static_cast<unsigned long long>(count),
                    way.name, median, n * ranks / median / 1e6, static_cast<double>(way.most.bytes) / (4 * n),
                    static_cast<double>(way.most.keys) / n);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string scaling = argc > 2 ? argv[1] : "";
    if (scaling != "weak" && scaling != "strong") {
        if (rank == 0)
            std::fprintf(stderr, "usage: lanesort_mpi_bench weak|strong KEYS [DEVICE [REPETITIONS [PART_OF_WAYS]]]\n");
        MPI_Finalize();
        return 2;
    }
    const std::uint64_t keys = std::strtoull(argv[2], nullptr, 10);
    try {
        const std::string device = argc > 3 ? argv[3] : "built-in";
        Sorter sorter = device == "CUDA" ? cu::make_sorter(gpu_of_rank()) : Sorter(find_device(device));
        if (rank == 0 && device == "CUDA")
            std::printf("# MPI says that it takes CUDA memory: %s\n", mpi::takes_cuda_memory() ? "yes" : "no");
        if (rank == 0) std::printf("scaling,ranks,keys a rank,way,seconds,Mkeys/s,bytes sent a key's,keys at most\n");
        measure(scaling.c_str(), scaling == "weak" ? keys : keys / static_cast<std::uint64_t>(ranks), sorter,
                argc > 4 ? std::max(1, std::atoi(argv[4])) : 7, argc > 5 ? argv[5] : "");
    } catch (const Error& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
