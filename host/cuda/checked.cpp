// SPDX-License-Identifier: MIT
#include "checked.hpp"

#include <fmt/core.h>

namespace lanesort::inline v0_1::cu {
namespace {

ErrorCode code_of(CUresult result) {
    switch (result) {
        case CUDA_ERROR_OUT_OF_MEMORY: return ErrorCode::out_of_memory;
        case CUDA_ERROR_INVALID_CONTEXT:
        case CUDA_ERROR_CONTEXT_IS_DESTROYED: return ErrorCode::wrong_context;
        case CUDA_ERROR_NO_DEVICE:
        case CUDA_ERROR_INVALID_DEVICE: return ErrorCode::no_device;
        default: return ErrorCode::device_failed;
    }
}

}  // namespace

void check(CUresult result, const char* call) {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    const char* text = nullptr;
    driver().cuGetErrorName(result, &name);
    driver().cuGetErrorString(result, &text);
    throw Error(code_of(result),
                fmt::format("{} failed: {} ({}, {})", call, text ? text : "unknown error", name ? name : "?",
                            static_cast<int>(result)),
                call, static_cast<int>(result));
}

}  // namespace lanesort::inline v0_1::cu
