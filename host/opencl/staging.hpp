// Large arrays in host memory on their way to an OpenCL device and back.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "../cpu/piecewise.hpp"
#include "clhpp.hpp"

namespace lanesort::opencl {

/// Pieces of host memory that the runtime allocates, which drivers of graphics cards pin and copy as fast as the bus
/// is; and threads that copy into and out of them. One thread calls it.
class Staging {
public:
    static constexpr std::size_t least_bytes = cpu::PiecewiseCopy::least_bytes;

    Staging(cl::Context context, cl::Device device, std::size_t piece_bytes = cpu::PiecewiseCopy::usual_piece)
        : context_(std::move(context)), device_(std::move(device)), copies_(piece_bytes) {}
    ~Staging() { release(); }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// An array of so many bytes is to be staged, and there is memory for the pieces, which are kept. OpenCL does not
    /// tell what is pinned already: that is staged, too.
    bool is_for(std::size_t bytes, std::size_t least = least_bytes);

    // Of arrays that it is for; offsets are in bytes.

    /// Returns when all is read; the device has it when the queue has come so far. Appends what is to be waited for.
    void upload(const cl::CommandQueue& queue, const cl::Buffer& to, std::size_t offset, const void* from,
                std::size_t bytes, std::vector<cl::Event>& ends);
    /// Returns when all is there.
    void download(const cl::CommandQueue& queue, void* to, const cl::Buffer& from, std::size_t offset,
                  std::size_t bytes);
    /// Gives the memory back. Nothing may be under way.
    void release() noexcept;

private:
    struct Piece {
        cl::Buffer buffer;
        void* memory = nullptr;
        cl::Event copied;  ///< to the device or from it; none before the first time

        void wait() {
            if (copied()) copied.wait();
        }
    };
    /// Copies that failed are no later call's.
    template <class Copy>
    void forgetting_failures(const cl::CommandQueue& queue, const Copy& copy);

    cl::Context context_;
    cl::Device device_;
    cpu::PiecewiseCopy copies_;
    cl::CommandQueue maps_;
    std::vector<Piece> pieces_;
};

}  // namespace lanesort::opencl
