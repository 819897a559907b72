// SPDX-License-Identifier: MIT
// Dates and times in text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The fraction of its second that a time has, from its point on: ".5", or nothing.
std::string_view fraction_of_time(std::string_view text) noexcept;

/// An ISO 8601 date, or a date and a time, as whole microseconds since 1970 in UTC; nothing if it is neither. A time
/// is one of UTC unless an offset follows it: 2024-05-01, 2024-05-01T12:30, 2024-05-01 12:30:00.25+02:00.
std::optional<std::int64_t> parse_iso_time(std::string_view text) noexcept;
