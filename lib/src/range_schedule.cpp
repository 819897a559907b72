#include "range_schedule.hpp"

#include <algorithm>

#include "integers.hpp"

namespace lanesort::detail {
RangeSchedule make_range_schedule(const DeviceInfo& device, std::size_t key_bytes, RangeTask task, std::uint64_t rows,
                                  std::uint64_t count) {
    const bool is_processor = device.kind == DeviceKind::cpu;
    RangeSchedule schedule{task, rows, count, 0, 1, {}};
    Shape& shape = schedule.shape;
    shape.work_items = is_processor ? 1 : 256;
    // A tile is read twice: the second time it is still in the first-level cache.
    shape.vectors = is_processor ? 2048 : key_bytes <= 8 ? 16 : 4;
    while (shape.work_items > 1 &&
           (shape.work_items > device.max_work_items || equal_runs_local_bytes(shape) > device.local_bytes))
        shape.work_items /= 2;

    // So few shares that one work-group can look through what they leave.
    const std::uint64_t tile = std::uint64_t{shape.work_items} * shape.vectors;
    const std::uint64_t groups = std::uint64_t{device.compute_units} * (is_processor ? 4 : 16);
    const std::uint64_t most_parts = std::clamp<std::uint64_t>(groups / std::max<std::uint64_t>(rows, 1), 1, 1 << 16);
    const std::uint64_t tiles = std::max<std::uint64_t>(ceil_div(count, tile), 1);
    schedule.share = ceil_div(tiles, most_parts) * tile;
    schedule.parts = std::max<std::uint64_t>(ceil_div(count, schedule.share), 1);
    return schedule;
}

std::size_t order_local_bytes(const Shape& shape) noexcept { return 8 * std::size_t{shape.work_items}; }

std::size_t equal_runs_local_bytes(const Shape& shape) noexcept {
    return std::size_t{shape.work_items} * (8 + 3 * std::size_t{shape.vectors});
}

}  // namespace lanesort::detail
