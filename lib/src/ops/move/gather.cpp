// SPDX-License-Identifier: MIT
#include "gather.hpp"

#include <algorithm>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Words that an element of so many bytes is moved by. Those of 16 bytes may lie at any multiple of 4.
std::size_t word_of(std::size_t bytes) { return bytes == 16 ? 4 : std::min(bytes & (~bytes + 1), std::size_t{8}); }

KernelParameters parameters_for(const DeviceInfo& device, std::size_t element_bytes, std::size_t index_bytes) {
    constexpr unsigned usual_work_items = 64;
    const bool walks = device.kind == DeviceKind::cpu;
    return {.family = &families::gather,
            .bytes = ElementBytes(word_of(element_bytes), 0, index_bytes),
            .shape = {.work_items = walks ? 1 : std::min(usual_work_items, std::max(device.max_work_items, 1u))},
            .layout = Layout::rows};
}

/// Places that a work-group fills; a processor's work-item fills many.
std::uint64_t share_of(const KernelParameters& parameters) {
    constexpr std::uint64_t places_of_item = 4, most_places = 4096;
    return parameters.shape.work_items == 1 ? most_places : parameters.shape.work_items * places_of_item;
}

void add(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to,
         bool by_index) {
    const std::size_t bytes = work.arrays[from].bytes, word = word_of(bytes);
    KernelParameters parameters =
        parameters_for(planner.device(), bytes, std::max<std::size_t>(work.arrays[found.slot].bytes, 4));
    parameters.wide_positions = request.length() >= wide_count;
    parameters.offset_bytes = request.offset_bytes;
    const std::uint64_t k = request.first, share = share_of(parameters);
    const std::uint64_t parts = ceil_div(k, share), rows = request.ranges();
    check_groups(rows * parts, request, parameters.shape);
    work.programs.push_back(planner.compile(parameters));
    add_launch(work, "gather_elements", rows * parts, from, to, found.slot, Slot::segments, request.length(), rows,
               request.count, k, bytes / word, share, parts, found.lie_in_rows, by_index, Slot::limit, request.limited);
}

}  // namespace

void add_gathering(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from,
                   Slot to) {
    add(planner, work, request, found, from, to, true);
}

void add_taking(Planner& planner, Work& work, const Request& request, const FoundIndices& found, Slot from, Slot to) {
    add(planner, work, request, found, from, to, false);
}

Arrays gather_arrays(const Request& request) {
    const auto check = [](bool holds, const char* sentence) {
        if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
    };
    const bool permutes = request.operation == Operation::permute, scatters = request.operation == Operation::scatter;
    check(!request.in_rows(), "values of rows and segments cannot be moved by indices, but those of a range can");
    check(!request.order, "values that are moved by indices have no order");
    check(request.value_bytes > 0, "there must be values that the indices move");
    check(request.index_bytes == 4 || request.index_bytes == 8, "indices must have 4 or 8 bytes");
    const std::uint64_t indices = permutes ? request.count : request.second_count;
    Arrays arrays;
    arrays[Slot::indices] = {indices, request.index_bytes, Access::read, "indices"};
    arrays[Slot::values] = {scatters ? indices : request.count, request.value_bytes,
                            permutes ? Access::change : Access::read, "values"};
    if (!permutes)
        arrays[Slot::result_values] = {scatters ? request.count : indices, request.value_bytes,
                                       scatters ? Access::change : Access::write, "moved values"};
    return arrays;
}

void make_gather(Planner& planner, const Request& request, Work& work) {
    const std::uint64_t indices = work.arrays[Slot::indices].count;
    if (indices == 0) return;
    const bool permutes = request.operation == Operation::permute;
    const Array& values = work.arrays[Slot::values];
    if (permutes) {
        work.arrays[Slot::own_values] = {values.count, values.bytes};
        work.commands.emplace_back(Copy{Slot::values, Slot::own_values, values.size()});
    }
    const KernelParameters parameters = parameters_for(planner.device(), values.bytes, request.index_bytes);
    const std::uint64_t share = share_of(parameters), groups = ceil_div(indices, share);
    check_groups(groups, request, parameters.shape);
    work.programs.push_back(planner.compile(parameters));
    add_launch(work, "move_elements", groups, permutes ? Slot::own_values : Slot::values,
               permutes ? Slot::values : Slot::result_values, Slot::indices, request.count, indices,
               values.bytes / word_of(values.bytes), share, request.operation == Operation::scatter);
}

}  // namespace lanesort::inline v0_1::detail
