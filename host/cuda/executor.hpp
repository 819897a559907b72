// Runs a plan on a CUDA stream.
#pragma once

#include <cstdint>
#include <functional>

#include "../../lib/src/executor.hpp"
#include "../../lib/src/key_order.hpp"
#include "driver.hpp"
#include "program.hpp"

namespace lanesort::cuda {

/// A part of device memory.
struct Array {
    CUdeviceptr memory = 0;    ///< null where there is none
    std::uint64_t offset = 0;  ///< elements before the first one
};

/// What a plan is run on.
struct Arrays {
    Array keys;
    std::uint64_t count = 0;  ///< of all keys
    KeyCoding coding;
    Array values = {}, numbers = {};
    Array segments = {};  ///< where each begins, and where the last one ends
};

/// Enqueues one launch a pass; does not wait. The context of program and stream is current.
class StreamExecutor final : public Executor {
public:
    StreamExecutor(const Program& program, CUstream stream, Arrays arrays);

    void run(const Plan& plan) override;

    /// Launches that were enqueued.
    std::uint64_t launches() const noexcept { return launches_; }

    /// Called after a pass was enqueued.
    std::function<void(const Pass&)> after_enqueue;
    /// The memory of the counting kernels; only for a program with count_sync.
    CUdeviceptr counters = 0;

private:
    void enqueue(const Pass& pass, const Plan& plan);

    const Program& program_;
    CUstream stream_;
    Arrays arrays_;
    std::uint64_t launches_ = 0;
};

/// Enqueues a selection from `from` into `to`, of which keys and, if there are any, numbers count; `left_over` is what
/// passes leave for each other, null if there is but one.
void enqueue_selection(const Program& program, CUstream stream, const detail::Selection& selection, const Arrays& from,
                       const Arrays& left_over, const Arrays& to);

}  // namespace lanesort::cuda
