// Conditions that callers have to meet.
#pragma once

#include <string>

#include <lanesort/error.hpp>

namespace lanesort::detail {

/// Throws that error unless it holds.
inline void require(bool holds, ErrorCode code, const std::string& sentence) {
    if (!holds) throw Error(code, sentence);
}

}  // namespace lanesort::detail
