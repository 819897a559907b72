// SPDX-License-Identifier: MIT
#include "sort.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/encoded_keys.hpp"
#include "core/fit.hpp"
#include "core/integers.hpp"
#include "core/sync_counter.hpp"
#include "distribution.hpp"
#include "kernels.hpp"
#include "ops/move/permute.hpp"
#include "ops/operations.hpp"
#include "ops/top_k/top_k.hpp"
#include "quicksort.hpp"
#include "rounds.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Small tiles share a work-group, of no more work-items than allowed, where each has work-items of its own.
unsigned tiles_per_group(const KernelParameters& parameters, const DeviceInfo& device, unsigned allowed) {
    constexpr unsigned usual_work_items = 256;
    if (parameters.shape.walks_in_cache() || !parameters.shape.local_sync || parameters.leaves) return 1;
    unsigned tiles = std::max(std::min(usual_work_items, allowed) / parameters.shape.work_items, 1u);
    const std::size_t bytes = parameters.shape.local_bytes(parameters.bytes);
    while (tiles > 1 && tiles * bytes > device.local_bytes) tiles /= 2;
    return std::bit_floor(tiles);
}

/// Work-items that rows of that length, which a tile holds, leave something to do, if a part of the tile is theirs
/// alone; else 0. Where every key keeps its slot, warps of work-items have keys that lie side by side.
unsigned work_items_of_row(const KernelParameters& parameters, std::uint64_t length) {
    constexpr unsigned warp = 1 << warp_bits;
    const Shape& shape = parameters.shape;
    if (!keeps_slots(shape) || shape.lanes > 1 || !shape.coalesced_store || parameters.bytes.is_record ||
        shape.tile_work_items() > shape.register_vectors * warp)
        return 0;
    const auto items = static_cast<unsigned>(ceil_div(length, std::uint64_t{warp} * shape.register_vectors)) * warp;
    return items < shape.work_items ? items : 0;
}

/// As make_network(), in that shape; `adapts`: in a smaller one where its kernels need that.
Network network_in(Planner& planner, Shape shape, bool adapts, const Request& request, const ElementBytes& bytes,
                   const NetworkUse& use) {
    const DeviceInfo& device = planner.device();
    const bool merges = request.operation == Operation::merge;
    const std::uint64_t length = request.length();
    const unsigned resident_items = shape.resident_groups * shape.work_items;
    const bool keeps_all = use.kept >= length, is_apart = use.apart && device.compiles;
    if (request.in_rows() && device.compiles) shape = fit_row(shape, length, keeps_all && !request.has_segments());
    if (use.sorts_leaves || request.schedule == Schedule::network) shape.columns = false;
    if (request.schedule == Schedule::columns) shape.columns = may_have_columns(shape);
    KernelParameters parameters{.bytes = bytes,
                                .count_sync = request.counts_syncs,
                                .unroll_rounds = device.kind == DeviceKind::gpu,
                                .shape = shape,
                                .offset_bytes = request.offset_bytes};
    parameters.order_by(request);
    parameters.leaves = use.sorts_leaves;
    // The compiler's register use may allow smaller work-groups than the device does; fewer tiles or smaller shapes
    // need fewer.
    DeviceInfo limited = device;
    Network network;
    for (;;) {
        const bool short_rows = keeps_all && device.compiles && request.row_length > 0 && std::has_single_bit(length) &&
                                parameters.shape.tile_keys() > length &&
                                parameters.shape.register_vectors * parameters.shape.lanes <= length;
        parameters.layout = short_rows ? Layout::short_rows : request.in_rows() ? Layout::rows : Layout::range;
        const bool sorts_first = head_bits(length, parameters.shape, request.first) > 0,
                   sorts_all = !merges && !sorts_first;
        parameters.family = merges ? &families::two_ranges : sorts_first ? &families::sort_first : &families::sort;
        // With what is made up in front and behind, or in a tile of heads, indices reach four times as far.
        parameters.wide_positions = (short_rows ? request.count : length) >= (sorts_all ? wide_count : wide_count / 4);
        const bool may_have_columns = sorts_all && parameters.layout != Layout::short_rows;
        if (may_have_columns && !parameters.shape.walks_in_cache())
            parameters.column_bits = column_bits(parameters.shape, static_cast<unsigned>(std::bit_width(length - 1)));
        // Where the first pass is the only one, no other program is needed.
        const bool one_tile = length <= parameters.shape.tile_keys();
        parameters.apart = is_apart && one_tile;
        // Rows that a tile holds have a shape of their own, so no longer ones need their program.
        const bool whole_rows = parameters.layout == Layout::rows && one_tile && !parameters.shape.walks_in_cache();
        parameters.tiles_only = parameters.apart || short_rows || (whole_rows && device.compiles && !parameters.leaves);
        parameters.row_work_items =
            whole_rows && parameters.tiles_only && !request.has_segments() ? work_items_of_row(parameters, length) : 0;
        if (parameters.layout == Layout::rows) {
            parameters.tiles_per_group =
                parameters.row_work_items > 0 ? 1 : tiles_per_group(parameters, device, limited.max_work_items);
            parameters.shape.resident_groups = std::clamp(resident_items / parameters.work_items(), 1u, 32u);
        }
        network.program = planner.compile(parameters);
        limited.max_work_items = network.program->max_work_items;
        if (is_apart) {
            KernelParameters of_first = parameters;
            of_first.apart = of_first.tiles_only = true;
            network.first_program = planner.compile(of_first);
            limited.max_work_items = std::min(limited.max_work_items, network.first_program->max_work_items);
        }
        if (parameters.work_items() <= limited.max_work_items) break;
        if (parameters.tiles_per_group > 1) continue;
        const Shape smaller = fit(parameters.shape, parameters.bytes, limited);
        if (!adapts || smaller == parameters.shape)
            throw Error(ErrorCode::unsupported,
                        fmt::format("the kernels of shape {} run in work-groups of at most {} work-items on {}",
                                    to_string(parameters.shape), limited.max_work_items, device.name));
        parameters.shape = smaller;
    }
    network.plan = merges ? request.part == MergePart::whole
                                ? make_merge_plan(length, request.middle, parameters.shape)
                                : make_half_plan(length, request.part == MergePart::lower_half, parameters.shape)
                   : request.in_rows()
                       ? make_row_plan(request.rows(), length, parameters.shape, parameters.tiles_per_group,
                                       request.first, parameters.layout == Layout::short_rows)
                       : make_plan(length, parameters.shape, request.first);
    for (const Pass& pass : network.plan.passes) check_groups(pass.groups, request, network.plan.shape);
    if (network.plan.passes.size() == 1 && !keeps_all) network.kept = use.kept;
    return network;
}

