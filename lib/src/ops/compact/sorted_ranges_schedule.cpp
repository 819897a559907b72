// SPDX-License-Identifier: MIT
#include "sorted_ranges_schedule.hpp"

#include <algorithm>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
SortedRangesSchedule make_sorted_ranges_schedule(const DeviceInfo& device, std::size_t key_bytes, SortedRangesTask task,
                                                 std::uint64_t rows, std::uint64_t count) {
    const bool is_processor = device.kind == DeviceKind::cpu;
    SortedRangesSchedule schedule{task, rows, count, 0, 1, {}};
    Shape& shape = schedule.shape;
    shape.work_items = is_processor ? 1 : 256;
    // A tile is read twice: the second time it is still in the first-level cache.
    shape.vectors = is_processor ? 2048 : key_bytes <= 8 || !schedule.tests_order() ? 16 : 4;
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

Shape find_runs_shape(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t most_keys) noexcept {
    Shape shape;
    shape.lanes = 1;
    shape.register_vectors = 2;
    // Narrow keys take a register each, too, so a work-item has fewer bytes of them.
    const bool is_wide = !bytes.is_record && bytes.key >= 4;
    shape.vectors = bytes.is_record ? 4 : is_wide ? static_cast<unsigned>(128 / bytes.key) : 16;
    const auto most_items = [&] {
        return static_cast<unsigned>(std::min<std::uint64_t>(256, most_keys / shape.vectors));
    };
    shape.work_items = most_items();
    // As many keys were measured where four groups find room (an H100); with fewer groups resident they are too many.
    const bool are_many = is_wide && 4 * find_runs_local_bytes(shape, bytes) <= device.local_bytes;
    if (is_wide && !are_many) shape.vectors /= 2;
    shape.work_items = most_items();
    while (shape.work_items > 2 &&
           (shape.work_items > device.max_work_items || find_runs_local_bytes(shape, bytes) > device.local_bytes))
        shape.work_items /= 2;
    // Registers bind: fewer work-items would be resident.
    if (!bytes.is_record) shape.resident_groups = std::min((are_many ? 1024 : 1536) / shape.work_items, 32u);
    return shape;
}

std::size_t is_sorted_local_bytes(const Shape& shape) noexcept { return 8 * std::size_t{shape.work_items}; }

std::size_t equal_runs_local_bytes(const Shape& shape) noexcept {
    return std::size_t{shape.work_items} * (8 + 3 * std::size_t{shape.vectors});
}

std::size_t find_runs_local_bytes(const Shape& shape, const ElementBytes& bytes) noexcept {
    const bool has_places = bytes.is_record || bytes.value > 0 || bytes.index > 0;
    const std::size_t of_key = (bytes.is_record ? 0 : bytes.key) + (has_places ? 2 : 0);
    const std::size_t leaves = bytes.is_record ? shape.vectors : shape.vectors * bytes.key / 16;
    return 128 + std::size_t{shape.work_items} * (8 + 2 * leaves + of_key * shape.vectors);
}

}  // namespace lanesort::inline v0_1::detail
