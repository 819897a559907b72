// Large arrays in pageable host memory on their way to a device and back: through pinned memory, piece by piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>

#include "../../lib/src/integers.hpp"
#include "../../lib/src/threads.hpp"

namespace lanesort::cpu {

/// Threads that copy into pinned pieces and out of them: while the device copies one piece, they copy another. A driver
/// that is given pageable memory does the same with one thread, which takes several times as long as the bus.
///
/// A piece has its `memory`, and its wait() returns when no copy of the device's uses it any more. One thread at a time
/// calls.
class PiecewiseCopy {
public:
    /// Arrays of fewer bytes are as fast without: it takes a piece's time to begin and to end.
    static constexpr std::size_t least_bytes = std::size_t{32} << 20;
    static constexpr std::size_t pieces = 3;
    static constexpr std::size_t usual_piece = std::size_t{8} << 20;

    explicit PiecewiseCopy(std::size_t piece_bytes) : piece_bytes_(piece_bytes), threads_(threads_that_copy()) {}

    std::size_t piece_bytes() const noexcept { return piece_bytes_; }

    /// Calls send(piece, offset, size), which enqueues a copy to that place in the device's memory, for all pieces of
    /// an array. Returns when all is read.
    template <class Pieces, class Send>
    void up(Pieces& pieces_of_it, const void* from, std::size_t bytes, const Send& send) {
        for (std::size_t done = 0, turn = 0; done < bytes; done += piece_bytes_, ++turn) {
            auto& piece = pieces_of_it[turn % pieces];
            const std::size_t size = std::min(piece_bytes_, bytes - done);
            piece.wait();
            copy(piece.memory, static_cast<const std::byte*>(from) + done, size);
            send(piece, done, size);
        }
    }

    /// Calls fetch(piece, offset, size), which enqueues a copy from that place. Returns when all is there.
    template <class Pieces, class Fetch>
    void down(Pieces& pieces_of_it, void* to, std::size_t bytes, const Fetch& fetch) {
        const std::size_t turns = ceil_div(bytes, piece_bytes_);
        const auto size_of = [&](std::size_t turn) { return std::min(piece_bytes_, bytes - turn * piece_bytes_); };
        for (std::size_t turn = 0; turn < std::min(turns, pieces); ++turn) {
            pieces_of_it[turn].wait();  // another queue may still send it
            fetch(pieces_of_it[turn], turn * piece_bytes_, size_of(turn));
        }
        for (std::size_t turn = 0; turn < turns; ++turn) {
            auto& piece = pieces_of_it[turn % pieces];
            piece.wait();
            copy(static_cast<std::byte*>(to) + turn * piece_bytes_, piece.memory, size_of(turn));
            const std::size_t next = turn + pieces;
            if (next < turns) fetch(piece, next * piece_bytes_, size_of(next));
        }
    }

private:
    /// As many as it takes for a copy to keep up with the bus.
    static unsigned threads_that_copy() {
        constexpr unsigned enough = 8;
        return std::clamp(std::thread::hardware_concurrency(), 1u, enough);
    }

    void copy(void* to, const void* from, std::size_t bytes) {
        constexpr std::size_t share = std::size_t{128} << 10;
        threads_.share_out(ceil_div(bytes, share), [&](std::uint64_t first, std::uint64_t end, unsigned) {
            const std::size_t begin = first * share;
            std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                        std::min<std::size_t>(end * share, bytes) - begin);
        });
    }

    std::size_t piece_bytes_;
    detail::Threads threads_;
};

}  // namespace lanesort::cpu
