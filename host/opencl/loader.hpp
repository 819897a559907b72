// SPDX-License-Identifier: MIT
// OpenCL's loader, libOpenCL, found at run time: the library does not link it and runs without it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace lanesort::inline v0_1::opencl {

// The functions that are used; clhpp.hpp names them again. All of them are of OpenCL 1.2.
// clang-format off
#define LANESORT_OPENCL_FUNCTIONS(use)                                                                                \
    use(clBuildProgram) use(clCreateBuffer) use(clCreateCommandQueue) use(clCreateContext) use(clCreateKernel)        \
    use(clCreateProgramWithSource) use(clEnqueueCopyBuffer) use(clEnqueueCopyBufferRect) use(clEnqueueFillBuffer)     \
    use(clEnqueueMapBuffer) use(clEnqueueMarkerWithWaitList) use(clEnqueueNDRangeKernel) use(clEnqueueReadBuffer)         \
    use(clEnqueueReadBufferRect) use(clEnqueueWriteBufferRect) use(clEnqueueBarrierWithWaitList)                      \
    use(clEnqueueUnmapMemObject) use(clEnqueueWriteBuffer) use(clFinish) use(clFlush) use(clGetCommandQueueInfo)      \
    use(clGetContextInfo) use(clGetDeviceIDs) use(clGetDeviceInfo) use(clGetEventInfo)                                \
    use(clGetExtensionFunctionAddressForPlatform) use(clGetKernelInfo) use(clGetKernelWorkGroupInfo)                  \
    use(clGetMemObjectInfo) use(clGetPlatformIDs) use(clGetPlatformInfo) use(clGetProgramBuildInfo)                   \
    use(clGetProgramInfo) use(clReleaseCommandQueue) use(clReleaseContext) use(clReleaseDevice) use(clReleaseEvent)   \
    use(clReleaseKernel) use(clReleaseMemObject) use(clReleaseProgram) use(clRetainCommandQueue) use(clRetainContext) \
    use(clRetainDevice) use(clRetainEvent) use(clRetainMemObject) use(clRetainProgram) use(clSetKernelArg)            \
    use(clWaitForEvents)
// clang-format on

/// The loader's functions, under their plain names.
struct Loader {
#define LANESORT_DECLARE(function) decltype(&::function) function = nullptr;
    LANESORT_OPENCL_FUNCTIONS(LANESORT_DECLARE)
#undef LANESORT_DECLARE
    std::string absence;  ///< why there is no loader; empty if there is one
};

/// Loaded by the first call.
const Loader& loader();

}  // namespace lanesort::inline v0_1::opencl
