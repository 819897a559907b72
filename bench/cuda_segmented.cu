#include <cub/device/device_segmented_sort.cuh>

#include "cuda_rows.cuh"

namespace lanesort::bench {
namespace {

template <class T>
class CubSegmented final : public TwoBufferTrial<T> {
public:
    explicit CubSegmented(const Input& input) : TwoBufferTrial<T>(input) { this->take_temporary_memory(); }

private:
    cudaError_t call(void* temporary, std::size_t& bytes) override {
        const Problem& problem = this->input_.problem();
        const auto begins = row_begins(problem);
        return cub::DeviceSegmentedSort::SortKeys(
            temporary, bytes, this->buffers_, static_cast<std::int64_t>(problem.count),
            static_cast<std::int64_t>(problem.rows()), begins, begins + 1, this->stream_);
    }
};

}  // namespace

Candidates cub_segmented_peers(const std::shared_ptr<const Memory>& memory) {
    return {cuda_candidate<CubSegmented, true>("CUB DeviceSegmentedSort", memory)};
}

}  // namespace lanesort::bench
