#include <cub/device/device_radix_sort.cuh>

#include "cuda_trial.cuh"

namespace lanesort::bench {
namespace {

template <class T>
class CubRadix : public TwoBufferTrial<T> {
public:
    explicit CubRadix(const Input& input) : TwoBufferTrial<T>(input) { this->take_temporary_memory(); }

private:
    cudaError_t call(void* temporary, std::size_t& bytes) override {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, this->buffers_, this->input_.problem().count, 0,
                                              sizeof(T) * 8, this->stream_);
    }
};

template <class T>
using CubRadixGraph = Graphed<CubRadix<T>>;

}  // namespace

Candidates cub_radix_peers(const std::shared_ptr<const Memory>& memory) {
    return {cuda_candidate<CubRadix>("CUB DeviceRadixSort", memory),
            cuda_candidate<CubRadixGraph>("CUB DeviceRadixSort, CUDA graph", memory)};
}

}  // namespace lanesort::bench
