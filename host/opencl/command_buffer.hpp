// Records a plan as a command buffer of the extension cl_khr_command_buffer.
#pragma once

#include <vector>

#include "../../lib/src/executor.hpp"
#include "clhpp.hpp"
#include "executor.hpp"
#include "program.hpp"

#include <CL/cl_ext.h>

namespace lanesort::opencl {

/// The extension's functions on one platform; they are not exported by the loader.
struct CommandBufferFunctions {
    clCreateCommandBufferKHR_fn create = nullptr;
    clReleaseCommandBufferKHR_fn release = nullptr;
    clFinalizeCommandBufferKHR_fn finalize = nullptr;
    clCommandNDRangeKernelKHR_fn command_kernel = nullptr;
    clEnqueueCommandBufferKHR_fn enqueue = nullptr;

    bool complete() const noexcept { return create && release && finalize && command_kernel && enqueue; }
};

/// Records one launch a pass; each waits for the one before it.
class CommandBufferExecutor final : public Executor {
public:
    /// The queue's device has the extension, and the queue the properties that it requires.
    static bool supported(const cl::CommandQueue& queue);

    CommandBufferExecutor(Program& program, cl::CommandQueue queue, Arrays arrays);
    ~CommandBufferExecutor() override;

    /// Records the plan, once.
    void run(const Plan& plan) override;

    /// It can be enqueued now: the last time has ended, or the device can have it pending more than once.
    bool ready() const;

    /// Enqueues what was recorded, after the events; gives its end.
    cl::Event enqueue(const std::vector<cl::Event>& wait_list);

private:
    Program& program_;
    cl::CommandQueue queue_;
    Arrays arrays_;
    // One for each launch: PoCL 3.1 reads a kernel's arguments when the command runs, not when it is recorded.
    std::vector<cl::Kernel> kernels_;
    CommandBufferFunctions functions_;
    cl_command_buffer_khr commands_ = nullptr;
    bool simultaneous_ = false;
    cl::Event last_;
};

}  // namespace lanesort::opencl
