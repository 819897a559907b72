// Sorts of CUDA memory, between two events on a stream, behind other work.
#pragma once

#include <cuda_runtime.h>

#include <cub/util_type.cuh>

#include <stdexcept>

#include "cuda_work.cuh"
#include "peer.hpp"

namespace lanesort::bench {

inline void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

class CudaMemory {
public:
    explicit CudaMemory(std::size_t size) { check(cudaMalloc(&memory_, size)); }
    ~CudaMemory() { cudaFree(memory_); }
    CudaMemory(const CudaMemory&) = delete;
    CudaMemory& operator=(const CudaMemory&) = delete;
    std::byte* get() const { return static_cast<std::byte*>(memory_); }

private:
    void* memory_ = nullptr;
};

class StreamTrial : public DeviceTrial {
public:
    explicit StreamTrial(const Input& input)
        : input_(input), pristine_(input.keys().size()), keys_(input.keys().size()), result_(input.keys().size()) {
        check(cudaStreamCreate(&stream_));
        check(cudaEventCreate(&start_));
        check(cudaEventCreate(&end_));
        check(cudaMemcpy(pristine_.get(), input.keys().data(), input.keys().size(), cudaMemcpyHostToDevice));
    }
    ~StreamTrial() override {
        cudaEventDestroy(start_);
        cudaEventDestroy(end_);
        cudaStreamDestroy(stream_);
    }

    std::optional<double> device_seconds(std::size_t turn) override {
        restore(turn);
        work<<<1, 1, 0, stream_>>>();
        check(cudaEventRecord(start_, stream_));
        sort();
        check(cudaEventRecord(end_, stream_));
        check(cudaEventSynchronize(end_));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_, end_));
        return 1e-3 * milliseconds;
    }
    std::span<const std::byte> result() override {
        check(cudaMemcpy(result_.data(), sorted_keys(), result_.size(), cudaMemcpyDeviceToHost));
        return result_;
    }

protected:
    void restore(std::size_t turn) override {
        const std::size_t bytes = result_.size(), turned = turn * key_bytes(input_.problem().type);
        check(
            cudaMemcpyAsync(keys_.get(), pristine_.get() + turned, bytes - turned, cudaMemcpyDeviceToDevice, stream_));
        if (turned > 0)
            check(cudaMemcpyAsync(keys_.get() + bytes - turned, pristine_.get(), turned, cudaMemcpyDeviceToDevice,
                                  stream_));
    }
    void finish() override { check(cudaStreamSynchronize(stream_)); }
    /// Where the sort leaves the keys.
    virtual const void* sorted_keys() { return keys_.get(); }

    template <class T>
    T* keys() const {
        return reinterpret_cast<T*>(keys_.get());
    }

    const Input& input_;
    cudaStream_t stream_ = nullptr;

private:
    CudaMemory pristine_, keys_;
    std::vector<std::byte> result_;
    cudaEvent_t start_ = nullptr, end_ = nullptr;
};

/// A sort by CUB, which asks for temporary memory.
class CubTrial : public StreamTrial {
public:
    using StreamTrial::StreamTrial;
    Cost cost() const override { return {std::nullopt, std::nullopt, bytes_}; }

protected:
    /// Calls CUB: without temporary memory, it says how many bytes it wants; with it, it sorts.
    virtual cudaError_t call(void* temporary, std::size_t& bytes) = 0;

    /// For the constructors of those that know what to call.
    void take_temporary_memory() {
        check(call(nullptr, bytes_));
        temporary_.emplace(bytes_);
    }
    void sort() override { check(call(temporary_->get(), bytes_)); }

private:
    std::size_t bytes_ = 0;
    std::optional<CudaMemory> temporary_;
};

/// A sort by CUB between the keys and a second array; CUB says in which of the two the result is.
template <class T>
class TwoBufferTrial : public CubTrial {
public:
    explicit TwoBufferTrial(const Input& input) : CubTrial(input), second_(input.keys().size()) {}
    Cost cost() const override {
        Cost cost = CubTrial::cost();
        *cost.extra_device_bytes += input_.keys().size();
        return cost;
    }

protected:
    void sort() override {
        buffers_ = {keys<T>(), reinterpret_cast<T*>(second_.get())};
        CubTrial::sort();
    }
    cub::DoubleBuffer<T> buffers_;

private:
    const void* sorted_keys() override { return buffers_.Current(); }
    CudaMemory second_;
};

/// The same trial, recorded as a graph once and then replayed.
template <class T>
class Graphed final : public T {
public:
    explicit Graphed(const Input& input) : T(input) {
        // Kernels are loaded by their first launch, which a capture need not allow.
        T::restore(0);
        T::sort();
        T::finish();
        check(cudaStreamBeginCapture(this->stream_, cudaStreamCaptureModeThreadLocal));
        T::sort();
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(this->stream_, &graph));
        const cudaError_t made = cudaGraphInstantiate(&replayed_, graph, 0);
        cudaGraphDestroy(graph);
        check(made);
    }
    ~Graphed() override { cudaGraphExecDestroy(replayed_); }

private:
    void sort() override { check(cudaGraphLaunch(replayed_, this->stream_)); }
    cudaGraphExec_t replayed_ = nullptr;
};

/// Sorts on the present CUDA device; `Trial<Key>(input)` is the trial.
template <template <class> class Trial, bool rows = false>
class CudaPeer final : public Peer {
public:
    std::string refusal(const Problem& problem) const override {
        if ((problem.rows() > 1) != rows) return rows ? "sorts rows" : "sorts one range";
        switch (problem.type) {
            case KeyType::u32:
            case KeyType::i32:
            case KeyType::u64:
            case KeyType::f32:
            case KeyType::f64: return {};
            default: return "is built for u32, i32, u64, f32 and f64";
        }
    }
    std::unique_ptr<bench::Trial> prepare(const Input& input) override {
        switch (input.problem().type) {
            case KeyType::u32: return std::make_unique<Trial<std::uint32_t>>(input);
            case KeyType::i32: return std::make_unique<Trial<std::int32_t>>(input);
            case KeyType::u64: return std::make_unique<Trial<std::uint64_t>>(input);
            case KeyType::f32: return std::make_unique<Trial<float>>(input);
            default: return std::make_unique<Trial<double>>(input);
        }
    }
};

template <template <class> class Trial, bool rows = false>
Candidate cuda_candidate(std::string name, std::shared_ptr<const Memory> memory) {
    return {std::move(name), std::move(memory), false, [] { return std::make_unique<CudaPeer<Trial, rows>>(); }, {}};
}

/// Order by <, for libraries that want a function.
struct Less {
    template <class T>
    __device__ bool operator()(T a, T b) const {
        return a < b;
    }
};

Candidates cub_radix_peers(const std::shared_ptr<const Memory>& memory);
Candidates cub_merge_peers(const std::shared_ptr<const Memory>& memory);
Candidates cub_segmented_peers(const std::shared_ptr<const Memory>& memory);
Candidates cub_segmented_radix_peers(const std::shared_ptr<const Memory>& memory);
Candidates thrust_peers(const std::shared_ptr<const Memory>& memory);

}  // namespace lanesort::bench
