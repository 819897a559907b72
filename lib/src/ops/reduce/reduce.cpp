// SPDX-License-Identifier: MIT
// Reductions: sums, also of products of two ranges, the smallest and the largest key or where it is, and what an
// operator of the caller's makes of elements or of pairs of them.
#include <array>
#include <bit>

#include <lanesort/error.hpp>

#include "kernels.hpp"
#include "ops/operations.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "reduce_schedule.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

const Family* family_of(const Request& request) {
    if (request.key.binary_operator()) return &families::operator_reduction;
    switch (request.reduction) {
        case Reduction::sum: return is_floating(request.key.type()) ? &families::float_sum : &families::integer_sum;
        case Reduction::min:
        case Reduction::max: return &families::min_max;
        default: return &families::min_max_place;
    }
}

bool takes_two(const Request& request) { return request.operation == Operation::transform_reduce; }

std::size_t partial_bytes(const Family* family, const Request& request) {
    return family == &families::min_max_place ? 16
           : family == &families::min_max     ? request.key.bytes()
                                              : request.result_bytes();
}

}  // namespace

MinMaxOrder min_max_order(KeyType type, Reduction reduction) {
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
    const BinaryOperator* const combining = request.key.binary_operator();
    if (request.key.is_record() && !combining)
        refuse("records cannot be reduced, but numbers can, and elements that a BinaryOperator combines");
    if (request.order) refuse("a reduction has no order: take the minimum or the maximum");
    if (combining && request.reduction != Reduction::sum)
        refuse("an operator says what elements are reduced to, so no `reduction` can be asked for");
    if (combining && takes_two(request) != !combining->transform.empty())
        refuse(takes_two(request) ? "transform_reduce needs the operator's `transform`, which makes one element of two"
                                  : "reduce does not use the operator's `transform`, but transform_reduce does");
    if (request.reduction == Reduction::count || request.reduction == Reduction::mean)
        refuse("values of equal keys have a number and a mean, but a range has none");
    if (request.count == 0 && !request.in_rows() && request.reduction != Reduction::sum)
        refuse("no keys have no minimum and no maximum, but their sum is 0");
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, combining ? "elements" : "keys"};
    if (takes_two(request))
        arrays[Slot::second_keys] = {request.count, request.key.bytes(), Access::read,
                                     combining ? "other elements" : "other factors"};
    if (request.has_segments())
        arrays[Slot::segments] = {request.segments + 1, request.offset_bytes, Access::read, "offsets of segments"};
    arrays[Slot::results] = {request.ranges(), request.result_bytes(), Access::write, "results"};
    return arrays;
}

void make_reduction(Planner& planner, const Request& request, Work& work) {
    const DeviceInfo& device = planner.device();
    const std::uint64_t ranges = request.ranges(), count = request.length();
    if (ranges == 0) return;
    const Family* const family = family_of(request);
    const bool combines = family == &families::operator_reduction;
    if (request.reduction == Reduction::sum && !combines) check_doubles(device, request.key.type(), "add f64");
    const std::size_t width = request.key.bytes();
    const BlockUnits units = combines ? element_units(width) : number_units(width);
    const std::uint64_t parts = blocks_of(count, units).parts;
    // A segment's blocks are known to the kernels alone, but not how many there are at the most
    // (kernels/reduce/reduce_blocks.h).
    const std::uint64_t groups =
        request.has_segments() && parts > 1 ? ranges + request.count / units.fewest_keys() : ranges * parts;
    KernelParameters parameters{.family = family,
                                .bytes = {width, 0, 0, combines},
                                .wide_positions = count >= wide_count,
                                .shape = {},
                                .layout = request.has_segments() ? Layout::rows : Layout::range,
                                .offset_bytes = request.offset_bytes};
    if (combines) parameters.order_by(request);
    Shape& shape = parameters.shape;
    shape.lanes = shape.vectors = 1;
    shape.register_vectors = 2;
    std::uint64_t most_items = std::min<std::uint64_t>(device.max_work_items, tree_leaves);
    if (combines) most_items = std::min<std::uint64_t>(most_items, device.local_bytes / width);
    shape.work_items = device.kind == DeviceKind::cpu
                           ? 1
                           : static_cast<unsigned>(std::bit_floor(std::max<std::uint64_t>(most_items, 1)));
    check_groups(groups, request, shape);
    const std::shared_ptr<const Program> program = planner.compile_fitting(parameters);
    work.programs.push_back(program);
    std::vector<Argument> order;
    if (!combines) order = joined(order_arguments(min_max_order(request.key.type(), request.reduction)));
    const std::array<Argument, 5> of_ranges{count, parts, Slot::segments, request.segments, request.count};
    std::vector<Argument> elements{Slot::keys};
    if (takes_two(request) || combines) elements.emplace_back(Slot::second_keys);
    const std::optional<BlockShares> one = blocks_of_one_launch(count, units, family == &families::float_sum);
    if (one && ranges == 1 && !request.has_segments() && !combines) {
        // A count of groups, and at most two words of 8 bytes for each number of 8.
        work.arrays[Slot::own_integers] = {
            1 + 2 * one->parts * ceil_div(partial_bytes(family, request), std::size_t{8}), 8};
        work.commands.emplace_back(Zero{Slot::own_integers});
        add_launch(work, takes_two(request) ? "combine_product_range" : "combine_range", one->parts, elements, count,
                   one->share, one->parts, order, ScanSchedule::usual_tries, Slot::own_integers, Slot::results);
        return;
    }
    if (parts > 1) work.arrays[Slot::own_integers] = {groups, partial_bytes(family, request)};
    add_launch(work, takes_two(request) && !combines ? "combine_products" : "combine_blocks", groups, elements,
               of_ranges, order, Slot::own_integers, Slot::results);
    if (parts == 1) return;
    // Of products nothing is left to be taken off.
    add_launch(work, "combine_parts", ranges, Slot::own_integers, of_ranges,
               takes_two(request) && !combines ? std::vector<Argument>{0, 0, 0} : order, Slot::results);
}

}  // namespace lanesort::inline v0_1::detail
