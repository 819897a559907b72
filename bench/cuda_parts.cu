// SPDX-License-Identifier: MIT
// Host arrays that are 1, 4 and 16 times as large as the memory that a sorter may take on the first CUDA device, beside
// the processor's sorts of the same keys: medians of wall time, one call of each in turn. Every result is looked at.
// The bound of parts is three passes over the bus, at what it was measured to carry each way while both ways are busy;
// a distribution has two. An argsort has a second bound: the bytes that have to go, as indices begin on the device and
// keys do not come back the last time. In columns keys go as well, where the sort is data-independent.
//
// usage: lanesort_parts_bench [REPETITIONS [EXPONENT...]]
// 2^28 keys unless given. std::sort, which takes by far the longest, sorts no more than these. LANESORT_BENCH_BACKEND
// in the environment names the backend of the GPU, CUDA unless given; with another one no processor sorts.
#include <tbb/parallel_sort.h>

#include <chrono>
#include <cstdlib>
#include <span>

#include <lanesort/lanesort.hpp>

#include "cuda_bench.cuh"

namespace {

using namespace lanesort::bench;
using Integers = std::span<std::uint32_t>;

double seconds_of(const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Run>
void for_each(std::size_t count, const Run& run) {
    on_all_cores(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) run(i);
    });
}

