// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include <bit>
#include <cstring>

#include "checked.hpp"

namespace lanesort::inline v0_1::opencl {

using detail::Argument, detail::Bindings, detail::Command, detail::Copy, detail::Launch, detail::Slot, detail::Work;

OwnArrays::OwnArrays(const cl::Context& context, const detail::Arrays& arrays, Bindings& bindings) {
    allocate_first([&] {
        for (std::size_t slot = 0; slot < detail::slots; ++slot)
            if (is_own(static_cast<Slot>(slot)) && arrays[slot].size() > 0)
                bindings[slot] = {buffers_.emplace_back(context, CL_MEM_READ_WRITE, arrays[slot].size())(), 0};
    });
}

cl_mem buffer_of(const Bindings& bindings, Slot slot) noexcept { return static_cast<cl_mem>(bindings[slot].memory); }

void PassIntegers::add(std::uint64_t value, std::size_t width) noexcept {
    size = (size + width - 1) / width * width;
    std::memcpy(bytes.data() + size, &value, width);
    size += width;
}

void set_arguments(const cl::Kernel& kernel, const Launch& launch, bool integers_in_one, const Bindings& bindings,
                   LastArguments& last) {
    static_assert(std::endian::native == std::endian::little, "arguments are passed by the low bytes of an integer");
    cl_uint index = 0;
    // A launch has many arguments, of which few change from one to the next, and each call takes its time.
    const auto set = [&](std::size_t bytes, const void* value, auto& last_value, const auto& known) {
        if (!known || last_value != known) {
            last_value.reset();
            check(clSetKernelArg(kernel(), index, bytes, value), "clSetKernelArg");
            last_value = known;
        }
        ++index;
    };
    const bool packs = integers_in_one && launch.is_pass;
    PassIntegers of_pass;
    const auto set_integer = [&](std::uint64_t value, std::size_t bytes) {
        if (packs) of_pass.add(value, bytes);
        else set(bytes, &value, last.each[index], std::optional(value));
    };
    for (const Argument& argument : launch.all_arguments()) {
        if (argument.bytes > 0) {
            set_integer(argument.value, argument.bytes);
        } else {
            const cl_mem buffer = buffer_of(bindings, argument.slot);
            set(sizeof buffer, &buffer, last.each[index], buffer ? std::nullopt : std::optional<std::uint64_t>(0));
            set_integer(bindings[argument.slot].offset + argument.value, sizeof(cl_ulong));
        }
    }
    if (!packs) return;
    of_pass.end();
    set(of_pass.size, of_pass.bytes.data(), last.of_pass, std::optional(of_pass));
}

Ranges ranges(const Work& work, const Launch& launch) {
    const std::size_t work_items = work.programs[launch.program]->parameters.work_items();
    return {launch.groups * work_items, work_items};
}

CopyPlaces places(const Work& work, const Copy& copy, const Bindings& bindings) {
    return {bindings[copy.from].offset * work.arrays[copy.from].bytes,
            bindings[copy.to].offset * work.arrays[copy.to].bytes + copy.front};
}

QueueExecutor::QueueExecutor(cl::CommandQueue queue)
    : queue_(std::move(queue)),
      in_order_(!(queue_.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {}

cl::Event QueueExecutor::run(const Work& work, const Bindings& bindings, std::vector<cl::Event> wait_list) {
    cl::Event finished;
    if (work.commands.empty()) queue_.enqueueMarkerWithWaitList(&wait_list, &finished);
    for (const Command& command : work.commands) {
        // An event costs time; an in-order queue needs the last one at most.
        const bool is_last = &command == &work.commands.back();
        const bool needs_event = !in_order_ || after_launch || (is_last && gives_end);
        const auto enqueue_it = [&] { enqueue(work, bindings, command, wait_list, needs_event ? &finished : nullptr); };
        // Some drivers take a buffer's memory when it is first used. What is copied before a launch can be so again.
        if (launches_ == 0) allocate_first(enqueue_it);
        else enqueue_it();
        // An in-order queue keeps the commands apart by itself; only the first one has to wait for the caller's events.
        wait_list.clear();
        if (!in_order_) wait_list.push_back(finished);
    }
    return finished;
}

void QueueExecutor::enqueue(const Work& work, const Bindings& bindings, const Command& command,
                            const std::vector<cl::Event>& wait_list, cl::Event* event) {
    if (const auto* const launch = std::get_if<Launch>(&command)) {
        const Program& program = program_of(work, *launch);
        const cl::Kernel& kernel = program.kernels[launch->kernel];
        set_arguments(kernel, *launch, program.integers_in_one, bindings, program.last_arguments[launch->kernel]);
        const auto [global, local] = ranges(work, *launch);
        queue_.enqueueNDRangeKernel(kernel, cl::NullRange, global, local, &wait_list, event);
        ++launches_;
        if (after_launch) after_launch(*event);
    } else if (const auto* const copy = std::get_if<Copy>(&command)) {
        const auto [from, to] = places(work, *copy, bindings);
        const cl::Buffer source(buffer_of(bindings, copy->from), true), target(buffer_of(bindings, copy->to), true);
        if (copy->height == 1) queue_.enqueueCopyBuffer(source, target, from, to, copy->width, &wait_list, event);
        else
            queue_.enqueueCopyBufferRect(source, target, {from, 0, 0}, {to, 0, 0}, {copy->width, copy->height, 1},
                                         copy->pitch, 0, copy->width, 0, &wait_list, event);
    } else {
        const Slot slot = std::get<detail::Zero>(command).array;
        const detail::Array& array = work.arrays[slot];
        queue_.enqueueFillBuffer(cl::Buffer(buffer_of(bindings, slot), true), cl_uchar{0},
                                 bindings[slot].offset * array.bytes, array.size(), &wait_list, event);
    }
}

}  // namespace lanesort::inline v0_1::opencl