/// All keys of one range are to be in their places.
bool sorts_whole_range(const Request& request) { return !request.in_rows() && request.first >= request.count; }

/// Throws Error(invalid_argument) for a schedule that the request contradicts.
void check_schedule(const Request& request) {
    const auto require = [](bool holds, const char* sentence) {
        if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
    };
    const bool is_whole = sorts_whole_range(request);
    const bool is_distribution = request.schedule == Schedule::distribution;
    require(request.schedule == Schedule::automatic || is_whole,
            "a `schedule` is for one whole range, not for rows, segments or first keys");
    require(!is_distribution || !request.data_independent,
            "a distribution depends on the keys, so no sort by it is `data_independent`");
    require(!is_distribution || !request.counts_syncs,
            "the hand-overs of a distribution depend on the keys, so they are not counted (`counts_syncs`)");
    require(request.extra_bytes == 0 || is_distribution ||
                (request.schedule == Schedule::automatic && is_whole && !request.data_independent),
            "`extra_bytes` are for a distribution, which the call rules out");
}

/// As many as fill any device.
constexpr std::uint64_t many_groups = 1024;

/// Heads are sorted as tiles are.
const char* kernel_of(Pass::Kind kind) noexcept {
    return name(kind == Pass::Kind::merge_heads ? Pass::Kind::sort_tiles : kind);
}

}  // namespace

std::size_t index_bytes_for(const Request& request) noexcept {
    // Where ranges are merged, elements count from 1.
    return request.length() > most_narrow_indices - (request.operation == Operation::merge) ? 8 : 4;
}

ElementBytes element_bytes(const Request& request, std::size_t index_bytes) noexcept {
    const bool is_record = request.key.is_record();
    return {request.key.bytes(), request.value_bytes, index_bytes == 0 && is_record ? 1 : index_bytes, is_record};
}

