// Pairs, rows, records, the largest keys, merges and what is asked of sorted keys beside CUB's and Thrust's calls for
// them, on the first CUDA device: medians of device time, one call of each in turn.
//
// usage: lanesort_family_bench [REPETITIONS [GROUP...]]
// Groups: pairs, records, products, groups, rows, top-k, partial-sort, merge, runs.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>

#include <lanesort/cuda.hpp>

#include "cuda_bench.cuh"

namespace {

using namespace lanesort::bench;

template <class V>
void compare_pairs(Bench& bench, lanesort::Sorter& sorter, std::size_t count) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> pristine(count), keys(count), other_keys(count);
    DeviceArray<V> values(count), other_values(count);
    pristine.put(random_integers<std::uint32_t>(count));
    values.put(random_integers<V>(count));
    cudaStream_t stream = bench.stream();
    const auto restore = [&] { keys.copy(pristine, stream); };
    const lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::u32};
    const lanesort::cu::ValueRange value_range{values.get(), 0, sizeof(V)};
    lanesort::cu::Recorded recorded(sorter, stream, sort_by_key(range, value_range));
    DeviceArray<std::uint32_t> indices(count);
    bench.compare("u32 + u" + std::to_string(sizeof(V) * 8) + " pairs, " + std::to_string(count), count,
                  {{"graph", restore, [&] { recorded.enqueue(); }},
                   {"stream", restore, [&] { lanesort::cu::enqueue_sort_by_key(sorter, stream, range, value_range); }},
                   {"argsort", restore,
                    [&] {
                        lanesort::cu::enqueue_argsort(sorter, stream, range, {indices.get(), 0, 4});
                    }},
                   {"CUB merge", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceMergeSort::SortPairs(
                            temporary, bytes, keys.get(), values.get(), static_cast<std::int64_t>(count),
                            [] __device__(std::uint32_t a, std::uint32_t b) { return a < b; }, stream);
                    })},
                   {"CUB radix", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys.get(), other_keys.get(),
                                                               values.get(), other_values.get(),
                                                               static_cast<std::int64_t>(count), 0, 32, stream);
                    })}});
}

struct RowBegin {
    std::int64_t length;
    __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

void compare_rows(Bench& bench, lanesort::Sorter& sorter, std::size_t count, std::size_t length) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> pristine(count), keys(count), others(count);
    pristine.put(random_integers<std::uint32_t>(count));
    cudaStream_t stream = bench.stream();
    const auto restore = [&] { keys.copy(pristine, stream); };
    const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                        RowBegin{static_cast<std::int64_t>(length)});
    const auto rows = static_cast<std::int64_t>(count / length);
    bench.compare(
        "rows of " + std::to_string(length), count,
        {{"rows", restore,
          [&] {
              lanesort::cu::enqueue_sort(sorter, stream,
                                         {keys.get(), 0, count, KeyType::u32, Order::ascending, length});
          }},
         {"CUB segmented", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
              return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, keys.get(), others.get(),
                                                        static_cast<std::int64_t>(count), rows, begins, begins + 1,
                                                        stream);
          })},
         {"CUB segmented radix", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
              return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, keys.get(), others.get(),
                                                             static_cast<std::int64_t>(count), rows, begins, begins + 1,
                                                             0, 32, stream);
          })}});
}

void compare_top_k(Bench& bench, lanesort::Sorter& sorter, std::size_t count, std::size_t length, std::size_t k) {
    using namespace lanesort;
    DeviceArray<float> keys(count), best(count / length * k);
    DeviceArray<std::uint32_t> indices(count / length * k);
    std::vector<float> input(count);
    std::mt19937_64 random(count);
    for (float& key : input) key = static_cast<float>(random() % 16777216) / 16777216;
    keys.put(input);
    cudaStream_t stream = bench.stream();
    const auto restore = [] {};
    const lanesort::cu::KeyRange range{
        keys.get(), 0, count, KeyType::f32, Order::descending, length < count ? length : 0};
    bench.compare("top-" + std::to_string(k) + " of " + std::to_string(count / length) + " x " + std::to_string(length),
                  count,
                  {{"keys", restore,
                    [&] {
                        lanesort::cu::enqueue_top_k(sorter, stream, range, k, {best.get(), 0, {}});
                    }},
                   {"with indices", restore, [&] {
                        lanesort::cu::enqueue_top_k(sorter, stream, range, k, {best.get(), 0, {indices.get(), 0, 4}});
                    }}});
}

