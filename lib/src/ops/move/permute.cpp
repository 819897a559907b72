// SPDX-License-Identifier: MIT
#include "permute.hpp"

#include <bit>

#include "kernels.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Rows of so many elements are shared by several work-groups, where they are not enough for two a thread.
constexpr std::uint64_t least_shared_length = 1 << 16;

/// A work-group's (kernels/move/permute.cl).
constexpr std::uint64_t cuts = 128;

/// lg of the work-groups that share a row.
unsigned group_bits(const DeviceInfo& device, const Request& request) {
    const std::uint64_t rows = request.in_rows() ? request.rows() : 1, wanted = std::uint64_t{2} * device.compute_units;
    if (device.compute_units < 2 || request.length() < least_shared_length || rows >= wanted) return 0;
    return static_cast<unsigned>(std::bit_width(wanted / rows) - 1);
}

}  // namespace

void add_permutation(Planner& planner, Work& work, const Request& request, Slot indices, Slot values) {
    KernelParameters parameters{
        .family = &families::permute,
        .bytes = ElementBytes(1, work.arrays[values].bytes, work.arrays[indices].bytes),  // keys are not looked at
        .wide_positions = request.length() >= wide_count,
        .shape = {.work_items = 1},
        .layout = request.in_rows() ? Layout::rows : Layout::range,
        .offset_bytes = request.offset_bytes};
    const std::uint64_t rows = request.in_rows() ? request.rows() : 1;
    const unsigned bits = group_bits(planner.device(), request);
    if (bits > 0) work.arrays[Slot::own_values] = {(rows << bits) * cuts, parameters.bytes.value};
    check_groups(rows, request, parameters.shape);
    work.programs.push_back(planner.compile(parameters));
    const auto launch = [&](const char* kernel, std::uint64_t groups, auto... more) {
        add_launch(work, kernel, groups, Slot::keys, values, indices, request.length(), request.rows(), request.count,
                   bits, Slot::segments, Slot::own_values, more...);
    };
    if (bits > 0) launch("walk_from_cuts", rows << bits);
    launch("walk_cycles", rows, bits > 0);
}

}  // namespace lanesort::inline v0_1::detail
