// SPDX-License-Identifier: MIT
// The first k keys, of an array or of each of its rows.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "core/require.hpp"
#include "kernels.hpp"
#include "ops/move/gather.hpp"
#include "ops/operations.hpp"
#include "ops/sort/sort.hpp"
#include "threshold_schedule.hpp"
#include "top_k.hpp"
#include "top_k_schedule.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

struct ReadyTopK {
    TopKSchedule selection;
    std::shared_ptr<const Program> program;
};

/// A selection and its kernels, compiled; nothing where k is too large for one.
std::optional<ReadyTopK> ready_top_k(Planner& planner, const Request& request, const ElementBytes& bytes) {
    // A shape of the caller's is one for sorts.
    DeviceInfo device = planner.device();
    const std::uint64_t count = request.length(), rows = request.row_count();
    while (request.first <= most_selected(device, bytes, count)) {
        TopKSchedule selection =
            make_top_k_schedule(device, bytes, rows, count, request.first, request.data_independent);
        for (const TopKPass& pass : selection.passes) check_groups(rows * pass.parts, request, selection.shape);
        KernelParameters parameters{
            .family = selection.shape.work_items == 1 ? &families::top_k_in_registers : &families::top_k_in_local,
            .bytes = selection.bytes,
            .wide_positions = count >= wide_count,
            .shape = selection.shape};
        parameters.order_by(request);
        std::shared_ptr<const Program> program = planner.compile(parameters);
        if (program->max_work_items >= parameters.work_items())
            return ReadyTopK{std::move(selection), std::move(program)};
        if (program->max_work_items == 0) break;
        device.max_work_items = program->max_work_items;
    }
    return std::nullopt;
}

/// Elements in the array of keys of one slot, and of their indices in another.
struct Place {
    Slot keys, indices;
    std::uint64_t from = 0;
};

/// Each pass reads the keys, or what the pass before it left, and leaves the best for the next; the last one writes the
/// results, k of each row.
void add_top_k(Work& work, ReadyTopK ready, const Request& request, const Place& results) {
    const TopKSchedule& selection = ready.selection;
    const KernelParameters& parameters = ready.program->parameters;
    const KeyCoding coding = coding_of(request);
    const std::uint64_t selected = selection.rows * selection.k;
    const std::uint64_t own = selection.left_over() + (results.keys == Slot::own_keys ? selected : 0);
    work.arrays[Slot::own_keys] = {own, parameters.bytes.key};
    if (parameters.stores_indices()) {
        work.arrays[Slot::own_indices] = {own, parameters.bytes.index};
        if (results.indices == Slot::own_results) work.arrays[Slot::own_results] = {selected, parameters.bytes.index};
    }
    work.programs.push_back(ready.program);
    for (const TopKPass& pass : selection.passes) {
        const bool is_last = &pass == &selection.passes.back();
        const bool selects = pass.kind == TopKPass::Kind::select_best;
        const Place left = is_last ? results : Place{Slot::own_keys, Slot::own_indices, pass.left_place};
        add_launch(work, selects ? "select_best" : "best_of_buckets", selection.rows * pass.parts,
                   pass.reads_keys ? Slot::keys : Argument(Slot::own_keys, pass.read_place),
                   Argument(Slot::own_indices, pass.read_place), Argument(left.keys, left.from),
                   Argument(left.indices, left.from), pass.count, pass.share, pass.parts, pass.bucket_bits, selection.k,
                   selection.skips, coding_if(coding, pass.reads_keys), coding_if(coding, is_last), coding.flip);
    }
    work.report = selection.report();
}

struct ReadyThreshold {
    ThresholdSchedule schedule;
    std::shared_ptr<const Program> program;
};

