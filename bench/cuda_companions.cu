// Reductions, scans, selections, histograms and moves beside CUB's and Thrust's calls for them, on the first CUDA
// device: medians of device time, one call of each in turn.
//
// usage: lanesort_companions_bench [REPETITIONS [GROUP...]]
// Groups: reduce, scan, select, histogram, gather.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>
#include <numeric>

#include <lanesort/cuda.hpp>

#include "cuda_bench.cuh"

namespace {

using namespace lanesort::bench;
using lanesort::KeyType;
using lanesort::Reduction;
using lanesort::Sorter;
namespace cu = lanesort::cu;

const auto nothing = [] {};

struct Sum {
    __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

std::vector<float> random_floats(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(random() % 16777216) / 16777216;
    return numbers;
}

void compare_reduce(Bench& bench, Sorter& sorter, std::size_t count) {
    DeviceArray<std::uint32_t> keys(count), largest(1);
    DeviceArray<float> floats(count), float_sum(1);
    DeviceArray<std::uint64_t> sum(1);
    keys.put(random_integers<std::uint32_t>(count));
    floats.put(random_floats(count));
    cudaStream_t stream = bench.stream();
    const auto n = static_cast<std::int64_t>(count);
    const cu::KeyRange range{keys.get(), 0, count, KeyType::u32}, float_range{floats.get(), 0, count, KeyType::f32};
    bench.compare("sum of " + std::to_string(count), count,
                  {{"u32", nothing,
                    [&] {
                        cu::enqueue_reduce(sorter, stream, range, Reduction::sum, {sum.get(), 0});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceReduce::Reduce(temporary, bytes, keys.get(), sum.get(), n, Sum{},
                                                         std::uint64_t{0}, stream);
                    })}});
    bench.compare("float sum of " + std::to_string(count), count,
                  {{"f32", nothing,
                    [&] {
                        cu::enqueue_reduce(sorter, stream, float_range, Reduction::sum, {float_sum.get(), 0});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceReduce::Sum(temporary, bytes, floats.get(), float_sum.get(), n, stream);
                    })}});
    bench.compare("maximum of " + std::to_string(count), count,
                  {{"u32", nothing,
                    [&] {
                        cu::enqueue_reduce(sorter, stream, range, Reduction::max, {largest.get(), 0});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceReduce::Max(temporary, bytes, keys.get(), largest.get(), n, stream);
                    })}});
}

void compare_scan(Bench& bench, Sorter& sorter, std::size_t count) {
    DeviceArray<std::uint32_t> keys(count), sums(count);
    DeviceArray<float> floats(count), float_sums(count);
    keys.put(random_integers<std::uint32_t>(count));
    floats.put(random_floats(count));
    cudaStream_t stream = bench.stream();
    const auto n = static_cast<std::int64_t>(count);
    const cu::KeyRange range{keys.get(), 0, count, KeyType::u32}, float_range{floats.get(), 0, count, KeyType::f32};
    bench.compare("exclusive scan of " + std::to_string(count), count,
                  {{"u32", nothing,
                    [&] {
                        cu::enqueue_exclusive_scan(sorter, stream, range, cu::Scanned{sums.get(), 0});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceScan::ExclusiveSum(temporary, bytes, keys.get(), sums.get(), n, stream);
                    })}});
    bench.compare("float scan of " + std::to_string(count), count,
                  {{"f32", nothing,
                    [&] {
                        cu::enqueue_exclusive_scan(sorter, stream, float_range, cu::Scanned{float_sums.get(), 0});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceScan::ExclusiveSum(temporary, bytes, floats.get(), float_sums.get(), n,
                                                             stream);
                    })}});
}

struct IsSmall {
    __host__ __device__ bool operator()(std::uint32_t a) const { return a < 0x80000000u; }
};

