// Runs a plan on an OpenCL command queue.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../../lib/src/executor.hpp"
#include "../../lib/src/key_order.hpp"
#include "../../lib/src/launch.hpp"
#include "clhpp.hpp"
#include "program.hpp"

namespace lanesort::opencl {

/// A part of a buffer.
struct Array {
    cl::Buffer buffer = {};    ///< null where there is none
    std::uint64_t offset = 0;  ///< elements before the first one
};

/// What a plan is run on. Arrays may lie in one buffer.
struct Arrays {
    Array keys;
    std::uint64_t count = 0;  ///< of all keys
    KeyCoding coding;
    Array values = {}, numbers = {};
    Array segments = {};  ///< where each begins, and where the last one ends
};

/// Sets the arguments of the pass's kernel but for the counters; returns how many there are.
cl_uint set_arguments(cl::Kernel& kernel, const detail::Launch& launch, const Arrays& arrays);

/// The array of the keys as launches see it.
detail::KeyArray key_array(const Arrays& arrays);

/// All work-items of a pass, and those of one work-group.
struct Ranges {
    cl::NDRange global, local;
};
Ranges ranges(const Pass& pass, const Plan& plan);

/// Enqueues one launch a pass; does not wait. Works on in-order and out-of-order queues.
class QueueExecutor final : public Executor {
public:
    QueueExecutor(Program& program, cl::CommandQueue queue, Arrays arrays, std::vector<cl::Event> wait_list = {});

    void run(const Plan& plan) override;

    /// Launches that were enqueued.
    std::uint64_t launches() const noexcept { return launches_; }
    /// The end of the last pass; null for an empty plan.
    const cl::Event& finished() const noexcept { return finished_; }

    /// Called after a pass was enqueued, with its event.
    std::function<void(const Pass&, const cl::Event&)> after_enqueue;
    /// The buffer of the counting kernels; only for a program with count_sync.
    cl::Buffer counters;

private:
    void enqueue(const Pass& pass, const Plan& plan);

    Program& program_;
    cl::CommandQueue queue_;
    bool in_order_;
    Arrays arrays_;
    std::vector<cl::Event> wait_list_;
    std::uint64_t launches_ = 0;
    cl::Event finished_;
};

/// Enqueues a selection from `from` into `to`, of which keys and, if there are any, numbers count; `left_over` is what
/// passes leave for each other, null if there is but one. Gives its end.
cl::Event enqueue_selection(Program& program, const cl::CommandQueue& queue, const detail::Selection& selection,
                            const Arrays& from, const Arrays& left_over, const Arrays& to,
                            std::vector<cl::Event> wait_list = {});

}  // namespace lanesort::opencl