/// The same by a threshold.
std::optional<ReadyThreshold> ready_threshold(Planner& planner, const Request& request, const ElementBytes& bytes) {
    DeviceInfo device = planner.device();
    const std::uint64_t count = request.length(), rows = request.row_count();
    while (const std::optional<ThresholdSchedule> made =
               make_threshold_schedule(device, bytes, rows, count, request.first)) {
        check_groups(rows * made->parts, request, made->shape);
        KernelParameters parameters{.family = &families::top_k_by_threshold,
                                    .bytes = made->bytes,
                                    .wide_positions = count >= wide_count,
                                    .shape = made->shape};
        parameters.order_by(request);
        if (parameters.nan_last) parameters.shape = with_more_registers(parameters.shape);
        std::shared_ptr<const Program> program = planner.compile(parameters);
        if (program->max_work_items >= parameters.work_items()) return ReadyThreshold{*made, std::move(program)};
        if (program->max_work_items == 0) break;
        device.max_work_items = program->max_work_items;
    }
    return std::nullopt;
}

/// The launches of top-k by a threshold, and its arrays.
class ThresholdLaunches {
public:
    ThresholdLaunches(Planner& planner, Work& work, const Request& request, const Place& results, ReadyThreshold ready)
        : planner_(planner),
          work_(work),
          request_(request),
          results_(results),
          schedule_(ready.schedule),
          parameters_(ready.program->parameters),
          coding_(coding_of(request)),
          thresholds_(schedule_.rows * schedule_.room),
          bounds_(state_units(schedule_)) {
        work.programs.push_back(std::move(ready.program));
    }

    void add() {
        if (schedule_.room > 0) {
            // What passes, and behind it the thresholds.
            work_.arrays[Slot::own_keys] = {thresholds_ + schedule_.rows, parameters_.bytes.key};
            work_.arrays[Slot::own_indices] = {thresholds_ + schedule_.rows, parameters_.bytes.index};
            work_.arrays[Slot::own_integers] = {bounds_ + 2 * schedule_.rows, sizeof(std::uint64_t)};
            add_threshold();
            add_passing(0);
        }
        if (schedule_.sorts) add_sort();
        else add_top_k();
    }

private:
    void add_threshold() {
        launch("choose_threshold", 1, Slot::keys, elements(thresholds_), Slot::own_integers, schedule_.count,
               schedule_.k, order());
    }

    void add_passing(unsigned turn) {
        launch("keep_passing", schedule_.parts, Slot::keys, elements(thresholds_), elements(0), Slot::own_integers,
               schedule_.count, schedule_.share, schedule_.parts, schedule_.room, turn, coding_if(coding_, true),
               coding_if(coding_, schedule_.sorts), coding_.flip);
    }

    void add_top_k() {
        make_room_for_indices();
        launch("select_passing", 1, Slot::keys, elements(0), Slot::own_integers, results_.keys, results_.indices,
               schedule_.count, schedule_.k, schedule_.room, order());
    }

    /// Counts digits, which finds nothing to do if the threshold was a good one; sorts what has passed, and copies the
    /// first k.
    void add_sort() {
        for (const ThresholdDigit& digit : digits_of(schedule_)) {
            const std::array<Argument, 4> place{schedule_.k, schedule_.room, digit.in_index, digit.shift};
            launch("count_digits", schedule_.parts, Slot::keys, elements(thresholds_), Slot::own_integers,
                   schedule_.count, schedule_.share, schedule_.parts, place, order());
            launch("choose_digit", 1, elements(thresholds_), Slot::own_integers, Argument(Slot::own_integers, bounds_),
                   schedule_.count, place);
        }
        add_passing(1);

        Request passed = as_sort(request_);
        passed.order = request_.order_or_usual();
        passed.first = all_keys;
        passed.count = thresholds_;
        passed.row_length = 0;
        passed.segments = schedule_.rows;
        passed.longest = schedule_.room;
        passed.offset_bytes = sizeof(std::uint64_t);
        Network network = make_network(planner_, passed, parameters_.bytes, {.sorts_leaves = true});
        network.segments = Slot::own_integers;
        network.first_segment = bounds_;
        add_network(work_, std::move(network), passed, Slot::own_keys, Slot::own_indices);
        const auto take = [&](Slot from, Slot to, std::size_t bytes) {
            work_.commands.emplace_back(Copy{from, to, request_.first * bytes, schedule_.rows, schedule_.room * bytes});
        };
        take(Slot::own_keys, results_.keys, parameters_.bytes.key);
        if (request_.index_bytes == 0) return;
        make_room_for_indices();
        take(Slot::own_indices, results_.indices, parameters_.bytes.index);
    }

