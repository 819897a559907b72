// One order over several CUDA devices, beside one of them on the same keys: medians of wall time, of one call of each
// in turn. Each device has COUNT keys of 4 bytes, or pairs of them; one device alone has those of all.
//
// usage: lanesort_across_bench [COUNT [REPETITIONS [PARTS [PART_OF_NAMES]]]]
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <lanesort/cuda.hpp>

namespace {

void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

using Integers = std::vector<std::uint32_t>;

/// Keys on a device: a master copy, and those that are sorted.
struct Array {
    Array(int on, const std::uint32_t* from, std::size_t elements) : device(on), count(elements) {
        check(cudaSetDevice(device));
        check(cudaMalloc(&master, count * 4));
        check(cudaMalloc(&sorted, count * 4));
        check(cudaMemcpy(master, from, count * 4, cudaMemcpyHostToDevice));
    }
    ~Array() {
        cudaSetDevice(device);
        cudaFree(master);
        cudaFree(sorted);
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    void restore() const {
        check(cudaSetDevice(device));
        check(cudaMemcpy(sorted, master, count * 4, cudaMemcpyDeviceToDevice));
    }
    void read(std::uint32_t* to) const {
        check(cudaSetDevice(device));
        check(cudaMemcpy(to, sorted, count * 4, cudaMemcpyDeviceToHost));
    }

    int device;
    std::size_t count;
    void *master = nullptr, *sorted = nullptr;
};

struct Part {
    Part(int device, const Integers& all_keys, const Integers& all_values, std::size_t first, std::size_t count)
        : sorter(lanesort::cu::make_sorter(device)),
          keys(device, all_keys.data() + first, count),
          values(device, all_values.data() + first, count) {
        check(cudaSetDevice(device));
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ~Part() {
        cudaSetDevice(keys.device);
        cudaStreamDestroy(stream);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void restore() const {
        keys.restore();
        values.restore();
    }
    void wait() const {
        check(cudaSetDevice(keys.device));
        check(cudaStreamSynchronize(stream));
    }
    lanesort::cu::KeyRange range(bool data_independent) const {
        lanesort::cu::KeyRange keys_of_part;
        keys_of_part.memory = keys.sorted;
        keys_of_part.count = keys.count;
        keys_of_part.data_independent = data_independent;
        return keys_of_part;
    }

    lanesort::Sorter sorter;
    Array keys, values;
    cudaStream_t stream = nullptr;
};

}  // namespace

int main(int argc, char** argv) try {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : std::size_t{1} << 28;
    const int repetitions = argc > 2 ? std::atoi(argv[2]) : 7;
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    const int parts_wanted = argc > 3 ? std::atoi(argv[3]) : devices;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0));
    std::printf("%d devices, %d parts of %zu keys, %s\n", devices, parts_wanted, count, properties.name);
    const std::size_t all = count * static_cast<std::size_t>(parts_wanted);
    Integers keys(all), values(all);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < all; i += 2) {
        const std::uint64_t bits = random();
        keys[i] = static_cast<std::uint32_t>(bits);
        if (i + 1 < all) keys[i + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
    for (std::size_t i = 0; i < all; ++i) values[i] = static_cast<std::uint32_t>(i);

    std::vector<std::unique_ptr<Part>> parts;
    for (int i = 0; i < parts_wanted; ++i)
        parts.push_back(std::make_unique<Part>(i % devices, keys, values, count * static_cast<std::size_t>(i), count));
    const Part alone(0, keys, values, 0, all), share(0, keys, values, 0, count);

    struct Trial {
        std::string name;
        std::vector<const Part*> used;
        std::function<void()> run;
        std::vector<double> milliseconds = {};
    };
    std::vector<Trial> trials;
    std::vector<const Part*> used;
    for (const auto& part : parts) used.push_back(part.get());
    for (const bool by_key : {false, true})
        for (const bool data_independent : {true, false}) {
            const std::string kind =
                std::string(by_key ? "pairs, " : "keys, ") + (data_independent ? "data-independent" : "the fastest");
            trials.push_back(
                {kind + ", across", used, [&parts, by_key, data_independent] {
                     std::vector<lanesort::cu::DevicePart> all_parts;
                     for (const auto& part : parts) {
                         lanesort::cu::DevicePart one{part->sorter, part->stream, part->range(data_independent)};
                         if (by_key) one.values = {part->values.sorted};
                         all_parts.push_back(one);
                     }
                     if (by_key) lanesort::cu::enqueue_sort_by_key_across(all_parts);
                     else lanesort::cu::enqueue_sort_across(all_parts);
                 }});
            for (const Part* const single : {&alone, &share})
                trials.push_back({kind + (single == &alone ? ", one device" : ", one device, one part's"),
                                  {single},
                                  [single, by_key, data_independent] {
                                      auto& sorter = const_cast<lanesort::Sorter&>(single->sorter);
                                      const auto range = single->range(data_independent);
                                      if (by_key)
                                          lanesort::cu::enqueue_sort_by_key(sorter, single->stream, range,
                                                                            {single->values.sorted});
                                      else lanesort::cu::enqueue_sort(sorter, single->stream, range);
                                  }});
        }
    std::erase_if(trials,
                  [&](const Trial& trial) { return argc > 4 && trial.name.find(argv[4]) == std::string::npos; });
    for (int repetition = -1; repetition < repetitions; ++repetition)
        for (Trial& trial : trials) {
            for (const Part* const part : trial.used) part->restore();
            for (int device = 0; device < devices; ++device) {
                check(cudaSetDevice(device));
                check(cudaDeviceSynchronize());
            }
            const auto begin = std::chrono::steady_clock::now();
            trial.run();
            for (const Part* const part : trial.used) part->wait();
            const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
            if (repetition >= 0) trial.milliseconds.push_back(time.count());
            if (repetition >= 0) continue;
            // The first call compiles, and is looked at.
            Integers found(all);
            std::size_t place = 0;
            for (const Part* const part : trial.used) {
                part->keys.read(found.data() + place);
                place += part->keys.count;
            }
            if (!std::is_sorted(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(place)))
                throw std::runtime_error(trial.name + ": not sorted");
        }
    for (Trial& trial : trials) {
        std::ranges::sort(trial.milliseconds);
        std::printf("%-48s %8.3f ms (%.3f .. %.3f)\n", trial.name.c_str(),
                    trial.milliseconds[trial.milliseconds.size() / 2], trial.milliseconds.front(),
                    trial.milliseconds.back());
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
