// What the benchmarks of single calls share: memory on the device, calls of CUB, and trials that are timed in turn.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace lanesort::bench {

inline void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) { check(cudaMalloc(&memory_, count * sizeof(T))); }
    ~DeviceArray() { cudaFree(memory_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return static_cast<T*>(memory_); }
    void put(const std::vector<T>& items) {
        check(cudaMemcpy(memory_, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    void copy(const DeviceArray& from, cudaStream_t stream) {
        check(cudaMemcpyAsync(memory_, from.memory_, count_ * sizeof(T), cudaMemcpyDeviceToDevice, stream));
    }

private:
    void* memory_ = nullptr;
    std::size_t count_;
};

struct Trial {
    std::string name;
    std::function<void()> restore, run;
    std::function<void()> look = [] {};  ///< at the result, after the time
    std::vector<double> milliseconds = {};
};

class Bench {
public:
    /// From the arguments of a program: the repetitions, then the groups that are wanted, or none for all.
    Bench(int count, char** arguments)
        : repetitions_(count > 1 ? std::stoi(arguments[1]) : 9),
          wanted_(arguments + std::min(count, 2), arguments + count) {
        check(cudaStreamCreate(&stream_));
        check(cudaEventCreate(&start_));
        check(cudaEventCreate(&end_));
    }

    cudaStream_t stream() const { return stream_; }
    bool wants(const char* group) const { return wanted_.empty() || wanted_.contains(group); }

    /// Runs all trials in turn and prints the median of each, and how often the first one's it is.
    void compare(const std::string& title, std::size_t keys, std::vector<Trial> trials) {
        for (int repetition = -1; repetition < repetitions_; ++repetition)
            for (Trial& trial : trials) {
                trial.restore();
                check(cudaEventRecord(start_, stream_));
                trial.run();
                check(cudaEventRecord(end_, stream_));
                check(cudaEventSynchronize(end_));
                float milliseconds = 0;
                check(cudaEventElapsedTime(&milliseconds, start_, end_));
                trial.look();
                if (repetition >= 0) trial.milliseconds.push_back(milliseconds);
            }
        std::printf("%-30s", title.c_str());
        double first = 0;
        for (Trial& trial : trials) {
            std::ranges::sort(trial.milliseconds);
            const double median = trial.milliseconds[trial.milliseconds.size() / 2];
            if (&trial == &trials.front()) {
                first = median;
                std::printf(" %s %.4f ms (%.1f Gkeys/s)", trial.name.c_str(), median,
                            static_cast<double>(keys) / median / 1e6);
            } else {
                std::printf(" | %s %.4f ms, x%.2f", trial.name.c_str(), median, median / first);
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }

private:
    int repetitions_;
    std::set<std::string> wanted_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t start_ = nullptr, end_ = nullptr;
};

template <class T>
std::vector<T> random_integers(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> keys(count);
    for (T& key : keys) key = static_cast<T>(random());
    return keys;
}

/// A call of CUB with the temporary memory that it asks for.
template <class Call>
std::function<void()> with_temporary_memory(Call call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    const auto memory = std::make_shared<DeviceArray<std::byte>>(std::max<std::size_t>(bytes, 1));
    return [call, memory, bytes]() mutable { check(call(memory->get(), bytes)); };
}

}  // namespace lanesort::bench