Network make_network(Planner& planner, const Request& request, const ElementBytes& bytes, const NetworkUse& use) {
    if (use.like) return network_in(planner, *use.like, true, request, bytes, use);
    // Many rows fill the device, however short they are: then work-items with many keys are of use. For other elements
    // than keys of 4 bytes, and on processors, that was not measured for short rows
    // (docs/decisions.md#rows-and-segments).
    const bool are_keys = planner.device().kind == DeviceKind::gpu && bytes.key <= 4 && bytes.all() == bytes.key;
    const std::uint64_t short_row = are_keys && bytes.key == 4 ? 64 : 4096;
    const std::uint64_t count = request.length() <= short_row ? request.length() : request.count;
    if (const std::optional<Shape> wanted = planner.wanted_shape(count, bytes)) {
        try {
            require_fit(*wanted, bytes, planner.device());
            return network_in(planner, *wanted, false, request, bytes, use);
        } catch (const Error& error) {
            planner.refuse_wanted_shape(error);
        }
    }
    Shape shape = choose_shape(planner.device(), bytes, count);
    if (are_keys && request.row_length > 0) shape = fit_long_row(shape, request.length(), bytes, planner.device());
    return network_in(planner, shape, true, request, bytes, use);
}

void add_network(Work& work, Network network, const Request& request, Slot keys, Slot indices, Slot values,
                 const Sources* sources) {
    if (sources && !network.first_program) add_copies(work, *sources, keys, values);
    const bool is_apart = sources && network.first_program;
    const KernelParameters& parameters = network.program->parameters;
    const Plan& plan = network.plan;
    const KeyCoding coding = coding_of(request);
    const bool in_rows = parameters.layout == Layout::rows;
    const unsigned lane_bits = log2(plan.shape.lanes);
    const std::uint64_t count = in_rows ? plan.count : request.count;
    const std::size_t first_program = work.programs.size();
    if (is_apart) work.programs.push_back(std::move(network.first_program));
    if (!is_apart || plan.passes.size() > 1) work.programs.push_back(network.program);
    for (const Pass& pass : plan.passes) {
        const bool is_first = &pass == &plan.passes.front(), is_last = &pass == &plan.passes.back();
        const bool walks = plan.shape.walks_in_cache();
        const bool in_order = pass.kind == Pass::Kind::merge_heads || pass.kind == Pass::Kind::merge_columns ||
                              (!walks && pass.column_bits > 0 && !is_first);
        // The borders are few keys: where their pass is the last, the one before it decodes, and it codes them twice.
        const bool mends_borders = pass.kind == Pass::Kind::merge_borders;
        const bool is_before_last_borders =
            !is_last && &pass + 1 == &plan.passes.back() && plan.passes.back().kind == Pass::Kind::merge_borders;
        // If work-items walk their tiles, the first pass decodes rows of one tile, and later passes leave them.
        const bool ends_short_rows =
            walks && pass.kind == Pass::Kind::sort_tiles && parameters.family == &families::sort;
        // Of leaves, few are to be merged (kernels/sort/tile_in_local.cl).
        const bool are_few = parameters.leaves && !walks && pass.kind != Pass::Kind::sort_tiles;
        // All kernels have the same arguments (kernels/sort/pass_arguments.h).
        std::vector<Argument> arguments{
            keys,
            count,
            plan.rows,
            request.count,
            in_rows ? std::countr_zero(pass.tiles / plan.rows) : 0,
            walks && pass.kind == Pass::Kind::merge_tile_columns ? pass.column_bits : pass.last_phase - lane_bits,
            plan.front,
            in_order ? pass.first_phase - lane_bits : 0,
            coding_if(coding, is_first || (is_last && mends_borders)),
            coding_if(coding, is_last || is_before_last_borders || ends_short_rows),
            coding.flip,
            pass.strip_stride,
            pass.strip_bits,
            pass.mirrored,
            pass.column_bits,
            values,
            indices,
            Argument(network.segments, network.first_segment),
            Argument(Slot::counters, work.commands.size())};
        if (is_apart && is_first)
            arguments.insert(arguments.end(), {sources->keys, sources->values, std::min(network.kept, count)});
        add_launch(work, first_program + (is_apart && !is_first), kernel_of(pass.kind),
                   are_few ? std::min<std::uint64_t>(pass.groups, many_groups) : pass.groups, arguments);
        work.report.hand_overs += pass.hand_overs;
        work.report.barriers += pass.barriers;
    }
    work.plan = std::move(network.plan);
}

void add_copies(Work& work, const Sources& sources, Slot keys, Slot values) {
    for (const auto& [from, to] : {std::pair{sources.keys, keys}, std::pair{sources.values, values}})
        if (from != to && work.arrays[from].size() > 0)
            work.commands.emplace_back(Copy{from, to, work.arrays[from].size()});
}

