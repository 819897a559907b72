#include "staging.hpp"

#include <utility>

#include "checked.hpp"

namespace lanesort::opencl {

bool Staging::is_for(std::size_t bytes, std::size_t least) {
    if (bytes < least) return false;
    try {
        checked([&] {
            if (!maps_()) maps_ = cl::CommandQueue(context_, device_);
            while (pieces_.size() < cpu::PiecewiseCopy::pieces) {
                cl::Buffer buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, copies_.piece_bytes());
                void* const memory =
                    maps_.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, copies_.piece_bytes());
                pieces_.push_back({std::move(buffer), memory, {}});
            }
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        release();
        return false;
    }
    return true;
}

template <class Copy>
void Staging::forgetting_failures(const cl::CommandQueue& queue, const Copy& copy) {
    try {
        copy();
    } catch (...) {
        clFinish(queue());
        for (Piece& piece : pieces_) piece.copied = {};
        throw;
    }
}

void Staging::upload(const cl::CommandQueue& queue, const cl::Buffer& to, std::size_t offset, const void* from,
                     std::size_t bytes, std::vector<cl::Event>& ends) {
    forgetting_failures(queue, [&] {
        copies_.up(pieces_, from, bytes, [&](Piece& piece, std::size_t done, std::size_t size) {
            cl::Event copied;
            queue.enqueueWriteBuffer(to, CL_FALSE, offset + done, size, piece.memory, nullptr, &copied);
            queue.flush();
            ends.push_back(copied);
            piece.copied = std::move(copied);
        });
    });
}

void Staging::download(const cl::CommandQueue& queue, void* to, const cl::Buffer& from, std::size_t offset,
                       std::size_t bytes) {
    forgetting_failures(queue, [&] {
        copies_.down(pieces_, to, bytes, [&](Piece& piece, std::size_t done, std::size_t size) {
            cl::Event copied;
            queue.enqueueReadBuffer(from, CL_FALSE, offset + done, size, piece.memory, nullptr, &copied);
            queue.flush();
            piece.copied = std::move(copied);
        });
    });
}

void Staging::release() noexcept {
    for (const Piece& piece : pieces_)
        clEnqueueUnmapMemObject(maps_(), piece.buffer(), piece.memory, 0, nullptr, nullptr);
    if (!pieces_.empty()) clFinish(maps_());
    pieces_.clear();
}

}  // namespace lanesort::opencl
