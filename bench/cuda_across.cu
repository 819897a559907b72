// One order over several CUDA devices, beside one of them on the same keys: medians of wall time, of one call of each
// in turn. Each device has COUNT keys of 4 bytes, or pairs of them; one device alone has those of all. The first call
// of each is looked at: that its elements are in order, and that they are those of before, as sums of their hashes
// tell.
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
#include <thread>
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

/// Whether elements are in order, and a sum of hashes that tells which they are, in whatever order.
struct Content {
    bool is_sorted = true;
    std::uint64_t sum = 0;
};

/// Of pairs where there are values: then equal keys are in the order of these.
Content content(const Integers& keys, const Integers* values, std::size_t count) {
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<Content> some(threads);
    const auto look = [&](std::size_t thread) {
        Content found;
        const auto element = [&](std::size_t i) { return std::uint64_t{keys[i]} << 32 | (values ? (*values)[i] : 0); };
        for (std::size_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) {
            if (i > 0 && element(i) < element(i - 1)) found.is_sorted = false;
            std::uint64_t hash = element(i) + 0x9e3779b97f4a7c15;
            hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
            hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
            found.sum += hash ^ hash >> 31;
        }
        some[thread] = found;
    };
    std::vector<std::thread> running;
    for (std::size_t thread = 0; thread < threads; ++thread) running.emplace_back(look, thread);
    for (std::thread& thread : running) thread.join();
    Content all;
    for (const Content& found : some) {
        all.is_sorted = all.is_sorted && found.is_sorted;
        all.sum += found.sum;
    }
    return all;
}

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
        bool by_key;
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
                {kind + ", across", by_key, used, [&parts, by_key, data_independent] {
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
                                  by_key,
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
            Integers found(all), found_values(trial.by_key ? all : 0);
            std::size_t place = 0;
            for (const Part* const part : trial.used) {
                part->keys.read(found.data() + place);
                if (trial.by_key) part->values.read(found_values.data() + place);
                place += part->keys.count;
            }
            const Content before = content(keys, trial.by_key ? &values : nullptr, place),
                          after = content(found, trial.by_key ? &found_values : nullptr, place);
            if (!after.is_sorted) throw std::runtime_error(trial.name + ": not sorted");
            if (after.sum != before.sum) throw std::runtime_error(trial.name + ": other elements than before");
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
