// SPDX-License-Identifier: MIT
// What the benchmarks on CUDA devices share: memory, other work, a stream's time, calls of CUB, calls that are timed in
// turn, and a look at what was sorted.
#pragma once

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace lanesort::bench {

inline void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) { check(cudaMalloc(&memory_, count * sizeof(T))); }
    explicit DeviceArray(const std::vector<T>& items) : DeviceArray(items.size()) {
        check(cudaMemcpy(memory_, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceArray() { cudaFree(memory_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return static_cast<T*>(memory_); }
    std::size_t count() const { return count_; }

private:
    void* memory_ = nullptr;
    std::size_t count_;
};

inline std::shared_ptr<CUstream_st> new_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));
    return {stream, cudaStreamDestroy};
}

/// Other work, by one thread, for about a tenth of a millisecond. Device time is measured behind it, so that neither
/// the host's calls count nor that a device which has waited starts slowly.
__global__ static void work() {
    constexpr long long cycles = 200'000;
    for (const long long begin = clock64(); clock64() - begin < cycles;) {
    }
}

/// The milliseconds of a stream, between two events.
class Stopwatch {
public:
    Stopwatch() {
        check(cudaEventCreate(&start_));
        check(cudaEventCreate(&end_));
    }
    ~Stopwatch() {
        cudaEventDestroy(start_);
        cudaEventDestroy(end_);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    template <class Run>
    double milliseconds(cudaStream_t stream, const Run& run) const {
        check(cudaEventRecord(start_, stream));
        run();
        check(cudaEventRecord(end_, stream));
        check(cudaEventSynchronize(end_));
        float found = 0;
        check(cudaEventElapsedTime(&found, start_, end_));
        return found;
    }

private:
    cudaEvent_t start_ = nullptr, end_ = nullptr;
};

/// A call of CUB with the temporary memory that it asks for, of `asked` bytes.
template <class Call>
std::function<void()> with_temporary_memory(Call call, std::size_t* asked = nullptr) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    if (asked) *asked = bytes;
    const auto memory = std::make_shared<DeviceArray<std::byte>>(std::max<std::size_t>(bytes, 1));
    return [call, memory, bytes]() mutable { check(call(memory->get(), bytes)); };
}

/// Where rows of equal length begin, for sorts of segments: computed rather than read.
struct RowBegin {
    std::int64_t length;
    __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};
inline auto row_begins(std::size_t length) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                           RowBegin{static_cast<std::int64_t>(length)});
}

/// Order by <, for libraries that want a function.
struct Less {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

struct Timed {
    std::string name;
    std::function<void()> run;
    std::function<void()> restore = [] {};
    std::function<void()> look = [] {};  ///< at the result, after the time
    std::vector<double> milliseconds = {};
};

class Bench {
public:
    /// From the arguments of a program: the repetitions, then the groups that are wanted, or none for all.
    Bench(int count, char** arguments)
        : repetitions_(count > 1 ? std::stoi(arguments[1]) : 9),
          wanted_(arguments + std::min(count, 2), arguments + count) {}

    cudaStream_t stream() const { return stream_.get(); }
    bool wants(const char* group) const { return wanted_.empty() || wanted_.contains(group); }

    /// Runs all calls in turn and prints the median of each, and how often the first one's it is.
    void compare(const std::string& title, std::size_t keys, std::vector<Timed> calls) {
        for (int repetition = -1; repetition < repetitions_; ++repetition)
            for (Timed& call : calls) {
                call.restore();
                const double milliseconds = watch_.milliseconds(stream(), call.run);
                call.look();
                if (repetition >= 0) call.milliseconds.push_back(milliseconds);
            }
        std::printf("%-30s", title.c_str());
        double first = 0;
        for (Timed& call : calls) {
            std::ranges::sort(call.milliseconds);
            const double median = call.milliseconds[call.milliseconds.size() / 2];
            if (&call == &calls.front()) {
                first = median;
                std::printf(" %s %.4f ms (%.1f Gkeys/s)", call.name.c_str(), median,
                            static_cast<double>(keys) / median / 1e6);
            } else {
                std::printf(" | %s %.4f ms, x%.2f", call.name.c_str(), median, median / first);
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }

private:
    int repetitions_;
    std::set<std::string> wanted_;
    std::shared_ptr<CUstream_st> stream_ = new_stream();
    Stopwatch watch_;
};

template <class T>
std::vector<T> random_integers(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> keys(count);
    for (T& key : keys) key = static_cast<T>(random());
    return keys;
}

__host__ __device__ inline std::uint64_t hash_of(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

/// Calls run(begin, end) for shares of 0 .. count on all cores.
template <class Run>
void on_all_cores(std::size_t count, const Run& run) {
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i)
        running.emplace_back([&, i] { run(count * i / threads, count * (i + 1) / threads); });
}

/// Whether elements of host memory are in order, and a sum of hashes that tells which they are, in whatever order.
struct Content {
    bool is_sorted;
    std::uint64_t sum;
};
template <class Element>
Content content_of(std::size_t count, const Element& element) {
    std::atomic<bool> is_sorted = true;
    std::atomic<std::uint64_t> sum = 0;
    on_all_cores(count, [&](std::size_t begin, std::size_t end) {
        std::uint64_t some = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (i > 0 && element(i) < element(i - 1)) is_sorted = false;
            some += hash_of(element(i));
        }
        sum += some;
    });
    return {is_sorted, sum};
}

}  // namespace lanesort::bench
