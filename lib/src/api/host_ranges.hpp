// SPDX-License-Identifier: MIT
// Views of host memory (lanesort/keys.hpp) as the ranges that calls are built of.
#pragma once

#include <variant>

#include <lanesort/calls.hpp>
#include <lanesort/keys.hpp>

namespace lanesort::inline v0_1::detail {

/// Keys, and as much of a range as the options say. A call changes keys only where its operation does.
template <class Options = std::monostate>
KeyRangeIn<void*> range_of(const ConstKeys& keys, const Options& options = {}) {
    KeyRangeIn<void*> range{.memory = const_cast<void*>(keys.data()), .count = keys.size(), .type = keys.kind()};
    range.parameter.memory = const_cast<void*>(keys.kind().parameter());
    if constexpr (requires { options.order; }) range.order = options.order;
    if constexpr (requires { options.row_length; }) range.row_length = options.row_length;
    if constexpr (requires { options.segments; })
        if (!options.segments.empty())
            range.segments = {.memory = const_cast<std::uint64_t*>(options.segments.data()),
                              .count = options.segments.size() - 1,
                              .bytes = sizeof(std::uint64_t)};
    if constexpr (requires { options.stable; }) range.stable = options.stable;
    if constexpr (requires { options.first; }) range.first = options.first;
    if constexpr (requires { options.schedule; }) range.schedule = options.schedule;
    if constexpr (requires { options.data_independent; }) range.data_independent = options.data_independent;
    if constexpr (requires { options.extra_bytes; }) range.extra_bytes = options.extra_bytes;
    if constexpr (requires { options.nan_last; }) range.nan_last = options.nan_last;
    return range;
}

/// Elements of any view.
template <class View>
ValueRangeIn<void*> elements_of(const View& view) {
    return {const_cast<void*>(view.data()), 0, view.bytes(), view.size(), view.type()};
}

}  // namespace lanesort::inline v0_1::detail
