// SPDX-License-Identifier: MIT
// The structures of lanesort.h in the terms of the C++ headers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include <lanesort/cuda.hpp>
#include <lanesort/opencl.hpp>

#include "call.hpp"

struct lanesort_recorded {
    std::variant<lanesort::opencl::Recorded, lanesort::cu::Recorded> call;
};

namespace lanesort::inline v0_1::c {

/// A request as a call. Owns the texts, so it must last as long as the call.
class CallOf {
public:
    /// Throws Error(invalid_argument) where the request is null, its operation, type, order or comparator are
    /// none, or a member is not zero that the operation does not use.
    explicit CallOf(const lanesort_request* request);
    CallOf(const CallOf&) = delete;
    CallOf& operator=(const CallOf&) = delete;

    /// The call on memory of that kind.
    template <class Memory>
    CallIn<Memory> in() const {
        return {call_};
    }
    const Request& request() const noexcept { return call_.request; }

private:
    std::optional<Comparator> comparator_;
    std::optional<Predicate> predicate_;
    std::optional<BinaryOperator> binary_operator_;
    AnyCall call_;
};

SorterOptions options_of(const lanesort_options* options);

/// The events of a wait list. Throws Error(invalid_argument) for one that is null, but not empty.
template <class Event>
std::span<const Event> events_of(const Event* wait_list, std::size_t waits) {
    if (waits > 0) given(wait_list, "the wait list");
    return {wait_list, waits};
}

/// Enqueues a recorded call of that backend.
template <class Recorded, class Event, class EndEvent>
lanesort_status replayed(lanesort_recorded* recorded, std::size_t waits, const Event* wait_list,
                         EndEvent event) noexcept {
    return guarded([&] {
        auto* const call = std::get_if<Recorded>(&given(recorded, "the recorded call")->call);
        if (!call) throw Error(ErrorCode::unsupported, "the call was recorded for another backend");
        call->enqueue(events_of(wait_list, waits), event);
    });
}

}  // namespace lanesort::inline v0_1::c
