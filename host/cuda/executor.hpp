// Runs a plan on a CUDA stream.
#pragma once

#include <cstdint>
#include <functional>

#include "../../lib/src/executor.hpp"
#include "../../lib/src/key_order.hpp"
#include "driver.hpp"
#include "program.hpp"

namespace lanesort::cuda {

/// Keys in device memory, and the values that belong to them.
struct Keys {
    CUdeviceptr memory = 0;
    std::uint64_t offset = 0;  ///< keys before the first one
    KeyCoding coding;
    CUdeviceptr values = 0;           ///< null where there are none
    std::uint64_t values_offset = 0;  ///< values before the first one
};

/// Enqueues one launch a pass; does not wait. The context of program and stream is current.
class StreamExecutor final : public Executor {
public:
    StreamExecutor(const Program& program, CUstream stream, Keys keys);

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
    Keys keys_;
    std::uint64_t launches_ = 0;
};

}  // namespace lanesort::cuda
