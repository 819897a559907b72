#include <algorithm>
#include <iterator>

#include <lanesort/cuda.hpp>

#include "cuda_trial.cuh"

namespace lanesort::bench {
namespace {

cu::KeyRange key_range(void* keys, const Problem& problem) {
    return {keys, 0, problem.count, problem.type, Order::ascending, problem.row_length()};
}

class LanesortStream final : public StreamTrial {
public:
    LanesortStream(Sorter& sorter, const Input& input) : StreamTrial(input), sorter_(sorter) {}
    Cost cost() const override { return cost_; }

private:
    void sort() override {
        cost_ = cost_of(cu::enqueue_sort(sorter_, stream_, key_range(keys<void>(), input_.problem())));
    }
    Sorter& sorter_;
    Cost cost_;
};

class LanesortGraph final : public StreamTrial {
public:
    LanesortGraph(Sorter& sorter, const Input& input)
        : StreamTrial(input), recorded_(sorter, stream_, lanesort::sort(key_range(keys<void>(), input.problem()))) {}
    Cost cost() const override { return cost_; }

private:
    void sort() override { cost_ = cost_of(recorded_.enqueue()); }
    cu::Recorded recorded_;
    Cost cost_;
};

enum class Way { stream, graph };

class LanesortCuda final : public Peer {
public:
    explicit LanesortCuda(Way way) : way_(way), sorter_(cu::make_sorter(0)) {}
    std::unique_ptr<Trial> prepare(const Input& input) override {
        if (way_ == Way::graph) return std::make_unique<LanesortGraph>(sorter_, input);
        sorter_.prepare(input.problem().type, input.problem().count, input.problem().row_length());
        return std::make_unique<LanesortStream>(sorter_, input);
    }

private:
    Way way_;
    Sorter sorter_;
};

/// The best of some copies of memory that is larger than the caches.
double copy_bytes_per_second() {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const CudaMemory from(bytes), to(bytes);
    check(cudaMemset(from.get(), 1, bytes));
    cudaEvent_t start = nullptr, end = nullptr;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    double best = 0;
    for (int repetition = 0; repetition < 6; ++repetition) {
        float milliseconds = 0;
        check(cudaEventRecord(start));
        check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&milliseconds, start, end));
        best = std::max(best, 2e3 * static_cast<double>(bytes) / milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
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
    Candidates candidates;
    for (const auto& [way_name, way] :
         {std::pair("lanesort, CUDA stream", Way::stream), {"lanesort, CUDA graph", Way::graph}})
        candidates.push_back({way_name, memory, true, [way] { return std::make_unique<LanesortCuda>(way); }, {}});
    for (auto* const peers :
         {cub_radix_peers, cub_merge_peers, cub_segmented_peers, cub_segmented_radix_peers, thrust_peers})
        std::ranges::move(peers(memory), std::back_inserter(candidates));
    return candidates;
}

}  // namespace lanesort::bench
