// SPDX-License-Identifier: MIT
// lanesort/cuda.hpp.
#include <lanesort/cuda.hpp>

#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/sorter_core.hpp"
#include "checked.hpp"
#include "host.hpp"
#include "platform.hpp"

namespace lanesort::inline v0_1::cu {

Sorter make_sorter(int device, SorterOptions options) {
    return Sorter(
        std::make_unique<detail::SorterCore>(std::make_unique<Host>(device_of_number(device)), std::move(options)));
}

int device_of(const void* memory) {
    device_of_number(0);
    int number = 0;
    const CUresult result = driver().cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                           reinterpret_cast<CUdeviceptr>(memory));
    detail::require(result != CUDA_ERROR_INVALID_VALUE, ErrorCode::invalid_argument,
                    "the pointer is not one to CUDA memory");
    check(result, "cuPointerGetAttribute");
    return number;
}

}  // namespace lanesort::inline v0_1::cu