/// The first keys in their places, beside a sort of all.
void compare_partial_sort(Bench& bench, lanesort::Sorter& sorter, std::size_t count, std::size_t first) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> pristine(count), keys(count);
    pristine.put(random_integers<std::uint32_t>(count));
    cudaStream_t stream = bench.stream();
    const auto restore = [&] { keys.copy(pristine, stream); };
    lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::u32}, some = range;
    some.first = first;
    bench.compare("first " + std::to_string(first) + " of " + std::to_string(count), count,
                  {{"partial sort", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, some); }},
                   {"sort", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, range); }}});
}

/// Two sorted halves in place, beside CUB's merge into a second array and a sort.
void compare_merge(Bench& bench, lanesort::Sorter& sorter, std::size_t count) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> pristine(count), keys(count), merged(count);
    std::vector<std::uint32_t> input = random_integers<std::uint32_t>(count);
    const auto middle = input.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::sort(input.begin(), middle);
    std::sort(middle, input.end());
    pristine.put(input);
    cudaStream_t stream = bench.stream();
    const auto restore = [&] { keys.copy(pristine, stream); };
    const auto half = static_cast<std::int64_t>(count / 2);
    const lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::u32};
    bench.compare("merge of " + std::to_string(count), count,
                  {{"merge", restore, [&] { lanesort::cu::enqueue_merge(sorter, stream, range, count / 2); }},
                   {"sort", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, range); }},
                   {"CUB merge", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceMerge::MergeKeys(
                            temporary, bytes, keys.get(), half, keys.get() + half,
                            static_cast<std::int64_t>(count) - half, merged.get(),
                            [] __device__(std::uint32_t a, std::uint32_t b) { return a < b; }, stream);
                    })}});
}

/// What is asked of a sorted array with four equal keys each, beside CUB's and Thrust's answers.
void compare_runs(Bench& bench, lanesort::Sorter& sorter, std::size_t count) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> keys(count), distinct(count), lengths(count);
    DeviceArray<std::uint64_t> number(1);
    std::vector<std::uint32_t> input(count);
    for (std::size_t i = 0; i < count; ++i) input[i] = static_cast<std::uint32_t>(i / 4);
    keys.put(input);
    cudaStream_t stream = bench.stream();
    const auto restore = [] {};
    const auto n = static_cast<std::int64_t>(count);
    const lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::u32};
    const lanesort::cu::Distinct to{distinct.get(), 0, {number.get(), 0}};
    bench.compare("is_sorted of " + std::to_string(count), count,
                  {{"is_sorted", restore,
                    [&] {
                        lanesort::cu::enqueue_is_sorted(sorter, stream, range, {number.get(), 0});
                    }},
                   {"Thrust", restore, [&] {
                        static_cast<void>(thrust::is_sorted(thrust::cuda::par.on(stream), keys.get(), keys.get() + n));
                    }}});
    bench.compare("unique of " + std::to_string(count), count,
                  {{"unique", restore, [&] { lanesort::cu::enqueue_unique(sorter, stream, range, to); }},
                   {"CUB", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceSelect::Unique(temporary, bytes, keys.get(), distinct.get(), number.get(), n,
                                                         stream);
                    })}});
    bench.compare("run lengths of " + std::to_string(count), count,
                  {{"run lengths", restore,
                    [&] {
                        lanesort::cu::enqueue_run_lengths(sorter, stream, range, to, {lengths.get(), 0, 4});
                    }},
                   {"CUB", restore, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceRunLengthEncode::Encode(temporary, bytes, keys.get(), distinct.get(),
                                                                  lengths.get(), number.get(), n, stream);
                    })}});
}

