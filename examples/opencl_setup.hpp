// SPDX-License-Identifier: MIT
// What the OpenCL examples share: a device, a context, a queue and kernels of the caller's own. Nothing here is
// lanesort's.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

/// The first GPU, or else the first device.
inline cl::Device first_device() {
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        // The loader found no platform.
    }
    for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
        for (const cl::Platform& platform : platforms) {
            cl_device_id device = nullptr;
            if (clGetDeviceIDs(platform(), type, 1, &device, nullptr) == CL_SUCCESS) return cl::Device(device);
        }
    throw std::runtime_error("there is no OpenCL device");
}

struct OpenCl {
    cl::Device device = first_device();
    cl::Context context{device};
    cl::CommandQueue queue{context, device};  ///< in-order: each command begins when the one before it has ended

    cl::Program build(const std::string& source) const {
        cl::Program program(context, source);
        try {
            program.build(device);
        } catch (const cl::Error&) {
            throw std::runtime_error("the kernels do not compile:\n" +
                                     program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
        }
        return program;
    }

    template <class T>
    cl::Buffer buffer(std::size_t count) const {
        return cl::Buffer(context, CL_MEM_READ_WRITE, count * sizeof(T));
    }

    /// Enqueues a download into `values`, which must stay until it has ended: see WaitAtEnd.
    template <class T>
    void download(const cl::Buffer& from, std::vector<T>& values) const {
        queue.enqueueReadBuffer(from, CL_FALSE, 0, values.size() * sizeof(T), values.data());
    }
};

/// Waits for all commands of the queue when it goes out of scope, also where a call between them has thrown. What was
/// declared before it, such as the memory that they read and write and the sorter, is destroyed after that.
class WaitAtEnd {
public:
    explicit WaitAtEnd(const cl::CommandQueue& queue) : queue_(queue) {}
    ~WaitAtEnd() { clFinish(queue_()); }
    WaitAtEnd(const WaitAtEnd&) = delete;
    WaitAtEnd& operator=(const WaitAtEnd&) = delete;

private:
    cl::CommandQueue queue_;
};

/// What went wrong, for a person.
inline std::string describe(const std::exception& error) {
    const auto* failed_call = dynamic_cast<const cl::Error*>(&error);
    return failed_call ? std::string(error.what()) + " gave status " + std::to_string(failed_call->err())
                       : error.what();
}
