// SPDX-License-Identifier: MIT
// Values of equal keys, reduced to one for each key.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"
#include "reduce_schedule.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Of kernels/reduce/reduce_runs.h: values of a tile, and what is left of so many tiles is reduced by one work-group.
constexpr std::uint64_t tile_values = 4096, tiles_of_group = tree_leaves;

const Family* family_of_runs(const Request& request) {
    if (request.reduction == Reduction::min || request.reduction == Reduction::max) return &families::min_max_runs;
    return is_floating(request.value_type.type()) ? &families::float_runs : &families::integer_runs;
}

/// Of what is left of tiles.
std::size_t number_bytes(const Request& request) { return std::max<std::size_t>(request.reduced_bytes(), 4); }

std::shared_ptr<const Program> compile(Planner& planner, const Request& request) {
    KernelParameters parameters{.family = family_of_runs(request),
                                .bytes = {request.value_type.bytes()},
                                .wide_positions = request.count >= wide_count,
                                .shape = {}};
    Shape& shape = parameters.shape;
    shape.lanes = shape.vectors = 1;
    shape.register_vectors = 2;
    const DeviceInfo& device = planner.device();
    shape.work_items =
        device.kind == DeviceKind::cpu ? 1 : std::bit_floor(std::clamp(device.max_work_items, 1u, tree_leaves));
    while (shape.work_items > 1 && parameters.local_bytes() > device.local_bytes) shape.work_items /= 2;
    return planner.compile_fitting(parameters);
}

}  // namespace

void check_value_type(const Request& request) {
    check_type(request.value_type);
    if (request.value_bytes != request.value_type.bytes())
        throw Error(ErrorCode::invalid_argument, fmt::format("values have {} bytes, but those of their type have {}",
                                                             request.value_bytes, request.value_type.bytes()));
}

Arrays reduce_run_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    if (request.reduction == Reduction::arg_min || request.reduction == Reduction::arg_max)
        refuse("values of equal keys have a sum, a minimum, a maximum, a number or a mean alone");
    check_value_type(request);
    if (request.value_type.is_record()) refuse("records cannot be reduced, but numbers can");
    Arrays arrays = equal_run_arrays(request);
    arrays[Slot::result_values] = {request.count, request.reduced_bytes(), Access::write, "reduced values", true};
    if (request.operation == Operation::group_by)
        arrays[Slot::keys].access = arrays[Slot::values].access = Access::change;
    return arrays;
}

void make_reduced_runs(Planner& planner, const Request& request, Work& work) {
    Request of_keys = request;
    of_keys.value_bytes = 0;
    if (request.reduction == Reduction::count) {
        of_keys.length_bytes = request.reduced_bytes();
        make_equal_runs(planner, of_keys, work);
        return;
    }
    const Family* const family = family_of_runs(request);
    if (family == &families::float_runs) check_doubles(planner.device(), request.value_type.type(), "add f64");
    const std::uint64_t tiles = ceil_div(request.count, tile_values);
    work.arrays[Slot::own_begins] = {tiles * (tile_values / 16), 2};
    work.arrays[Slot::own_bases] = {tiles, sizeof(std::uint64_t)};
    make_equal_runs(planner, of_keys, work);
    if (tiles == 0) return;

    const std::shared_ptr<const Program> program = compile(planner, request);
    const KernelParameters& parameters = program->parameters;
    check_groups(tiles, request, parameters.shape);
    work.programs.push_back(program);
    const std::array<Argument, 3> order = order_arguments(min_max_order(
        request.value_type.type(), family == &families::min_max_runs ? request.reduction : Reduction::sum));
    // What is left of all tiles, of all groups of those, and so on: in front, and behind.
    std::uint64_t all_left = 0, from = 0;
    for (std::uint64_t left = tiles; all_left += left, left > 1;) left = ceil_div(left, tiles_of_group);
    if (tiles == 1) ++all_left;
    work.arrays[Slot::own_partials] = {2 * all_left, number_bytes(request)};
    const auto what_is_left = [&](std::uint64_t place) {
        return std::array<Argument, 2>{Argument(Slot::own_partials, place),
                                       Argument(Slot::own_partials, all_left + place)};
    };
    add_launch(work, "reduce_runs", tiles, Slot::values, request.count, order, Slot::own_begins, Slot::own_bases,
               what_is_left(from), Slot::result_values);
    for (std::uint64_t left = tiles, stride = 1;; stride *= tiles_of_group) {
        const std::uint64_t groups = ceil_div(left, tiles_of_group);
        add_launch(work, "close_runs", groups, what_is_left(from), left, tiles, stride, order, Slot::own_bases,
                   Slot::answers, what_is_left(from + left), Slot::result_values);
        from += left;
        if (groups == 1) break;
        left = groups;
    }
    if (request.reduction != Reduction::mean) return;
    add_launch(work, "divide_runs", tiles, Slot::own_begins, Slot::own_bases, request.count, order,
               Slot::result_values);
}

void make_groups(Planner& planner, const Request& request, Work& work) {
    Request of_sort = as_sort(request);
    of_sort.reduction = Reduction::sum;
    make_sort(planner, of_sort, work);
    make_reduced_runs(planner, request, work);
}

}  // namespace lanesort::inline v0_1::detail
