// SPDX-License-Identifier: MIT
// Wall time, for reports.
#pragma once

#include <chrono>
#include <utility>

namespace lanesort::inline v0_1::detail {

class Stopwatch {
public:
    /// Seconds since the start or the last lap.
    double lap() {
        const auto now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

}  // namespace lanesort::inline v0_1::detail
