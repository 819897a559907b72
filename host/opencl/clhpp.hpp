// SPDX-License-Identifier: MIT
// CL/opencl.hpp as this folder uses it: OpenCL 1.2, errors as exceptions.
//
// The wrappers are inline functions. A program that links lanesort and also includes CL/opencl.hpp, perhaps without
// exceptions, would have two different definitions of the same names, and the linker would keep either. Ours therefore
// live in a namespace of their own.
//
// They call OpenCL's functions by name, as this folder does, too. Here these names stand for what the loader has, so
// that nothing of OpenCL is linked (tests/structure.sh). A missing name is found there, one too many by the compiler.
//
// Where retaining fails, two of its functions leave a handle that is released all the same: assigning a copy, and a
// getInfo that gives an object. Here copies are constructed and then moved, and getInfo gives plain handles.
#pragma once

#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS

#include "loader.hpp"

#include <CL/opencl.h>

namespace lanesort::inline v0_1::opencl {

/// A function, of which the wrappers also take the address.
template <class Function>
Function& called(Function* function) {
    return *function;
}

}  // namespace lanesort::inline v0_1::opencl

#define LANESORT_CL(function) lanesort::opencl::called(lanesort::opencl::loader().function)
#define clBuildProgram LANESORT_CL(clBuildProgram)
#define clCreateBuffer LANESORT_CL(clCreateBuffer)
#define clCreateCommandQueue LANESORT_CL(clCreateCommandQueue)
#define clCreateContext LANESORT_CL(clCreateContext)
#define clCreateKernel LANESORT_CL(clCreateKernel)
#define clCreateProgramWithSource LANESORT_CL(clCreateProgramWithSource)
#define clEnqueueBarrierWithWaitList LANESORT_CL(clEnqueueBarrierWithWaitList)
#define clEnqueueCopyBuffer LANESORT_CL(clEnqueueCopyBuffer)
#define clEnqueueCopyBufferRect LANESORT_CL(clEnqueueCopyBufferRect)
#define clEnqueueReadBufferRect LANESORT_CL(clEnqueueReadBufferRect)
#define clEnqueueWriteBufferRect LANESORT_CL(clEnqueueWriteBufferRect)
#define clEnqueueFillBuffer LANESORT_CL(clEnqueueFillBuffer)
#define clEnqueueMapBuffer LANESORT_CL(clEnqueueMapBuffer)
#define clEnqueueMarkerWithWaitList LANESORT_CL(clEnqueueMarkerWithWaitList)
#define clEnqueueNDRangeKernel LANESORT_CL(clEnqueueNDRangeKernel)
#define clEnqueueReadBuffer LANESORT_CL(clEnqueueReadBuffer)
#define clEnqueueUnmapMemObject LANESORT_CL(clEnqueueUnmapMemObject)
#define clEnqueueWriteBuffer LANESORT_CL(clEnqueueWriteBuffer)
#define clFinish LANESORT_CL(clFinish)
#define clFlush LANESORT_CL(clFlush)
#define clGetCommandQueueInfo LANESORT_CL(clGetCommandQueueInfo)
#define clGetContextInfo LANESORT_CL(clGetContextInfo)
#define clGetDeviceIDs LANESORT_CL(clGetDeviceIDs)
#define clGetDeviceInfo LANESORT_CL(clGetDeviceInfo)
#define clGetEventInfo LANESORT_CL(clGetEventInfo)
#define clGetExtensionFunctionAddressForPlatform LANESORT_CL(clGetExtensionFunctionAddressForPlatform)
#define clGetKernelInfo LANESORT_CL(clGetKernelInfo)
#define clGetKernelWorkGroupInfo LANESORT_CL(clGetKernelWorkGroupInfo)
#define clGetMemObjectInfo LANESORT_CL(clGetMemObjectInfo)
#define clGetPlatformIDs LANESORT_CL(clGetPlatformIDs)
#define clGetPlatformInfo LANESORT_CL(clGetPlatformInfo)
#define clGetProgramBuildInfo LANESORT_CL(clGetProgramBuildInfo)
#define clGetProgramInfo LANESORT_CL(clGetProgramInfo)
#define clReleaseCommandQueue LANESORT_CL(clReleaseCommandQueue)
#define clReleaseContext LANESORT_CL(clReleaseContext)
#define clReleaseDevice LANESORT_CL(clReleaseDevice)
#define clReleaseEvent LANESORT_CL(clReleaseEvent)
#define clReleaseKernel LANESORT_CL(clReleaseKernel)
#define clReleaseMemObject LANESORT_CL(clReleaseMemObject)
#define clReleaseProgram LANESORT_CL(clReleaseProgram)
#define clRetainCommandQueue LANESORT_CL(clRetainCommandQueue)
#define clRetainContext LANESORT_CL(clRetainContext)
#define clRetainDevice LANESORT_CL(clRetainDevice)
#define clRetainEvent LANESORT_CL(clRetainEvent)
#define clRetainMemObject LANESORT_CL(clRetainMemObject)
#define clRetainProgram LANESORT_CL(clRetainProgram)
#define clSetKernelArg LANESORT_CL(clSetKernelArg)
#define clWaitForEvents LANESORT_CL(clWaitForEvents)

#define cl lanesort_cl
#include <CL/opencl.hpp>
#undef cl

namespace lanesort::inline v0_1::opencl {
namespace cl = ::lanesort_cl;

/// Throws cl::Error if that call gave another status than success.
inline void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) throw cl::Error(status, call);
}

/// A handle that `object` answers with; not retained.
template <class Handle, class Object>
Handle handle_of(const Object& object, cl_uint question) {
    Handle handle = nullptr;
    object.getInfo(question, &handle);
    return handle;
}

}  // namespace lanesort::inline v0_1::opencl
