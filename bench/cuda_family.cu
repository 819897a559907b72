// SPDX-License-Identifier: MIT
// The calls beside a sort of one array, beside CUB's and Thrust's for the same, on the first CUDA device: medians of
// device time, one call of each in turn.
//
// usage: lanesort_family_bench [REPETITIONS [GROUP...]]
// Groups: pairs, records, products, groups, rows, top-k, partial-sort, merge, runs, reduce, scan, select, histogram,
// gather.
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/sort.h>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <numeric>

#include <lanesort/cuda.hpp>

#include "cuda_bench.cuh"

namespace {

using namespace lanesort::bench;
using lanesort::KeyType;
using lanesort::Reduction;
namespace cu = lanesort::cu;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct Sizes {
    std::size_t count, length, k;
};

/// One problem: its arrays, and calls on them that are compared.
struct Case {
    Bench& bench;
    lanesort::Sorter& sorter;
    std::size_t count, length, k;
    std::int64_t n = static_cast<std::int64_t>(count);
    cudaStream_t stream = bench.stream();
    std::vector<std::shared_ptr<void>> arrays = {};
    std::function<void()> restore = [] {};

    /// Of so many elements, or with these.
    template <class T, class What>
    T* array(const What& what) {
        const auto made = std::make_shared<DeviceArray<T>>(what);
        arrays.push_back(made);
        return made->get();
    }
    /// Keys that each call of what is compared from now on finds as they are here.
    template <class T>
    T* restored(const std::vector<T>& items) {
        T* const keys = array<T>(items.size());
        restore = [this, keys, pristine = array<T>(items), bytes = items.size() * sizeof(T)] {
            check(cudaMemcpyAsync(keys, pristine, bytes, cudaMemcpyDeviceToDevice, stream));
        };
        return keys;
    }
    template <class T>
    cu::KeyRange range(T* keys) const {
        return {keys, 0, count, lanesort::key_type_v<T>};
    }
    void compare(const std::string& title, std::vector<Timed> calls) const {
        for (Timed& call : calls) call.restore = restore;
        bench.compare(title, count, std::move(calls));
    }
    void compare_of(const std::string& title, std::vector<Timed> calls) const {
        compare(title + " of " + std::to_string(count), std::move(calls));
    }
};

std::vector<float> random_floats(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(random() % 16777216) / 16777216;
    return numbers;
}

/// Four equal keys each, in order.
std::vector<U32> runs_of_four(std::size_t count) {
    std::vector<U32> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<U32>(i / 4);
    return keys;
}

struct Sum {
    __host__ __device__ U64 operator()(U64 a, U64 b) const { return a + b; }
};
struct Widened {
    __host__ __device__ U64 operator()(U32 value) const { return value; }
};
struct IsSmall {
    __host__ __device__ bool operator()(U32 a) const { return a < 0x80000000u; }
};
struct Product {
    const float *keys, *others;
    __device__ float operator()(std::int64_t i) const { return keys[i] * others[i]; }
};
struct Item {
    U64 key, payload;
};
struct Before {
    __host__ __device__ bool operator()(const Item& a, const Item& b) const { return a.key < b.key; }
};

/// What is timed: a call of lanesort, or of CUB with its temporary memory.
#define OURS(NAME, CALL, ...)                                                       \
    {                                                                               \
        NAME, [&] { cu::enqueue(c.sorter, c.stream, lanesort::CALL(__VA_ARGS__)); } \
    }
#define CUB(NAME, CALL, ...)                                                    \
    {                                                                           \
        NAME, with_temporary_memory([=, &c](void* memory, std::size_t& bytes) { \
            return cub::CALL(memory, bytes, __VA_ARGS__, c.stream);             \
        })                                                                      \
    }

template <class V>
void pairs(Case& c) {
    U32 *const keys = c.restored(random_integers<U32>(c.count)), *const others = c.array<U32>(c.count),
               *const indices = c.array<U32>(c.count);
    V *const values = c.array<V>(random_integers<V>(c.count)), *const other_values = c.array<V>(c.count);
    const cu::ValueRange value_range{values, 0, sizeof(V)};
    cu::Recorded recorded(c.sorter, c.stream, sort_by_key(c.range(keys), value_range));
    c.compare("u32 + u" + std::to_string(sizeof(V) * 8) + " pairs, " + std::to_string(c.count),
              {{"graph", [&] { recorded.enqueue(); }},
               OURS("stream", sort_by_key, c.range(keys), value_range),
               OURS("argsort", argsort, c.range(keys), {indices, 0, 4}),
               CUB("CUB merge", DeviceMergeSort::SortPairs, keys, values, c.n, Less{}),
               CUB("CUB radix", DeviceRadixSort::SortPairs, keys, others, values, other_values, c.n, 0, 32)});
}

/// Of 16 bytes, by a comparator.
void records(Case& c) {
    const lanesort::Comparator by_key{.type = "item",
                                      .bytes = sizeof(Item),
                                      .before = "a.key < b.key",
                                      .declarations = "typedef struct { ulong key, payload; } item;"};
    std::vector<Item> input(c.count);
    std::mt19937_64 random(c.count);
    for (std::size_t i = 0; i < c.count; ++i) input[i] = {random(), i};
    Item* const items = c.restored(input);
    cu::KeyRange range{items, 0, c.count, by_key}, in_columns = range, distributed = range;
    in_columns.schedule = lanesort::Schedule::columns;
    distributed.schedule = lanesort::Schedule::distribution;
    c.compare("records of 16 bytes, " + std::to_string(c.count),
              {OURS("automatic", sort, range),
               OURS("columns", sort, in_columns),
               OURS("distribution", sort, distributed),
               {"Thrust", [&] { thrust::sort(thrust::cuda::par.on(c.stream), items, items + c.n, Before{}); }}});
}

void products(Case& c) {
    float *const keys = c.array<float>(std::vector<float>(c.count, 0.5F)),
                 *const others = c.array<float>(std::vector<float>(c.count, 3.0F)), *const sum = c.array<float>(1);
    const auto products =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), Product{keys, others});
    c.compare_of("products", {OURS("transform_reduce", transform_reduce, c.range(keys), c.range(others), {sum, 0}),
                              CUB("CUB", DeviceReduce::Sum, products, sum, c.n)});
}

