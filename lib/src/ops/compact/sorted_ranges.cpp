// SPDX-License-Identifier: MIT
// Sorted ranges: how far they are in order, and their runs of equal keys.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "sorted_ranges_schedule.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

SortedRangesTask task_of(Operation operation) {
    switch (operation) {
        case Operation::is_sorted: return SortedRangesTask::is_sorted;
        case Operation::is_sorted_until: return SortedRangesTask::is_sorted_until;
        case Operation::unique: return SortedRangesTask::unique;
        default: return SortedRangesTask::run_lengths;
    }
}

void check_lengths(const Request& request) {
    if (request.length_bytes != 4 && request.length_bytes != 8)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the lengths of runs have {} bytes, but must have 4 or 8", request.length_bytes));
    if (request.length_bytes == 4 && request.count >> 32 != 0)
        throw Error(ErrorCode::too_large,
                    fmt::format("{} equal keys cannot be counted by integers of 4 bytes", request.count));
}

struct ReadyRanges {
    SortedRangesSchedule schedule;
    std::shared_ptr<const Program> program;
};

/// Compiles the kernels.
ReadyRanges add_program(Planner& planner, const Request& request, Work& work) {
    const std::uint64_t rows = request.row_count(), count = request.length();
    // A shape of the caller's is one for sorts.
    DeviceInfo device = planner.device();
    for (;;) {
        const SortedRangesSchedule schedule =
            make_sorted_ranges_schedule(device, request.key.bytes(), task_of(request.operation), rows, count);
        check_groups(rows * schedule.parts, request, schedule.shape);
        KernelParameters parameters{
            .family = schedule.tests_order() ? &families::order_test : &families::equal_runs,
            .bytes = {request.key.bytes(), request.value_bytes, request.length_bytes, request.key.is_record()},
            .wide_positions = count >= wide_count,
            .shape = schedule.shape};
        parameters.order_by(request);
        std::shared_ptr<const Program> program = planner.compile(parameters);
        if (parameters.work_items() <= program->max_work_items) {
            work.programs.push_back(program);
            return {schedule, std::move(program)};
        }
        device.max_work_items = program->max_work_items;
    }
}

/// Gives the work what the kernels leave for each other. A sort ahead of them may have left more there.
void add_left_over(Work& work, const SortedRangesSchedule& schedule) {
    Array& left = work.arrays[Slot::own_integers];
    if (left.size() < schedule.left_over() * sizeof(std::uint64_t))
        left = {schedule.left_over(), sizeof(std::uint64_t)};
}

/// The values of runs are reduced, and not only counted.
bool leaves_marks(const Request& request) { return reduces_runs(request) && request.length_bytes == 0; }

/// Where the runs begin, left for the values' reduction (kernels/common/head_flags.h).
std::array<Argument, 3> marks(const Request& request) {
    return {leaves_marks(request) && request.count > 0, Slot::own_begins, Slot::own_bases};
}

/// Finds the runs in one read, where the device's work-groups can look at each other's results. False: nothing is
/// added.
bool add_one_read(Planner& planner, const Request& request, Work& work, Slot keys, Slot values, Slot lengths) {
    DeviceInfo device = planner.device();
    const bool is_wide = request.count >= wide_count;
    if (device.kind == DeviceKind::cpu || device.max_work_items < 2 || (is_wide && request.length_bytes > 0))
        return false;
    KernelParameters parameters{
        .family = &families::find_runs,
        .bytes = {request.key.bytes(), request.value_bytes, request.length_bytes, request.key.is_record()},
        .wide_positions = is_wide,
        .shape = {}};
    parameters.order_by(request);
    const std::uint64_t most = leaves_marks(request) ? most_marked_tile_keys : most_tile_keys;
    std::shared_ptr<const Program> program;
    for (;;) {
        parameters.shape = find_runs_shape(device, parameters.bytes, most);
        program = planner.compile(parameters);
        if (parameters.work_items() <= program->max_work_items) break;
        if (program->max_work_items < 2) return false;
        device.max_work_items = program->max_work_items;
    }
    const std::uint64_t tile = find_runs_tile(parameters.shape);
    // Where runs begin is left for 16 keys at once.
    if (leaves_marks(request) && tile % 16 != 0) return false;
    const std::uint64_t tiles = std::max<std::uint64_t>(ceil_div(request.count, tile), 1);
    check_groups(tiles, request, parameters.shape);
    work.programs.push_back(program);
    // At most three words of 4 bytes or two of 8 for each tile.
    work.arrays[Slot::own_status] = {tiles * 2, sizeof(std::uint64_t)};
    work.commands.emplace_back(Zero{Slot::own_status});
    add_launch(work, "find_runs", tiles, keys, request.count, ScanSchedule::usual_tries, Slot::own_status,
               request.in_place ? Slot::keys : Slot::results, values,
               request.in_place ? Slot::values : Slot::result_values, lengths, Slot::answers, marks(request));
    return true;
}