    /// Where they are not the caller's.
    void make_room_for_indices() {
        if (results_.indices == Slot::own_results)
            work_.arrays[Slot::own_results] = {schedule_.rows * schedule_.k, parameters_.bytes.index};
    }

    /// With so many work-groups a row.
    template <class... Part>
    void launch(const char* kernel, std::uint64_t groups, const Part&... arguments) {
        add_launch(work_, kernel, schedule_.rows * groups, arguments...);
    }
    std::array<Argument, 2> elements(std::uint64_t from) const {
        return {Argument(Slot::own_keys, from), Argument(Slot::own_indices, from)};
    }
    std::array<Argument, 2> order() const { return {coding_if(coding_, true), coding_.flip}; }

    Planner& planner_;
    Work& work_;
    const Request& request_;
    Place results_;
    ThresholdSchedule schedule_;
    const KernelParameters& parameters_;
    KeyCoding coding_;
    std::uint64_t thresholds_;  // where they begin, of elements
    std::uint64_t bounds_;      // and the bounds of rows, of integers
};

/// What was selected, and where its indices are, if it has any.
struct Selected {
    Slot keys;
    FoundIndices indices;
};

/// A shape whose tile holds a row, if there is one.
std::optional<Shape> shape_for_row(const DeviceInfo& device, const ElementBytes& bytes, const Request& request) {
    // Twice the elements in registers take a fifth less time, but where rows are short or too few
    // (docs/decisions.md#rows-sorted-whole).
    constexpr std::uint64_t least_length = 257, fewest = 1 << 19;
    constexpr unsigned many_vectors = 8, resident_items = 512, most_work_items = 512;
    Shape shape = choose_shape(device, bytes, request.length());
    if (!shape.walks_in_cache()) {
        unsigned resident = shape.resident_groups * shape.work_items;
        if (bytes.all() == 8 && request.length() >= least_length && request.count >= fewest) {
            shape.vectors = many_vectors;
            shape.register_vectors = 2 * many_vectors;
            resident = resident_items;
        }
        while (shape.tile_keys() < request.length() &&
               2 * shape.work_items <= std::min(device.max_work_items, most_work_items))
            shape.work_items *= 2;
        shape.resident_groups = std::max(resident / shape.work_items, 1u);
    }
    const bool fits = shape.tile_keys() >= request.length() && shape.local_bytes(bytes) <= device.local_bytes;
    return fits ? std::optional(shape) : std::nullopt;
}

/// Sorts each row that a tile holds, and writes the first k of it. Does nothing where no tile holds one.
bool add_sort_of_rows(Work& work, Planner& planner, const Request& request, const Place& results,
                      std::size_t index_bytes) {
    const ElementBytes bytes = element_bytes(request, index_bytes);
    if (!planner.device().compiles || request.is_trivial() || request.has_segments()) return false;
    const std::optional<Shape> shape = shape_for_row(planner.device(), bytes, request);
    if (!shape) return false;
    Network network = make_network(planner, request, bytes, {.like = shape, .apart = true, .kept = request.first});
    // The device's compiler may want a smaller tile.
    if (network.plan.passes.size() > 1) return false;
    if (index_bytes > 0 && results.indices == Slot::own_results)
        work.arrays[Slot::own_results] = {request.row_count() * request.first, index_bytes};
    const Sources sources{Slot::keys};
    add_network(work, std::move(network), request, results.keys, results.indices, Slot::values, &sources);
    return true;
}