/// Sums of 64 bits of the values of equal keys, four of each in order, and of k different keys in any order.
void groups(Case& c) {
    std::vector<U32> random = random_integers<U32>(c.count);
    U32 *const runs = c.array<U32>(runs_of_four(c.count)), *const values = c.array<U32>(random),
               *const distinct = c.array<U32>(c.count), *const sorted = c.array<U32>(c.count),
               *const sorted_values = c.array<U32>(c.count);
    U64 *const sums = c.array<U64>(c.count), *const number = c.array<U64>(1);
    const cu::Distinct to{distinct, 0, {number, 0}};
    const auto cub_sums = [&](const U32* of_keys, const U32* of_values) -> Timed {
        const auto widened = thrust::make_transform_iterator(of_values, Widened{});
        return CUB("CUB", DeviceReduce::ReduceByKey, of_keys, distinct, widened, sums, number, Sum{}, c.n);
    };
    cu::Recorded recorded(c.sorter, c.stream,
                          reduce_by_key(c.range(runs), c.range(values), Reduction::sum, to, cu::ValueRange{sums, 0}));
    c.compare_of("reduce_by_key",
                 {{"graph", [&] { recorded.enqueue(); }},
                  OURS("stream", reduce_by_key, c.range(runs), c.range(values), Reduction::sum, to, {sums, 0}),
                  cub_sums(runs, values)});
    for (U32& key : random) key %= static_cast<U32>(c.k);
    U32 *const pristine = c.array<U32>(random), *const keys = c.restored(random);
    const Timed sort = CUB("", DeviceRadixSort::SortPairs, pristine, sorted, values, sorted_values, c.n, 0, 32);
    const Timed reduce = cub_sums(sorted, sorted_values);
    c.compare(
        "group_by of " + std::to_string(c.k) + " keys",
        {OURS("group_by", group_by, c.range(keys), c.range(values), Reduction::sum, to, {sums, 0}), {"CUB radix", [&] {
                                                                                                         sort.run();
                                                                                                         reduce.run();
                                                                                                     }}});
}

