#include <cub/device/device_merge_sort.cuh>

#include "cuda_trial.cuh"

namespace lanesort::bench {
namespace {

template <class T>
class CubMerge : public CubTrial {
public:
    explicit CubMerge(const Input& input) : CubTrial(input) { take_temporary_memory(); }

private:
    cudaError_t call(void* temporary, std::size_t& bytes) override {
        return cub::DeviceMergeSort::SortKeys(temporary, bytes, keys<T>(), input_.problem().count, Less{}, stream_);
    }
};

template <class T>
using CubMergeGraph = Graphed<CubMerge<T>>;

}  // namespace

Candidates cub_merge_peers(const std::shared_ptr<const Memory>& memory) {
    return {cuda_candidate<CubMerge>("CUB DeviceMergeSort", memory),
            cuda_candidate<CubMergeGraph>("CUB DeviceMergeSort, CUDA graph", memory)};
}

}  // namespace lanesort::bench
