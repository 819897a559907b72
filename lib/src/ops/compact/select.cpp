// SPDX-License-Identifier: MIT
// Elements by flags or a predicate: those that are selected, without or in front of the others.
#include <algorithm>
#include <bit>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "core/require.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "select_schedule.hpp"

namespace lanesort::inline v0_1::detail {

Arrays select_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    if (request.in_rows())
        refuse("elements of rows or segments cannot be selected by flags or a predicate, but those of a range can");
    if (request.order) refuse("flags select elements in any order of theirs, so none can be asked for");
    // Those that are selected alone are as many as the answer tells.
    const bool leaves_out = request.operation == Operation::select;
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    const Predicate* const predicate = request.key.predicate();
    if (!predicate) arrays[Slot::flags] = {request.count, 1, Access::read, "flags"};
    else if (predicate->parameter_bytes > 0)
        arrays[Slot::parameter] = {1, predicate->parameter_bytes, Access::read, "predicate's parameter"};
    arrays[Slot::results] = {request.count, request.key.bytes(), Access::write, "results", leaves_out};
    arrays[Slot::answers] = {1, sizeof(std::uint64_t), Access::write, "number of selected elements"};
    if (request.value_bytes > 0) {
        arrays[Slot::values] = {request.count, request.value_bytes, Access::read, "values"};
        arrays[Slot::result_values] = {request.count, request.value_bytes, Access::write, "values of results",
                                       leaves_out};
    }
    return arrays;
}

void make_select(Planner& planner, const Request& request, Work& work) {
    DeviceInfo device = planner.device();
    const bool keeps_others = request.operation == Operation::partition;
    const std::size_t width = request.key.bytes();
    // Elements as wide as a number are moved as one.
    const bool is_number = !request.key.is_record() || (width <= 8 && std::has_single_bit(width));
    KernelParameters parameters{.family = &families::select,
                                .bytes = {width, request.value_bytes, 0, !is_number},
                                .wide_positions = request.count >= wide_count,
                                .shape = {}};
    parameters.order_by(request);
    // Flags select, whatever the order.
    parameters.compiled_order = nullptr;
    require(
        !request.key.compiled_order() || is_number, ErrorCode::unsupported,
        "records of {} bytes that a C++ function orders cannot be selected by flags, but those of 1, 2, 4 and 8 bytes "
        "can, and indices of records",
        width);
    // What is compiled ahead moves values by themselves, as it does keys of their width.
    if (!device.compiles) parameters.bytes.value = 0;
    SelectSchedule schedule;
    std::shared_ptr<const Program> program;
    for (;;) {
        schedule = make_select_schedule(device, parameters.bytes, request.count, keeps_others);
        parameters.shape = schedule.shape;
        program = planner.compile(parameters);
        if (parameters.work_items() <= program->max_work_items) break;
        device.max_work_items = program->max_work_items;
    }
    const std::uint64_t groups =
        schedule.looks_back ? std::max<std::uint64_t>(ceil_div(request.count, schedule.tile), 1) : schedule.parts;
    check_groups(groups, request, schedule.shape);
    work.programs.push_back(program);
    const Slot deciding = request.key.predicate() ? Slot::parameter : Slot::flags;
    if (schedule.looks_back) {
        // At most two words of 4 bytes or two of 8 for each tile.
        work.arrays[Slot::own_status] = {groups * 2, sizeof(std::uint64_t)};
        work.commands.emplace_back(Zero{Slot::own_status});
        add_launch(work, "select_tiles", groups, deciding, request.count, !request.inverted, ScanSchedule::usual_tries,
                   Slot::own_status, Slot::keys, Slot::results, Slot::values, Slot::result_values, Slot::answers);
        return;
    }
    work.arrays[Slot::own_integers] = {schedule.parts, sizeof(std::uint64_t)};
    add_launch(work, "count_wanted", groups, deciding, Slot::keys, request.count, schedule.share, !request.inverted,
               Slot::own_integers);
    const auto add_write = [&](Slot from, Slot to) {
        add_launch(work, "write_parts", groups, deciding, request.count, schedule.share, !request.inverted,
                   keeps_others, Slot::own_integers, schedule.parts, from, to, Slot::values, Slot::result_values,
                   Slot::answers);
    };
    add_write(Slot::keys, Slot::results);
    if (parameters.bytes.value == request.value_bytes) return;
    parameters.bytes = {request.value_bytes, 0, 0, request.value_bytes > 8};
    work.programs.push_back(planner.compile(parameters));
    add_write(Slot::values, Slot::result_values);
}

}  // namespace lanesort::inline v0_1::detail
