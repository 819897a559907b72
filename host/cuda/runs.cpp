// Sorted ranges: how far they are in order, and their runs of equal keys.
#include <array>
#include <list>
#include <optional>

#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "memory.hpp"

namespace lanesort::cuda {
namespace {

/// In the order of detail::RunsArray.
using RunsArrays = std::array<Array, detail::runs_arrays>;

Array& of(RunsArrays& arrays, detail::RunsArray which) { return arrays[static_cast<std::size_t>(which)]; }

/// Adds the array that the work-groups leave and enqueues all launches.
void enqueue_launches(Host& host, CUstream stream, const detail::RunsSchedule& schedule,
                      const detail::KernelParameters& parameters, KeyCoding coding, RunsArrays arrays,
                      SortReport& report) {
    const Program& program = host.program(parameters);
    std::optional<PoolMemory> left_over;
    if (const std::size_t bytes = schedule.left_over() * sizeof(std::uint64_t); bytes > 0) {
        left_over.emplace(host, stream, bytes);
        of(arrays, detail::RunsArray::blocks) = {*left_over};
        report.device_bytes += bytes;
    }
    for (detail::RunsLaunch& launch :
         detail::runs_launches(schedule, parameters.bytes, parameters.wide_index, coding)) {
        std::vector<void*> arguments;
        for (auto& [array, integer] : launch.arguments) {
            if (array) {
                arguments.push_back(&of(arrays, *array).memory);
                arguments.push_back(&of(arrays, *array).offset);
            } else {
                arguments.push_back(&integer.value);
            }
        }
        program.launch(launch.kernel, launch.groups, stream, arguments.data());
        ++report.launches;
    }
}

/// `distinct` and `lengths` may be null.
SortReport enqueue(Sorter& sorter, Stream stream, const KeyRange& keys, detail::RunsTask task, const Integers& result,
                   const Distinct* distinct, const ValueRange* lengths, std::span<const Event> wait_list, Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    const detail::Extent extent = detail::extent_of(keys, keys.segments.offsets != nullptr);
    if (lengths) check_lengths(extent, lengths->bytes);
    const std::size_t rows = extent.row_count();

    using enum detail::Access;
    RunsArrays arrays;
    of(arrays, detail::RunsArray::keys) = array_at(keys.keys, keys.offset);
    of(arrays, detail::RunsArray::result) = array_at(result.integers, result.offset);
    std::vector<detail::MemoryUse> uses{
        check_keys(host, keys, read),
        check_array(host, result.integers, result.offset, rows, sizeof(std::uint64_t), "results", "of 8 bytes", write)};
    if (distinct) {
        const KeyRange room{distinct->keys, distinct->offset, keys.count, keys.type};
        of(arrays, detail::RunsArray::distinct) = array_at(room.keys, room.offset);
        uses.push_back(check_keys(host, room, write, "distinct keys"));
    }
    if (lengths) {
        of(arrays, detail::RunsArray::lengths) = array_at(lengths->values, lengths->offset);
        uses.push_back(check_values(host, *lengths, keys.count, "lengths", write));
    }
    check(uses);
    check_events(wait_list);

    const auto ready = sorter.core().prepare_runs(extent, keys.type, task, lengths ? lengths->bytes : 0);
    wait_for(stream, wait_list);
    SortReport report;
    if (rows > 0)
        enqueue_launches(host, stream, ready.schedule, ready.parameters, coding_of(keys.type, keys.order), arrays,
                         report);
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return report;
}

}  // namespace

SortReport enqueue_is_sorted(Sorter& sorter, Stream stream, const KeyRange& keys, const Integers& sorted,
                             std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, detail::RunsTask::is_sorted, sorted, nullptr, nullptr, wait_list, event);
}

SortReport enqueue_is_sorted_until(Sorter& sorter, Stream stream, const KeyRange& keys, const Integers& in_order,
                                   std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, detail::RunsTask::is_sorted_until, in_order, nullptr, nullptr, wait_list,
                   event);
}

SortReport enqueue_unique(Sorter& sorter, Stream stream, const KeyRange& keys, const Distinct& distinct,
                          std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, detail::RunsTask::unique, distinct.number, &distinct, nullptr, wait_list,
                   event);
}

SortReport enqueue_run_lengths(Sorter& sorter, Stream stream, const KeyRange& keys, const Distinct& distinct,
                               const ValueRange& lengths, std::span<const Event> wait_list, Event event) {
    return enqueue(sorter, stream, keys, detail::RunsTask::run_lengths, distinct.number, &distinct, &lengths, wait_list,
                   event);
}

void Host::runs_host(const void* keys, const detail::HostRuns& found, const detail::RunsSchedule& schedule,
                     const detail::KernelParameters& parameters, KeyCoding coding) {
    const CurrentContext current(context_);
    const ElementBytes& bytes = parameters.bytes;
    const std::uint64_t count = schedule.rows * schedule.count;
    std::list<DeviceMemory> memory;
    RunsArrays arrays;
    const auto allocate = [&](detail::RunsArray which, std::size_t size) -> CUdeviceptr {
        return of(arrays, which).memory = memory.emplace_back(size);
    };
    const CUdeviceptr from = allocate(detail::RunsArray::keys, count * bytes.key);
    const CUdeviceptr result = allocate(detail::RunsArray::result, schedule.rows * sizeof(std::uint64_t));
    const CUdeviceptr distinct = found.distinct ? allocate(detail::RunsArray::distinct, count * bytes.key) : 0;
    const CUdeviceptr lengths = found.lengths ? allocate(detail::RunsArray::lengths, count * bytes.value) : 0;
    const OwnStream stream;
    LANESORT_CU(cuMemcpyHtoDAsync, from, keys, count * bytes.key, stream);
    SortReport report;
    enqueue_launches(*this, stream, schedule, parameters, coding, arrays, report);
    LANESORT_CU(cuMemcpyDtoHAsync, found.result, result, schedule.rows * sizeof(std::uint64_t), stream);
    stream.synchronize();
    if (distinct) LANESORT_CU(cuMemcpyDtoHAsync, found.distinct, distinct, found.result[0] * bytes.key, stream);
    if (lengths) LANESORT_CU(cuMemcpyDtoHAsync, found.lengths, lengths, found.result[0] * bytes.value, stream);
    stream.synchronize();
}

}  // namespace lanesort::cuda
