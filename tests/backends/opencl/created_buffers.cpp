// SPDX-License-Identifier: MIT
// The program's own clCreateBuffer stands before the loader's: it counts, then calls the loader's.
#include "created_buffers.hpp"

#include <dlfcn.h>

#include <atomic>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace {
std::atomic<std::size_t> number, bytes;
}

extern "C" cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
                                             cl_int* status) {
    static const auto loaders = reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    ++number;
    bytes += size;
    return loaders(context, flags, size, host_ptr, status);
}

namespace lanesort::test {

CreatedBuffers created_buffers() { return {number, bytes}; }

}  // namespace lanesort::test
