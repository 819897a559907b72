#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <stdexcept>

#include <lanesort/cuda.hpp>

#include "peer.hpp"

namespace lanesort::bench {
namespace {

void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

class DeviceBytes {
public:
    explicit DeviceBytes(std::size_t size) { check(cudaMalloc(&memory_, size)); }
    ~DeviceBytes() { cudaFree(memory_); }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    void* get() const { return memory_; }

private:
    void* memory_ = nullptr;
};

/// Sorts a device copy of the input on a stream, between two events.
class StreamTrial : public Trial {
public:
    explicit StreamTrial(const Input& input) : input_(input), pristine_(input.keys.size()), keys_(input.keys.size()) {
        check(cudaStreamCreate(&stream_));
        check(cudaEventCreate(&start_));
        check(cudaEventCreate(&end_));
        check(cudaMemcpy(pristine_.get(), input.keys.data(), input.keys.size(), cudaMemcpyHostToDevice));
    }
    ~StreamTrial() override {
        cudaEventDestroy(start_);
        cudaEventDestroy(end_);
        cudaStreamDestroy(stream_);
    }

    double run() override {
        check(cudaMemcpyAsync(keys_.get(), pristine_.get(), input_.keys.size(), cudaMemcpyDeviceToDevice, stream_));
        check(cudaEventRecord(start_, stream_));
        sort();
        check(cudaEventRecord(end_, stream_));
        check(cudaEventSynchronize(end_));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_, end_));
        return 1e-3 * milliseconds;
    }
    std::vector<std::byte> result() override {
        std::vector<std::byte> bytes(input_.keys.size());
        check(cudaMemcpy(bytes.data(), sorted_keys(), bytes.size(), cudaMemcpyDeviceToHost));
        return bytes;
    }

protected:
    virtual void sort() = 0;
    virtual const void* sorted_keys() { return keys_.get(); }

    const Input& input_;
    DeviceBytes pristine_, keys_;
    cudaStream_t stream_ = nullptr;

private:
    cudaEvent_t start_ = nullptr, end_ = nullptr;
};

class LanesortStream final : public StreamTrial {
public:
    LanesortStream(Sorter& sorter, const Input& input) : StreamTrial(input), sorter_(sorter) {}

private:
    void sort() override { cuda::enqueue_sort(sorter_, stream_, {keys_.get(), 0, input_.count, input_.type}); }
    Sorter& sorter_;
};

class LanesortGraph final : public StreamTrial {
public:
    LanesortGraph(Sorter& sorter, const Input& input)
        : StreamTrial(input), recorded_(sorter, {keys_.get(), 0, input.count, input.type}) {}

private:
    void sort() override { recorded_.enqueue(stream_); }
    cuda::RecordedSort recorded_;
};

template <class T>
class CubRadix final : public StreamTrial {
public:
    explicit CubRadix(const Input& input) : StreamTrial(input), second_(input.keys.size()), extra_(ask()) {}
    std::size_t extra_bytes() const override { return bytes_ + input_.keys.size(); }

private:
    std::size_t ask() {
        check(cub::DeviceRadixSort::SortKeys(nullptr, bytes_, buffer_, input_.count, 0, sizeof(T) * 8, stream_));
        return bytes_;
    }
    void sort() override {
        buffer_ = {static_cast<T*>(keys_.get()), static_cast<T*>(second_.get())};
        check(cub::DeviceRadixSort::SortKeys(extra_.get(), bytes_, buffer_, input_.count, 0, sizeof(T) * 8, stream_));
    }
    const void* sorted_keys() override { return buffer_.Current(); }

    DeviceBytes second_;
    cub::DoubleBuffer<T> buffer_;
    std::size_t bytes_ = 0;
    DeviceBytes extra_;
};

struct Less {
    template <class T>
    __device__ bool operator()(T a, T b) const {
        return a < b;
    }
};

template <class T>
class CubMerge final : public StreamTrial {
public:
    explicit CubMerge(const Input& input) : StreamTrial(input), extra_(ask()) {}
    std::size_t extra_bytes() const override { return bytes_; }

private:
    std::size_t ask() {
        check(cub::DeviceMergeSort::SortKeys(nullptr, bytes_, static_cast<T*>(keys_.get()), input_.count, Less{},
                                             stream_));
        return bytes_;
    }
    void sort() override {
        check(cub::DeviceMergeSort::SortKeys(extra_.get(), bytes_, static_cast<T*>(keys_.get()), input_.count, Less{},
                                             stream_));
    }

    std::size_t bytes_ = 0;
    DeviceBytes extra_;
};

enum class Way { stream, graph };

class LanesortCuda final : public Peer {
public:
    explicit LanesortCuda(Way way) : way_(way), sorter_(cuda::make_sorter(0)) {}
    std::string name() const override { return way_ == Way::stream ? "lanesort, CUDA stream" : "lanesort, CUDA graph"; }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        if (way_ == Way::graph) return std::make_unique<LanesortGraph>(sorter_, input);
        sorter_.prepare(input.type, input.count);
        return std::make_unique<LanesortStream>(sorter_, input);
    }

private:
    Way way_;
    Sorter sorter_;
};

template <template <class> class CubTrial>
class Cub final : public Peer {
public:
    explicit Cub(std::string name) : name_(std::move(name)) {}
    std::string name() const override { return name_; }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        switch (input.type) {
            case KeyType::u32: return std::make_unique<CubTrial<std::uint32_t>>(input);
            case KeyType::u64: return std::make_unique<CubTrial<std::uint64_t>>(input);
            case KeyType::f32: return std::make_unique<CubTrial<float>>(input);
            case KeyType::f64: return std::make_unique<CubTrial<double>>(input);
            default: return nullptr;
        }
    }

private:
    std::string name_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> cuda_peers() {
    std::vector<std::unique_ptr<Peer>> peers;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return peers;
    peers.push_back(std::make_unique<LanesortCuda>(Way::stream));
    peers.push_back(std::make_unique<LanesortCuda>(Way::graph));
    peers.push_back(std::make_unique<Cub<CubRadix>>("CUB DeviceRadixSort"));
    peers.push_back(std::make_unique<Cub<CubMerge>>("CUB DeviceMergeSort"));
    return peers;
}

}  // namespace lanesort::bench
