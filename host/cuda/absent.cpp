// SPDX-License-Identifier: MIT
// The CUDA backend of a library that was built without CUDA's headers.
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "../../lib/src/core/backend.hpp"

namespace lanesort::inline v0_1 {
namespace {

constexpr const char* sentence = "CUDA cannot be used: the library was built without CUDA's headers";

}  // namespace

namespace cu {

Installation installation() { return {sentence, sentence, 0, 0, false}; }

Sorter make_sorter(int, SorterOptions) { throw Error(ErrorCode::no_device, sentence); }

int device_of(const void*) { throw Error(ErrorCode::no_device, sentence); }

}  // namespace cu

namespace detail {

Discovery discover_cuda() { return {{}, {}, {sentence}}; }

}  // namespace detail
}  // namespace lanesort::inline v0_1
