// SPDX-License-Identifier: MIT
/// @file
/// What a call did.
#pragma once

#include <cstdint>

#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

/// What one call did. Only the synchronisations of sorts, merges and selections are counted; those of segments as if
/// all were as long as the longest, though the work-groups of shorter ones may end early. Where the device works in
/// host memory, giving it back counts as sorting. What a distribution synchronises depends on the keys: of its
/// hand-overs and barriers only those of the network that sorts its leaves are counted, as if there were leaves of
/// every size. Of arrays that are sorted in parts, to copy them counts as sorting, too, since it goes on meanwhile. Of
/// keys that are sorted while others are copied, only the time counts as sorting when no copy of many keys goes on.
struct SortReport {
    std::uint64_t launches = 0;      ///< kernels launched
    std::uint64_t hand_overs = 0;    ///< points where the work-items of a group synchronised, over all launches
    std::uint64_t barriers = 0;      ///< barriers that each work-item met, over all launches
    std::uint64_t device_bytes = 0;  ///< device memory that the call allocated
    double upload_seconds = 0;       ///< wall time to the device; 0 where it works in host memory
    double sort_seconds = 0;         ///< wall time of all passes; 0 for asynchronous calls
    double download_seconds = 0;     ///< wall time from the device; 0 where it works in host memory
    Schedule schedule = Schedule::automatic;  ///< that a sort of one range, or of its indices, took; automatic: none
};

}  // namespace lanesort::inline v0_1
