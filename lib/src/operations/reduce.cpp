// Reductions: sums, also of products of two ranges, and the smallest and the largest key or where it is.
#include <bit>

#include <lanesort/error.hpp>

#include "../reduction.hpp"
#include "operations.hpp"

namespace lanesort::detail {
namespace {

Family family_of(const Request& request) {
    switch (request.reduction) {
        case Reduction::sum: return is_floating(request.key.type()) ? Family::float_sum : Family::integer_sum;
        case Reduction::min:
        case Reduction::max: return Family::least;
        default: return Family::least_place;
    }
}

bool multiplies(const Request& request) { return request.operation == Operation::transform_reduce; }

std::size_t partial_bytes(Family family, const Request& request) {
    return family == Family::least_place ? 16 : family == Family::least ? request.key.bytes() : request.result_bytes();
}

}  // namespace

LeastOrder least_order(KeyType type, Reduction reduction) {
    const std::size_t bytes = key_bytes(type);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bytes * 8), sign = all ^ (all >> 1);
    const bool is_float = is_floating(type);
    const bool is_signed = is_float || key_coding(type, Order::ascending).flip != 0;
    if (reduction == Reduction::sum) return {0, is_signed ? sign : 0, 0};
    const bool is_max = reduction == Reduction::max || reduction == Reduction::arg_max;
    const std::uint64_t nans = !is_float    ? 0
                               : bytes == 8 ? nans_of_a_sign<std::uint64_t>()
                               : bytes == 4 ? nans_of_a_sign<std::uint32_t>()
                                            : nans_of_a_sign<std::uint16_t>();
    return {is_float ? all >> 1 : 0, is_max ? all : 0, is_signed ? sign - nans : 0};
}

Arrays reduce_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    if (request.key.is_record()) refuse("records cannot be reduced, but numbers can");
    if (request.order) refuse("a reduction has no order: take the minimum or the maximum");
    if (request.has_segments()) refuse("segments cannot be reduced, but rows can");
    if (request.reduction == Reduction::count || request.reduction == Reduction::mean)
        refuse("values of equal keys have a number and a mean, but a range has none");
    if (request.reduction > Reduction::arg_max) refuse("there is no such reduction");
    if (request.count == 0 && request.row_length == 0 && request.reduction != Reduction::sum)
        refuse("no keys have no minimum and no maximum, but their sum is 0");
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    if (multiplies(request))
        arrays[Slot::second_keys] = {request.count, request.key.bytes(), Access::read, "other factors"};
    arrays[Slot::results] = {request.row_count(), request.result_bytes(), Access::write, "results"};
    return arrays;
}

void make_reduction(Planner& planner, const Request& request, Work& work) {
    const std::uint64_t rows = request.row_count(), count = request.length();
    if (rows == 0) return;
    if (request.reduction == Reduction::sum) check_doubles(planner.device(), request.key.type(), "add f64");
    const auto [share, parts] = blocks_of(count, request.key.bytes());
    const Family family = family_of(request);
    KernelParameters parameters{
        .family = family, .bytes = {request.key.bytes()}, .wide_positions = count >= wide_count, .shape = {}};
    Shape& shape = parameters.shape;
    shape.lanes = shape.vectors = 1;
    shape.register_vectors = 2;
    shape.work_items = planner.device().kind == DeviceKind::cpu
                           ? 1
                           : std::bit_floor(std::clamp(planner.device().max_work_items, 1u, tree_leaves));
    check_groups(rows * parts, request, shape);
    std::shared_ptr<const Program> program = planner.compile(parameters);
    while (shape.work_items > program->max_work_items) {
        shape.work_items = std::bit_floor(std::max(program->max_work_items, 1u));
        program = planner.compile(parameters);
    }
    work.programs.push_back(program);
    if (parts > 1) work.arrays[Slot::own_integers] = {rows * parts, partial_bytes(family, request)};

    const std::size_t position_bytes = parameters.wide_positions ? 8 : 4;
    const auto [mask, flip, bias] = least_order(request.key.type(), request.reduction);
    const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> Launch& {
        ++work.report.launches;
        const std::uint8_t number = kernel_number(program->parameters, kernel);
        return std::get<Launch>(
            work.commands.emplace_back(Launch{.kernel = number, .awaits = false, .groups = groups}));
    };
    const std::uint64_t orders[] = {mask, flip, bias};
    const auto add_order = [&](Launch& launch) {
        for (const std::uint64_t word : orders) launch.add(word, request.key.bytes());
    };
    Launch& blocks = add_launch(multiplies(request) ? "combine_products" : "combine_blocks", rows * parts);
    blocks.add(Slot::keys);
    if (multiplies(request)) blocks.add(Slot::second_keys);
    blocks.add_count(count, position_bytes);
    blocks.add(share, position_bytes);
    blocks.add(parts, 4);
    add_order(blocks);
    blocks.add(Slot::own_integers);
    blocks.add(Slot::results);
    if (parts == 1) return;
    Launch& last = add_launch("combine_parts", rows);
    last.add(Slot::own_integers);
    // Of products nothing is left to be taken off.
    last.add_count(multiplies(request) ? 0 : count, position_bytes);
    last.add(parts, 4);
    add_order(last);
    last.add(Slot::results);
}

}  // namespace lanesort::detail
