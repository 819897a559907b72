// Sorted ranges: how far they are in order, and their runs of equal keys.
#include <algorithm>
#include <array>

#include "../../lib/src/integers.hpp"
#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "host_range.hpp"

namespace lanesort::opencl {
namespace {

/// In the order of detail::RunsArray.
using RunsArrays = std::array<Array, detail::runs_arrays>;

Array& of(RunsArrays& arrays, detail::RunsArray which) { return arrays[static_cast<std::size_t>(which)]; }

/// Adds the array that the work-groups leave and enqueues all launches; gives the end.
cl::Event enqueue_launches(Host& host, const cl::CommandQueue& queue, const detail::RunsSchedule& schedule,
                           const detail::KernelParameters& parameters, KeyCoding coding, RunsArrays arrays,
                           std::vector<cl::Event> wait_list, SortReport& report) {
    Program& program = host.program(parameters);
    if (const std::size_t bytes = schedule.left_over() * sizeof(cl_ulong); bytes > 0) {
        // The runtime keeps it until the last command that uses it has ended.
        of(arrays, detail::RunsArray::blocks) = {cl::Buffer(host.context(), CL_MEM_READ_WRITE, bytes)};
        report.device_bytes += bytes;
    }
    cl::Event finished;
    for (const detail::RunsLaunch& launch :
         detail::runs_launches(schedule, parameters.bytes, parameters.wide_index, coding)) {
        cl::Kernel& kernel = program.kernels[launch.kernel];
        cl_uint index = 0;
        for (const auto& [array, integer] : launch.arguments) {
            if (array) {
                kernel.setArg(index++, of(arrays, *array).buffer);
                kernel.setArg(index++, of(arrays, *array).offset);
            } else {
                kernel.setArg(index++, integer.bytes, &integer.value);
            }
        }
        const std::size_t work_items = parameters.work_items();
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(launch.groups * work_items),
                                   cl::NDRange(work_items), &wait_list, &finished);
        wait_list = std::vector{finished};
        ++report.launches;
    }
    return finished;
}

/// `distinct` and `lengths` may be null.
SortReport enqueue(Sorter& sorter, cl_command_queue on, const KeyRange& keys, detail::RunsTask task,
                   const Integers& result, const Distinct* distinct, const ValueRange* lengths,
                   std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        Host& host = host_of(sorter);
        const cl::CommandQueue queue(on, on != nullptr);
        check_queue(host, queue);
        const detail::Extent extent = detail::extent_of(keys, keys.segments.buffer != nullptr);
        if (lengths) check_lengths(extent, lengths->bytes);
        const std::size_t rows = extent.row_count();

        using enum detail::Access;
        RunsArrays arrays;
        const auto take = [&](detail::RunsArray which, cl_mem buffer, std::size_t offset) -> const cl::Buffer& {
            return (of(arrays, which) = Array{retained(buffer), offset}).buffer;
        };
        std::vector<detail::MemoryUse> uses{
            check_keys(host, take(detail::RunsArray::keys, keys.buffer, keys.offset), keys, read),
            check_array(host, take(detail::RunsArray::result, result.buffer, result.offset), result.offset, rows,
                        sizeof(cl_ulong), "results", "of 8 bytes", write)};
        if (distinct) {
            const KeyRange room{distinct->buffer, distinct->offset, keys.count, keys.type};
            uses.push_back(check_keys(host, take(detail::RunsArray::distinct, room.buffer, room.offset), room, write,
                                      "distinct keys"));
        }
        if (lengths)
            uses.push_back(check_values(host, take(detail::RunsArray::lengths, lengths->buffer, lengths->offset),
                                        *lengths, keys.count, "lengths", write));
        check(uses);
        std::vector<cl::Event> waits = check_events(host, wait_list);

        const auto ready = sorter.core().prepare_runs(extent, keys.type, task, lengths ? lengths->bytes : 0);
        SortReport report;
        cl::Event finished;
        if (rows == 0) queue.enqueueMarkerWithWaitList(&waits, &finished);
        else
            finished = enqueue_launches(host, queue, ready.schedule, ready.parameters, coding_of(keys.type, keys.order),
                                        arrays, std::move(waits), report);
        give(finished, event);
        return report;
    });
}

}  // namespace

