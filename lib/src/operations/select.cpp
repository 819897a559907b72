// The first k keys, of an array or of each of its rows.
#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "../selection.hpp"
#include "operations.hpp"
#include "sort.hpp"

namespace lanesort::detail {
namespace {

struct ReadySelection {
    Selection selection;
    std::shared_ptr<const Program> program;
};

/// A selection and its kernels, compiled; nothing where k is too large for one.
std::optional<ReadySelection> select(Planner& planner, const Request& request, const ElementBytes& bytes) {
    // A shape of the caller's is one for sorts.
    DeviceInfo device = planner.device();
    const std::uint64_t count = request.length(), rows = request.row_count();
    while (request.first <= most_selected(device, bytes)) {
        Selection selection = make_selection(device, bytes, rows, count, request.first);
        for (const SelectionPass& pass : selection.passes) check_groups(rows * pass.parts, request, selection.shape);
        KernelParameters parameters{.family = Family::select,
                                    .bytes = selection.bytes,
                                    .wide_positions = count >= wide_count,
                                    .shape = selection.shape};
        parameters.order_by(request.key);
        std::shared_ptr<const Program> program = planner.compile(parameters);
        if (program->max_work_items >= parameters.work_items())
            return ReadySelection{std::move(selection), std::move(program)};
        if (program->max_work_items == 0) break;
        device.max_work_items = program->max_work_items;
    }
    return std::nullopt;
}

/// Each pass reads the keys, or what the pass before it left, and leaves the best for the next; the last one writes the
/// results.
void add_selection(Work& work, ReadySelection ready, const Request& request) {
    const Selection& selection = ready.selection;
    const KernelParameters& parameters = ready.program->parameters;
    const KeyCoding coding = coding_of(request.key, request.order_or_usual());
    const std::size_t position_bytes = parameters.wide_positions ? 8 : 4;
    const Slot result_indices = request.index_bytes > 0 ? Slot::indices : Slot::own_results;
    work.arrays[Slot::own_keys] = {selection.left_over(), parameters.bytes.key};
    if (parameters.stores_indices()) {
        work.arrays[Slot::own_indices] = {selection.left_over(), parameters.bytes.index};
        if (result_indices == Slot::own_results)
            work.arrays[Slot::own_results] = {work.arrays[Slot::results].count, parameters.bytes.index};
    }
    for (const SelectionPass& pass : selection.passes) {
        const bool is_last = &pass == &selection.passes.back();
        const bool selects = pass.kind == SelectionPass::Kind::select_best;
        Launch launch;
        launch.kernel = kernel_number(parameters, selects ? "select_best" : "best_of_buckets");
        launch.groups = selection.rows * pass.parts;
        // In the order of the kernels' arguments, which both have the same (kernels/select.h, select_best.h).
        if (pass.reads_keys) launch.add(Slot::keys);
        else launch.add(Slot::own_keys, pass.read_place);
        launch.add(Slot::own_indices, pass.read_place);
        if (is_last) launch.add(Slot::results);
        else launch.add(Slot::own_keys, pass.left_place);
        if (is_last) launch.add(result_indices);
        else launch.add(Slot::own_indices, pass.left_place);
        launch.add_count(pass.count, position_bytes);
        launch.add(pass.share, position_bytes);
        launch.add(pass.parts, 4);
        launch.add(pass.bucket_bits, 4);
        launch.add_count(selection.k, 4);
        launch.add(coding_if(coding, pass.reads_keys));
        launch.add(coding_if(coding, is_last));
        launch.add(flip_of(parameters, coding));
        work.commands.emplace_back(launch);
    }
    work.report = selection.report();
    work.programs.push_back(std::move(ready.program));
}

/// Sorts the first k of each row of a copy to its front, and takes them.
void add_sort_of_copy(Work& work, Planner& planner, const Request& request, std::size_t index_bytes) {
    const Slot sorted = copy_of_keys(request, work);
    if (sorted == Slot::keys) work.arrays[sorted].access = Access::consume;
    if (index_bytes > 0) work.arrays[Slot::own_indices] = {request.count, index_bytes};
    if (!request.is_trivial())
        add_network(work, make_network(planner, request, element_bytes(request, index_bytes)), request, sorted,
                    Slot::own_indices);
    else if (index_bytes > 0) work.commands.emplace_back(Zero{Slot::own_indices});
    const auto take = [&](Slot from, Slot to, std::size_t bytes) {
        work.commands.emplace_back(
            Copy{from, to, request.first * bytes, request.row_count(), request.length() * bytes});
    };
    take(sorted, Slot::results, request.key.bytes());
    if (request.index_bytes > 0) take(Slot::own_indices, Slot::indices, index_bytes);
}

}  // namespace

Arrays top_k_arrays(const Request& request) {
    if (request.has_segments())
        throw Error(ErrorCode::invalid_argument,
                    "the first keys of segments cannot be selected, but those of rows can");
    if (request.index_bytes > 0) check_indices(request);
    if (request.first > request.length())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the first {} keys were asked for, but there are {}", request.first, request.length()));
    const std::uint64_t results = request.row_count() * request.first;
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    arrays[Slot::results] = {results, request.key.bytes(), Access::write, "selected keys"};
    if (request.index_bytes > 0) arrays[Slot::indices] = {results, request.index_bytes, Access::write, "indices"};
    return arrays;
}

void make_top_k(Planner& planner, const Request& request, Work& work) {
    if (work.arrays[Slot::results].count == 0) return;
    // What one launch leaves of records for the next may be beyond the end, which an index tells.
    const std::size_t index_bytes =
        request.index_bytes == 0 && request.key.is_record() ? index_bytes_for(request) : request.index_bytes;
    std::optional<ReadySelection> ready;
    // With a C++ function sorts are compiled, but no selections: those would take as long again.
    if (request.first < request.length() && !request.key.compiled_order())
        ready = select(planner, request, element_bytes(request, index_bytes));
    if (ready) add_selection(work, *std::move(ready), request);
    else add_sort_of_copy(work, planner, request, index_bytes);
}

}  // namespace lanesort::detail
