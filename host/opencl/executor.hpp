// SPDX-License-Identifier: MIT
// Runs a work on an OpenCL command queue.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "../../lib/src/core/work.hpp"
#include "clhpp.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::opencl {

/// A work's own arrays in device memory. The runtime keeps what is enqueued on them until that has ended.
class OwnArrays {
public:
    /// Allocates, and binds them.
    OwnArrays(const cl::Context& context, const detail::Arrays& arrays, detail::Bindings& bindings);

private:
    std::vector<cl::Buffer> buffers_;
};

/// The memory of a slot.
cl_mem buffer_of(const detail::Bindings& bindings, detail::Slot slot) noexcept;

/// Sets what differs from the last ones. Of a pass, if its kernel takes them so, all integers are one argument.
void set_arguments(const cl::Kernel& kernel, const detail::Launch& launch, bool integers_in_one,
                   const detail::Bindings& bindings, LastArguments& last);

/// All work-items of a launch, and those of one work-group.
struct Ranges {
    std::size_t global, local;
};
Ranges ranges(const detail::Work& work, const detail::Launch& launch);

/// A copy's places in bytes from the start of its buffers.
struct CopyPlaces {
    std::size_t from, to;
};
CopyPlaces places(const detail::Work& work, const detail::Copy& copy, const detail::Bindings& bindings);

/// Enqueues the commands one after the other; does not wait. Works on in-order and out-of-order queues.
class QueueExecutor {
public:
    explicit QueueExecutor(cl::CommandQueue queue);

    /// Gives the end of the last command, or nothing if nobody asks for it; of a work without any, a marker behind the
    /// events. The caller's and the work's own arrays are bound.
    cl::Event run(const detail::Work& work, const detail::Bindings& bindings, std::vector<cl::Event> wait_list = {});

    /// Kernels that were enqueued.
    std::uint64_t launches() const noexcept { return launches_; }

    /// Somebody asks for the end: on an in-order queue an event takes a third of the time of a launch.
    bool gives_end = true;

    /// Called with the event of each launch.
    std::function<void(const cl::Event&)> after_launch;

private:
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Command& command,
                 const std::vector<cl::Event>& wait_list, cl::Event* event);

    cl::CommandQueue queue_;
    bool in_order_;
    std::uint64_t launches_ = 0;
};

}  // namespace lanesort::inline v0_1::opencl
