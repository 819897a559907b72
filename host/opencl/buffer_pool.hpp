// SPDX-License-Identifier: MIT
// Buffers for the arrays that works take for themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../lib/src/core/work.hpp"
#include "clhpp.hpp"

namespace lanesort::inline v0_1::opencl {

/// Keeps buffers until what uses them has ended, and gives them to the next call. NVIDIA's runtime waits for that end
/// where a buffer is released earlier, and takes time to bring a new one to the device.
class BufferPool {
public:
    struct Taken {
        cl::Buffer buffer;
        std::uint64_t bytes;
    };

    /// Binds a work's own arrays to buffers that the queue's next commands may use. Frees idle ones, but for a few.
    std::vector<Taken> take(const cl::Context& context, const cl::CommandQueue& queue, const detail::Arrays& arrays,
                            detail::Bindings& bindings);
    /// Takes them back; `end` is that of the last command that uses them.
    void give_back(std::vector<Taken> taken, const cl::CommandQueue& queue, cl::Event end);
    /// Frees idle ones: they make room.
    void trim() noexcept;
    /// Frees all.
    void release() noexcept { kept_.clear(); }

private:
    struct Kept {
        Taken taken;
        cl_command_queue queue;  ///< whose commands used it: only to be compared
        std::shared_ptr<const cl::Event> end;
    };
    Taken take(const cl::Context& context, cl_command_queue in_order, std::uint64_t bytes);

    std::vector<Kept> kept_;
};

}  // namespace lanesort::inline v0_1::opencl
