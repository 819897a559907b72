// SPDX-License-Identifier: MIT
// lanesort's stream and graph beside CUB's sorts and Thrust's, on the first CUDA device: between two events on a
// stream, behind other work.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <map>

#include <lanesort/cuda.hpp>

#include "cuda_bench.cuh"
#include "peer.hpp"

namespace lanesort::bench {
namespace {

/// How keys in memory are sorted, what that took, and where it leaves them.
struct Way {
    std::function<void()> sort;
    std::function<Cost()> cost;
    std::function<const void*()> result;
};
using MakeWay = std::function<Way(std::byte* keys, const Problem&, cudaStream_t)>;

class StreamTrial final : public DeviceTrial {
public:
    StreamTrial(const Input& input, const MakeWay& make, bool is_graphed)
        : key_bytes_(key_bytes(input.problem().type)),
          pristine_(std::vector(input.keys().begin(), input.keys().end())),
          keys_(input.keys().size()),
          result_(input.keys().size()),
          way_(make(keys_.get(), input.problem(), stream_.get())) {
        if (is_graphed) record();
    }

    std::optional<double> device_seconds(std::size_t turn) override {
        restore(turn);
        work<<<1, 1, 0, stream_.get()>>>();
        return 1e-3 * watch_.milliseconds(stream_.get(), [this] { sort(); });
    }
    std::span<const std::byte> result() override {
        check(cudaMemcpy(result_.data(), way_.result(), result_.size(), cudaMemcpyDeviceToHost));
        return result_;
    }
    Cost cost() const override { return way_.cost(); }

private:
    void restore(std::size_t turn) override {
        const std::size_t bytes = result_.size(), turned = turn * key_bytes_;
        const auto copy = [&](std::byte* to, const std::byte* from, std::size_t some) {
            if (some > 0) check(cudaMemcpyAsync(to, from, some, cudaMemcpyDeviceToDevice, stream_.get()));
        };
        copy(keys_.get(), pristine_.get() + turned, bytes - turned);
        copy(keys_.get() + bytes - turned, pristine_.get(), turned);
    }
    void sort() override {
        if (graph_) check(cudaGraphLaunch(graph_.get(), stream_.get()));
        else way_.sort();
    }
    void finish() override { check(cudaStreamSynchronize(stream_.get())); }

    /// The sort as a graph, which is then replayed.
    void record() {
        // Kernels are loaded by their first launch, which a capture need not allow.
        restore(0);
        way_.sort();
        finish();
        check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
        way_.sort();
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(stream_.get(), &graph));
        cudaGraphExec_t replayed = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&replayed, graph, 0);
        cudaGraphDestroy(graph);
        check(made);
        graph_ = {replayed, cudaGraphExecDestroy};
    }

    std::size_t key_bytes_;
    std::shared_ptr<CUstream_st> stream_ = new_stream();
    Stopwatch watch_;
    DeviceArray<std::byte> pristine_, keys_;
    std::vector<std::byte> result_;
    Way way_;
    std::shared_ptr<CUgraphExec_st> graph_;
};

enum class Sorts { all, one_range, rows };

class CudaPeer final : public Peer {
public:
    CudaPeer(MakeWay make, Sorts sorts, bool is_graphed)
        : make_(std::move(make)), sorts_(sorts), is_graphed_(is_graphed) {}
    std::string refusal(const Problem& problem) const override {
        if (sorts_ == Sorts::all) return {};
        if ((problem.rows() > 1) != (sorts_ == Sorts::rows))
            return sorts_ == Sorts::rows ? "sorts rows" : "sorts one range";
        switch (problem.type) {
            case KeyType::u32:
            case KeyType::i32:
            case KeyType::u64:
            case KeyType::f32:
            case KeyType::f64: return {};
            default: return "is built for u32, i32, u64, f32 and f64";
        }
    }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        return std::make_unique<StreamTrial>(input, make_, is_graphed_);
    }

private:
    MakeWay make_;
    Sorts sorts_;
    bool is_graphed_;
};

