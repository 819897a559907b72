// A caller's call on a device's memory in the terms of the core.
#pragma once

#include <lanesort/calls.hpp>

#include "backend.hpp"

namespace lanesort::detail {

template <class Memory>
Bindings bindings_of(const CallIn<Memory>& call) {
    Bindings bindings;
    const auto bind = [&](Slot slot, const typename CallIn<Memory>::Place& place) {
        bindings[slot] = {place.memory, place.offset};
    };
    bind(Slot::keys, call.keys);
    bind(Slot::values, call.values);
    bind(Slot::indices, call.indices);
    bind(Slot::segments, call.segments);
    bind(Slot::results, call.results);
    bind(Slot::lengths, call.lengths);
    bind(Slot::answers, call.answers);
    return bindings;
}

/// The queue with its wait list; events of any backend are pointers.
template <class Handle, class Event>
Queue queue_of(Handle queue, std::span<Event> wait_list) {
    static_assert(sizeof(Event) == sizeof(void*));
    return {queue, {reinterpret_cast<void* const*>(wait_list.data()), wait_list.size()}};
}

}  // namespace lanesort::detail
