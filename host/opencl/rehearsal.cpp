// Launches over no elements, for compilers that leave their work to the first launch.
#include <algorithm>

#include "../../lib/src/integers.hpp"
#include "../../lib/src/launch.hpp"
#include "../../lib/src/sync_counter.hpp"
#include "checked.hpp"
#include "host.hpp"
#include "host_range.hpp"

namespace lanesort::opencl {
namespace {

/// Memory for all arrays of a launch that uses none.
cl::Buffer zeros(const cl::Context& context, std::size_t bytes) {
    std::vector<std::byte> none(bytes);
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, none.data());
}

/// As few work-groups as compile the same.
std::uint64_t fewest(std::uint64_t groups, unsigned work_items) {
    return groups * work_items < many_work_items ? 1 : ceil_div(many_work_items, std::uint64_t{work_items});
}

}  // namespace

void Host::rehearse(const detail::KernelParameters& parameters, const Plan& plan) {
    if (!compiles_at_launch()) return;
    Program& kernels = program(parameters);
    Plan empty = plan;
    empty.passes.clear();
    empty.count = empty.front = 0;
    empty.rows = std::min<std::uint64_t>(plan.rows, 1);
    for (Pass pass : plan.passes) {
        if (!kernels.is_first_launch(detail::kernel_of(pass, parameters), pass.groups)) continue;
        pass.groups = fewest(pass.groups, parameters.work_items());
        empty.passes.push_back(pass);
    }
    if (empty.passes.empty()) return;
    checked([&] {
        // Where one segment begins and ends; the rest is not touched.
        const Array any{zeros(context_, 2 * sizeof(cl_ulong))};
        Arrays arrays{any, 0, {}};
        if (parameters.bytes.value > 0) arrays.values = Array(any);
        if (parameters.stores_numbers()) arrays.numbers = Array(any);
        if (parameters.offset_bytes > 0) arrays.segments = Array(any);
        const FinishAtEnd finish_at_end(queue());
        QueueExecutor executor(kernels, queue(), arrays);
        if (parameters.count_sync) executor.counters = zeros(context_, sizeof(detail::PassCounters));
        executor.run(empty);
        finish(queue(), {executor.finished()});
    });
}

void Host::rehearse(const detail::KernelParameters& parameters, const detail::Selection& selection) {
    if (!compiles_at_launch()) return;
    Program& kernels = program(parameters);
    const unsigned work_items = parameters.work_items();
    for (detail::SelectionPass pass : selection.passes) {
        const std::uint64_t groups = selection.rows * pass.parts;
        if (!kernels.is_first_launch(static_cast<std::size_t>(pass.kind), groups)) continue;
        detail::Selection empty = selection;
        empty.rows = fewest(groups, work_items);
        empty.k = 0;
        pass.count = pass.read_place = pass.left_place = 0;
        pass.parts = 1;
        empty.passes = {pass};
        checked([&] {
            // What there would be of each chunk; with k of 0 nothing else is written.
            const std::size_t widest = std::max(parameters.bytes.key, parameters.bytes.number);
            const Array any{zeros(context_, empty.rows * work_items * parameters.shape.lanes * widest)};
            const Arrays arrays{any, 0, {}, {}, any};
            const FinishAtEnd finish_at_end(queue());
            finish(queue(), {enqueue_selection(kernels, queue(), empty, arrays, arrays, arrays)});
        });
    }
}

}  // namespace lanesort::opencl
