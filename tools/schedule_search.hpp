// SPDX-License-Identifier: MIT
// From how many keys on `lanesort tune` has a distribution sort.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

/// How many times as fast as the data-independent schedules a distribution sorts so many keys; nothing where it cannot,
/// or where there is no time to see.
using DistributionGain = std::function<std::optional<double>(std::uint64_t count)>;

/// Returns the least count from which on a distribution is at least `needed` times as fast, as far as counts from
/// `most` down to `least` tell: halves of each other, and between the last two of them to an eighth. ShapeTable::no_end
/// where it is not even for `most` keys; nothing where these cannot be sorted so.
std::optional<std::uint64_t> find_distribution_limit(std::uint64_t least, std::uint64_t most, double needed,
                                                     const DistributionGain& gain);
