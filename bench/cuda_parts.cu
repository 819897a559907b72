// Host arrays that are 1, 4 and 16 times as large as the memory that a sorter may take on the first CUDA device, beside
// the processor's sorts of the same keys: medians of wall time, one call of each in turn. Every result is looked at.
// The bound of parts is three passes over the bus, at what it was measured to carry each way while both ways are busy;
// a distribution has two. An argsort has a second bound: the bytes that have to go, as indices begin on the device and
// keys do not come back the last time. In columns keys go as well, where the sort is data-independent.
//
// usage: lanesort_parts_bench [REPETITIONS [EXPONENT...]]
// 2^28 keys unless given. std::sort, which takes by far the longest, sorts no more than these. LANESORT_BENCH_BACKEND
// in the environment names the backend of the GPU, CUDA unless given; with another one no processor sorts.
#include <cuda_runtime.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

using Integers = std::span<std::uint32_t>;

void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

double seconds_of(const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Calls run(i) for 0 .. count on all cores.
template <class Run>
void on_all_cores(std::size_t count, const Run& run) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const tbb::blocked_range<std::size_t>& some) {
        for (std::size_t i = some.begin(); i < some.end(); ++i) run(i);
    });
}

std::uint64_t hash_of(std::uint64_t number) {
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

std::uint64_t sum_of_hashes(Integers keys) {
    std::atomic<std::uint64_t> sum = 0;
    constexpr std::size_t share = 1 << 16;
    on_all_cores((keys.size() + share - 1) / share, [&](std::size_t i) {
        std::uint64_t some = 0;
        for (const std::uint32_t key : keys.subspan(i * share, std::min(share, keys.size() - i * share)))
            some += hash_of(key + 1);
        sum += some;
    });
    return sum;
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
    void *first = nullptr, *second = nullptr;
    cudaStream_t uploads, downloads;
    check(cudaMalloc(&first, bytes));
    check(cudaMalloc(&second, bytes));
    check(cudaStreamCreate(&uploads));
    check(cudaStreamCreate(&downloads));
    const auto copy = [&] {
        for (int i = 0; i < times; ++i) {
            check(cudaMemcpyAsync(first, up.all().data(), bytes, cudaMemcpyHostToDevice, uploads));
            check(cudaMemcpyAsync(down.all().data(), second, bytes, cudaMemcpyDeviceToHost, downloads));
        }
        check(cudaDeviceSynchronize());
    };
    copy();
    const double seconds = seconds_of(copy);
    check(cudaStreamDestroy(uploads));
    check(cudaStreamDestroy(downloads));
    check(cudaFree(first));
    check(cudaFree(second));
    return times * static_cast<double>(bytes) / seconds;
}

/// Bytes of each element that go to the device, and as many back.
struct Bound {
    std::size_t bytes;
    const char* name;
};
constexpr std::size_t key_bytes = sizeof(std::uint32_t), index_bytes = sizeof(std::uint32_t);
constexpr Bound three_passes_of_keys{3 * key_bytes, "three passes"};
constexpr Bound three_passes_of_pairs{3 * (key_bytes + index_bytes), "three passes"};
constexpr Bound needed_by_argsort{2 * key_bytes + index_bytes, "what has to go"};  // back: 1 and 2

class Bench {
public:
    Bench(const lanesort::Device& device, std::size_t count, int repetitions, double bus)
        : device_(device), count_(count), repetitions_(repetitions), bus_(bus), pristine_(count, false) {
        on_all_cores(count, [&](std::size_t i) {
            pristine_.all()[i] = static_cast<std::uint32_t>(hash_of(i + 0x9e3779b97f4a7c15 * count_));
        });
        sum_ = sum_of_hashes(pristine_.all());
    }

    void sorts(bool is_pinned) {
        const Array keys(count_, is_pinned);
        for (const unsigned times : {1u, 4u, 16u}) {
            lanesort::Sorter sorter = limited(key_bytes, times);
            const std::vector<Bound> bounds =
                times == 1 ? std::vector<Bound>{} : std::vector<Bound>{three_passes_of_keys};
            measure(title("sort", is_pinned, times), bounds, repetitions_, keys, [&] { sorter.sort(keys.all()); });
            if (times > 1)
                measure(title("columns", is_pinned, times), bounds, repetitions_, keys,
                        [&] { sorter.sort(keys.all(), {.data_independent = true}); });
        }
    }

    /// Values are places, so that what comes of them can be looked at.
    void pairs(bool is_pinned) {
        const Array all_keys(count_, is_pinned), all_values(count_, is_pinned);
        const Integers keys = all_keys.all(), values = all_values.all();
        for (const unsigned times : {4u, 16u}) {
            lanesort::Sorter sorter = limited(2 * key_bytes, times);
            std::vector<double> seconds;
            for (int i = 0; i <= repetitions_; ++i) {
                on_all_cores(count_, [&](std::size_t k) {
                    keys[k] = pristine_.all()[k];
                    values[k] = static_cast<std::uint32_t>(k);
                });
                seconds.push_back(seconds_of([&] { sorter.sort_by_key(keys, values); }));
            }
            std::atomic<bool> is_right = true;
            on_all_cores(count_, [&](std::size_t k) {
                const bool is_first =
                    k == 0 || keys[k - 1] < keys[k] || (keys[k - 1] == keys[k] && values[k - 1] < values[k]);
                if (!is_first || values[k] >= count_ || pristine_.all()[values[k]] != keys[k]) is_right = false;
            });
            report(title("pairs", is_pinned, times), seconds, is_right, {three_passes_of_pairs});
        }
    }

    void argsorts(bool keys_are_pinned, bool indices_are_pinned) {
        const Array all_keys(count_, keys_are_pinned), indices(count_, indices_are_pinned);
        const Integers keys = all_keys.all(), places = indices.all();
        on_all_cores(count_, [&](std::size_t i) { keys[i] = pristine_.all()[i]; });
        for (const unsigned times : {4u, 16u}) {
            lanesort::Sorter sorter = limited(key_bytes + index_bytes, times);
            std::vector<double> seconds;
            for (int i = 0; i <= repetitions_; ++i)
                seconds.push_back(seconds_of([&] { sorter.argsort(keys, places); }));
            // They ascend with their keys, so none is there twice.
            std::atomic<std::size_t> wrong = 0;
            on_all_cores(count_ - 1, [&](std::size_t i) {
                const std::uint32_t a = places[i], b = places[i + 1];
                if (a >= count_ || b >= count_ || keys[a] > keys[b] || (keys[a] == keys[b] && a >= b)) ++wrong;
            });
            const std::string what = keys_are_pinned == indices_are_pinned ? "argsort" : "argsort, indices";
            report(title(what, indices_are_pinned, times), seconds, wrong == 0,
                   {three_passes_of_pairs, needed_by_argsort});
        }
    }

    void processors() {
        const Array keys(count_, false);
        const Integers all = keys.all();
        const std::string threads = std::to_string(std::thread::hardware_concurrency()) + " threads";
        // Once each: the keys were just written, so there is nothing to warm up.
        measure("tbb::parallel_sort, " + threads, {}, 0, keys, [&] { tbb::parallel_sort(all.begin(), all.end()); });
        // One core alone takes too long for more.
        if (constexpr std::size_t most = std::size_t{1} << 28; count_ > most) return;
        measure("std::sort, one thread", {}, 0, keys, [&] { std::sort(all.begin(), all.end()); });
        std::vector<std::uint64_t> pairs(count_);
        on_all_cores(count_, [&](std::size_t k) { pairs[k] = std::uint64_t{pristine_.all()[k]} << 32 | k; });
        const double seconds = seconds_of([&] { tbb::parallel_sort(pairs.begin(), pairs.end()); });
        report("tbb::parallel_sort of keys with their places", {seconds}, std::ranges::is_sorted(pairs), {});
    }

private:
    lanesort::Sorter limited(std::size_t element_bytes, unsigned times) const {
        return lanesort::Sorter(device_, {.device_bytes = times == 1 ? 0 : count_ * element_bytes / times});
    }

    std::string title(const std::string& what, bool is_pinned, unsigned times) const {
        return what + (is_pinned ? " pinned" : " pageable") + (times == 1 ? "" : ", in 1/" + std::to_string(times));
    }

    /// The first run of several is not counted.
    void measure(const std::string& name, const std::vector<Bound>& bounds, int repetitions, const Array& keys,
                 const std::function<void()>& sort) const {
        std::vector<double> seconds;
        for (int i = 0; i <= repetitions; ++i) {
            on_all_cores(count_, [&](std::size_t k) { keys.all()[k] = pristine_.all()[k]; });
            seconds.push_back(seconds_of(sort));
        }
        std::atomic<bool> is_sorted = true;
        on_all_cores(count_ - 1, [&](std::size_t k) {
            if (keys.all()[k] > keys.all()[k + 1]) is_sorted = false;
        });
        report(name, seconds, is_sorted && sum_of_hashes(keys.all()) == sum_, bounds);
    }

    void report(const std::string& name, std::vector<double> seconds, bool is_right,
                const std::vector<Bound>& bounds) const {
        if (seconds.size() > 1) seconds.erase(seconds.begin());
        std::ranges::sort(seconds);
        const double median = seconds[seconds.size() / 2], keys = static_cast<double>(count_);
        std::printf("%-46s %9.1f ms %8.1f Mkeys/s", name.c_str(), median * 1e3, keys / median / 1e6);
        for (const Bound& bound : bounds)
            std::printf("  %.3f of %s", keys * static_cast<double>(bound.bytes) / bus_ / median, bound.name);
        std::printf("%s\n", is_right ? "" : "  WRONG");
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
        Bench bench(device, std::size_t{1} << exponent, repetitions, bus);
        for (const bool is_pinned : {true, false}) bench.sorts(is_pinned);
        for (const bool is_pinned : {true, false}) bench.pairs(is_pinned);
        bench.argsorts(true, true);
        bench.argsorts(false, true);
        bench.argsorts(false, false);
        if (backend == "CUDA") bench.processors();
    }
}
