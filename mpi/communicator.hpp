// What a sort across ranks asks of MPI: a communicator of its own, on which calls that fail throw.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/mpi.hpp>

namespace lanesort::mpi {

/// Throws Error(device_failed) unless the status is MPI_SUCCESS.
inline void checked(int status, const char* call) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw Error(ErrorCode::device_failed, fmt::format("{} failed: {}", call, text), call, status);
}

/// A duplicate of the caller's communicator.
class Communicator {
public:
    explicit Communicator(MPI_Comm of) {
        int is_initialized = 0, is_finalized = 0, is_between_groups = 0;
        MPI_Initialized(&is_initialized);
        MPI_Finalized(&is_finalized);
        if (!is_initialized || is_finalized)
            throw Error(ErrorCode::invalid_argument,
                        "MPI is not running: call MPI_Init before, and MPI_Finalize after");
        if (of == MPI_COMM_NULL) throw Error(ErrorCode::invalid_argument, "the communicator is MPI_COMM_NULL");
        checked(MPI_Comm_test_inter(of, &is_between_groups), "MPI_Comm_test_inter");
        if (is_between_groups)
            throw Error(ErrorCode::invalid_argument,
                        "the communicator is between two groups; a sort takes the ranks of one");
        checked(MPI_Comm_dup(of, &own_), "MPI_Comm_dup");
        MPI_Comm_rank(own_, &rank_);
        MPI_Comm_size(own_, &size_);
    }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() { MPI_Comm_free(&own_); }

    std::uint64_t rank() const noexcept { return static_cast<std::uint64_t>(rank_); }
    std::uint64_t size() const noexcept { return static_cast<std::uint64_t>(size_); }

    /// The same number of bytes of every rank, in the order of the ranks.
    template <class T>
    std::vector<T> gather(const T& mine) const {
        std::vector<T> all(size());
        checked(MPI_Allgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, own_), "MPI_Allgather");
        return all;
    }
    /// Whether this is so on any rank.
    bool any(bool mine) const {
        int one = mine, all = 0;
        checked(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MAX, own_), "MPI_Allreduce");
        return all != 0;
    }
    /// As many bytes to and from every rank.
    void all_to_all(const std::byte* from, std::byte* to, std::uint64_t bytes) const {
        checked(MPI_Alltoall(from, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(bytes), MPI_BYTE, own_),
                "MPI_Alltoall");
    }
    /// As many bytes to and from one rank.
    void exchange(std::uint64_t with, const std::byte* from, std::byte* to, std::uint64_t bytes) const {
        const int n = static_cast<int>(bytes), peer = static_cast<int>(with);
        checked(MPI_Sendrecv(from, n, MPI_BYTE, peer, 0, to, n, MPI_BYTE, peer, 0, own_, MPI_STATUS_IGNORE),
                "MPI_Sendrecv");
    }
    void broadcast(std::byte* data, std::uint64_t bytes) const {
        for (std::uint64_t at = 0; at < bytes; at += most)
            checked(MPI_Bcast(data + at, part(at, bytes), MPI_BYTE, 0, own_), "MPI_Bcast");
    }
    void send(std::uint64_t to, const std::byte* data, std::uint64_t bytes) const {
        for (std::uint64_t at = 0; at < bytes; at += most)
            checked(MPI_Send(data + at, part(at, bytes), MPI_BYTE, static_cast<int>(to), 0, own_), "MPI_Send");
    }
    void receive(std::uint64_t from, std::byte* data, std::uint64_t bytes) const {
        for (std::uint64_t at = 0; at < bytes; at += most)
            checked(MPI_Recv(data + at, part(at, bytes), MPI_BYTE, static_cast<int>(from), 0, own_, MPI_STATUS_IGNORE),
                    "MPI_Recv");
    }

    /// Messages that are on their way together.
    class Pending {
    public:
        explicit Pending(const Communicator& on) noexcept : on_(on.own_) {}
        void send(std::uint64_t to, const std::byte* data, std::uint64_t bytes) {
            for (std::uint64_t at = 0; at < bytes; at += most)
                checked(MPI_Isend(data + at, part(at, bytes), MPI_BYTE, static_cast<int>(to), 0, on_, next()),
                        "MPI_Isend");
        }
        void receive(std::uint64_t from, std::byte* data, std::uint64_t bytes) {
            for (std::uint64_t at = 0; at < bytes; at += most)
                checked(MPI_Irecv(data + at, part(at, bytes), MPI_BYTE, static_cast<int>(from), 0, on_, next()),
                        "MPI_Irecv");
        }
        void wait() {
            checked(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
                    "MPI_Waitall");
            requests_.clear();
        }

    private:
        MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

        MPI_Comm on_;
        std::vector<MPI_Request> requests_;
    };

    /// Messages that `bytes` bytes to one rank take.
    static constexpr std::uint64_t messages(std::uint64_t bytes) noexcept { return (bytes + most - 1) / most; }

private:
    /// Bytes of a message, whose number MPI takes as an int.
    static constexpr std::uint64_t most = std::uint64_t{1} << 30;
    static int part(std::uint64_t at, std::uint64_t bytes) noexcept {
        return static_cast<int>(bytes - at < most ? bytes - at : most);
    }

    MPI_Comm own_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 0;
};

}  // namespace lanesort::mpi