SortReport enqueue_is_sorted(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Integers& sorted,
                             std::span<const cl_event> wait_list, cl_event* event) {
    return enqueue(sorter, queue, keys, detail::RunsTask::is_sorted, sorted, nullptr, nullptr, wait_list, event);
}

SortReport enqueue_is_sorted_until(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                                   const Integers& in_order, std::span<const cl_event> wait_list, cl_event* event) {
    return enqueue(sorter, queue, keys, detail::RunsTask::is_sorted_until, in_order, nullptr, nullptr, wait_list,
                   event);
}

SortReport enqueue_unique(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Distinct& distinct,
                          std::span<const cl_event> wait_list, cl_event* event) {
    return enqueue(sorter, queue, keys, detail::RunsTask::unique, distinct.number, &distinct, nullptr, wait_list,
                   event);
}

SortReport enqueue_run_lengths(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Distinct& distinct,
                               const ValueRange& lengths, std::span<const cl_event> wait_list, cl_event* event) {
    return enqueue(sorter, queue, keys, detail::RunsTask::run_lengths, distinct.number, &distinct, &lengths, wait_list,
                   event);
}

void Host::rehearse(const detail::KernelParameters& parameters, const detail::RunsSchedule& schedule) {
    if (!compiles_at_launch()) return;
    Program& kernels = program(parameters);
    bool is_first = false;
    for (const detail::RunsLaunch& launch :
         detail::runs_launches(schedule, parameters.bytes, parameters.wide_index, {}))
        is_first = kernels.is_first_launch(launch.kernel, launch.groups) || is_first;
    if (!is_first) return;
    detail::RunsSchedule empty = schedule;
    empty.count = 0;
    empty.rows = std::min(schedule.rows, ceil_div(many_work_items, schedule.parts));
    checked([&] {
        // One result a row; of no keys nothing else is written.
        const Array any{cl::Buffer(context_, CL_MEM_READ_WRITE, empty.rows * sizeof(cl_ulong))};
        RunsArrays arrays;
        for (Array& array : arrays) array = Array(any);
        const FinishAtEnd finish_at_end(queue());
        SortReport report;
        finish(queue(), {enqueue_launches(*this, queue(), empty, parameters, {}, arrays, {}, report)});
    });
}

void Host::runs_host(const void* keys, const detail::HostRuns& found, const detail::RunsSchedule& schedule,
                     const detail::KernelParameters& parameters, KeyCoding coding) {
    checked([&] {
        const ElementBytes& bytes = parameters.bytes;
        const std::uint64_t count = schedule.rows * schedule.count;
        HostRange from(*this, queue(), const_cast<void*>(keys), count * bytes.key, HostUse::read);
        HostRange result(*this, queue(), found.result, schedule.rows * sizeof(cl_ulong), HostUse::change_a_copy);
        RunsArrays arrays;
        of(arrays, detail::RunsArray::keys) = {from.buffer()};
        of(arrays, detail::RunsArray::result) = {result.buffer()};
        std::optional<HostRange> distinct, lengths;
        if (found.distinct) {
            distinct.emplace(*this, queue(), found.distinct, count * bytes.key);
            of(arrays, detail::RunsArray::distinct) = {distinct->buffer()};
        }
        if (found.lengths) {
            lengths.emplace(*this, queue(), found.lengths, count * bytes.value);
            of(arrays, detail::RunsArray::lengths) = {lengths->buffer()};
        }
        const FinishAtEnd finish_at_end(queue());
        std::vector<cl::Event> ends;
        from.upload(ends);
        SortReport report;
        ends.push_back(enqueue_launches(*this, queue(), schedule, parameters, coding, arrays, {}, report));
        result.download(ends);
        finish(queue(), ends);  // how many bytes are to come, the result tells
        if (distinct) distinct->download(ends, found.result[0] * bytes.key);
        if (lengths) lengths->download(ends, found.result[0] * bytes.value);
        finish(queue(), ends);
    });
}

}  // namespace lanesort::opencl