void rows(Case& c) {
    U32 *const keys = c.restored(random_integers<U32>(c.count)), *const others = c.array<U32>(c.count);
    cu::KeyRange range = c.range(keys);
    range.row_length = c.length;
    const auto begins = row_begins(c.length);
    const auto number = static_cast<std::int64_t>(c.count / c.length);
    c.compare("rows of " + std::to_string(c.length),
              {OURS("rows", sort, range),
               CUB("CUB segmented", DeviceSegmentedSort::SortKeys, keys, others, c.n, number, begins, begins + 1),
               CUB("CUB segmented radix", DeviceSegmentedRadixSort::SortKeys, keys, others, c.n, number, begins,
                   begins + 1, 0, 32)});
}

void top_k(Case& c) {
    const std::size_t number = c.count / c.length;
    float *const keys = c.array<float>(random_floats(c.count)), *const best = c.array<float>(number * c.k);
    U32* const indices = c.array<U32>(number * c.k);
    cu::KeyRange range = c.range(keys);
    range.order = lanesort::Order::descending;
    range.row_length = number > 1 ? c.length : 0;
    c.compare("top-" + std::to_string(c.k) + " of " + std::to_string(number) + " x " + std::to_string(c.length),
              {OURS("keys", top_k, range, c.k, {best, 0, {}}),
               OURS("with indices", top_k, range, c.k, {best, 0, {indices, 0, 4}})});
}

/// The first keys in their places, beside a sort of all.
void partial_sort(Case& c) {
    cu::KeyRange range = c.range(c.restored(random_integers<U32>(c.count))), some = range;
    some.first = c.k;
    c.compare_of("first " + std::to_string(c.k), {OURS("partial sort", sort, some), OURS("sort", sort, range)});
}

/// Two sorted halves in place, beside CUB's merge into a second array and a sort.
void merge(Case& c) {
    std::vector<U32> input = random_integers<U32>(c.count);
    const auto middle = input.begin() + c.n / 2;
    std::sort(input.begin(), middle);
    std::sort(middle, input.end());
    U32 *const keys = c.restored(input), *const merged = c.array<U32>(c.count);
    const std::int64_t half = c.n / 2;
    c.compare_of("merge",
                 {OURS("merge", merge, c.range(keys), c.count / 2), OURS("sort", sort, c.range(keys)),
                  CUB("CUB merge", DeviceMerge::MergeKeys, keys, half, keys + half, c.n - half, merged, Less{})});
}

/// What is asked of a sorted array with four equal keys each.
void runs(Case& c) {
    U32 *const keys = c.array<U32>(runs_of_four(c.count)), *const distinct = c.array<U32>(c.count),
               *const lengths = c.array<U32>(c.count);
    U64* const number = c.array<U64>(1);
    const cu::Distinct to{distinct, 0, {number, 0}};
    c.compare_of(
        "is_sorted",
        {OURS("is_sorted", is_sorted, c.range(keys), {number, 0}),
         {"Thrust", [&] { static_cast<void>(thrust::is_sorted(thrust::cuda::par.on(c.stream), keys, keys + c.n)); }}});
    c.compare_of("unique", {OURS("unique", unique, c.range(keys), to),
                            CUB("CUB", DeviceSelect::Unique, keys, distinct, number, c.n)});
    c.compare_of("run lengths", {OURS("run lengths", run_lengths, c.range(keys), to, {lengths, 0, 4}),
                                 CUB("CUB", DeviceRunLengthEncode::Encode, keys, distinct, lengths, number, c.n)});
}

