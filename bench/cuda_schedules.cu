// SPDX-License-Identifier: MIT
// Sorts of one range, however it is sorted, beside CUB's, on the first CUDA device: medians of device time, one call of
// each in turn. A graph is behind other work, so that the device does not wait for the host. The keys are made on the
// device, which has room for one array of the largest. What lanesort sorts is looked at each time: it is in order, and
// its keys have the same sum of hashes as before.
//
// usage: lanesort_schedules_bench [REPETITIONS [GROUP...]]
// Groups: random, zipf, adversaries, largest.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/functional>

#include <cmath>
#include <optional>

#include <lanesort/cuda.hpp>

#include "core/sorter_core.hpp"
#include "cuda_bench.cuh"
#include "ops/sort/distribution.hpp"

namespace {

using namespace lanesort::bench;
namespace cu = lanesort::cu;

/// Those behind the first are the adversaries.
enum Pattern {
    random_keys,
    in_order,
    reversed,
    rotated,
    nearly_in_order,
    sorted_runs,
    all_equal,
    two_values,
    sixteen_values,
    zipf,
    powers,
    seldom_seen,
    hidden_from_other_sample,
    hidden_from_sample,
};
constexpr const char* names[] = {"random",
                                 "in order",
                                 "reversed",
                                 "rotated by a third",
                                 "1 % moved",
                                 "thirteen sorted runs",
                                 "all equal",
                                 "two values",
                                 "sixteen values",
                                 "Zipf",
                                 "powers of two",
                                 "seldom in the sample",
                                 "hidden from another seed",
                                 "hidden from this seed"};

template <class T>
__device__ T key_at(Pattern pattern, std::uint64_t i, std::uint64_t count) {
    const std::uint64_t random = hash_of(i);
    switch (pattern) {
        case random_keys: return static_cast<T>(random);
        case in_order: return static_cast<T>(i);
        case reversed: return static_cast<T>(count - i);
        case rotated: return static_cast<T>((i + count / 3) % count);
        case nearly_in_order: return static_cast<T>(random % 100 == 0 ? random / 100 % count : i);
        case sorted_runs: {
            const std::uint64_t run = (count + 12) / 13, distance = static_cast<T>(~T{0}) / run;
            return static_cast<T>(i % run * distance + random % distance);
        }
        case all_equal: return 5;
        case two_values: return random & 1 ? 7 : static_cast<T>(~std::uint64_t{0});
        case sixteen_values: return static_cast<T>(random % 16 * 1000);
        // Of a million values number r has a share of 1 / r.
        case zipf:
            return static_cast<T>(hash_of(static_cast<std::uint64_t>(exp(log(1e6) * 0x1p-53 * double(random >> 11)))));
        case powers: return static_cast<T>(std::uint64_t{1} << random % 24);
        case seldom_seen: return static_cast<T>(i % 4096 == 17 ? random : 1000 + i / 4096 % 3);
        case hidden_from_other_sample:
        case hidden_from_sample: return static_cast<T>(100 + random % 1'000'000);
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
/// kernels/sort/distribution/classify.cl, scrambled() is of kernels/sort/distribution/buckets.h. Only who has a
/// sorter's seed can hide keys from it.
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

/// What is measured of a pattern.
enum class Beside { nothing, data_independent, cub };

template <class T>
void compare(Bench& bench, lanesort::Sorter& sorter, int exponent, Pattern pattern, const char* name, Beside beside) {
    const std::size_t count = std::size_t{1} << exponent;
    const auto n = static_cast<std::int64_t>(count);
    const cudaStream_t stream = bench.stream();
    const DeviceArray<T> keys(count);
    const DeviceArray<unsigned long long> found(2);

    const auto restore = [&] {
        fill<<<groups, items, 0, stream>>>(keys.get(), count, pattern);
        if (pattern >= hidden_from_other_sample) {
            lanesort::detail::Planner& planner = sorter.core().planner();
            const lanesort::Request request{
                .count = count, .schedule = lanesort::Schedule::distribution, .key = lanesort::key_type_v<T>};
            const unsigned sample =
                lanesort::detail::distribution_of(planner, request, sizeof(T)).levels.front().buckets.sample;
            hide<<<(sample + items - 1) / items, items, 0, stream>>>(
                keys.get(), count, sample, pattern == hidden_from_sample ? planner.seed() : ~planner.seed());
        }
        check(cudaGetLastError());
    };
    const auto looked = [&] {
        check(cudaMemsetAsync(found.get(), 0, 2 * sizeof(unsigned long long), stream));
        look<<<groups, items, 0, stream>>>(keys.get(), count, found.get());
        unsigned long long numbers[2];
        check(cudaMemcpyAsync(numbers, found.get(), sizeof numbers, cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        return std::pair(numbers[0], numbers[1]);
    };
    restore();
    const auto check_result = [&, sum = looked().first] {
        const auto [sum_now, descents] = looked();
        if (descents > 0) throw std::runtime_error("the keys are not in order");
        if (sum_now != sum) throw std::runtime_error("the keys are not those that were there");
    };

    cu::KeyRange range{keys.get(), 0, count, lanesort::key_type_v<T>}, independent = range;
    independent.data_independent = true;
    std::vector<Timed> calls{{"automatic", [&] { cu::enqueue(sorter, stream, lanesort::sort(range)); }, restore, check_result}};
    if (beside != Beside::nothing)
        calls.push_back(
            {"data-independent", [&] { cu::enqueue(sorter, stream, lanesort::sort(independent)); }, restore, check_result});
    std::optional<DeviceArray<T>> second;
    std::optional<cu::Recorded> recorded;
    if (beside == Beside::cub) {
        second.emplace(count);
        recorded.emplace(sorter, stream, lanesort::sort(range));
        const auto restore_and_work = [&] {
            restore();
            work<<<1, 1, 0, stream>>>();
        };
        calls.push_back({"graph", [&] { recorded->enqueue(); }, restore_and_work, check_result});
        calls.push_back({"CUB merge", with_temporary_memory([&](void* memory, std::size_t& bytes) {
                             return cub::DeviceMergeSort::SortKeys(memory, bytes, keys.get(), n, cuda::std::less<T>{},
                                                                   stream);
                         }),
                         restore});
        calls.push_back({"CUB radix", with_temporary_memory([&](void* memory, std::size_t& bytes) {
                             return cub::DeviceRadixSort::SortKeys(memory, bytes, keys.get(), second->get(), n, 0,
                                                                   8 * sizeof(T), stream);
                         }),
                         restore});
    }
    bench.compare(std::to_string(8 * sizeof(T)) + " bits, 2^" + std::to_string(exponent) + ", " + name, count,
                  std::move(calls));
}

}  // namespace

int main(int argc, char** argv) try {
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    Bench bench(argc, argv);
    lanesort::Sorter sorter = cu::make_sorter();
    for (const auto& [pattern, name] : {std::pair(random_keys, "random"), {zipf, "zipf"}}) {
        if (!bench.wants(name)) continue;
        for (const int exponent : {14, 16, 18, 20, 22, 24, 26, 28})
            compare<U32>(bench, sorter, exponent, pattern, name, Beside::cub);
        for (const int exponent : {20, 24, 27}) compare<U64>(bench, sorter, exponent, pattern, name, Beside::cub);
    }
    if (bench.wants("adversaries"))
        for (const int exponent : {24, 26, 28})
            for (int i = in_order; i <= hidden_from_sample; ++i) {
                const auto pattern = static_cast<Pattern>(i);
                compare<U32>(bench, sorter, exponent, pattern, names[i], Beside::data_independent);
                if (exponent == 26) compare<U64>(bench, sorter, exponent, pattern, names[i], Beside::data_independent);
            }
    if (bench.wants("largest"))
        for (const int exponent : {30, 32, 33}) {
            std::size_t room = 0, all = 0;
            check(cudaMemGetInfo(&room, &all));
            if ((sizeof(U32) << exponent) / 100 * 102 > room)
                std::printf("u32, 2^%d: the device has no room\n", exponent);
            else compare<U32>(bench, sorter, exponent, random_keys, names[random_keys], Beside::nothing);
        }
} catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