namespace {

/// The arrays of a sort or merge in place.
Arrays arrays_in_place(const Request& request) {
    check_schedule(request);
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::change, "keys"};
    if (request.value_bytes > 0) arrays[Slot::values] = {request.count, request.value_bytes, Access::change, "values"};
    if (request.has_segments())
        arrays[Slot::segments] = {request.segments + 1, request.offset_bytes, Access::read, "offsets of segments"};
    if (request.counts_syncs) arrays[Slot::counters] = {most_passes, sizeof(PassCounters), Access::change, "counters"};
    return arrays;
}

}  // namespace

Arrays sort_arrays(const Request& request) {
    Arrays arrays = arrays_in_place(request);
    if (!request.apart) return arrays;
    const auto take_apart = [&](Slot from, Slot to, const char* name) {
        if (arrays[from].bytes == 0) return;
        arrays[to] = arrays[from];
        arrays[to].name = name;
        arrays[to].access = Access::write;
        arrays[to].is_reread = true;
        arrays[from].access = Access::read;
    };
    take_apart(Slot::keys, Slot::results, "sorted keys");
    take_apart(Slot::values, Slot::result_values, "sorted values");
    return arrays;
}

Arrays merge_arrays(const Request& request) {
    if (!sorts_whole_range(request))
        throw Error(ErrorCode::invalid_argument,
                    "only whole ranges can be merged, not rows, segments or their first keys");
    if (request.middle > request.count)
        throw Error(ErrorCode::out_of_range, fmt::format("the second range begins at key {}, but there are {} in all",
                                                         request.middle, request.count));
    Arrays arrays = arrays_in_place(request);
    if (request.is_first_step()) {
        arrays[Slot::keys].name = "keys of the lower range";
        arrays[Slot::second_keys] = {request.count, request.key.bytes(), Access::change, "keys of the upper range"};
        if (request.value_bytes > 0)
            arrays[Slot::second_values] = {request.count, request.value_bytes, Access::change,
                                           "values of the upper range"};
    }
    if (!request.apart) return arrays;
    const auto take_apart = [&](Slot first, Slot second, Slot all, const std::array<const char*, 3>& names) {
        const std::size_t bytes = arrays[first].bytes;
        arrays[all] = {request.count, bytes, Access::write, names[2]};
        arrays[all].is_reread = true;
        arrays[first] = {request.middle, bytes, Access::read, names[0]};
        arrays[second] = {request.count - request.middle, bytes, Access::read, names[1]};
    };
    take_apart(Slot::keys, Slot::second_keys, Slot::results,
               {"keys of the first range", "keys of the second range", "merged keys"});
    if (request.value_bytes > 0)
        take_apart(Slot::values, Slot::second_values, Slot::result_values,
                   {"values of the first range", "values of the second range", "merged values"});
    return arrays;
}

Arrays argsort_arrays(const Request& request) {
    check_indices(request);
    Arrays arrays = arrays_in_place(request);
    arrays[Slot::keys].access = request.in_host_memory ? Access::consume : Access::read;
    // Those of keys in no segment stay.
    const Access access = request.has_segments() ? Access::change : Access::write;
    arrays[Slot::indices] = {request.count, request.index_bytes, access, "indices"};
    arrays[Slot::indices].is_reread = true;
    return arrays;
}

