// SPDX-License-Identifier: MIT
// The schedules on sorted ranges.
#include <doctest/doctest.h>

#include "devices_made_up.hpp"
#include "ops/compact/sorted_ranges_schedule.hpp"

namespace lanesort::detail {
namespace {

constexpr SortedRangesTask all_tasks[] = {SortedRangesTask::is_sorted, SortedRangesTask::is_sorted_until,
                                          SortedRangesTask::unique, SortedRangesTask::run_lengths};

/// Devices with large, small and very small work-groups.
std::vector<DeviceInfo> devices() {
    DeviceInfo small = test::graphics_card(), least = test::graphics_card();
    small.max_work_items = 24;
    least.local_bytes = 1000;
    return {test::processor(), test::graphics_card(), small, least};
}

TEST_CASE("runs: shares of whole tiles cover each key once, and no more of them than is documented") {
    for (const DeviceInfo& device : devices())
        for (const std::size_t bytes : {1, 4, 8, 12, 64})
            for (const SortedRangesTask task : all_tasks)
                for (const std::uint64_t rows : {0, 1, 7, 10'000})
                    for (const std::uint64_t count :
                         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2047}, std::uint64_t{2048},
                          std::uint64_t{1'000'003}, std::uint64_t{1} << 33}) {
                        CAPTURE(device.max_work_items);
                        CAPTURE(bytes);
                        CAPTURE(rows);
                        CAPTURE(count);
                        const bool tests_order = task <= SortedRangesTask::is_sorted_until;
                        if (!tests_order && rows != 1) continue;
                        const SortedRangesSchedule schedule =
                            make_sorted_ranges_schedule(device, bytes, task, rows, count);
                        const Shape& shape = schedule.shape;
                        const std::uint64_t tile = std::uint64_t{shape.work_items} * shape.vectors;
                        CHECK(shape.work_items >= 1);
                        CHECK(shape.work_items <= device.max_work_items);
                        CHECK(equal_runs_local_bytes(shape) <= std::max<std::size_t>(device.local_bytes, 8 + 3 * 16));
                        CHECK(tile <= 1 << 16);  // kernels/compact/equal_runs.cl has places of 16 bits
                        CHECK(schedule.share % tile == 0);
                        CHECK(schedule.parts * schedule.share >= count);
                        CHECK((schedule.parts - 1) * schedule.share < std::max<std::uint64_t>(count, 1));
                        const std::uint64_t most = 16 * device.compute_units;
                        CHECK(rows * schedule.parts <= std::max(rows, most));
                        CHECK(schedule.left_over() <= (tests_order ? most : 2 * most));
                    }
}

}  // namespace
}  // namespace lanesort::detail
