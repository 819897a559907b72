// SPDX-License-Identifier: MIT
// The public headers beside CUDA's runtime and CUB, compiled by nvcc, which reads C++ by another front end than the
// host's, and appends text of its own that names libcu++'s ::cuda.
#include <cuda_runtime.h>

#include <lanesort/lanesort.h>
#include <lanesort/cuda.hpp>
#include <lanesort/lanesort.hpp>
#include <lanesort/opencl.hpp>

using namespace lanesort;

#if __has_include(<cub/cub.cuh>)
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <cub/cub.cuh>

cudaError_t beside_cub(Sorter& sorter, cudaStream_t stream, thrust::device_vector<float>& keys, float* sorted,
                       void* memory, std::size_t bytes) {
    thrust::sort(thrust::cuda::par.on(stream), keys.begin(), keys.end());
    cu::enqueue(sorter, stream,
                sort(cu::KeyRange{thrust::raw_pointer_cast(keys.data()), 0, keys.size(), KeyType::f32}));
    return cub::DeviceRadixSort::SortKeys(memory, bytes, thrust::raw_pointer_cast(keys.data()), sorted, keys.size(), 0,
                                          32, stream);
}
#else
#pragma message("there is no CUB, so nothing is compiled beside it")
#endif

SortReport every_call(Sorter& sorter, cudaStream_t stream, void* memory) {
    using namespace cu;
    const KeyRange keys{memory, 0, 100, KeyType::f32};
    const ValueRange others{memory, 100, 4};
    enqueue(sorter, stream, sort(keys));
    enqueue(sorter, stream, sort_by_key(keys, others));
    enqueue(sorter, stream, argsort(keys, others));
    enqueue(sorter, stream, merge(keys, 50));
    enqueue(sorter, stream, top_k(keys, 10, {memory, 200, others}));
    enqueue(sorter, stream, is_sorted(keys, {memory, 200}));
    enqueue(sorter, stream, run_lengths(keys, {memory, 100, {memory, 150}}, others));
    return Recorded(sorter, stream, nth_element(keys, 50)).enqueue();
}