struct Sum {
    __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

struct Widened {
    __host__ __device__ std::uint64_t operator()(std::uint32_t value) const { return value; }
};

/// Sums of 64 bits of the values of equal keys, four of each in order, and of as many different keys in any order,
/// beside CUB's of the same.
void compare_groups(Bench& bench, lanesort::Sorter& sorter, std::size_t count, std::uint32_t different) {
    using namespace lanesort;
    DeviceArray<std::uint32_t> in_runs(count), pristine(count), keys(count), sorted(count), values(count),
        sorted_values(count), distinct(count);
    DeviceArray<std::uint64_t> sums(count), number(1);
    std::vector<std::uint32_t> input(count), random = random_integers<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i) input[i] = static_cast<std::uint32_t>(i / 4);
    in_runs.put(input);
    values.put(random);
    for (std::uint32_t& key : random) key %= different;
    pristine.put(random);
    cudaStream_t stream = bench.stream();
    const auto n = static_cast<std::int64_t>(count);
    const auto cub_sums = [&](const std::uint32_t* of_keys, const std::uint32_t* of_values) {
        const auto widened = thrust::make_transform_iterator(of_values, Widened{});
        return with_temporary_memory([=, &distinct, &sums, &number](void* temporary, std::size_t& bytes) {
            return cub::DeviceReduce::ReduceByKey(temporary, bytes, of_keys, distinct.get(), widened, sums.get(),
                                                  number.get(), Sum{}, n, stream);
        });
    };
    const auto restore = [&] { keys.copy(pristine, stream); };
    const lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::u32}, runs{in_runs.get(), 0, count, KeyType::u32},
        of_values{values.get(), 0, count, KeyType::u32};
    const lanesort::cu::Distinct to{distinct.get(), 0, {number.get(), 0}};
    lanesort::cu::Recorded recorded(
        sorter, stream, reduce_by_key(runs, of_values, Reduction::sum, to, lanesort::cu::Reduced{sums.get(), 0}));
    bench.compare(
        "reduce_by_key of " + std::to_string(count), count,
        {{"graph", [] {}, [&] { recorded.enqueue(); }},
         {"stream", [] {},
          [&] {
              lanesort::cu::enqueue_reduce_by_key(sorter, stream, runs, of_values, Reduction::sum, to, {sums.get(), 0});
          }},
         {"CUB", [] {}, cub_sums(in_runs.get(), values.get())}});
    const auto sort = with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, pristine.get(), sorted.get(), values.get(),
                                               sorted_values.get(), n, 0, 32, stream);
    });
    const auto reduce = cub_sums(sorted.get(), sorted_values.get());
    bench.compare(
        "group_by of " + std::to_string(different) + " keys", count,
        {{"group_by", restore,
          [&] {
              lanesort::cu::enqueue_group_by(sorter, stream, range, of_values, Reduction::sum, to, {sums.get(), 0});
          }},
         {"CUB radix", restore, [&] {
              sort();
              reduce();
          }}});
}

struct Product {
    const float *keys, *others;
    __device__ float operator()(std::int64_t i) const { return keys[i] * others[i]; }
};

/// The dot product beside CUB's.
void compare_products(Bench& bench, lanesort::Sorter& sorter, std::size_t count) {
    using namespace lanesort;
    DeviceArray<float> keys(count), others(count), sum(1);
    keys.put(std::vector<float>(count, 0.5F));
    others.put(std::vector<float>(count, 3.0F));
    cudaStream_t stream = bench.stream();
    const auto products =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), Product{keys.get(), others.get()});
    const lanesort::cu::KeyRange range{keys.get(), 0, count, KeyType::f32},
        second{others.get(), 0, count, KeyType::f32};
    bench.compare("products of " + std::to_string(count), count,
                  {{"transform_reduce", [] {},
                    [&] {
                        lanesort::cu::enqueue_transform_reduce(sorter, stream, range, second, {sum.get(), 0});
                    }},
                   {"CUB", [] {}, with_temporary_memory([&, stream](void* temporary, std::size_t& bytes) {
                        return cub::DeviceReduce::Sum(temporary, bytes, products, sum.get(),
                                                      static_cast<std::int64_t>(count), stream);
                    })}});
}

struct Item {
    std::uint64_t key, payload;
};

struct Before {
    __host__ __device__ bool operator()(const Item& a, const Item& b) const { return a.key < b.key; }
};

