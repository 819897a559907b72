#include "launch.hpp"

#include <bit>

#include "rounds.hpp"

namespace lanesort::detail {
namespace {

std::uint64_t log2_of(std::uint64_t power_of_two) { return static_cast<std::uint64_t>(std::countr_zero(power_of_two)); }

/// The coding argument of a pass: the keys' coding in the pass that encodes or decodes, none in the others.
std::uint64_t coding_if(const KeyArray& keys, bool applies) {
    return static_cast<std::uint64_t>(applies ? keys.coding.coding : Coding::none);
}

/// As the kernels' flip_t.
std::size_t flip_bytes(const KernelParameters& parameters) {
    return parameters.bytes.is_record ? 4 : parameters.bytes.key;
}

}  // namespace

std::size_t kernel_of(const Pass& pass, const KernelParameters& parameters) noexcept {
    const auto kind = static_cast<std::size_t>(pass.kind);
    switch (parameters.operation) {
        case Operation::sort_first: return 0;
        case Operation::merge: return kind - static_cast<std::size_t>(Pass::Kind::merge_rows);
        default: return kind;
    }
}

Launch launch_of(const Pass& pass, const Plan& plan, const KernelParameters& parameters, const KeyArray& keys) {
    Launch launch;
    const bool sorts_first = parameters.operation == Operation::sort_first;
    const bool merges = parameters.operation == Operation::merge;
    launch.kernel = kernel_of(pass, parameters);
    launch.groups = pass.groups;
    launch.add(keys.offset, 8);
    launch.add(parameters.layout == Layout::rows ? plan.count : keys.count, parameters.wide_index ? 8 : 4);
    if (parameters.layout == Layout::rows) {
        launch.add(plan.rows, 8);
        launch.add(log2_of(pass.tiles / plan.rows), 4);
        if (parameters.offset_bytes > 0) launch.add(keys.count, 8);
    }
    if (merges) {
        launch.add(plan.front, parameters.wide_index ? 8 : 4);
        launch.add(coding_if(keys, &pass == &plan.passes.front()), 4);
    }
    const unsigned lane_bits = log2(plan.shape.lanes);
    if (pass.kind == Pass::Kind::sort_tiles || pass.kind == Pass::Kind::merge_heads) {
        launch.add(pass.last_phase - lane_bits, 4);
        launch.add(coding_if(keys, &pass == &plan.passes.front()), 4);
    }
    launch.add(coding_if(keys, &pass == &plan.passes.back()), 4);
    launch.add(keys.coding.flip, flip_bytes(parameters));
    if (pass.kind == Pass::Kind::merge_rows) {
        launch.add(pass.row_stride, 4);
        launch.add(pass.column_bits, 4);
        launch.add(pass.mirrored, 4);
    }
    if (sorts_first) {
        launch.add(pass.kind == Pass::Kind::sort_tiles ? 0 : pass.first_phase - lane_bits, 4);
        launch.add(pass.row_stride, 4);
        launch.add(pass.column_bits, 4);
    }
    return launch;
}

Launch launch_of(const SelectionPass& pass, const Selection& selection, const KernelParameters& parameters,
                 const KeyArray& keys) {
    const std::size_t index_bytes = parameters.wide_index ? 8 : 4;
    const bool selects = pass.kind == SelectionPass::Kind::select_best;
    Launch launch;
    launch.kernel = static_cast<std::size_t>(pass.kind);
    launch.groups = selection.rows * pass.parts;
    launch.add(keys.offset, 8);
    launch.add(pass.count, index_bytes);
    if (selects) launch.add(pass.share, index_bytes);
    launch.add(pass.parts, 4);
    launch.add(pass.chunk_bits, 4);
    if (selects) launch.add(selection.k, 4);
    launch.add(coding_if(keys, pass.reads_keys), 4);
    if (selects) launch.add(coding_if(keys, &pass == &selection.passes.back()), 4);
    launch.add(keys.coding.flip, flip_bytes(parameters));
    return launch;
}

}  // namespace lanesort::detail