void reduce(Case& c) {
    U32 *const keys = c.array<U32>(random_integers<U32>(c.count)), *const largest = c.array<U32>(1);
    float *const floats = c.array<float>(random_floats(c.count)), *const float_sum = c.array<float>(1);
    U64* const sum = c.array<U64>(1);
    c.compare_of("sum", {OURS("u32", reduce, c.range(keys), Reduction::sum, {sum, 0}),
                         CUB("CUB", DeviceReduce::Reduce, keys, sum, c.n, Sum{}, U64{0})});
    c.compare_of("float sum", {OURS("f32", reduce, c.range(floats), Reduction::sum, {float_sum, 0}),
                               CUB("CUB", DeviceReduce::Sum, floats, float_sum, c.n)});
    c.compare_of("maximum", {OURS("u32", reduce, c.range(keys), Reduction::max, {largest, 0}),
                             CUB("CUB", DeviceReduce::Max, keys, largest, c.n)});
}

void scan(Case& c) {
    U32 *const keys = c.array<U32>(random_integers<U32>(c.count)), *const sums = c.array<U32>(c.count);
    float *const floats = c.array<float>(random_floats(c.count)), *const float_sums = c.array<float>(c.count);
    c.compare_of("exclusive scan", {OURS("u32", exclusive_scan, c.range(keys), cu::ValueRange{sums, 0}),
                                    CUB("CUB", DeviceScan::ExclusiveSum, keys, sums, c.n)});
    c.compare_of("float scan", {OURS("f32", exclusive_scan, c.range(floats), cu::ValueRange{float_sums, 0}),
                                CUB("CUB", DeviceScan::ExclusiveSum, floats, float_sums, c.n)});
}

void select(Case& c) {
    const lanesort::Predicate is_small{.type = "uint", .bytes = 4, .holds = "a < 0x80000000u"};
    std::vector<std::uint8_t> input = random_integers<std::uint8_t>(c.count);
    for (std::uint8_t& flag : input) flag &= 1;
    U32 *const keys = c.array<U32>(random_integers<U32>(c.count)), *const selected = c.array<U32>(c.count);
    std::uint8_t* const flags = c.array<std::uint8_t>(input);
    U64* const number = c.array<U64>(1);
    const cu::KeyRange elements{keys, 0, c.count, is_small};
    const cu::Distinct to{selected, 0, {number, 0}};
    const cu::FlagRange by_flags{flags};
    c.compare_of("select", {OURS("flags", select, c.range(keys), by_flags, to),
                            CUB("CUB", DeviceSelect::Flagged, keys, flags, selected, number, c.n)});
    c.compare_of("partition", {OURS("flags", partition, c.range(keys), by_flags, to),
                               CUB("CUB", DevicePartition::Flagged, keys, flags, selected, number, c.n)});
    c.compare_of("select by text", {OURS("predicate", select, elements, to),
                                    CUB("CUB", DeviceSelect::If, keys, selected, number, c.n, IsSmall{})});
}

void histogram(Case& c) {
    U32 *const keys = c.array<U32>(random_integers<U32>(c.count)), *const counts = c.array<U32>(c.k);
    const lanesort::EvenBins evenly(0u, 0xffffffffu);
    const int bounds = static_cast<int>(c.k) + 1;
    c.compare_of(std::to_string(c.k) + " even bins",
                 {OURS("histogram", histogram, c.range(keys), evenly, {counts, 0, c.k, 4}),
                  CUB("CUB", DeviceHistogram::HistogramEven, keys, counts, bounds, 0u, 0xffffffffu, c.n)});
}

