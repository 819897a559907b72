#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <map>

#include "cuda_trial.cuh"

namespace lanesort::bench {
namespace {

/// Memory that Thrust gives back is kept for its next sort, so that allocating is not measured.
class KeptMemory {
public:
    using value_type = char;

    char* allocate(std::ptrdiff_t wanted) {
        const auto size = static_cast<std::size_t>(wanted);
        if (auto kept = kept_.extract(size)) {
            char* const memory = kept.mapped();
            used_.insert({memory, size});
            return memory;
        }
        char* const memory = reinterpret_cast<char*>(all_.emplace_back(std::make_unique<CudaMemory>(size))->get());
        bytes_ += size;
        used_.insert({memory, size});
        return memory;
    }
    void deallocate(char* memory, std::size_t) {
        const auto used = used_.extract(memory);
        kept_.insert({used.mapped(), memory});
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::vector<std::unique_ptr<CudaMemory>> all_;
    std::multimap<std::size_t, char*> kept_;
    std::map<char*, std::size_t> used_;
    std::size_t bytes_ = 0;
};

template <class T>
class ThrustSort final : public StreamTrial {
public:
    using StreamTrial::StreamTrial;
    Cost cost() const override { return {std::nullopt, std::nullopt, memory_.bytes()}; }

private:
    void sort() override {
        thrust::sort(thrust::cuda::par(memory_).on(stream_), keys<T>(), keys<T>() + input_.problem().count);
    }
    KeptMemory memory_;
};

}  // namespace

Candidates thrust_peers(const std::shared_ptr<const Memory>& memory) {
    return {cuda_candidate<ThrustSort>("thrust::sort", memory)};
}

}  // namespace lanesort::bench
