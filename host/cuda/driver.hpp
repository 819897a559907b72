// SPDX-License-Identifier: MIT
// The CUDA driver and NVRTC, found at run time: the library links neither and runs without them.
#pragma once

#include <cuda.h>
#include <nvrtc.h>

#include <string>

namespace lanesort::inline v0_1::cu {

// The functions that are used. cuda.h renames some of them to newer versions (cuMemAlloc to cuMemAlloc_v2); the name as
// expanded is the one that is looked up.
// clang-format off
#define LANESORT_CUDA_FUNCTIONS(use)                                                                                  \
    use(cuInit) use(cuDriverGetVersion) use(cuGetErrorName) use(cuGetErrorString) use(cuDeviceGetCount)               \
    use(cuDeviceGet) use(cuDeviceGetName) use(cuDeviceGetAttribute) use(cuDeviceTotalMem)                             \
    use(cuDevicePrimaryCtxRetain) use(cuDevicePrimaryCtxRelease) use(cuCtxPushCurrent) use(cuCtxPopCurrent)           \
    use(cuModuleLoadData) use(cuModuleUnload) use(cuModuleGetFunction) use(cuFuncGetAttribute)                        \
    use(cuFuncSetAttribute) use(cuLaunchKernelEx) use(cuMemAlloc) use(cuMemFree) use(cuMemsetD32Async)                \
    use(cuMemPoolCreate) use(cuMemPoolSetAttribute) use(cuMemPoolDestroy) use(cuMemAllocFromPoolAsync)                \
    use(cuMemFreeAsync) use(cuMemcpyDtoDAsync) use(cuMemcpy2DAsync) use(cuMemsetD8Async)                              \
    use(cuMemcpyHtoDAsync) use(cuMemcpyDtoHAsync) use(cuPointerGetAttribute) use(cuStreamCreate)                      \
    use(cuStreamDestroy) use(cuStreamSynchronize) use(cuStreamGetCtx) use(cuStreamWaitEvent)                          \
    use(cuStreamBeginCapture) use(cuStreamEndCapture) use(cuEventCreate) use(cuEventDestroy) use(cuEventRecord)       \
    use(cuEventSynchronize) use(cuGraphInstantiateWithFlags) use(cuGraphLaunch) use(cuGraphExecDestroy)               \
    use(cuGraphDestroy) use(cuCtxSynchronize) use(cuMemPoolTrimTo) use(cuMemPoolSetAccess) use(cuMemPoolGetAccess)    \
    use(cuDeviceCanAccessPeer) use(cuCtxEnablePeerAccess) use(cuMemHostAlloc) use(cuMemFreeHost)                      \
    use(cuMemHostRegister) use(cuMemHostUnregister) use(cuPointerGetAttributes)                            \
    use(cuEventQuery)

#define LANESORT_NVRTC_FUNCTIONS(use)                                                                                 \
    use(nvrtcVersion) use(nvrtcGetErrorString) use(nvrtcCreateProgram) use(nvrtcDestroyProgram)                       \
    use(nvrtcCompileProgram) use(nvrtcGetProgramLogSize) use(nvrtcGetProgramLog) use(nvrtcGetCUBINSize)               \
    use(nvrtcGetCUBIN)
// clang-format on

/// The driver's functions, under their plain names.
struct Driver {
#define LANESORT_DECLARE(function) decltype(&::function) function = nullptr;
    LANESORT_CUDA_FUNCTIONS(LANESORT_DECLARE)
    std::string absence;  ///< why there is no driver; empty if there is one
};

/// The run-time compiler's functions.
struct Compiler {
    LANESORT_NVRTC_FUNCTIONS(LANESORT_DECLARE)
#undef LANESORT_DECLARE
    std::string absence;
};

/// Loaded and initialised by the first call.
const Driver& driver();
const Compiler& compiler();

/// The same tables, for tests that put functions of their own into them.
Driver& changeable_driver();
Compiler& changeable_compiler();

}  // namespace lanesort::inline v0_1::cu
