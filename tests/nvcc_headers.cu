// The public headers beside CUDA's runtime, compiled by nvcc, which reads C++ by another front end than the host's.
#include <cuda_runtime.h>

#include <lanesort/lanesort.h>
#include <lanesort/cuda.hpp>
#include <lanesort/lanesort.hpp>

lanesort::SortReport every_call(lanesort::Sorter& sorter, cudaStream_t stream, void* memory) {
    using namespace lanesort::cuda;
    const KeyRange keys{memory, 0, 100, lanesort::KeyType::f32};
    const ValueRange others{memory, 100, 4};
    enqueue_sort(sorter, stream, keys);
    enqueue_sort_by_key(sorter, stream, keys, others);
    enqueue_argsort(sorter, stream, keys, others);
    enqueue_merge(sorter, stream, keys, 50);
    enqueue_top_k(sorter, stream, keys, 10, {memory, 200, others});
    enqueue_is_sorted(sorter, stream, keys, {memory, 200});
    enqueue_run_lengths(sorter, stream, keys, {memory, 100, {memory, 150}}, others);
    return Recorded(sorter, stream, nth_element(keys, 50)).enqueue();
}
