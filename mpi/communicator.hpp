// SPDX-License-Identifier: MIT
// The ranks of an MPI communicator. Calls that fail throw.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/mpi.hpp>

#include "large/ranks/transport.hpp"

namespace lanesort::inline v0_1::mpi {

/// Throws Error(device_failed) unless the status is MPI_SUCCESS.
inline void checked(int status, const char* call) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw Error(ErrorCode::device_failed, fmt::format("{} failed: {}", call, text), call, status);
}

/// A duplicate of the caller's communicator.
class Communicator final : public Ranks {
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
                        "the communicator is between two groups, but its ranks must be those of one");
        checked(MPI_Comm_dup(of, &own_), "MPI_Comm_dup");
        MPI_Comm_rank(own_, &rank_);
        MPI_Comm_size(own_, &size_);
    }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() override { MPI_Comm_free(&own_); }

    std::uint64_t rank() const override { return static_cast<std::uint64_t>(rank_); }
    std::uint64_t size() const override { return static_cast<std::uint64_t>(size_); }

    void all_gather(const std::byte* mine, std::byte* all, std::uint64_t bytes) override {
        const int n = static_cast<int>(bytes);
        checked(MPI_Allgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, own_), "MPI_Allgather");
    }
    void add(std::span<std::uint64_t> numbers) override {
        checked(
            MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM, own_),
            "MPI_Allreduce");
    }
    void add_below(std::span<std::uint64_t> numbers) override {
        checked(MPI_Exscan(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM, own_),
                "MPI_Exscan");
        // Of the first rank, MPI leaves them as they are or undefined.
        if (rank_ == 0)
            for (std::uint64_t& number : numbers) number = 0;
    }
    void all_to_all(const std::byte* from, std::byte* to, std::uint64_t bytes) override {
        const int n = static_cast<int>(bytes);
        checked(MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, own_), "MPI_Alltoall");
    }
    void all_to_all(const std::byte* from, const Parts& sent, std::byte* to, const Parts& received,
                    std::size_t width) override {
        MPI_Datatype element = MPI_DATATYPE_NULL;
        checked(MPI_Type_contiguous(static_cast<int>(width), MPI_BYTE, &element), "MPI_Type_contiguous");
        MPI_Type_commit(&element);
        const int status = MPI_Alltoallv(from, sent.counts.data(), sent.begins.data(), element, to,
                                         received.counts.data(), received.begins.data(), element, own_);
        MPI_Type_free(&element);
        checked(status, "MPI_Alltoallv");
    }
    void broadcast(std::byte* data, std::uint64_t bytes) override {
        in_messages(bytes,
                    [&](std::uint64_t at, int n) { checked(MPI_Bcast(data + at, n, MPI_BYTE, 0, own_), "MPI_Bcast"); });
    }
    void expect_messages(std::uint64_t messages) override { requests_.reserve(messages); }
    void exchange(const std::vector<Message>& received, const std::vector<Message>& sent) override {
        requests_.clear();
        const auto next = [&] { return &requests_.emplace_back(MPI_REQUEST_NULL); };
        for (const auto& [rank, data, bytes] : received)
            in_messages(bytes, [&, from = static_cast<int>(rank), place = data](std::uint64_t at, int n) {
                checked(MPI_Irecv(place + at, n, MPI_BYTE, from, 0, own_, next()), "MPI_Irecv");
            });
        for (const auto& [rank, data, bytes] : sent)
            in_messages(bytes, [&, to = static_cast<int>(rank), place = data](std::uint64_t at, int n) {
                checked(MPI_Isend(place + at, n, MPI_BYTE, to, 0, own_, next()), "MPI_Isend");
            });
        checked(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }

private:
    MPI_Comm own_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 0;
    std::vector<MPI_Request> requests_;  ///< of an exchange
};

}  // namespace lanesort::inline v0_1::mpi
