#include "executor.hpp"

#include <bit>

namespace lanesort::opencl {
QueueExecutor::QueueExecutor(Program& program, cl::CommandQueue queue, Arrays arrays, std::vector<cl::Event> wait_list)
    : program_(program),
      queue_(std::move(queue)),
      in_order_(!(queue_.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)),
      arrays_(std::move(arrays)),
      wait_list_(std::move(wait_list)) {}

void QueueExecutor::run(const Plan& plan) {
    for (const Pass& pass : plan.passes) {
        enqueue(pass, plan);
        // An in-order queue keeps the passes apart by itself; only the first one has to wait for the caller's events.
        wait_list_.clear();
        if (!in_order_) wait_list_.push_back(finished_);
    }
}

void QueueExecutor::enqueue(const Pass& pass, const Plan& plan) {
    const detail::Launch launch = detail::launch_of(pass, plan, program_.parameters, key_array(arrays_));
    cl::Kernel& kernel = program_.kernels[launch.kernel];
    const cl_uint arguments = set_arguments(kernel, launch, arrays_);
    if (program_.parameters.count_sync) kernel.setArg(arguments, counters);
    const auto [global, local] = ranges(pass, plan);
    // An event costs time; an in-order queue needs only the last one.
    const bool needs_event = !in_order_ || after_enqueue || &pass == &plan.passes.back();
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, global, local, &wait_list_, needs_event ? &finished_ : nullptr);
    ++launches_;
    if (after_enqueue) after_enqueue(pass, finished_);
}

cl_uint set_arguments(cl::Kernel& kernel, const detail::Launch& launch, const Arrays& arrays) {
    static_assert(std::endian::native == std::endian::little, "arguments are passed by the low bytes of an integer");
    cl_uint index = 0;
    kernel.setArg(index++, arrays.keys.buffer);
    for (const auto& [value, bytes] : launch.rest()) kernel.setArg(index++, bytes, &value);
    for (const Array* const array : {&arrays.values, &arrays.numbers, &arrays.segments}) {
        if (!array->buffer()) continue;
        kernel.setArg(index++, array->buffer);
        kernel.setArg(index++, array->offset);
    }
    return index;
}

detail::KeyArray key_array(const Arrays& arrays) { return {arrays.keys.offset, arrays.count, arrays.coding}; }

cl::Event enqueue_selection(Program& program, const cl::CommandQueue& queue, const detail::Selection& selection,
                            const Arrays& from, const Arrays& left_over, const Arrays& to,
                            std::vector<cl::Event> wait_list) {
    cl::Event finished;
    for (const detail::SelectionPass& pass : selection.passes) {
        const bool last = &pass == &selection.passes.back();
        const std::uint64_t place = last ? 0 : pass.left_place;
        const Array& source = pass.reads_keys ? from.keys : left_over.keys;
        const Arrays& target = last ? to : left_over;
        const detail::KeyArray keys{pass.reads_keys ? source.offset : pass.read_place, pass.count, from.coding};
        const detail::Launch launch = detail::launch_of(pass, selection, program.parameters, keys);
        cl::Kernel& kernel = program.kernels[launch.kernel];
        cl_uint index = 0;
        const auto add = [&](const cl::Buffer& buffer, std::uint64_t offset) {
            kernel.setArg(index++, buffer);
            kernel.setArg(index++, offset);
        };
        kernel.setArg(index++, source.buffer);
        for (const auto& [value, bytes] : launch.rest()) kernel.setArg(index++, bytes, &value);
        add(target.keys.buffer, target.keys.offset + place);
        if (program.parameters.stores_numbers()) {
            add(left_over.numbers.buffer, pass.read_place);
            add(target.numbers.buffer, target.numbers.offset + place);
        }
        const std::size_t work_items = selection.shape.work_items;
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(launch.groups * work_items),
                                   cl::NDRange(work_items), &wait_list, &finished);
        wait_list = std::vector{finished};
    }
    return finished;
}

Ranges ranges(const Pass& pass, const Plan& plan) {
    const std::size_t work_items = std::size_t{plan.shape.work_items} * plan.tiles_per_group;
    return {cl::NDRange(pass.groups * work_items), cl::NDRange(work_items)};
}

}  // namespace lanesort::opencl