/// Sorts the first k of each row of a copy to its front.
Selected add_sort_of_copy(Work& work, Planner& planner, const Request& request, std::size_t index_bytes) {
    const Sources sources{Slot::keys};
    const Slot sorted = request.in_host_memory ? Slot::keys : Slot::own_keys;
    if (request.in_host_memory) work.arrays[sorted].access = Access::consume;
    else work.arrays[sorted] = {request.count, request.key.bytes()};
    if (index_bytes > 0) work.arrays[Slot::own_indices] = {request.count, index_bytes};
    if (!request.is_trivial()) {
        add_network(work, make_network(planner, request, element_bytes(request, index_bytes), {.apart = true}), request,
                    sorted, Slot::own_indices, Slot::values, &sources);
    } else {
        add_copies(work, sources, sorted, Slot::values);
        if (index_bytes > 0) work.commands.emplace_back(Zero{Slot::own_indices});
    }
    return {sorted, {Slot::own_indices, true}};
}

/// Whether rows are sorted sooner than their first k are selected, if a tile holds one: of elements of 8 bytes and
/// less, short rows always, others from a sixteenth of the row on (docs/decisions.md#rows-sorted-whole).
bool sorts_rows(const DeviceInfo& device, const Request& request, std::size_t index_bytes) noexcept {
    constexpr std::uint64_t short_row = 512, least_part = 16;
    if (device.kind != DeviceKind::gpu || request.key.is_record() || request.key.bytes() + index_bytes > 8)
        return false;
    return request.length() <= short_row || request.first >= ceil_div(request.length(), least_part);
}

/// Adds what selects, with indices of so many bytes, and leaves it in these places or, after a sort, elsewhere.
Selected add_finding(Planner& planner, Work& work, const Request& request, const Place& results,
                     std::size_t index_bytes) {
    if (sorts_rows(planner.device(), request, index_bytes) &&
        add_sort_of_rows(work, planner, request, results, index_bytes))
        return {results.keys, {results.indices}};
    // With a C++ function sorts are compiled, but no selections: those would take as long again.
    if (request.first < request.length() && !request.has_segments() && !request.key.compiled_order()) {
        const ElementBytes bytes = element_bytes(request, index_bytes);
        if (!request.data_independent)
            if (std::optional<ReadyThreshold> ready = ready_threshold(planner, request, bytes)) {
                ThresholdLaunches(planner, work, request, results, *std::move(ready)).add();
                return {results.keys, {results.indices}};
            }
        if (std::optional<ReadyTopK> ready = ready_top_k(planner, request, bytes)) {
            add_top_k(work, *std::move(ready), request, results);
            return {results.keys, {results.indices}};
        }
    }
    if (add_sort_of_rows(work, planner, request, results, index_bytes)) return {results.keys, {results.indices}};
    return add_sort_of_copy(work, planner, request, index_bytes);
}

/// Some of the caller's places may be left as they are.
bool leaves_places(const Request& request) noexcept { return request.has_segments() || request.limited; }

/// Copies the first k of each row.
void add_copies_of_first(Work& work, const Request& request, Slot from, Slot to) {
    const std::size_t bytes = work.arrays[to].bytes;
    work.commands.emplace_back(Copy{from, to, request.first * bytes, request.row_count(), request.length() * bytes});
}

}  // namespace

