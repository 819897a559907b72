// SPDX-License-Identifier: MIT
// A rank whose memory runs out, wherever that is, is an error on all ranks, and none waits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/mpi.hpp>

#include "communicator.hpp"
#include "large/ranks/calls.hpp"
#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;

namespace {

/// Of this thread's allocations the one that fails; 0: none.
thread_local std::size_t allocations_left = 0;
/// So do all behind it.
thread_local bool stays_out = false, is_out = false;

/// What a call on such a rank ends in.
std::optional<ErrorCode> code_of(const std::function<void()>& call) {
    std::optional<ErrorCode> code;
    try {
        call();
    } catch (const Error& error) {
        code = error.code();
    } catch (const std::bad_alloc&) {
        // There was none for the sentence.
        if (stays_out) code = ErrorCode::out_of_memory;
    }
    is_out = false;
    return code;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (allocations_left > 0 && --allocations_left == 0) {
        is_out = stays_out;
        throw std::bad_alloc();
    }
    if (is_out) throw std::bad_alloc();
    if (void* const memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("ranks: memory of one rank that runs out is an error on all, and nobody waits") {
    if (are_many()) return;
    const int victim = ranks() / 2;
    std::vector<std::uint32_t> given(rank() == 0 ? 310 : 300), keys, best(20);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<std::uint32_t>(i * 7919 % 1000);
    std::vector<std::uint64_t> indices(given.size());
    const mpi::Options columns{.piece_bytes = 400, .schedule = Schedule::columns},
        network{.piece_bytes = 400, .schedule = Schedule::network}, splitters{.schedule = Schedule::distribution};
    // As in device memory, whose messages are staged.
    const auto on_device = [&](const AnyCall& call) {
        mpi::Communicator on(MPI_COMM_WORLD);
        mpi::run_on_device(on, sorter(), {sorter().device().backend.c_str(), nullptr, true, call}, {.piece_bytes = 400},
                           true);
    };
    const auto range = [&](Schedule schedule) {
        KeyRangeIn<void*> some{.memory = keys.data(), .count = keys.size(), .type = KeyType::u32};
        some.schedule = schedule;
        return some;
    };
    const ValueRangeIn<void*> index_range{indices.data(), 0, 8};
    const std::function<void()> calls[] = {
        [&] { mpi::sort(MPI_COMM_WORLD, sorter(), keys, columns); },
        [&] { mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, indices, network); },
        [&] { mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, indices, splitters); },
        [&] { mpi::argsort(MPI_COMM_WORLD, sorter(), keys, indices, columns); },
        [&] { mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best, Indices(indices.data(), best.size(), 8)); },
        [&] { on_device(lanesort::sort(range(Schedule::columns))); },
        [&] { on_device(lanesort::argsort(range(Schedule::network), index_range)); },
        [&] { on_device(lanesort::sort(range(Schedule::distribution))); },
        [&] {
            on_device(lanesort::top_k(range(Schedule::automatic), best.size(), {best.data(), 0, index_range}));
        }};
    for (std::size_t c = 0; c < 2 * std::size(calls); ++c) {
        const std::size_t i = c / 2;
        stays_out = c % 2 == 1;
        // What is planned once and kept, so that the numbers below are those of one call.
        keys = given;
        calls[i]();
        for (std::size_t number = 1;; ++number) {
            CAPTURE(i);
            CAPTURE(number);
            CAPTURE(stays_out);
            keys = given;
            allocations_left = rank() == victim ? number : 0;
            const std::optional<ErrorCode> code = code_of(calls[i]);
            std::uint64_t is_met = rank() == victim && allocations_left == 0 ? 1 : 0;
            allocations_left = 0;
            MPI_Bcast(&is_met, 1, MPI_UINT64_T, victim, MPI_COMM_WORLD);
            if (is_met == 0) {
                // The call has fewer allocations than that.
                CHECK(!code);
                break;
            }
            if (rank() == victim) CHECK(code == ErrorCode::out_of_memory);
            else CHECK((code == ErrorCode::out_of_memory || code == ErrorCode::device_failed));
        }
    }
}