/// Memory for keys, pinned or as a vector has it.
class Array {
public:
    Array(std::size_t count, bool is_pinned) {
        if (is_pinned) check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), count * sizeof(std::uint32_t)));
        else vector_.resize(count);
        all_ = is_pinned ? Integers(pinned_, count) : Integers(vector_);
    }
    ~Array() { cudaFreeHost(pinned_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    Integers all() const { return all_; }

private:
    std::uint32_t* pinned_ = nullptr;
    std::vector<std::uint32_t> vector_;
    Integers all_;
};

/// Bytes a second each way, both ways at once.
double bus_speed() {
    constexpr std::size_t count = std::size_t{1} << 26, bytes = count * sizeof(std::uint32_t);
    constexpr int times = 8;
    const Array up(count, true), down(count, true);
    const DeviceArray<std::uint32_t> first(count), second(count);
    const auto uploads = new_stream(), downloads = new_stream();
    const auto copy = [&] {
        for (int i = 0; i < times; ++i) {
            check(cudaMemcpyAsync(first.get(), up.all().data(), bytes, cudaMemcpyHostToDevice, uploads.get()));
            check(cudaMemcpyAsync(down.all().data(), second.get(), bytes, cudaMemcpyDeviceToHost, downloads.get()));
        }
        check(cudaDeviceSynchronize());
    };
    copy();
    return times * static_cast<double>(bytes) / seconds_of(copy);
}

/// Bytes of each element that go to the device, and as many back.
struct Bound {
    std::size_t bytes;
    const char* name;
};
using Bounds = std::vector<Bound>;
const Bounds of_keys{{3 * 4, "three passes"}}, of_pairs{{3 * 8, "three passes"}},
    of_argsort{{3 * 8, "three passes"}, {2 * 4 + 4, "what has to go"}};  // back: 1 and 2

class PartsBench {
public:
    PartsBench(const lanesort::Device& device, std::size_t count, int repetitions, double bus)
        : device_(device), count_(count), repetitions_(repetitions), bus_(bus), pristine_(count, false) {
        for_each(count, [&](std::size_t i) {
            pristine_.all()[i] = static_cast<std::uint32_t>(hash_of(i + 0x9e3779b97f4a7c15 * count_));
        });
        sum_ = content(pristine_.all()).sum;
    }

    void sorts(bool is_pinned) const {
        const Array keys(count_, is_pinned);
        for (const unsigned times : {1u, 4u, 16u}) {
            lanesort::Sorter sorter = limited(4, times);
            const Bounds bounds = times == 1 ? Bounds{} : of_keys;
            sort(title("sort", is_pinned, times), bounds, repetitions_, keys, [&] { sorter.sort(keys.all()); });
            if (times > 1)
                sort(title("columns", is_pinned, times), bounds, repetitions_, keys,
                     [&] { sorter.sort(keys.all(), {.data_independent = true}); });
        }
    }

    /// Values are places, so that what comes of them can be looked at.
    void pairs(bool is_pinned) const {
        const Array all_keys(count_, is_pinned), all_values(count_, is_pinned);
        const Integers keys = all_keys.all(), values = all_values.all();
        for (const unsigned times : {4u, 16u}) {
            lanesort::Sorter sorter = limited(8, times);
            measure(
                title("pairs", is_pinned, times), of_pairs, repetitions_,
                [&](std::size_t i) {
                    keys[i] = pristine_.all()[i];
                    values[i] = static_cast<std::uint32_t>(i);
                },
                [&] { sorter.sort_by_key(keys, values); },
                [&] {
                    return are_sorted_places(values) &&
                           are_all([&](std::size_t i) { return pristine_.all()[values[i]] == keys[i]; });
                });
        }
    }

    void argsorts(bool keys_are_pinned, bool indices_are_pinned) const {
        const Array all_keys(count_, keys_are_pinned), indices(count_, indices_are_pinned);
        const Integers keys = all_keys.all(), places = indices.all();
        for_each(count_, [&](std::size_t i) { keys[i] = pristine_.all()[i]; });
        for (const unsigned times : {4u, 16u}) {
            lanesort::Sorter sorter = limited(8, times);
            measure(
                title(keys_are_pinned == indices_are_pinned ? "argsort" : "argsort, indices", indices_are_pinned,
                      times),
                of_argsort, repetitions_, [](std::size_t) {}, [&] { sorter.argsort(keys, places); },
                [&] { return are_sorted_places(places); });
        }
    }

    void processors() const {
        const Array keys(count_, false);
        const Integers all = keys.all();
        // Once each: the keys were just written, so there is nothing to warm up.
        sort("tbb::parallel_sort, " + std::to_string(std::thread::hardware_concurrency()) + " threads", {}, 0, keys,
             [&] { tbb::parallel_sort(all.begin(), all.end()); });
        // One core alone takes too long for more.
        if (constexpr std::size_t most = std::size_t{1} << 28; count_ > most) return;
        sort("std::sort, one thread", {}, 0, keys, [&] { std::sort(all.begin(), all.end()); });
        std::vector<std::uint64_t> pairs(count_);
        measure(
            "tbb::parallel_sort of keys with their places", {}, 0,
            [&](std::size_t i) { pairs[i] = std::uint64_t{pristine_.all()[i]} << 32 | i; },
            [&] { tbb::parallel_sort(pairs.begin(), pairs.end()); }, [&] { return std::ranges::is_sorted(pairs); });
    }

private:
    lanesort::Sorter limited(std::size_t element_bytes, unsigned times) const {
        return lanesort::Sorter(device_, {.device_bytes = times == 1 ? 0 : count_ * element_bytes / times});
    }

    static std::string title(const std::string& what, bool is_pinned, unsigned times) {
        return what + (is_pinned ? " pinned" : " pageable") + (times == 1 ? "" : ", in 1/" + std::to_string(times));
    }

    Content content(Integers keys) const {
        return content_of(count_, [&](std::size_t i) { return keys[i]; });
    }

    template <class Holds>
    bool are_all(const Holds& holds) const {
        std::atomic<bool> all = true;
        for_each(count_, [&](std::size_t i) {
            if (!holds(i)) all = false;
        });
        return all;
    }

    /// Whether they are places of keys in order. They ascend with their keys, so none is there twice.
    bool are_sorted_places(Integers places) const {
        const auto element = [&](std::size_t i) { return std::uint64_t{pristine_.all()[places[i]]} << 32 | places[i]; };
        return are_all([&](std::size_t i) { return places[i] < count_; }) &&
               are_all([&](std::size_t i) { return i == 0 || element(i - 1) < element(i); });
    }

    void sort(const std::string& name, const Bounds& bounds, int repetitions, const Array& keys,
              const std::function<void()>& run) const {
        measure(
            name, bounds, repetitions, [&](std::size_t i) { keys.all()[i] = pristine_.all()[i]; }, run,
            [&] {
                const Content found = content(keys.all());
                return found.is_sorted && found.sum == sum_;
            });
    }

    /// `restore` is called for each element. The first run of several is not counted.
    template <class Restore, class Run, class IsRight>
    void measure(const std::string& name, const Bounds& bounds, int repetitions, const Restore& restore, const Run& run,
                 const IsRight& is_right) const {
        std::vector<double> seconds;
        for (int i = 0; i <= repetitions; ++i) {
            for_each(count_, restore);
            seconds.push_back(seconds_of(run));
        }
        if (seconds.size() > 1) seconds.erase(seconds.begin());
        std::ranges::sort(seconds);
        const double median = seconds[seconds.size() / 2], keys = static_cast<double>(count_);
        std::printf("%-46s %9.1f ms %8.1f Mkeys/s", name.c_str(), median * 1e3, keys / median / 1e6);
        for (const Bound& bound : bounds)
            std::printf("  %.3f of %s", keys * static_cast<double>(bound.bytes) / bus_ / median, bound.name);
        std::printf("%s\n", is_right() ? "" : "  WRONG");
        std::fflush(stdout);
    }

    lanesort::Device device_;
    std::size_t count_;
    int repetitions_;
    double bus_;
    Array pristine_;
    std::uint64_t sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const int repetitions = argc > 1 ? std::atoi(argv[1]) : 3;
    std::vector<int> exponents;
    for (int i = 2; i < argc; ++i) exponents.push_back(std::atoi(argv[i]));
    if (exponents.empty()) exponents = {28};
    const char* named = std::getenv("LANESORT_BENCH_BACKEND");
    const std::string backend = named ? named : "CUDA";
    const std::vector<lanesort::Device> devices = lanesort::devices();
    const auto found = std::ranges::find_if(devices, [&](const lanesort::Device& one) {
        return one.info().backend == backend && one.info().kind == lanesort::DeviceKind::gpu;
    });
    if (found == devices.end()) throw std::runtime_error("there is no GPU by " + backend);
    const lanesort::Device& device = *found;
    std::printf("%s: %s\n", device.info().backend.c_str(), device.info().name.c_str());
    const double bus = bus_speed();
    std::printf("the bus, both ways at once: %.1f GB/s each way\n", bus / 1e9);
    for (const int exponent : exponents) {
        std::printf("2^%d keys, u32\n", exponent);
        const PartsBench bench(device, std::size_t{1} << exponent, repetitions, bus);
        for (const bool is_pinned : {true, false}) bench.sorts(is_pinned);
        for (const bool is_pinned : {true, false}) bench.pairs(is_pinned);
        bench.argsorts(true, true);
        bench.argsorts(false, true);
        bench.argsorts(false, false);
        if (backend == "CUDA") bench.processors();
    }
}