/// Ways of lanesort, whose sorter is made when the peer is opened.
MakeWay on_stream_or_graph(bool is_recorded) {
    const auto sorter = std::make_shared<Sorter>(cu::make_sorter(0));
    return [sorter, is_recorded](std::byte* keys, const Problem& problem, cudaStream_t stream) {
        const cu::KeyRange range{keys, 0, problem.count, problem.type, Order::ascending, problem.row_length()};
        const auto cost = std::make_shared<Cost>();
        Way way{{}, [cost] { return *cost; }, [keys] { return keys; }};
        if (is_recorded) {
            const auto recorded = std::make_shared<cu::Recorded>(*sorter, stream, lanesort::sort(range));
            way.sort = [recorded, cost] { *cost = cost_of(recorded->enqueue()); };
        } else {
            sorter->prepare(problem.type, problem.count, problem.row_length());
            way.sort = [sorter, range, stream, cost] { *cost = cost_of(cu::enqueue(*sorter, stream, lanesort::sort(range))); };
        }
        return way;
    };
}

/// Makes ways of what makes one for keys of type T.
template <class Make>
MakeWay for_each_type(Make make) {
    return [make](std::byte* keys, const Problem& problem, cudaStream_t stream) -> Way {
        const auto of = [&](auto zero) { return make(reinterpret_cast<decltype(zero)*>(keys), problem, stream); };
        switch (problem.type) {
            case KeyType::u32: return of(std::uint32_t{});
            case KeyType::i32: return of(std::int32_t{});
            case KeyType::u64: return of(std::uint64_t{});
            case KeyType::f32: return of(float{});
            default: return of(double{});
        }
    };
}

/// A sort by CUB, which asks for temporary memory.
template <class Call>
Way way_of_cub(Call call, std::size_t extra_bytes, std::function<const void*()> result) {
    std::size_t asked = 0;
    std::function<void()> sort = with_temporary_memory(std::move(call), &asked);
    return {std::move(sort), [bytes = asked + extra_bytes] { return Cost{{}, {}, bytes}; }, std::move(result)};
}

/// A sort by CUB between the keys and a second array; CUB says in which of the two the result is.
template <class Call>
MakeWay between_two_arrays(Call call) {
    return for_each_type([call]<class T>(T* keys, const Problem& problem, cudaStream_t stream) {
        const auto second = std::make_shared<DeviceArray<T>>(problem.count);
        const auto buffers = std::make_shared<cub::DoubleBuffer<T>>();
        return way_of_cub(
            [=](void* memory, std::size_t& bytes) {
                *buffers = cub::DoubleBuffer<T>(keys, second->get());
                return call(memory, bytes, *buffers, problem, stream);
            },
            problem.bytes(), [buffers] { return buffers->Current(); });
    });
}

MakeWay cub_radix() {
    return between_two_arrays([]<class T>(void* memory, std::size_t& bytes, cub::DoubleBuffer<T>& keys,
                                          const Problem& problem, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, problem.count, 0, sizeof(T) * 8, stream);
    });
}

MakeWay cub_merge() {
    return for_each_type([](auto* keys, const Problem& problem, cudaStream_t stream) {
        return way_of_cub(
            [=](void* memory, std::size_t& bytes) {
                return cub::DeviceMergeSort::SortKeys(memory, bytes, keys, problem.count, Less{}, stream);
            },
            0, [keys] { return keys; });
    });
}

MakeWay cub_segmented() {
    return between_two_arrays(
        [](void* memory, std::size_t& bytes, auto& keys, const Problem& problem, cudaStream_t stream) {
            const auto begins = row_begins(problem.row);
            return cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, static_cast<std::int64_t>(problem.count),
                                                      static_cast<std::int64_t>(problem.rows()), begins, begins + 1,
                                                      stream);
        });
}

MakeWay cub_segmented_radix() {
    return between_two_arrays([]<class T>(void* memory, std::size_t& bytes, cub::DoubleBuffer<T>& keys,
                                          const Problem& problem, cudaStream_t stream) {
        const auto begins = row_begins(problem.row);
        return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys, static_cast<std::int64_t>(problem.count),
                                                       static_cast<std::int64_t>(problem.rows()), begins, begins + 1, 0,
                                                       sizeof(T) * 8, stream);
    });
}

