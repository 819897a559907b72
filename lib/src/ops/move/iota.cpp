// SPDX-License-Identifier: MIT
#include "iota.hpp"

#include <algorithm>

#include "core/integers.hpp"
#include "kernels.hpp"

namespace lanesort::inline v0_1::detail {

void add_iota(Planner& planner, Work& work, Slot integers, std::uint64_t first) {
    // Integers of a work-group; a processor's work-item writes many.
    constexpr unsigned usual_work_items = 256, most_integers = 4096;
    const DeviceInfo& device = planner.device();
    const bool walks = device.kind == DeviceKind::cpu;
    const Array& array = work.arrays[integers];
    const KernelParameters parameters{
        .family = &families::iota,
        .bytes = ElementBytes(1, 0, array.bytes),  // there are no keys
        .shape = {.work_items = walks ? 1 : std::min(usual_work_items, std::max(device.max_work_items, 1u))}};
    work.programs.push_back(planner.compile(parameters));
    add_launch(work, "write_iota", ceil_div(array.count, std::uint64_t{most_integers}), integers, array.count, first,
               most_integers);
}

}  // namespace lanesort::inline v0_1::detail
