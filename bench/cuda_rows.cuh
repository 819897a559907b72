// Where rows of equal length begin, for sorts of segments.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "cuda_trial.cuh"

namespace lanesort::bench {

/// The first key of a row, computed rather than read.
struct RowBegin {
    std::int64_t row_keys;
    __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * row_keys; }
};

inline auto row_begins(const Problem& problem) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                           RowBegin{static_cast<std::int64_t>(problem.row)});
}

}  // namespace lanesort::bench
