// Elements by flags or a predicate: those that are selected, without or in front of the others.
#include <lanesort/error.hpp>

#include "../range_schedule.hpp"
#include "operations.hpp"

namespace lanesort::detail {

Arrays part_arrays(const Request& request) {
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
        arrays[Slot::parameter] = {1, predicate->parameter_bytes, Access::read, "the predicate's parameter"};
    arrays[Slot::results] = {request.count, request.key.bytes(), Access::write, "results", leaves_out};
    arrays[Slot::answers] = {1, sizeof(std::uint64_t), Access::write, "number of selected elements"};
    if (request.value_bytes > 0) {
        arrays[Slot::values] = {request.count, request.value_bytes, Access::read, "values"};
        arrays[Slot::result_values] = {request.count, request.value_bytes, Access::write, "values of results",
                                       leaves_out};
    }
    return arrays;
}

void make_part(Planner& planner, const Request& request, Work& work) {
    DeviceInfo device = planner.device();
    RangeSchedule schedule;
    std::shared_ptr<const Program> program;
    for (;;) {
        // Shares and tiles are those of the runs of equal keys, and so is the local memory.
        schedule = make_range_schedule(device, request.key.bytes(), RangeTask::unique, 1, request.count);
        check_groups(schedule.parts, request, schedule.shape);
        KernelParameters parameters{.family = Family::part,
                                    .bytes = {request.key.bytes(), request.value_bytes, 0, request.key.is_record()},
                                    .wide_positions = request.count >= wide_count,
                                    .shape = schedule.shape};
        parameters.order_by(request);
        program = planner.compile(parameters);
        if (parameters.work_items() <= program->max_work_items) break;
        device.max_work_items = program->max_work_items;
    }
    work.programs.push_back(program);
    work.arrays[Slot::own_integers] = {schedule.parts + 1, sizeof(std::uint64_t)};
    const std::size_t position_bytes = program->parameters.wide_positions ? 8 : 4;
    const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> Launch& {
        ++work.report.launches;
        const std::uint8_t number = kernel_number(program->parameters, kernel);
        return std::get<Launch>(
            work.commands.emplace_back(Launch{.kernel = number, .awaits = false, .groups = groups}));
    };
    const Slot deciding = request.key.predicate() ? Slot::parameter : Slot::flags;
    Launch& count = add_launch("count_wanted", schedule.parts);
    count.add(deciding);
    count.add(Slot::keys);
    count.add_count(schedule.count, position_bytes);
    count.add(schedule.share, position_bytes);
    count.add(!request.inverted, 4);
    count.add(Slot::own_integers);
    Launch& scan = add_launch("scan_counts", 1);
    scan.add(Slot::own_integers);
    scan.add_count(schedule.parts, 4);
    scan.add(Slot::answers);
    Launch& write = add_launch("write_parts", schedule.parts);
    write.add(deciding);
    write.add_count(schedule.count, position_bytes);
    write.add(schedule.share, position_bytes);
    write.add(!request.inverted, 4);
    write.add(request.operation == Operation::partition, 4);
    write.add(Slot::own_integers);
    write.add_count(schedule.parts, 4);
    write.add(Slot::keys);
    write.add(Slot::results);
    write.add(Slot::values);
    write.add(Slot::result_values);
}

}  // namespace lanesort::detail