/// By indices in no order.
void gather(Case& c) {
    std::vector<U32> places(c.count);
    std::iota(places.begin(), places.end(), 0u);
    std::shuffle(places.begin(), places.end(), std::mt19937(1));
    U32 *const values = c.array<U32>(random_integers<U32>(c.count)), *const indices = c.array<U32>(places),
               *const gathered = c.array<U32>(c.count);
    c.compare_of("gather", {OURS("gather", gather, cu::ValueRange{values, 0, 4}, c.count, {indices, 0, 4}, c.count, {gathered, 0, 4}),
                            {"Thrust", [&] {
                                 thrust::gather(thrust::cuda::par_nosync.on(c.stream), indices, indices + c.n, values,
                                                gathered);
                             }}});
}

std::vector<std::size_t> powers(const std::vector<int>& exponents) {
    std::vector<std::size_t> counts;
    for (const int exponent : exponents) counts.push_back(std::size_t{1} << exponent);
    return counts;
}

constexpr std::size_t whole = 0;

/// Each count with each length, of which as many rows as fit, and each k.
std::vector<Sizes> each(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& lengths = {whole},
                        const std::vector<std::size_t>& ks = {0}) {
    std::vector<Sizes> all;
    for (const std::size_t count : counts)
        for (const std::size_t length : lengths)
            for (const std::size_t k : ks)
                all.push_back({length == whole ? count : count / length * length, length == whole ? count : length, k});
    return all;
}

struct Table {
    const char* group;
    void (*compare)(Case&);
    std::vector<Sizes> sizes;
};

}  // namespace

int main(int argc, char** argv) {
    const Table tables[] = {
        {"pairs", pairs<U32>, each(powers({10, 12, 14, 16, 18, 20, 22, 24, 26, 28}))},
        {"pairs", pairs<U64>, each(powers({16, 24}))},
        {"records", records, each(powers({20, 22, 23, 24, 25}))},
        {"products", products, each(powers({16, 20, 24, 28}))},
        {"groups", groups, each(powers({16, 20, 24}), {whole}, powers({10}))},
        {"groups", groups, each(powers({26}), {whole}, powers({8, 20, 31}))},
        {"rows", rows, each(powers({26}), powers({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))},
        {"rows", rows, each(powers({26}), {33, 100, 777, 1000, 5000, 20000, 50000, 65536})},
        {"top-k", top_k, each(powers({16, 20, 27}), {whole}, {1, 16, 64, 256})},
        {"top-k", top_k, each(powers({24}), {whole}, {1000, 10000, 100000})},
        {"top-k", top_k, each(powers({26}), {1024}, {8, 64, 512})},
        {"top-k", top_k, each(powers({25}), powers({15}), {1024, 2048, 4096})},
        {"top-k", top_k, each(powers({24}), powers({18}), {64, 2048})},
        {"top-k", top_k, each({4096 * 200'000}, {200'000}, {128, 1024, 2048, 4096})},
        {"partial-sort", partial_sort, each(powers({18, 22, 26}), {whole}, {10, 1000, 4000})},
        {"merge", merge, each(powers({18, 22, 26}))},
        {"runs", runs, each(powers({18, 22, 26}))},
        {"reduce", reduce, each(powers({16, 20, 24, 28}))},
        {"scan", scan, each(powers({16, 20, 24, 28}))},
        {"select", select, each(powers({16, 20, 24, 28}))},
        {"histogram", histogram, each(powers({16, 20, 24, 28}), {whole}, {256, 1024})},
        {"gather", gather, each(powers({16, 20, 24, 28}))},
    };
    Bench bench(argc, argv);
    lanesort::Sorter sorter = cu::make_sorter();
    for (const Table& table : tables)
        if (bench.wants(table.group))
            for (const Sizes& sizes : table.sizes) {
                Case one{bench, sorter, sizes.count, sizes.length, sizes.k};
                table.compare(one);
            }
}
