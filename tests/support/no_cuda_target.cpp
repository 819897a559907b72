// SPDX-License-Identifier: MIT
// The CUDA devices of a library that was built without CUDA's headers.
#include "target.hpp"

namespace lanesort::test {

Targets cuda_targets() { return {}; }

}  // namespace lanesort::test
