#include "staging.hpp"

#include <utility>

#include "checked.hpp"

namespace lanesort::cu {
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

void Staging::Piece::wait() const { LANESORT_CU(cuEventSynchronize, copied); }

Staging::Staging(std::size_t piece_bytes) : copies_(piece_bytes) {}
Staging::~Staging() = default;

void Staging::release() noexcept { pieces_.clear(); }

bool Staging::is_for(const void* array, std::size_t bytes, std::size_t least) {
    if (bytes < least) return false;
    unsigned kind = 0;
    const CUresult result =
        driver().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(array));
    if (result != CUDA_ERROR_INVALID_VALUE) {  // CUDA knows it, so it is not pageable
        check(result, "cuPointerGetAttribute");
        return false;
    }
    try {
        while (pieces_.size() < pieces) pieces_.emplace_back(copies_.piece_bytes());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        pieces_.clear();
        return false;
    }
    return true;
}

void Staging::upload(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    copies_.up(pieces_, from, bytes, [&](const Piece& piece, std::size_t offset, std::size_t size) {
        LANESORT_CU(cuMemcpyHtoDAsync, to + offset, piece.memory, size, stream);
        LANESORT_CU(cuEventRecord, piece.copied, stream);
    });
}

void Staging::download(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    copies_.down(pieces_, to, bytes, [&](const Piece& piece, std::size_t offset, std::size_t size) {
        LANESORT_CU(cuMemcpyDtoHAsync, piece.memory, from + offset, size, stream);
        LANESORT_CU(cuEventRecord, piece.copied, stream);
    });
}

}  // namespace lanesort::cu
