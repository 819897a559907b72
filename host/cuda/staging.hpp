// Large arrays in pageable host memory on their way to the device and back: through pinned memory, piece by piece.
#pragma once

#include <cstddef>
#include <vector>

#include "../cpu/threads.hpp"
#include "driver.hpp"

namespace lanesort::cu {

/// Pinned pieces of host memory, and threads that copy into and out of them: while the device copies one piece, they
/// copy another. A driver that is given pageable memory does the same with one thread, which takes several times as
/// long as the bus. One thread calls it, with the context current; a call uses nothing of what an earlier one left.
class Staging {
public:
    /// Arrays of fewer bytes are as fast without: it takes a piece's time to begin and to end.
    static constexpr std::size_t least_bytes = std::size_t{32} << 20;
    static constexpr std::size_t pieces = 3;

    explicit Staging(std::size_t piece_bytes = std::size_t{8} << 20);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// An array of so many bytes there is to be staged, and there is pinned memory for it: `pieces` of the bytes of
    /// one, which are kept.
    bool is_for(const void* array, std::size_t bytes);

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

        void* memory = nullptr;
        CUevent copied = nullptr;  ///< to the device or from it
    };

    void copy(void* to, const void* from, std::size_t bytes);

    std::size_t piece_bytes_;
    cpu::Threads threads_;
    std::vector<Piece> pieces_;
};

}  // namespace lanesort::cu
