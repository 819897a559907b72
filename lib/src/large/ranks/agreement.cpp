// SPDX-License-Identifier: MIT
#include "agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

namespace lanesort::inline v0_1::mpi {

std::string Description::text() const {
    return fmt::format(
        "asks for {}{} of {} keys of type {} in {} memory, {}, with {} bytes for each key, pieces of {} bytes and "
        "schedule "
        "{}{}",
        name(operation), wanted > 0 ? fmt::format(" ({})", wanted) : "", count, name(type),
        on_device ? "device" : "host", order == Order::ascending ? "ascending" : "descending", value_bytes, piece_bytes,
        name(schedule), data_independent ? ", data-independent" : "");
}

void require(bool holds, const char* sentence) {
    if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
}

void check_way(std::uint64_t piece_bytes, Schedule schedule, bool data_independent) {
    require(piece_bytes > 0 && piece_bytes <= most_bytes, "pieces have no bytes, or more than 2^30");
    require(!data_independent || schedule != Schedule::distribution, "a distribution is not data-independent");
}

void check_messages(std::int64_t messages) {
    require(messages >= 0 && messages <= static_cast<std::int64_t>(DeviceMessages::staged),
            "there are no such messages");
}

void check_splitters(std::uint64_t count) {
    if (count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        throw Error(ErrorCode::too_large, fmt::format("a rank has {} keys; by splitters, none may have 2^31", count));
}

void Steps::rethrow() const {
    try {
        std::rethrow_exception(failure_);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "there is no memory for this rank's part of the sort");
    }
}

void Steps::agree(Ranks& ranks) const {
    const bool any = ranks.any(failure_ != nullptr);
    if (failure_) rethrow();
    if (any) throw Error(ErrorCode::device_failed, "the sort failed on another rank, which says why");
}

std::vector<Description> agreed(Ranks& ranks, Description mine, Steps& steps) {
    steps([&] { check_way(mine.piece_bytes, mine.schedule, mine.data_independent != 0); });
    if (steps.failure()) {
        mine.is_refused = 1;
        mine.refusal = static_cast<std::uint8_t>(ErrorCode::device_failed);
        try {
            std::rethrow_exception(steps.failure());
        } catch (const Error& error) {
            mine.refusal = static_cast<std::uint8_t>(error.code());
        } catch (const std::bad_alloc&) {
            mine.refusal = static_cast<std::uint8_t>(ErrorCode::out_of_memory);
        } catch (...) {
        }
    }
    // A rank that has no room for what all say cannot take part in that.
    std::vector<Description> all;
    Steps room;
    room([&] { all.resize(ranks.size()); });
    room.agree(ranks);
    ranks.all_gather(reinterpret_cast<const std::byte*>(&mine), reinterpret_cast<std::byte*>(all.data()), sizeof(mine));
    const auto refused = std::ranges::find_if(all, [](const Description& one) { return one.is_refused != 0; });
    if (refused != all.end()) {
        const auto code = static_cast<ErrorCode>(refused->refusal);
        try {
            if (steps.failure()) steps.rethrow();
        } catch (const Error& error) {
            if (error.code() == code) throw;
            throw Error(code, error.what(), error.call(), error.status(), error.build_log());
        }
        throw Error(code, fmt::format("rank {} was refused, and its error says why", refused - all.begin()));
    }
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!all[i].agrees(all[0]))
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("the ranks disagree: rank 0 {}, and rank {} {}", all[0].text(), i, all[i].text()));
    return all;
}

void refuse(Ranks& ranks, const std::exception_ptr& why) {
    Steps steps;
    steps([&] { std::rethrow_exception(why); });
    agreed(ranks, {}, steps);
}

Intervals intervals_of(const std::vector<Description>& all) {
    return intervals(all.size(), [&](std::uint64_t i) { return all[i].count; });
}

}  // namespace lanesort::inline v0_1::mpi
