#include "gather.hpp"

#include <algorithm>

#include "../integers.hpp"

namespace lanesort::detail {
namespace {

void add(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to,
         bool by_index) {
    // Places of a row that a work-group fills; a processor's work-item fills many.
    constexpr unsigned usual_work_items = 64, places_of_item = 4, most_places = 4096;
    const DeviceInfo& device = planner.device();
    const bool walks = device.kind == DeviceKind::cpu;
    // Values of 16 bytes may lie at any multiple of 4.
    const std::size_t bytes = work.arrays[from].bytes,
                      word = bytes == 16 ? 4 : std::min(bytes & (~bytes + 1), std::size_t{8});
    KernelParameters parameters{
        .family = Family::gather,
        .bytes = ElementBytes(word, 0, by_index ? work.arrays[found.slot].bytes : 4),
        .wide_positions = request.length() >= wide_count,
        .shape = {.work_items = walks ? 1 : std::min(usual_work_items, std::max(device.max_work_items, 1u))},
        .layout = Layout::rows,
        .offset_bytes = request.offset_bytes};
    const std::uint64_t k = request.first, share = walks ? most_places : parameters.shape.work_items * places_of_item;
    const std::uint64_t parts = ceil_div(k, share), rows = request.ranges();
    check_groups(rows * parts, request, parameters.shape);
    Launch launch{.program = static_cast<std::uint8_t>(work.programs.size()),
                  .kernel = kernel_number(parameters, "gather_elements"),
                  .groups = rows * parts};
    launch.add(from);
    launch.add(to);
    launch.add(by_index ? found.slot : from);
    launch.add(Slot::segments);
    launch.add_count(request.length(), parameters.wide_positions ? 8 : 4);
    launch.add(rows, 8);
    launch.add_count(request.count, 8);
    launch.add_count(k, 8);
    launch.add(bytes / word, 4);
    launch.add(share, 4);
    launch.add(parts, 4);
    launch.add(found.lie_in_rows, 4);
    launch.add(by_index, 4);
    launch.add(Slot::limit);
    launch.add(request.limited, 4);
    work.commands.emplace_back(launch);
    work.programs.push_back(planner.compile(parameters));
    ++work.report.launches;
}

}  // namespace

void add_gathering(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from,
                   Slot to) {
    add(planner, work, request, found, from, to, true);
}

void add_taking(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to) {
    add(planner, work, request, found, from, to, false);
}

}  // namespace lanesort::detail
