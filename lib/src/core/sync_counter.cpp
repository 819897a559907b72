// SPDX-License-Identifier: MIT
#include "sync_counter.hpp"

#include <fmt/core.h>

#include <lanesort/error.hpp>

namespace lanesort::inline v0_1::detail {

void add(SyncCounts& counted, const Pass& pass, const PassCounters& counters) {
    if (counters.groups != pass.groups || counters.hand_overs % pass.groups || counters.barriers % pass.groups)
        throw Error(ErrorCode::device_failed,
                    fmt::format("of {} work-groups {} ended, with {} hand-overs and {} barriers in all", pass.groups,
                                counters.groups, counters.hand_overs, counters.barriers));
    counted.all += counters.hand_overs / pass.groups;
    counted.barriers += counters.barriers / pass.groups;
}

}  // namespace lanesort::inline v0_1::detail
