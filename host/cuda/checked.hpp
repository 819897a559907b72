// SPDX-License-Identifier: MIT
// The one place where failed CUDA calls become errors of the library.
#pragma once

#include <lanesort/error.hpp>

#include "driver.hpp"

namespace lanesort::inline v0_1::cu {

/// Throws the library's error for a failed call, naming the call and its status.
void check(CUresult result, const char* call);

/// Calls a function of the driver and checks its result.
#define LANESORT_CU(function, ...) ::lanesort::cu::check(::lanesort::cu::driver().function(__VA_ARGS__), #function)

/// The device's primary context is current for as long as this lives; the caller's comes back afterwards.
class CurrentContext {
public:
    explicit CurrentContext(CUcontext context) { LANESORT_CU(cuCtxPushCurrent, context); }
    ~CurrentContext() { driver().cuCtxPopCurrent(&context_); }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    CUcontext context_ = nullptr;
};

/// The same for what must not fail; the context may be gone already (cudaDeviceReset, the end of the process).
class ContextAtEnd {
public:
    explicit ContextAtEnd(CUcontext context) : is_current_(driver().cuCtxPushCurrent(context) == CUDA_SUCCESS) {}
    ~ContextAtEnd() {
        CUcontext popped = nullptr;
        if (is_current_) driver().cuCtxPopCurrent(&popped);
    }
    ContextAtEnd(const ContextAtEnd&) = delete;
    ContextAtEnd& operator=(const ContextAtEnd&) = delete;

private:
    bool is_current_;
};

}  // namespace lanesort::inline v0_1::cu