/// The caller's arrays that all of these have.
Arrays run_arrays(const Request& request) {
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    arrays[Slot::answers] = {request.row_count(), sizeof(std::uint64_t), Access::write, "results"};
    return arrays;
}

}  // namespace

Arrays is_sorted_arrays(const Request& request) {
    if (request.has_segments())
        throw Error(ErrorCode::invalid_argument, "the order of segments cannot be told, but that of rows can");
    return run_arrays(request);
}

Arrays equal_run_arrays(const Request& request) {
    if (request.in_rows())
        throw Error(ErrorCode::invalid_argument,
                    "the distinct keys of rows or segments cannot be told, but those of a range can");
    Arrays arrays = run_arrays(request);
    const auto add_found = [&](Slot all, Slot found, const char* name) {
        Array& array = arrays[all];
        if (request.in_place) {
            array.access = Access::change;
            array.as_many_as_answered = true;
        } else {
            arrays[found] = {array.count, array.bytes, Access::write, name, true};
        }
    };
    add_found(Slot::keys, Slot::results, "distinct keys");
    if (request.value_bytes > 0) {
        arrays[Slot::values] = {request.count, request.value_bytes, Access::read, "values"};
        add_found(Slot::values, Slot::result_values, "values of distinct keys");
    }
    if (request.operation == Operation::run_lengths) {
        check_lengths(request);
        arrays[Slot::lengths] = {request.count, request.length_bytes, Access::write, "lengths of runs", true};
    }
    return arrays;
}

void make_is_sorted(Planner& planner, const Request& request, Work& work) {
    if (request.row_count() == 0) return;
    const ReadyRanges ready = add_program(planner, request, work);
    const SortedRangesSchedule& schedule = ready.schedule;
    add_left_over(work, schedule);
    const KeyCoding coding = coding_of(request);
    const bool yes_or_no = request.operation == Operation::is_sorted, in_one = schedule.parts == 1;

    add_launch(work, "first_descents", schedule.rows * schedule.parts, Slot::keys, schedule.count, schedule.share,
               schedule.parts, coding_if(coding, true), coding.flip, in_one && yes_or_no,
               in_one ? Slot::answers : Slot::own_integers);
    if (in_one) return;
    add_launch(work, "least_descents", schedule.rows, Slot::own_integers, schedule.count, schedule.parts, yes_or_no,
               Slot::answers);
}

void make_equal_runs(Planner& planner, const Request& request, Work& work) {
    // In place, a work-group would write over what another has yet to read.
    const auto unchanging = [&](Slot callers, Slot own) {
        const Array& array = work.arrays[callers];
        if (!request.in_place || array.size() == 0) return callers;
        work.arrays[own] = {array.count, array.bytes};
        work.commands.emplace_back(Copy{callers, own, array.size()});
        return own;
    };
    const Slot keys = unchanging(Slot::keys, Slot::own_keys), values = unchanging(Slot::values, Slot::own_values);
    const Slot lengths = reduces_runs(request) ? Slot::result_values : Slot::lengths;
    if (add_one_read(planner, request, work, keys, values, lengths)) return;
    const ReadyRanges ready = add_program(planner, request, work);
    const SortedRangesSchedule& schedule = ready.schedule;
    add_left_over(work, schedule);

    add_launch(work, "count_runs", schedule.parts, keys, schedule.count, schedule.share, Slot::own_integers);
    add_launch(work, "scan_shares", 1, Slot::own_integers, schedule.parts, schedule.count, Slot::answers, lengths);
    add_launch(work, "write_runs", schedule.parts, keys, schedule.count, schedule.share, Slot::own_integers,
               request.in_place ? Slot::keys : Slot::results, values,
               request.in_place ? Slot::values : Slot::result_values, lengths, marks(request));
}

void add_run_marks(Planner& planner, const Request& request, Work& work) {
    const ReadyRanges ready = add_program(planner, request, work);
    add_launch(work, "mark_runs", ready.schedule.parts, Slot::keys, ready.schedule.count, ready.schedule.share,
               Slot::own_begins, Slot::own_bases);
}

}  // namespace lanesort::inline v0_1::detail
