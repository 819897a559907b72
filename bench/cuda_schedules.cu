// Sorts of one range, however it is sorted, beside CUB's, on the first CUDA device: medians of device time, one call of
// each in turn. A graph is behind other work, so that the device does not wait for the host. The keys are made on the
// device, which has room for one array of the largest. What lanesort sorts is looked at each time: it is in order, and
// its keys have the same sum of hashes as before.
//
// usage: lanesort_schedules_bench [REPETITIONS [GROUP...]]
// Groups: random, zipf, adversaries, largest.
#include <cuda_runtime.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/functional>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <lanesort/cuda.hpp>

#include "core/sorter_core.hpp"
#include "cuda_bench.cuh"
#include "cuda_work.cuh"
#include "operations/distribution.hpp"

namespace {

using namespace lanesort::bench;

enum class Pattern {
    random,
    zipf,
    in_order,
    reversed,
    rotated,
    nearly_in_order,
    sorted_runs,
    all_equal,
    two_values,
    sixteen_values,
    powers,
    seldom_seen,
    hidden_from_other_sample,
    hidden_from_sample,
};

struct NamedPattern {
    Pattern pattern;
    const char* name;
};
constexpr NamedPattern adversaries[] = {
    {Pattern::in_order, "in order"},
    {Pattern::reversed, "reversed"},
    {Pattern::rotated, "rotated by a third"},
    {Pattern::nearly_in_order, "1 % moved"},
    {Pattern::sorted_runs, "thirteen sorted runs"},
    {Pattern::all_equal, "all equal"},
    {Pattern::two_values, "two values"},
    {Pattern::sixteen_values, "sixteen values"},
    {Pattern::zipf, "Zipf"},
    {Pattern::powers, "powers of two"},
    {Pattern::seldom_seen, "seldom in the sample"},
    {Pattern::hidden_from_other_sample, "hidden from another seed"},
    {Pattern::hidden_from_sample, "hidden from this seed"},
};

__device__ std::uint64_t hash_of(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

template <class T>
__device__ T key_at(Pattern pattern, std::uint64_t i, std::uint64_t count) {
    const std::uint64_t random = hash_of(i);
    switch (pattern) {
        case Pattern::random: return static_cast<T>(random);
        // Of a million values number r has a share of 1 / r.
        case Pattern::zipf:
            return static_cast<T>(hash_of(static_cast<std::uint64_t>(exp(log(1e6) * 0x1p-53 * double(random >> 11)))));
        case Pattern::in_order: return static_cast<T>(i);
        case Pattern::reversed: return static_cast<T>(count - i);
        case Pattern::rotated: return static_cast<T>((i + count / 3) % count);
        case Pattern::nearly_in_order: return static_cast<T>(random % 100 == 0 ? random / 100 % count : i);
        case Pattern::sorted_runs: {
            const std::uint64_t run = (count + 12) / 13, distance = static_cast<T>(~T{0}) / run;
            return static_cast<T>(i % run * distance + random % distance);
        }
        case Pattern::all_equal: return 5;
        case Pattern::two_values: return random & 1 ? 7 : static_cast<T>(~std::uint64_t{0});
        case Pattern::sixteen_values: return static_cast<T>(random % 16 * 1000);
        case Pattern::powers: return static_cast<T>(std::uint64_t{1} << random % 24);
        case Pattern::seldom_seen: return static_cast<T>(i % 4096 == 17 ? random : 1000 + i / 4096 % 3);
        case Pattern::hidden_from_other_sample:
        case Pattern::hidden_from_sample: return static_cast<T>(100 + random % 1'000'000);
    }
    return 0;
}

__device__ std::uint64_t first_item() { return blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; }
__device__ std::uint64_t all_items() { return gridDim.x * std::uint64_t{blockDim.x}; }

template <class T>
__global__ void fill(T* keys, std::uint64_t count, Pattern pattern) {
    for (std::uint64_t i = first_item(); i < count; i += all_items()) keys[i] = key_at<T>(pattern, i, count);
}

/// What the first level's sample sees is less than all the rest: its places are those of choose_splitters in
/// kernels/classify.cl, scrambled() is of kernels/buckets.h. Only who has a sorter's seed can hide keys from it.
template <class T>
__global__ void hide(T* keys, std::uint64_t count, std::uint32_t sample, std::uint32_t seed) {
    const auto i = static_cast<std::uint32_t>(first_item());
    if (i >= sample) return;
    std::uint32_t x = (i ^ seed) * 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    x ^= x >> 13;
    keys[i * count / sample + x % max(count / sample, std::uint64_t{1})] = static_cast<T>(i * 7919u % 100);
}

/// Adds up the hashes, and how often a key is less than the one in front of it.
template <class T>
__global__ void look(const T* keys, std::uint64_t count, unsigned long long* found) {
    unsigned long long sum = 0, descents = 0;
    for (std::uint64_t i = first_item(); i < count; i += all_items()) {
        sum += hash_of(keys[i]);
        descents += i > 0 && keys[i] < keys[i - 1];
    }
    atomicAdd(found, sum);
    atomicAdd(found + 1, descents);
}

constexpr unsigned groups = 2048, items = 256;

template <class T>
class Sorts {
public:
    Sorts(Bench& bench, lanesort::Sorter& sorter, std::size_t count)
        : bench_(bench), sorter_(sorter), count_(count), keys_(count), found_(2) {}

    void beside_cub(Pattern pattern, const char* name) {
        DeviceArray<T> second(count_);
        const auto count = static_cast<std::int64_t>(count_);
        std::vector<Trial> trials = ours(pattern);
        lanesort::cu::Recorded recorded(sorter_, bench_.stream(), lanesort::sort(range(false)));
        const auto restore_and_work = [this, pattern] {
            restore(pattern);
            work<<<1, 1, 0, bench_.stream()>>>();
        };
        trials.push_back({"graph", restore_and_work, [&recorded] { recorded.enqueue(); }, trials.front().look});
        trials.push_back({"CUB merge", trials.front().restore,
                          with_temporary_memory([this, count](void* temporary, std::size_t& bytes) {
                              return cub::DeviceMergeSort::SortKeys(temporary, bytes, keys_.get(), count,
                                                                    cuda::std::less<T>{}, bench_.stream());
                          })});
        trials.push_back({"CUB radix", trials.front().restore,
                          with_temporary_memory([this, count, &second](void* temporary, std::size_t& bytes) {
                              return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys_.get(), second.get(), count,
                                                                    0, 8 * sizeof(T), bench_.stream());
                          })});
        compare(name, std::move(trials));
    }

    void alone(Pattern pattern, const char* name, bool is_largest) {
        std::vector<Trial> trials = ours(pattern);
        if (is_largest) trials.pop_back();
        compare(name, std::move(trials));
    }

private:
    void compare(const char* name, std::vector<Trial> trials) {
        const std::string bits = std::to_string(8 * sizeof(T)),
                          exponent = std::to_string(std::lround(std::log2(count_)));
        bench_.compare(bits + " bits, 2^" + exponent + ", " + name, count_, std::move(trials));
    }

    std::vector<Trial> ours(Pattern pattern) {
        restore(pattern);
        const std::uint64_t sum = looked().first;
        const auto check_result = [this, sum] {
            const auto [sum_now, descents] = looked();
            if (descents > 0) throw std::runtime_error("the keys are not in order");
            if (sum_now != sum) throw std::runtime_error("the keys are not those that were there");
        };
        std::vector<Trial> trials;
        for (const bool data_independent : {false, true})
            trials.push_back({data_independent ? "data-independent" : "automatic",
                              [this, pattern] { restore(pattern); },
                              [this, data_independent] {
                                  lanesort::cu::enqueue_sort(sorter_, bench_.stream(), range(data_independent));
                              },
                              check_result});
        return trials;
    }

    lanesort::cu::KeyRange range(bool data_independent) {
        lanesort::cu::KeyRange range{keys_.get(), 0, count_,
                                     sizeof(T) == 4 ? lanesort::KeyType::u32 : lanesort::KeyType::u64};
        range.data_independent = data_independent;
        return range;
    }

    void restore(Pattern pattern) {
        fill<<<groups, items, 0, bench_.stream()>>>(keys_.get(), count_, pattern);
        const bool knows_seed = pattern == Pattern::hidden_from_sample;
        if (knows_seed || pattern == Pattern::hidden_from_other_sample) {
            const unsigned sample = first_sample();
            const std::uint32_t seed = sorter_.core().planner().seed();
            hide<<<(sample + items - 1) / items, items, 0, bench_.stream()>>>(keys_.get(), count_, sample,
                                                                              knows_seed ? seed : ~seed);
        }
        check(cudaGetLastError());
    }

    unsigned first_sample() {
        const lanesort::Request request{.count = count_,
                                        .schedule = lanesort::Schedule::distribution,
                                        .key = sizeof(T) == 4 ? lanesort::KeyType::u32 : lanesort::KeyType::u64};
        return lanesort::detail::distribution_of(sorter_.core().planner(), request, sizeof(T))
            .levels.front()
            .buckets.sample;
    }

    std::pair<std::uint64_t, std::uint64_t> looked() {
        check(cudaMemsetAsync(found_.get(), 0, 2 * sizeof(unsigned long long), bench_.stream()));
        look<<<groups, items, 0, bench_.stream()>>>(keys_.get(), count_, found_.get());
        unsigned long long found[2];
        check(cudaMemcpyAsync(found, found_.get(), sizeof found, cudaMemcpyDeviceToHost, bench_.stream()));
        check(cudaStreamSynchronize(bench_.stream()));
        return {found[0], found[1]};
    }

    Bench& bench_;
    lanesort::Sorter& sorter_;
    std::size_t count_;
    DeviceArray<T> keys_;
    DeviceArray<unsigned long long> found_;
};

std::size_t power(int exponent) { return std::size_t{1} << exponent; }

}  // namespace