Arrays top_k_arrays(const Request& request) {
    if (request.index_bytes > 0) check_indices(request);
    if (request.nan_last && request.key.is_record())
        throw Error(ErrorCode::invalid_argument,
                    "records have the order of their comparator, which says where a NaN is");
    if (!request.has_segments() && request.first > request.length())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the first {} keys were asked for, but there are {}", request.first, request.length()));
    require(!product_exceeds(request.ranges(), request.first, most_in_64_bits), ErrorCode::too_large,
            "the first {} keys of each of {} rows or segments are more than 64 bits count", request.first,
            request.ranges());
    const std::uint64_t results = request.ranges() * request.first;
    // What is in places that are not written is to stay.
    const Access access = leaves_places(request) ? Access::change : Access::write;
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    arrays[Slot::results] = {results, request.key.bytes(), access, "selected keys"};
    if (request.index_bytes > 0) arrays[Slot::indices] = {results, request.index_bytes, access, "indices"};
    if (request.has_segments())
        arrays[Slot::segments] = {request.segments + 1, request.offset_bytes, Access::read, "offsets of segments"};
    if (request.limited) arrays[Slot::limit] = {1, sizeof(std::uint64_t), Access::read, "limit"};
    if (request.value_bytes > 0) {
        arrays[Slot::indices].is_reread = true;
        arrays[Slot::values] = {request.count, request.value_bytes, Access::read, "values"};
        arrays[Slot::result_values] = {results, request.value_bytes, access, "values of selected keys"};
    }
    return arrays;
}

void make_top_k(Planner& planner, const Request& request, Work& work) {
    if (work.arrays[Slot::results].count == 0 || request.length() == 0) return;
    const bool wants_indices = request.index_bytes > 0;
    const Place results{request.limited ? Slot::pool_keys : Slot::results,
                        wants_indices && !request.limited ? Slot::indices : Slot::own_results};
    Request of_keys = request;
    of_keys.value_bytes = 0;
    of_keys.first = std::min(request.first, request.length());
    // Values follow the indices of their keys.
    if (!wants_indices && request.value_bytes > 0) of_keys.index_bytes = index_bytes_for(request);
    // What one launch leaves of records for the next may be beyond the end, which an index tells.
    const bool needs_indices = of_keys.index_bytes == 0 && request.key.is_record();
    const Selected selected =
        add_finding(planner, work, of_keys, results, needs_indices ? index_bytes_for(request) : of_keys.index_bytes);
    if (selected.keys == Slot::pool_keys)
        work.arrays[Slot::pool_keys] = {work.arrays[Slot::results].count, request.key.bytes()};
    const auto take = [&](Slot from, Slot to) {
        if (leaves_places(request)) add_taking(planner, work, request, selected.indices, from, to);
        else add_copies_of_first(work, request, from, to);
    };
    if (selected.keys != Slot::results) {
        take(selected.keys, Slot::results);
        if (wants_indices) take(selected.indices.slot, Slot::indices);
    }
    if (request.value_bytes > 0)
        add_gathering(planner, work, request, selected.indices, Slot::values, Slot::result_values);
}

bool add_top_k_to_front(Planner& planner, Work& work, const Request& request, Slot keys, const Sources* sources) {
    constexpr std::uint64_t least_length = 1 << 14, least_part = 16;
    const DeviceInfo& device = planner.device();
    const ElementBytes bytes(request.key.is_record() ? 0 : request.key.bytes(), 0, index_bytes_for(request));
    const bool may_select = device.kind == DeviceKind::cpu && !planner.demanded_shape() && !request.data_independent &&
                            !request.counts_syncs && !request.has_segments();
    if (!may_select || request.value_bytes > 0 || request.key.is_record() || request.length() < least_length ||
        request.first > std::min(most_selected(device, bytes, request.length()), request.length() / least_part))
        return false;
    std::optional<ReadyTopK> ready = ready_top_k(planner, request, bytes);
    if (!ready) return false;
    const Place best{Slot::own_keys, Slot::own_indices, ready->selection.left_over()};
    if (sources) add_copies(work, *sources, keys, keys);
    add_top_k(work, *std::move(ready), request, best);
    add_launch(work, "bring_to_front", request.row_count(), keys, Argument(best.keys, best.from),
               Argument(best.indices, best.from), request.length(), request.first);
    return true;
}

}  // namespace lanesort::inline v0_1::detail
