// SPDX-License-Identifier: MIT
// Conditions that callers have to meet.
#pragma once

#include <fmt/core.h>

#include <lanesort/error.hpp>

namespace lanesort::inline v0_1::detail {

/// Throws that error unless it holds. Every call comes by, so the sentence is only made where it is needed.
template <class... Arguments>
void require(bool holds, ErrorCode code, fmt::format_string<const Arguments&...> sentence,
             const Arguments&... arguments) {
    if (!holds) throw Error(code, fmt::format(sentence, arguments...));
}

}  // namespace lanesort::inline v0_1::detail