/// Memory that Thrust gives back is kept for its next sort, so that allocating is not measured.
class KeptMemory {
public:
    using value_type = char;

    char* allocate(std::ptrdiff_t wanted) {
        const auto size = static_cast<std::size_t>(wanted);
        auto kept = kept_.extract(size);
        char* memory = nullptr;
        if (kept) {
            memory = kept.mapped();
        } else {
            memory = all_.emplace_back(std::make_unique<DeviceArray<char>>(size))->get();
            bytes_ += size;
        }
        used_.insert({memory, size});
        return memory;
    }
    void deallocate(char* memory, std::size_t) {
        const auto used = used_.extract(memory);
        kept_.insert({used.mapped(), memory});
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::vector<std::unique_ptr<DeviceArray<char>>> all_;
    std::multimap<std::size_t, char*> kept_;
    std::map<char*, std::size_t> used_;
    std::size_t bytes_ = 0;
};

MakeWay thrust_sort() {
    return for_each_type([](auto* keys, const Problem& problem, cudaStream_t stream) -> Way {
        const auto memory = std::make_shared<KeptMemory>();
        return {[=] { thrust::sort(thrust::cuda::par(*memory).on(stream), keys, keys + problem.count); },
                [memory] {
                    return Cost{{}, {}, memory->bytes()};
                },
                [keys] { return keys; }};
    });
}

/// The best of some copies of memory that is larger than the caches.
double copy_bytes_per_second() {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const DeviceArray<std::byte> from(bytes), to(bytes);
    check(cudaMemset(from.get(), 1, bytes));
    const Stopwatch watch;
    double best = 0;
    for (int repetition = 0; repetition < 6; ++repetition) {
        const double milliseconds = watch.milliseconds(
            nullptr, [&] { check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice)); });
        best = std::max(best, 2e3 * static_cast<double>(bytes) / milliseconds);
    }
    return best;
}

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

}  // namespace

Candidates cuda_peers() {
    const std::string name = "CUB, Thrust, lanesort on a CUDA stream";
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
        return {absent(name, cudaGetErrorString(status))};
    if (count == 0) return {absent(name, "no CUDA device")};

    cudaDeviceProp device{};
    int driver = 0, runtime = 0;
    check(cudaGetDeviceProperties(&device, 0));
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    const auto memory = std::make_shared<Memory>("CUDA", device.name,
                                                 "driver for CUDA " + version(driver) + ", runtime " + version(runtime),
                                                 copy_bytes_per_second());
    struct Row {
        const char* name;
        Sorts sorts;
        bool is_graphed;
        std::function<MakeWay()> make;
    };
    const Row rows[] = {
        {"lanesort, CUDA stream", Sorts::all, false, [] { return on_stream_or_graph(false); }},
        {"lanesort, CUDA graph", Sorts::all, false, [] { return on_stream_or_graph(true); }},
        {"CUB DeviceRadixSort", Sorts::one_range, false, cub_radix},
        {"CUB DeviceRadixSort, CUDA graph", Sorts::one_range, true, cub_radix},
        {"CUB DeviceMergeSort", Sorts::one_range, false, cub_merge},
        {"CUB DeviceMergeSort, CUDA graph", Sorts::one_range, true, cub_merge},
        {"CUB DeviceSegmentedSort", Sorts::rows, false, cub_segmented},
        {"CUB DeviceSegmentedRadixSort", Sorts::rows, false, cub_segmented_radix},
        {"thrust::sort", Sorts::one_range, false, thrust_sort},
    };
    Candidates candidates;
    for (const Row& row : rows)
        candidates.push_back({row.name,
                              memory,
                              row.sorts == Sorts::all,
                              [row] { return std::make_unique<CudaPeer>(row.make(), row.sorts, row.is_graphed); },
                              {}});
    return candidates;
}

}  // namespace lanesort::bench
