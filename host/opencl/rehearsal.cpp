// SPDX-License-Identifier: MIT
// Launches over no elements, for compilers that leave their work to the first launch.
#include <algorithm>

#include "../../lib/src/core/integers.hpp"
#include "checked.hpp"
#include "executor.hpp"
#include "host.hpp"
#include "host_range.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

/// The launch with nothing to do, in as few work-groups as compile the same.
detail::Launch empty(const detail::Launch& launch, unsigned work_items) {
    detail::Launch none = launch;
    none.groups =
        launch.groups * work_items < many_work_items ? 1 : ceil_div(many_work_items, std::uint64_t{work_items});
    for (detail::Argument& argument : none.arguments)
        if (argument.is_count || argument.bytes == 0) argument.value = 0;
    return none;
}

}  // namespace

void Host::rehearse(const detail::Work& work) {
    // Other compilers leave nothing for later.
    if (!compiles_at_launch()) return;
    detail::Work rehearsal;
    rehearsal.programs = work.programs;
    std::size_t bytes = 0;
    for (const detail::Command& command : work.commands) {
        const auto* const launch = std::get_if<detail::Launch>(&command);
        if (!launch) continue;
        const auto& program = static_cast<const Program&>(*work.programs[launch->program]);
        if (!program.is_first_launch(launch->kernel, launch->groups)) continue;
        const detail::KernelParameters& parameters = program.parameters;
        const detail::Launch& none =
            std::get<detail::Launch>(rehearsal.commands.emplace_back(empty(*launch, parameters.work_items())));
        // What is written even of nothing: an element for each lane, or an answer for each group.
        const std::size_t widest = std::max({parameters.bytes.key, parameters.bytes.index, sizeof(cl_ulong)});
        bytes = std::max(bytes, none.groups * parameters.work_items() * parameters.shape.lanes * widest);
    }
    if (rehearsal.commands.empty()) return;
    checked([&] {
        for (const detail::Slot slot : {detail::Slot::own_integers, detail::Slot::own_bases})
            bytes = std::max<std::size_t>(bytes, work.arrays[slot].size());
        const cl::Buffer nothing(context_, CL_MEM_READ_WRITE, bytes);
        queue().enqueueFillBuffer(nothing, cl_uchar{0}, 0, bytes);
        detail::Bindings bindings;
        bindings.fill({nothing(), 0});
        const FinishAtEnd finish_at_end(queue());
        finish(queue(), {QueueExecutor(queue()).run(rehearsal, bindings)});
    });
}

}  // namespace lanesort::inline v0_1::opencl
