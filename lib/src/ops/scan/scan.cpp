// SPDX-License-Identifier: MIT
// Scans: what all keys up to each one are combined to, of a range, of rows, or of runs: segments, or values of equal
// keys.
#include "scan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <lanesort/error.hpp>

#include "kernels.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

bool is_by_key(const Request& request) {
    return request.operation == Operation::inclusive_scan_by_key ||
           request.operation == Operation::exclusive_scan_by_key;
}

bool is_exclusive(const Request& request) {
    return request.operation == Operation::exclusive_scan || request.operation == Operation::exclusive_scan_by_key;
}

/// Runs are scanned, each by itself (kernels/common/head_flags.h).
bool has_runs(const Request& request) { return is_by_key(request) || request.has_segments(); }

/// What is scanned: the keys, or the values of equal keys.
const KeyKind& kind_of(const Request& request) { return is_by_key(request) ? request.value_type : request.key; }

const Family* family_of_scan(const Request& request) {
    using namespace families;
    const auto either = [&](const Family& of_runs, const Family& of_range) {
        return has_runs(request) ? &of_runs : &of_range;
    };
    if (kind_of(request).binary_operator()) return either(operator_run_scan, operator_scan);
    if (request.reduction != Reduction::sum) return either(min_max_run_scan, min_max_scan);
    return is_floating(kind_of(request).type()) ? either(float_run_scan, float_scan)
                                                : either(integer_run_scan, integer_scan);
}

ScanTask task_of(const Request& request) {
    const Numbers numbers = family_of_scan(request)->numbers;
    const bool runs = has_runs(request), is_combined = kind_of(request).binary_operator();
    return {.bytes = {kind_of(request).bytes(), 0, 0, is_combined},
            .has_tree = is_combined || numbers == Numbers::floating,
            .has_runs = runs,
            .in_place = request.in_place,
            .rows = runs ? 1 : request.row_count(),
            .count = runs ? request.count : request.length()};
}

KernelParameters parameters_of(const Request& request, const ScanSchedule& schedule) {
    KernelParameters parameters{.family = family_of_scan(request),
                                .bytes = task_of(request).bytes,
                                .wide_positions = schedule.count >= wide_count,
                                .shape = schedule.shape};
    if (const BinaryOperator* const combining = kind_of(request).binary_operator())
        parameters.binary_operator = *combining;
    return parameters;
}

void add_segment_marks(Planner& planner, const Request& request, Work& work) {
    KernelParameters parameters{.family = &families::mark_segments,
                                .bytes = {1},
                                .wide_positions = request.count >= wide_count,
                                .shape = {},
                                .layout = Layout::rows,
                                .offset_bytes = request.offset_bytes};
    Shape& shape = parameters.shape;
    shape.lanes = shape.vectors = 1;
    shape.register_vectors = 2;
    shape.work_items = planner.device().kind == DeviceKind::cpu
                           ? 1
                           : std::bit_floor(std::clamp(planner.device().max_work_items, 1u, 256u));
    const std::shared_ptr<const Program> program = planner.compile_fitting(parameters);
    work.programs.push_back(program);
    work.commands.emplace_back(Zero{Slot::own_begins});
    // Enough for every device; a work-item marks several of more.
    constexpr std::uint64_t most_groups = 4096;
    const std::uint64_t work_items = program->parameters.shape.work_items;
    add_launch(work, "mark_segments", std::min(ceil_div(request.segments, work_items), most_groups), Slot::segments,
               request.segments, request.count, Slot::own_begins, Slot::own_bases);
}

/// What the kernels need to know of runs.
void add_marks(Planner& planner, const Request& request, Work& work) {
    work.arrays[Slot::own_begins] = {ceil_div(request.count, std::uint64_t{32}), 4};
    work.arrays[Slot::own_bases] = {2, sizeof(std::uint64_t)};
    if (request.has_segments()) return add_segment_marks(planner, request, work);
    Request of_keys = request;
    of_keys.value_bytes = 0;
    add_run_marks(planner, of_keys, work);
}

}  // namespace

