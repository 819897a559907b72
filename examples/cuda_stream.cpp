// SPDX-License-Identifier: MIT
// Sorts keys in the caller's own CUDA memory, on the caller's own stream: one large array, between an upload and a
// download, and then many small batches by a sort that was recorded once. Uses the CUDA runtime API alone, so any C++
// compiler will do. The host waits once, at the end.
//
//     build/release/examples/cuda_stream
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <lanesort/cuda.hpp>

namespace {

void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

struct Release {
    void operator()(cudaStream_t stream) const {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    void operator()(void* memory) const { cudaFree(memory); }
};
using Stream = std::unique_ptr<CUstream_st, Release>;
using DeviceMemory = std::unique_ptr<void, Release>;

DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(memory);
}

/// Host memory that the device copies from and to while the host goes on.
template <class T>
class PinnedArray {
public:
    explicit PinnedArray(std::size_t count) : size_(count) {
        check(cudaMallocHost(&data_, count * sizeof(T)), "cudaMallocHost");
    }
    ~PinnedArray() { cudaFreeHost(data_); }
    PinnedArray(const PinnedArray&) = delete;
    PinnedArray& operator=(const PinnedArray&) = delete;

    std::span<T> all() const { return {static_cast<T*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_;
};

template <class T>
void upload(void* to, std::span<T> from, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
}

template <class T>
void download(std::span<T> to, const void* from, cudaStream_t stream) {
    check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
}

Stream make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return Stream(stream);
}

}  // namespace

int main() try {
    if (const cudaError_t status = cudaSetDevice(0); status != cudaSuccess)
        throw std::runtime_error(std::string("there is no CUDA device: ") + cudaGetErrorString(status));

    std::mt19937 random(1);
    constexpr std::size_t keys = 1 << 20, batches = 50, batch = 4096;
    const PinnedArray<float> array(keys);
    std::normal_distribution<float> normal;
    std::ranges::generate(array.all(), [&] { return normal(random); });
    const PinnedArray<std::uint32_t> times(batches * batch), numbers(batches * batch);
    std::ranges::generate(times.all(), [&] { return random() % 1000; });
    for (std::size_t i = 0; i < batches * batch; ++i) numbers.all()[i] = static_cast<std::uint32_t>(i % batch);
    std::vector<float> expected_array(array.all().begin(), array.all().end());
    const std::vector<std::uint32_t> given_times(times.all().begin(), times.all().end());

    // The memory and the stream are the runtime's, and so is the sorter's context: the primary one of device 0.
    const DeviceMemory array_on_device = allocate(keys * sizeof(float));
    const DeviceMemory times_on_device = allocate(batch * sizeof(std::uint32_t));
    const DeviceMemory numbers_on_device = allocate(batch * sizeof(std::uint32_t));

    // Compiling is the one thing that would block later, so it comes first. Recording compiles, too.
    lanesort::Sorter sorter = lanesort::cu::make_sorter(0);
    sorter.prepare(lanesort::KeyType::f32, keys);

    // All else that the commands in the stream use is made before the stream. So if a call throws, the stream goes
    // first: it waits for them, and then the sorter and the memory go. A recording may go before they have ended.
    const Stream stream = make_stream();
    const lanesort::cu::KeyRange batch_of_times{times_on_device.get(), 0, batch, lanesort::KeyType::u32};
    const lanesort::cu::ValueRange batch_of_numbers{numbers_on_device.get(), 0, sizeof(std::uint32_t)};
    lanesort::cu::Recorded sort_batch(sorter, stream.get(), sort_by_key(batch_of_times, batch_of_numbers));

    // The stream keeps the order, nothing waits. The sort is in place and takes no device memory.
    upload(array_on_device.get(), array.all(), stream.get());
    const lanesort::SortReport report =
        lanesort::cu::enqueue(sorter, stream.get(),
                              sort(lanesort::cu::KeyRange{array_on_device.get(), 0, keys, lanesort::KeyType::f32,
                                                          lanesort::Order::descending}));
    download(array.all(), array_on_device.get(), stream.get());

    // Each replay sorts what is in the two arrays when the stream comes to it.
    for (std::size_t first = 0; first < batches * batch; first += batch) {
        upload(times_on_device.get(), times.all().subspan(first, batch), stream.get());
        upload(numbers_on_device.get(), numbers.all().subspan(first, batch), stream.get());
        sort_batch.enqueue();
        download(times.all().subspan(first, batch), times_on_device.get(), stream.get());
        download(numbers.all().subspan(first, batch), numbers_on_device.get(), stream.get());
    }
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");

    // The check. Of equal times, the lowest number comes first: pairs are ordered by their values, too.
    std::ranges::sort(expected_array, std::greater());
    bool right = std::ranges::equal(array.all(), expected_array);
    for (std::size_t first = 0; first < batches * batch; first += batch) {
        std::vector<std::uint32_t> expected(batch);
        std::iota(expected.begin(), expected.end(), 0u);
        const auto time = [&](std::uint32_t number) { return given_times[first + number]; };
        std::ranges::stable_sort(expected, {}, time);
        right = right && std::ranges::equal(numbers.all().subspan(first, batch), expected) &&
                std::ranges::equal(times.all().subspan(first, batch), expected, {}, {}, time);
    }
    std::printf("%zu floats and %zu batches of %zu pairs, on %s: %s\n", keys, batches, batch,
                sorter.device().name.c_str(), right ? "sorted" : "WRONG");
    std::printf("%llu kernel launches for the floats, %llu bytes of device memory taken, one wait\n",
                static_cast<unsigned long long>(report.launches), static_cast<unsigned long long>(report.device_bytes));
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_stream: %s\n", error.what());
    return 1;
}