/// Records of 16 bytes by a comparator, beside Thrust's sort of the same.
void compare_records(Bench& bench, lanesort::Sorter& sorter, std::size_t count) {
    using namespace lanesort;
    const Comparator by_key{.type = "item",
                            .bytes = sizeof(Item),
                            .before = "a.key < b.key",
                            .declarations = "typedef struct { ulong key, payload; } item;"};
    DeviceArray<Item> pristine(count), items(count);
    std::vector<Item> input(count);
    std::mt19937_64 random(count);
    for (std::size_t i = 0; i < count; ++i) input[i] = {random(), i};
    pristine.put(input);
    cudaStream_t stream = bench.stream();
    const auto restore = [&] { items.copy(pristine, stream); };
    lanesort::cu::KeyRange range{items.get(), 0, count, by_key};
    lanesort::cu::KeyRange in_columns = range, distributed = range;
    in_columns.schedule = Schedule::columns;
    distributed.schedule = Schedule::distribution;
    bench.compare("records of 16 bytes, " + std::to_string(count), count,
                  {{"automatic", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, range); }},
                   {"columns", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, in_columns); }},
                   {"distribution", restore, [&] { lanesort::cu::enqueue_sort(sorter, stream, distributed); }},
                   {"Thrust", restore, [&] {
                        thrust::sort(thrust::cuda::par.on(stream), items.get(),
                                     items.get() + static_cast<std::int64_t>(count), Before{});
                    }}});
}

std::size_t power(int exponent) { return std::size_t{1} << exponent; }

}  // namespace

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    lanesort::Sorter sorter = lanesort::cu::make_sorter();
    const std::size_t count = power(26);
    if (bench.wants("pairs")) {
        for (const int exponent : {10, 12, 14, 16, 18, 20, 22, 24, 26, 28})
            compare_pairs<std::uint32_t>(bench, sorter, power(exponent));
        for (const int exponent : {16, 24}) compare_pairs<std::uint64_t>(bench, sorter, power(exponent));
    }
    if (bench.wants("records"))
        for (const int exponent : {20, 22, 23, 24, 25}) compare_records(bench, sorter, power(exponent));
    if (bench.wants("products"))
        for (const int exponent : {16, 20, 24, 28}) compare_products(bench, sorter, power(exponent));
    if (bench.wants("groups")) {
        for (const int exponent : {16, 20, 24}) compare_groups(bench, sorter, power(exponent), 1 << 10);
        for (const int exponent : {8, 20, 31}) compare_groups(bench, sorter, count, std::uint32_t{1} << exponent);
    }
    if (bench.wants("rows")) {
        for (const int exponent : {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
            compare_rows(bench, sorter, count, power(exponent));
        for (const std::size_t length : {33, 100, 777, 1000, 5000, 20000, 50000, 65536})
            compare_rows(bench, sorter, count / length * length, length);
    }
    if (bench.wants("top-k")) {
        for (const int exponent : {16, 20, 27})
            for (const std::size_t k : {1, 16, 64, 256})
                compare_top_k(bench, sorter, power(exponent), power(exponent), k);
        for (const std::size_t k : {1000, 10000, 100000}) compare_top_k(bench, sorter, power(24), power(24), k);
        for (const std::size_t k : {8, 64, 512}) compare_top_k(bench, sorter, count, 1024, k);
        for (const std::size_t k : {1024, 2048, 4096}) compare_top_k(bench, sorter, power(25), power(15), k);
        for (const std::size_t k : {64, 2048}) compare_top_k(bench, sorter, power(24), power(18), k);
        for (const std::size_t k : {128, 1024, 2048, 4096}) compare_top_k(bench, sorter, 4096 * 200'000, 200'000, k);
    }
    for (const int exponent : {18, 22, 26}) {
        if (bench.wants("partial-sort"))
            for (const std::size_t first : {10, 1000, 4000})
                compare_partial_sort(bench, sorter, power(exponent), first);
        if (bench.wants("merge")) compare_merge(bench, sorter, power(exponent));
        if (bench.wants("runs")) compare_runs(bench, sorter, power(exponent));
    }
}