Arrays scan_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    const bool by_key = is_by_key(request);
    const KeyKind& kind = kind_of(request);
    if (kind.is_record() && !kind.binary_operator())
        refuse("records cannot be scanned without an operator, but numbers can");
    if (kind.binary_operator() && !kind.binary_operator()->transform.empty())
        refuse("an operator of scans has no `transform`");
    if (request.order) refuse("a scan has no order: take minima or maxima");
    if (kind.binary_operator() && request.reduction != Reduction::sum)
        refuse("an operator says what the scan gives, so there is no `reduction`");
    if (request.reduction > Reduction::max) refuse("a scan gives sums, minima or maxima alone");
    if (by_key && request.in_rows()) refuse("runs of equal keys are scanned, so there are no rows and no segments");
    if (by_key) check_value_type(request);
    Arrays arrays;
    const std::size_t bytes = kind.bytes();
    Array& scanned =
        arrays[by_key ? Slot::values : Slot::keys] = {request.count, bytes, Access::read, by_key ? "values" : "keys"};
    // Keys outside of segments have no results, and what was in the place of these stays.
    const Access to = request.has_segments() ? Access::change : Access::write;
    if (request.in_place) scanned.access = Access::change;
    else arrays[by_key ? Slot::result_values : Slot::results] = {request.count, bytes, to, "results"};
    if (by_key) arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    if (request.has_segments())
        arrays[Slot::segments] = {request.segments + 1, request.offset_bytes, Access::read, "offsets of segments"};
    return arrays;
}

void add_scan(Planner& planner, const Request& request, const ScanSchedule& schedule, Work& work) {
    const Slot keys = is_by_key(request) ? Slot::values : Slot::keys;
    const Slot results = request.in_place ? keys : is_by_key(request) ? Slot::result_values : Slot::results;
    const auto [share, parts] = schedule.blocks;
    const std::uint64_t rows = schedule.rows;
    const ElementBytes bytes = task_of(request).bytes;
    const std::uint64_t groups = schedule.looks_back ? schedule.tiles(bytes.key) : rows * parts;
    check_groups(groups, request, schedule.shape);
    if (has_runs(request)) add_marks(planner, request, work);
    work.programs.push_back(planner.compile(parameters_of(request, schedule)));
    const std::array<Argument, 3> order =
        order_arguments(bytes.is_record ? MinMaxOrder{} : min_max_order(kind_of(request).type(), request.reduction));
    if (schedule.looks_back) {
        // At most two words of 8 bytes for each tile.
        work.arrays[Slot::own_integers] = {groups * (sum_bytes(bytes.key) / 4), 8};
        work.commands.emplace_back(Zero{Slot::own_integers});
        add_launch(work, "scan_tiles", groups, keys, schedule.count, is_exclusive(request), order, Slot::own_begins,
                   Slot::own_bases, schedule.tries, Slot::own_integers, results);
        return;
    }
    if (parts > 1) {
        work.arrays[Slot::own_integers] = {groups, part_bytes(bytes, has_runs(request))};
        add_launch(work, "combine_blocks", groups, keys, schedule.count, share, parts, order, Slot::own_begins,
                   Slot::own_integers);
    }
    if (schedule.scans_blocks) {
        add_launch(work, "scan_blocks", rows, Slot::own_integers, parts);
    }
    add_launch(work, "write_scans", groups, keys, schedule.count, share, parts, schedule.scans_blocks,
               is_exclusive(request), order, Slot::own_begins, Slot::own_bases, Slot::own_integers, results);
}

void make_scan(Planner& planner, const Request& request, Work& work) {
    if (request.count == 0 || (request.has_segments() && request.segments == 0)) return;
    const ScanTask task = task_of(request);
    if (request.reduction == Reduction::sum && !task.bytes.is_record)
        check_doubles(planner.device(), kind_of(request).type(), "add f64");
    DeviceInfo device = planner.device();
    for (;;) {
        const ScanSchedule schedule = make_scan_schedule(device, task);
        const auto program = planner.compile(parameters_of(request, schedule));
        if (schedule.shape.work_items <= program->max_work_items) return add_scan(planner, request, schedule, work);
        device.max_work_items = program->max_work_items;
    }
}

}  // namespace lanesort::inline v0_1::detail
