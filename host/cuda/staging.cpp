#include "staging.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "../../lib/src/integers.hpp"
#include "checked.hpp"

namespace lanesort::cu {
namespace {

/// As many as it takes for a copy to keep up with the bus.
unsigned threads_that_copy() {
    constexpr unsigned enough = 8;
    return std::clamp(std::thread::hardware_concurrency(), 1u, enough);
}

}  // namespace

Staging::Piece::Piece(std::size_t bytes) {
    LANESORT_CU(cuMemHostAlloc, &memory, bytes, 0);
    if (const CUresult result = driver().cuEventCreate(&copied, CU_EVENT_DISABLE_TIMING); result != CUDA_SUCCESS) {
        driver().cuMemFreeHost(memory);
        check(result, "cuEventCreate");
    }
}

Staging::Piece::Piece(Piece&& other) noexcept
    : memory(std::exchange(other.memory, nullptr)), copied(std::exchange(other.copied, nullptr)) {}

Staging::Piece::~Piece() {
    if (!memory) return;
    driver().cuEventDestroy(copied);
    driver().cuMemFreeHost(memory);
}

Staging::Staging(std::size_t piece_bytes) : piece_bytes_(piece_bytes), threads_(threads_that_copy()) {}
Staging::~Staging() = default;

void Staging::release() noexcept { pieces_.clear(); }

bool Staging::is_for(const void* array, std::size_t bytes) {
    if (bytes < least_bytes) return false;
    unsigned kind = 0;
    const CUresult result =
        driver().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(array));
    if (result != CUDA_ERROR_INVALID_VALUE) {  // CUDA knows it, so it is not pageable
        check(result, "cuPointerGetAttribute");
        return false;
    }
    try {
        while (pieces_.size() < pieces) pieces_.emplace_back(piece_bytes_);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        pieces_.clear();
        return false;
    }
    return true;
}

void Staging::upload(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    const auto* const source = static_cast<const std::byte*>(from);
    for (std::size_t done = 0, turn = 0; done < bytes; done += piece_bytes_, ++turn) {
        const Piece& piece = pieces_[turn % pieces];
        const std::size_t size = std::min(piece_bytes_, bytes - done);
        LANESORT_CU(cuEventSynchronize, piece.copied);
        copy(piece.memory, source + done, size);
        LANESORT_CU(cuMemcpyHtoDAsync, to + done, piece.memory, size, stream);
        LANESORT_CU(cuEventRecord, piece.copied, stream);
    }
}

void Staging::download(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    auto* const target = static_cast<std::byte*>(to);
    const std::size_t turns = ceil_div(bytes, piece_bytes_);
    const auto size_of = [&](std::size_t turn) { return std::min(piece_bytes_, bytes - turn * piece_bytes_); };
    const auto fetch = [&](std::size_t turn) {
        const Piece& piece = pieces_[turn % pieces];
        LANESORT_CU(cuMemcpyDtoHAsync, piece.memory, from + turn * piece_bytes_, size_of(turn), stream);
        LANESORT_CU(cuEventRecord, piece.copied, stream);
    };
    // What still goes to the device from the pieces was enqueued before, on the same stream.
    for (std::size_t turn = 0; turn < std::min(turns, pieces); ++turn) fetch(turn);
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Piece& piece = pieces_[turn % pieces];
        LANESORT_CU(cuEventSynchronize, piece.copied);
        copy(target + turn * piece_bytes_, piece.memory, size_of(turn));
        if (turn + pieces < turns) fetch(turn + pieces);
    }
}

void Staging::copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t share = std::size_t{128} << 10;
    threads_.share_out(ceil_div(bytes, share), [&](std::uint64_t first, std::uint64_t end, unsigned) {
        const std::size_t begin = first * share;
        std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                    std::min<std::size_t>(end * share, bytes) - begin);
    });
}

}  // namespace lanesort::cu
