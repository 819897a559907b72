// SPDX-License-Identifier: MIT
// Runs a work on a CUDA stream.
#pragma once

#include <cstdint>
#include <functional>

#include "../../lib/src/core/work.hpp"
#include "driver.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::cu {

/// Where the first element of a slot's array lies.
CUdeviceptr place_of(const detail::Work& work, const detail::Bindings& bindings, detail::Slot slot) noexcept;

/// Enqueues a copy of rows: at once where the driver copies such rows so, else row by row.
void copy_rows(const CUDA_MEMCPY2D& rows, CUstream stream);

/// Enqueues the commands; does not wait. The context of programs and stream is current.
class StreamExecutor {
public:
    explicit StreamExecutor(CUstream stream) : stream_(stream) {}

    /// The caller's and the work's own arrays are bound.
    void run(const detail::Work& work, const detail::Bindings& bindings);

    /// Kernels that were enqueued.
    std::uint64_t launches() const noexcept { return launches_; }

    /// Called after each launch.
    std::function<void()> after_launch;

private:
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Launch& launch);
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Copy& copy);
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Zero& zero);

    CUstream stream_;
    std::uint64_t launches_ = 0;
    bool follows_ = false;  ///< the latest command was a launch
};

}  // namespace lanesort::inline v0_1::cu
