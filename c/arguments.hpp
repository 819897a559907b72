// The structures of lanesort.h in the terms of the C++ headers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "call.hpp"

namespace lanesort::c {

/// The keys of a call. Owns the comparator, so it must last as long as what kind() gave.
class Keys {
public:
    /// Throws Error(invalid_argument) where the range is null, or its type, its order or its comparator are none.
    explicit Keys(const lanesort_key_range* range);
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;

    KeyKind kind() const noexcept { return comparator_ ? KeyKind(*comparator_) : KeyKind(type_); }
    Order order() const noexcept { return order_; }
    bool stable() const noexcept { return range_.stable != 0; }
    std::size_t first() const noexcept { return range_.first > 0 ? range_.first : all_keys; }
    std::size_t offset_bytes() const noexcept { return range_.segments.bytes > 0 ? range_.segments.bytes : 8; }
    /// What needs no translation.
    const lanesort_key_range& range() const noexcept { return range_; }

private:
    const lanesort_key_range& range_;
    std::optional<Comparator> comparator_;
    KeyType type_ = KeyType::u32;
    Order order_ = Order::ascending;
};

/// For a call that gives a report, which the sorter keeps.
template <class Call>
lanesort_status reported(lanesort_sorter* sorter, const lanesort_key_range* range, const Call& call) noexcept {
    return guarded([&] {
        Sorter& on = sorter_of(sorter);
        sorter->report = call(on, Keys(range));
    });
}

/// What else a call on a device's memory names, in the structures of one backend; `Handle` is what it knows memory by.
/// Throws Error(invalid_argument) for what is null and must not be.
template <class Handle, class ValueRange, class Integers, class Selected, class Distinct>
struct PlacesOf {
    static ValueRange values(const lanesort_values& values) {
        return {static_cast<Handle>(values.memory), values.offset, values.bytes > 0 ? values.bytes : 4};
    }
    static ValueRange values(const lanesort_values* given_values, const char* what) {
        return values(*given(given_values, what));
    }
    static Integers integers(const lanesort_integers& integers) {
        return {static_cast<Handle>(integers.memory), integers.offset};
    }
    static Integers result(const lanesort_integers* result) { return integers(*given(result, "the result")); }
    static Selected selected(const lanesort_selected* selected) {
        given(selected, "where the selected keys go");
        return {static_cast<Handle>(selected->memory), selected->offset, values(selected->indices)};
    }
    static Distinct distinct(const lanesort_distinct* distinct) {
        given(distinct, "where the distinct keys go");
        return {static_cast<Handle>(distinct->memory), distinct->offset, integers(distinct->number)};
    }
};

SorterOptions options_of(const lanesort_options* options);

/// The events of a wait list. Throws Error(invalid_argument) for one that is null, but not empty.
template <class Event>
std::span<const Event> events_of(const Event* wait_list, std::size_t waits) {
    if (waits > 0) given(wait_list, "the wait list");
    return {wait_list, waits};
}

}  // namespace lanesort::c
