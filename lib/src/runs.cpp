#include "runs.hpp"

#include <algorithm>

#include "integers.hpp"

namespace lanesort::detail {
namespace {

/// In the order of kernel_names().
enum Kernel : std::size_t { first_descents, least_descents, count_runs, scan_blocks, write_runs };

}  // namespace

RunsSchedule make_runs_schedule(const DeviceInfo& device, std::size_t key_bytes, RunsTask task, std::uint64_t rows,
                                std::uint64_t count) {
    const bool is_processor = device.kind == DeviceKind::cpu;
    RunsSchedule schedule{task, rows, count, 0, 1, {}};
    Shape& shape = schedule.shape;
    shape.work_items = is_processor ? 1 : 256;
    // A tile is read twice: the second time it is still in the first-level cache.
    shape.vectors = is_processor ? 2048 : key_bytes <= 8 ? 16 : 4;
    while (shape.work_items > 1 &&
           (shape.work_items > device.max_work_items || runs_local_bytes(shape) > device.local_bytes))
        shape.work_items /= 2;

    // So few blocks that one work-group can look through what they leave.
    const std::uint64_t tile = std::uint64_t{shape.work_items} * shape.vectors;
    const std::uint64_t groups = std::uint64_t{device.compute_units} * (is_processor ? 4 : 16);
    const std::uint64_t most_parts = std::clamp<std::uint64_t>(groups / std::max<std::uint64_t>(rows, 1), 1, 1 << 16);
    const std::uint64_t tiles = std::max<std::uint64_t>(ceil_div(count, tile), 1);
    schedule.block = ceil_div(tiles, most_parts) * tile;
    schedule.parts = std::max<std::uint64_t>(ceil_div(count, schedule.block), 1);
    return schedule;
}

std::size_t runs_local_bytes(const Shape& shape) noexcept {
    return std::size_t{shape.work_items} * (8 + 3 * std::size_t{shape.vectors});
}

std::vector<RunsLaunch> runs_launches(const RunsSchedule& schedule, ElementBytes bytes, bool wide_index,
                                      KeyCoding coding) {
    const RunsArgument keys{RunsArray::keys}, blocks{RunsArray::blocks}, result{RunsArray::result},
        distinct{RunsArray::distinct}, lengths{RunsArray::lengths};
    const auto index = [&](std::uint64_t value) { return RunsArgument{{}, {value, wide_index ? 8u : 4u}}; };
    const auto number = [](std::uint64_t value) { return RunsArgument{{}, {value, 4}}; };
    const RunsArgument count = index(schedule.count), block = index(schedule.block), parts = number(schedule.parts);

    if (schedule.tests_order()) {
        const RunsArgument flip{{}, {coding.flip, bytes.is_record ? 4 : bytes.key}};
        const RunsArgument how = number(static_cast<std::uint32_t>(coding.coding));
        const RunsArgument yes_or_no = number(schedule.task == RunsTask::is_sorted);
        const bool in_one = schedule.parts == 1;
        std::vector<RunsLaunch> launches{
            {first_descents,
             schedule.rows * schedule.parts,
             {keys, count, block, parts, how, flip, in_one ? yes_or_no : number(0), in_one ? result : blocks}}};
        if (!in_one) launches.push_back({least_descents, schedule.rows, {blocks, count, parts, yes_or_no, result}});
        return launches;
    }
    std::vector<RunsLaunch> launches{{count_runs, schedule.parts, {keys, count, block, blocks}},
                                     {scan_blocks, 1, {blocks, parts, count, result}},
                                     {write_runs, schedule.parts, {keys, count, block, blocks, distinct}}};
    if (schedule.task == RunsTask::run_lengths)
        for (const Kernel kernel : {scan_blocks, write_runs})
            launches[kernel - count_runs].arguments.push_back(lengths);
    return launches;
}

}  // namespace lanesort::detail
