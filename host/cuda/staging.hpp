// Large arrays in pageable host memory on their way to a CUDA device and back.
#pragma once

#include <cstddef>
#include <vector>

#include "../cpu/piecewise.hpp"
#include "driver.hpp"

namespace lanesort::cu {

/// Pinned pieces of host memory, and threads that copy into and out of them. One thread calls it, with the context
/// current; a call uses nothing of what an earlier one left.
class Staging {
public:
    static constexpr std::size_t least_bytes = cpu::PiecewiseCopy::least_bytes;
    static constexpr std::size_t pieces = cpu::PiecewiseCopy::pieces;

    explicit Staging(std::size_t piece_bytes = cpu::PiecewiseCopy::usual_piece);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// An array of so many bytes there is to be staged, and there is pinned memory for it: `pieces` of the bytes of
    /// one, which are kept.
    bool is_for(const void* array, std::size_t bytes, std::size_t least = least_bytes);

    // Of arrays that it is for.

    /// Returns when all is read; the device has it when the stream has come so far.
    void upload(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream);
    /// Returns when all is there.
    void download(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);
    /// Gives the pinned memory back. Nothing may be under way.
    void release() noexcept;

private:
    struct Piece {
        explicit Piece(std::size_t bytes);
        Piece(Piece&& other) noexcept;
        ~Piece();
        void wait() const;

        void* memory = nullptr;
        CUevent copied = nullptr;  ///< to the device or from it
    };

    cpu::PiecewiseCopy copies_;
    std::vector<Piece> pieces_;
};

}  // namespace lanesort::cu