int main(int argc, char** argv) try {
    Bench bench(argc, argv);
    lanesort::Sorter sorter = lanesort::cu::make_sorter();
    for (const auto& [pattern, name] : {NamedPattern{Pattern::random, "random"}, {Pattern::zipf, "zipf"}}) {
        if (!bench.wants(name)) continue;
        for (const int exponent : {14, 16, 18, 20, 22, 24, 26, 28})
            Sorts<std::uint32_t>(bench, sorter, power(exponent)).beside_cub(pattern, name);
        for (const int exponent : {20, 24, 27})
            Sorts<std::uint64_t>(bench, sorter, power(exponent)).beside_cub(pattern, name);
    }
    if (bench.wants("adversaries"))
        for (const int exponent : {24, 26, 28})
            for (const auto& [pattern, name] : adversaries) {
                Sorts<std::uint32_t>(bench, sorter, power(exponent)).alone(pattern, name, false);
                if (exponent == 26) Sorts<std::uint64_t>(bench, sorter, power(exponent)).alone(pattern, name, false);
            }
    if (bench.wants("largest"))
        for (const int exponent : {30, 32, 33}) {
            std::size_t room = 0, all = 0;
            check(cudaMemGetInfo(&room, &all));
            if (power(exponent) * sizeof(std::uint32_t) / 100 * 102 > room)
                std::printf("u32, 2^%d: the device has no room\n", exponent);
            else Sorts<std::uint32_t>(bench, sorter, power(exponent)).alone(Pattern::random, "random", true);
        }
} catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