void compare_select(Bench& bench, Sorter& sorter, std::size_t count) {
    const lanesort::Predicate is_small{.type = "uint", .bytes = 4, .holds = "a < 0x80000000u"};
    DeviceArray<std::uint32_t> keys(count), selected(count);
    DeviceArray<std::uint8_t> flags(count);
    DeviceArray<std::uint64_t> number(1);
    keys.put(random_integers<std::uint32_t>(count));
    std::vector<std::uint8_t> input = random_integers<std::uint8_t>(count);
    for (std::uint8_t& flag : input) flag &= 1;
    flags.put(input);
    cudaStream_t stream = bench.stream();
    const auto n = static_cast<std::int64_t>(count);
    const cu::KeyRange range{keys.get(), 0, count, KeyType::u32}, elements{keys.get(), 0, count, is_small};
    const cu::Distinct to{selected.get(), 0, {number.get(), 0}};
    const cu::FlagRange by_flags{flags.get()};
    bench.compare("select of " + std::to_string(count), count,
                  {{"flags", nothing, [&] { cu::enqueue_select(sorter, stream, range, by_flags, to); }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceSelect::Flagged(temporary, bytes, keys.get(), flags.get(), selected.get(),
                                                          number.get(), n, stream);
                    })}});
    bench.compare("partition of " + std::to_string(count), count,
                  {{"flags", nothing, [&] { cu::enqueue_partition(sorter, stream, range, by_flags, to); }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DevicePartition::Flagged(temporary, bytes, keys.get(), flags.get(), selected.get(),
                                                             number.get(), n, stream);
                    })}});
    bench.compare("select by text of " + std::to_string(count), count,
                  {{"predicate", nothing, [&] { cu::enqueue_select(sorter, stream, elements, to); }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceSelect::If(temporary, bytes, keys.get(), selected.get(), number.get(), n,
                                                     IsSmall{}, stream);
                    })}});
}

void compare_histogram(Bench& bench, Sorter& sorter, std::size_t count, int bins) {
    DeviceArray<std::uint32_t> keys(count), counts(static_cast<std::size_t>(bins));
    keys.put(random_integers<std::uint32_t>(count));
    cudaStream_t stream = bench.stream();
    const cu::KeyRange range{keys.get(), 0, count, KeyType::u32};
    const lanesort::EvenBins evenly(0u, 0xffffffffu);
    bench.compare(std::to_string(bins) + " even bins of " + std::to_string(count), count,
                  {{"histogram", nothing,
                    [&] {
                        cu::enqueue_histogram(sorter, stream, range, evenly,
                                              {counts.get(), 0, static_cast<std::size_t>(bins), 4});
                    }},
                   {"CUB", nothing, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceHistogram::HistogramEven(temporary, bytes, keys.get(), counts.get(), bins + 1,
                                                                   0u, 0xffffffffu, static_cast<std::int64_t>(count),
                                                                   stream);
                    })}});
}

/// By indices in no order.
void compare_gather(Bench& bench, Sorter& sorter, std::size_t count) {
    DeviceArray<std::uint32_t> values(count), indices(count), gathered(count);
    values.put(random_integers<std::uint32_t>(count));
    std::vector<std::uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0u);
    std::shuffle(places.begin(), places.end(), std::mt19937(1));
    indices.put(places);
    cudaStream_t stream = bench.stream();
    const auto n = static_cast<std::int64_t>(count);
    bench.compare("gather of " + std::to_string(count), count,
                  {{"gather", nothing,
                    [&] {
                        cu::enqueue_gather(sorter, stream, {values.get(), 0, 4}, count, {indices.get(), 0, 4}, count,
                                           {gathered.get(), 0, 4});
                    }},
                   {"Thrust", nothing, [&] {
                        thrust::gather(thrust::cuda::par_nosync.on(stream), indices.get(), indices.get() + n,
                                       values.get(), gathered.get());
                    }}});
}

std::size_t power(int exponent) { return std::size_t{1} << exponent; }

}  // namespace

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    Sorter sorter = cu::make_sorter();
    for (const int exponent : {16, 20, 24, 28}) {
        const std::size_t count = power(exponent);
        if (bench.wants("reduce")) compare_reduce(bench, sorter, count);
        if (bench.wants("scan")) compare_scan(bench, sorter, count);
        if (bench.wants("select")) compare_select(bench, sorter, count);
        if (bench.wants("histogram"))
            for (const int bins : {256, 1024}) compare_histogram(bench, sorter, count, bins);
        if (bench.wants("gather")) compare_gather(bench, sorter, count);
    }
}
