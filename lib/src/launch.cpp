#include "launch.hpp"

#include <bit>

#include "rounds.hpp"

namespace lanesort::detail {
namespace {

std::uint64_t log2_of(std::uint64_t power_of_two) { return static_cast<std::uint64_t>(std::countr_zero(power_of_two)); }

}  // namespace

Launch launch_of(const Pass& pass, const Plan& plan, const KernelParameters& parameters, const KeyArray& keys) {
    Launch launch;
    const bool sorts_first = parameters.operation == Operation::sort_first;
    const bool merges = parameters.operation == Operation::merge;
    const auto kind = static_cast<std::size_t>(pass.kind);
    launch.kernel = sorts_first ? 0 : merges ? kind - static_cast<std::size_t>(Pass::Kind::merge_rows) : kind;
    launch.groups = pass.groups;
    const auto add = [&](std::uint64_t value, std::size_t bytes) {
        launch.arguments[launch.argument_count++] = {value, bytes};
    };
    const auto coding_if = [&](bool applies) {
        return static_cast<std::uint32_t>(applies ? keys.coding.coding : Coding::none);
    };
    add(keys.offset, 8);
    add(parameters.layout == Layout::rows ? plan.count : keys.count, parameters.wide_index ? 8 : 4);
    if (parameters.layout == Layout::rows) {
        add(plan.rows, 8);
        add(log2_of(pass.tiles / plan.rows), 4);
        if (parameters.offset_bytes > 0) add(keys.count, 8);
    }
    if (merges) {
        add(plan.front, parameters.wide_index ? 8 : 4);
        add(coding_if(&pass == &plan.passes.front()), 4);
    }
    const unsigned lane_bits = log2(plan.shape.lanes);
    if (pass.kind == Pass::Kind::sort_tiles || pass.kind == Pass::Kind::merge_heads) {
        add(pass.last_phase - lane_bits, 4);
        add(coding_if(&pass == &plan.passes.front()), 4);
    }
    add(coding_if(&pass == &plan.passes.back()), 4);
    add(keys.coding.flip, parameters.bytes.is_record ? 4 : parameters.bytes.key);
    if (pass.kind == Pass::Kind::merge_rows) {
        add(pass.row_stride, 4);
        add(pass.column_bits, 4);
        add(pass.mirrored, 4);
    }
    if (sorts_first) {
        add(pass.kind == Pass::Kind::sort_tiles ? 0 : pass.first_phase - lane_bits, 4);
        add(pass.row_stride, 4);
        add(pass.column_bits, 4);
    }
    return launch;
}

Launch launch_of(const SelectionPass& pass, const Selection& selection, const KernelParameters& parameters,
                 const KeyArray& keys) {
    Launch launch;
    launch.groups = selection.rows * pass.parts;
    const auto add = [&](std::uint64_t value, std::size_t bytes) {
        launch.arguments[launch.argument_count++] = {value, bytes};
    };
    const auto coding_if = [&](bool applies) {
        return static_cast<std::uint32_t>(applies ? keys.coding.coding : Coding::none);
    };
    add(keys.offset, 8);
    add(pass.count, parameters.wide_index ? 8 : 4);
    add(pass.parts, 4);
    add(selection.k, 4);
    add(coding_if(&pass == &selection.passes.front()), 4);
    add(coding_if(&pass == &selection.passes.back()), 4);
    add(keys.coding.flip, parameters.bytes.is_record ? 4 : parameters.bytes.key);
    return launch;
}

}  // namespace lanesort::detail
