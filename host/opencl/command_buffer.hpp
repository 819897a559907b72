// SPDX-License-Identifier: MIT
// Records a work as a command buffer of the extension cl_khr_command_buffer.
#pragma once

#include <vector>

#include "clhpp.hpp"
#include "executor.hpp"
#include "program.hpp"

#include <CL/cl_ext.h>

namespace lanesort::inline v0_1::opencl {

/// The extension's functions on one platform; they are not exported by the loader.
struct CommandBufferFunctions {
    clCreateCommandBufferKHR_fn create = nullptr;
    clReleaseCommandBufferKHR_fn release = nullptr;
    clFinalizeCommandBufferKHR_fn finalize = nullptr;
    clCommandNDRangeKernelKHR_fn kernel = nullptr;
    clEnqueueCommandBufferKHR_fn enqueue = nullptr;

    bool complete() const noexcept { return create && release && finalize && kernel && enqueue; }
};

/// The launches of a work, each of which waits for the one before it.
class CommandBuffer {
public:
    /// The queue's device has the extension, and the queue the properties that it requires; and the work has nothing
    /// but launches: a later version of the extension gave the functions that record copies another parameter, so what
    /// the headers declare may not be what the driver has.
    static bool supported(const cl::CommandQueue& queue, const detail::Work& work);

    explicit CommandBuffer(cl::CommandQueue queue);
    ~CommandBuffer();
    CommandBuffer(const CommandBuffer&) = delete;
    CommandBuffer& operator=(const CommandBuffer&) = delete;

    /// Records the work, once. Its arrays, the own ones too, are bound.
    void record(const detail::Work& work, const detail::Bindings& bindings);

    /// It can be enqueued now: the last time has ended, or the device can have it pending more than once.
    bool ready() const;

    /// Enqueues what was recorded, after the events; gives its end.
    cl::Event enqueue(const std::vector<cl::Event>& wait_list);

private:
    cl::CommandQueue queue_;
    // One for each launch: PoCL 3.1 reads a kernel's arguments when the command runs, not when it is recorded.
    std::vector<cl::Kernel> kernels_;
    CommandBufferFunctions functions_;
    cl_command_buffer_khr commands_ = nullptr;
    bool simultaneous_ = false;
    cl::Event last_;
};

}  // namespace lanesort::inline v0_1::opencl