namespace {

/// Copies two arrays to a third, side by side.
void bring_together(Work& work, Slot first, Slot second, Slot all) {
    std::uint64_t front = 0;
    for (const Slot from : {first, second}) {
        const std::uint64_t size = work.arrays[from].size();
        if (size > 0) work.commands.emplace_back(Copy{.from = from, .to = all, .width = size, .front = front});
        front += size;
    }
}

/// The first step of a merge of ranges that lie apart.
void add_exchange(Planner& planner, Work& work, const Request& request) {
    // Pairs of a work-group; a processor's work-item has many.
    constexpr unsigned usual_work_items = 256, most_pairs = 4096;
    const DeviceInfo& device = planner.device();
    const bool walks = device.kind == DeviceKind::cpu;
    KernelParameters parameters{
        .family = &families::merge_across,
        .bytes = ElementBytes(request.key.bytes(), request.value_bytes, 0),
        .wide_positions = request.count >= wide_count,
        .shape = {.work_items = walks ? 1 : std::bit_floor(std::min(usual_work_items, device.max_work_items))}};
    const std::uint64_t groups = ceil_div(request.count, std::uint64_t{most_pairs});
    check_groups(groups, request, parameters.shape);
    const KeyCoding coding = coding_of(request);
    work.programs.push_back(planner.compile(parameters));
    add_launch(work, "exchange_ends", groups, Slot::keys, Slot::values, Slot::second_keys, Slot::second_values,
               request.count, most_pairs, coding_if(coding, true), coding.flip,
               request.part == MergePart::first_step_where_needed);
}

/// Whether a sort may go by distribution, a quicksort among them, which depends on the keys.
bool may_distribute(const Request& request) {
    if (request.operation == Operation::merge || !sorts_whole_range(request) || request.counts_syncs) return false;
    return request.schedule == Schedule::distribution ||
           (request.schedule == Schedule::automatic && !request.data_independent);
}

/// Sorts in place or, where there are `sources`, from these.
void add_sort(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys, Slot indices,
              Slot values, const Sources* sources) {
    // What is compiled ahead sorts in place alone.
    if (sources && !planner.device().compiles) add_copies(work, *std::exchange(sources, nullptr), keys, values);
    const bool is_distribution =
        may_distribute(request) && (add_quicksort(planner, work, request, bytes, keys, indices, values, sources) ||
                                    add_distribution(planner, work, request, bytes, keys, indices, values, sources));
    if (!is_distribution)
        add_network(work, make_network(planner, request, bytes, {.apart = sources != nullptr}), request, keys, indices,
                    values, sources);
    if (request.in_rows() || request.operation == Operation::merge) return;
    const auto is_of_columns = [](const Pass& pass) { return pass.kind == Pass::Kind::merge_columns; };
    work.report.schedule = is_distribution                                        ? Schedule::distribution
                           : std::ranges::any_of(work.plan.passes, is_of_columns) ? Schedule::columns
                                                                                  : Schedule::network;
}

}  // namespace

/// Sorts or merges in place; what lies apart, to the place of the results.
void make_sort(Planner& planner, const Request& request, Work& work) {
    const Slot keys = request.apart ? Slot::results : Slot::keys;
    const Slot values = request.apart ? Slot::result_values : Slot::values;
    const bool is_merge = request.operation == Operation::merge,
               is_nothing = request.is_trivial() || request.first == 0;
    const Sources apart{Slot::keys};
    const Sources* sources = request.apart && !is_merge ? &apart : nullptr;
    if (request.apart && is_merge) {
        bring_together(work, Slot::keys, Slot::second_keys, keys);
        bring_together(work, Slot::values, Slot::second_values, values);
    }
    // What is in no segment stays, too.
    if (sources && (is_nothing || request.has_segments()))
        add_copies(work, *std::exchange(sources, nullptr), keys, values);
    if (is_nothing) return;
    if (request.is_first_step()) return add_exchange(planner, work, request);
    if (!is_merge && add_top_k_to_front(planner, work, request, keys, sources)) return;
    // Numbers that are equal are so in every bit: they need nothing to keep them apart.
    const bool is_indexed = request.stable && (request.value_bytes > 0 || request.key.is_record());
    const std::size_t index_bytes = is_indexed ? index_bytes_for(request) : 0;
    if (is_indexed) work.arrays[Slot::own_indices] = {request.count, index_bytes};
    ElementBytes bytes = element_bytes(request, index_bytes);
    // Of what is compiled ahead there are no kernels that move both: the library would be half as large again.
    const bool permutes = is_indexed && !bytes.is_record && !planner.device().compiles;
    if (permutes) bytes.value = 0;
    add_sort(planner, work, request, bytes, keys, Slot::own_indices, values, sources);
    if (permutes) add_permutation(planner, work, request, Slot::own_indices, values);
}

void make_argsort(Planner& planner, const Request& request, Work& work) {
    if (request.count == 0 || (request.has_segments() && request.segments == 0)) return;
    if (!request.has_segments() && request.is_trivial()) {
        work.commands.emplace_back(Zero{Slot::indices});
        return;
    }
    // Segments of one key are numbered as those of two are, since all else is to stay.
    Request wider = request;
    if (wider.has_segments()) wider.longest = std::max<std::uint64_t>(wider.longest, 2);
    const ElementBytes bytes = element_bytes(wider, request.index_bytes);
    // Those in host memory are a copy, as they are consumed.
    const Slot sorted = request.in_host_memory ? Slot::keys : Slot::own_keys;
    work.arrays[sorted].count = request.count;
    work.arrays[sorted].bytes = request.key.bytes();
    const Sources sources{Slot::keys};
    add_sort(planner, work, wider, bytes, sorted, Slot::indices, Slot::values, &sources);
}

}  // namespace lanesort::inline v0_1::detail
