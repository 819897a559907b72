// Scans: the sums of all keys up to each one.
#include "scan.hpp"

#include <lanesort/error.hpp>

namespace lanesort::detail {
namespace {

KernelParameters parameters_of(const Request& request, const ScanSchedule& schedule) {
    return {.family = is_floating(request.key.type()) ? Family::float_scan : Family::integer_scan,
            .bytes = {request.key.bytes()},
            .wide_positions = schedule.count >= wide_count,
            .shape = schedule.shape};
}

}  // namespace

Arrays scan_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    if (request.key.is_record()) refuse("records cannot be added, but numbers can");
    if (request.order) refuse("a scan has no order");
    if (request.has_segments()) refuse("segments cannot be scanned, but rows can");
    Arrays arrays;
    Array& keys = arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    if (request.in_place) keys.access = Access::change;
    else arrays[Slot::results] = {request.count, request.key.bytes(), Access::write, "results"};
    return arrays;
}

void add_scan(Planner& planner, const Request& request, const ScanSchedule& schedule, Work& work) {
    const std::size_t key_bytes = request.key.bytes();
    const Slot results = request.in_place ? Slot::keys : Slot::results;
    const bool is_exclusive = request.operation == Operation::exclusive_scan;
    const auto [share, parts] = schedule.blocks;
    const std::uint64_t rows = schedule.rows;
    const std::uint64_t groups = schedule.looks_back ? schedule.tiles(key_bytes) : rows * parts;
    check_groups(groups, request, schedule.shape);
    work.programs.push_back(planner.compile(parameters_of(request, schedule)));
    const KernelParameters& parameters = work.programs[0]->parameters;
    const std::size_t position_bytes = parameters.wide_positions ? 8 : 4;
    const auto add_launch = [&](const char* kernel, std::uint64_t launched) -> Launch& {
        ++work.report.launches;
        const std::uint8_t number = kernel_number(parameters, kernel);
        return std::get<Launch>(
            work.commands.emplace_back(Launch{.kernel = number, .awaits = false, .groups = launched}));
    };
    if (schedule.looks_back) {
        // At most two words of 8 bytes for each tile.
        work.arrays[Slot::own_integers] = {groups * (sum_bytes(key_bytes) / 4), 8};
        work.commands.emplace_back(Zero{Slot::own_integers});
        Launch& tiles = add_launch("scan_tiles", groups);
        tiles.add(Slot::keys);
        tiles.add_count(schedule.count, position_bytes);
        tiles.add(is_exclusive, 4);
        tiles.add(schedule.tries, 4);
        tiles.add(Slot::own_integers);
        tiles.add(results);
        return;
    }
    if (parts > 1) {
        work.arrays[Slot::own_integers] = {groups, sum_bytes(key_bytes)};
        Launch& sums = add_launch("combine_blocks", groups);
        sums.add(Slot::keys);
        sums.add_count(schedule.count, position_bytes);
        sums.add(share, position_bytes);
        sums.add(parts, 4);
        sums.add(Slot::own_integers);
        Launch& in_front = add_launch("scan_blocks", rows);
        in_front.add(Slot::own_integers);
        in_front.add_count(parts, 4);
    }
    Launch& write = add_launch("write_scans", groups);
    write.add(Slot::keys);
    write.add_count(schedule.count, position_bytes);
    write.add(share, position_bytes);
    write.add(parts, 4);
    write.add(is_exclusive, 4);
    write.add(Slot::own_integers);
    write.add(results);
}

void make_scan(Planner& planner, const Request& request, Work& work) {
    const std::uint64_t rows = request.row_count(), count = request.length();
    if (request.count == 0) return;
    const bool is_float = is_floating(request.key.type());
    check_doubles(planner.device(), request.key.type(), "add f64");
    DeviceInfo device = planner.device();
    for (;;) {
        const ScanSchedule schedule =
            make_scan_schedule(device, request.key.bytes(), rows, count, is_float, request.in_place);
        const auto program = planner.compile(parameters_of(request, schedule));
        if (schedule.shape.work_items <= program->max_work_items) return add_scan(planner, request, schedule, work);
        device.max_work_items = program->max_work_items;
    }
}

}  // namespace lanesort::detail
