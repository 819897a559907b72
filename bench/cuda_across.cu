// SPDX-License-Identifier: MIT
// One order over several CUDA devices, beside one of them on the same keys: medians of wall time, of one call of each
// in turn. Each device has COUNT keys of 4 bytes, or pairs of them; one device alone has those of all. The first call
// of each is looked at: that its elements are in order, and that they are those of before, as sums of their hashes
// tell.
//
// usage: lanesort_across_bench [COUNT [REPETITIONS [PARTS [PART_OF_NAMES]]]]
#include <chrono>
#include <cstdlib>

#include <lanesort/cuda.hpp>

#include "cuda_bench.cuh"

namespace {

using namespace lanesort::bench;
namespace cu = lanesort::cu;
using Integers = std::vector<std::uint32_t>;

/// Keys on a device: a master copy, and those that are sorted.
struct Array {
    explicit Array(const Integers& from) : master(from), sorted(from.size()) {}
    void restore() const {
        check(cudaMemcpy(sorted.get(), master.get(), master.count() * 4, cudaMemcpyDeviceToDevice));
    }
    void read(std::uint32_t* to) const {
        check(cudaMemcpy(to, sorted.get(), sorted.count() * 4, cudaMemcpyDeviceToHost));
    }

    DeviceArray<std::uint32_t> master, sorted;
};

struct Part {
    Part(int number, const Integers& all_keys, const Integers& all_values, std::size_t first, std::size_t count)
        : device((check(cudaSetDevice(number)), number)),
          sorter(cu::make_sorter(number)),
          keys(Integers(all_keys.data() + first, all_keys.data() + first + count)),
          values(Integers(all_values.data() + first, all_values.data() + first + count)) {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ~Part() {
        cudaSetDevice(device);
        cudaStreamDestroy(stream);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void restore() const {
        check(cudaSetDevice(device));
        keys.restore();
        values.restore();
    }
    void wait() const {
        check(cudaSetDevice(device));
        check(cudaStreamSynchronize(stream));
    }
    cu::KeyRange range(bool data_independent) const {
        cu::KeyRange keys_of_part{keys.sorted.get(), 0, keys.sorted.count(), lanesort::KeyType::u32};
        keys_of_part.data_independent = data_independent;
        return keys_of_part;
    }

    int device;
    lanesort::Sorter sorter;
    Array keys, values;
    cudaStream_t stream = nullptr;
};

/// Of pairs where there are values: then equal keys are in the order of these.
Content content(const Integers& keys, const Integers* values, std::size_t count) {
    return content_of(count, [&](std::size_t i) { return std::uint64_t{keys[i]} << 32 | (values ? (*values)[i] : 0); });
}

struct Trial {
    std::string name;
    bool by_key;
    std::vector<Part*> used;
    std::function<void()> run;
    std::vector<double> milliseconds = {};
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
    const Integers keys = random_integers<std::uint32_t>(all);
    Integers values(all);
    for (std::size_t i = 0; i < all; ++i) values[i] = static_cast<std::uint32_t>(i);

    std::vector<std::unique_ptr<Part>> parts;
    std::vector<Part*> used;
    for (int i = 0; i < parts_wanted; ++i) {
        parts.push_back(std::make_unique<Part>(i % devices, keys, values, count * static_cast<std::size_t>(i), count));
        used.push_back(parts.back().get());
    }
    Part alone(0, keys, values, 0, all), share(0, keys, values, 0, count);

    std::vector<Trial> trials;
    for (const bool by_key : {false, true})
        for (const bool data_independent : {true, false}) {
            const std::string kind =
                std::string(by_key ? "pairs, " : "keys, ") + (data_independent ? "data-independent" : "the fastest");
            trials.push_back({kind + ", across", by_key, used, [&used, by_key, data_independent] {
                                  std::vector<cu::DevicePart> all_parts;
                                  for (Part* const part : used) {
                                      cu::DevicePart one{part->sorter, part->stream, part->range(data_independent)};
                                      if (by_key) one.values = {part->values.sorted.get()};
                                      all_parts.push_back(one);
                                  }
                                  if (by_key) cu::enqueue_sort_by_key_across(all_parts);
                                  else cu::enqueue_sort_across(all_parts);
                              }});
            for (Part* const single : {&alone, &share})
                trials.push_back({kind + (single == &alone ? ", one device" : ", one device, one part's"),
                                  by_key,
                                  {single},
                                  [single, by_key, range = single->range(data_independent)] {
                                      if (by_key)
                                          cu::enqueue(single->sorter, single->stream,
                                                      lanesort::sort_by_key(range, {single->values.sorted.get()}));
                                      else cu::enqueue(single->sorter, single->stream, lanesort::sort(range));
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
            if (repetition >= 0) {
                trial.milliseconds.push_back(time.count());
                continue;
            }
            // The first call compiles, and is looked at.
            Integers found(all), found_values(trial.by_key ? all : 0);
            std::size_t place = 0;
            for (const Part* const part : trial.used) {
                part->keys.read(found.data() + place);
                if (trial.by_key) part->values.read(found_values.data() + place);
                place += part->keys.sorted.count();
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
