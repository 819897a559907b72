// lanesort/cuda.hpp: the first k keys.
#include <list>

#include "../../lib/src/launch.hpp"
#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "host.hpp"
#include "memory.hpp"
#include "platform.hpp"

namespace lanesort::cuda {

SortReport enqueue_top_k(Sorter& sorter, Stream stream, const KeyRange& keys, std::size_t k, const Selected& selected,
                         std::span<const Event> wait_list, Event event) {
    Host& host = host_of(sorter);
    const CurrentContext current(host.context());
    check_stream(host, stream);
    const detail::Extent extent = detail::extent_of(keys, keys.segments.offsets != nullptr);
    const bool wants_indices = selected.indices.values != nullptr;
    if (wants_indices) check_index(extent, selected.indices.bytes);
    const std::size_t key_bytes = keys.type.bytes(), rows = extent.row_count();
    const std::size_t number_bytes =
        selected_number_bytes(extent, keys.type, wants_indices ? selected.indices.bytes : 0);
    const detail::ElementType element{keys.type, 0, number_bytes};
    const Arrays from{array_at(keys.keys, keys.offset), keys.count, coding_of(keys.type, keys.order)};
    Arrays to{array_at(selected.keys, selected.offset), rows * k, from.coding};
    using enum detail::Access;
    const KeyRange results{selected.keys, selected.offset, to.count, keys.type};
    std::vector<detail::MemoryUse> uses{check_keys(host, keys, read),
                                        check_keys(host, results, write, "selected keys")};
    if (wants_indices) {
        to.numbers = array_at(selected.indices.values, selected.indices.offset);
        uses.push_back(check_values(host, selected.indices, to.count, "indices", write));
    }
    check(uses);
    check_events(wait_list);
    const auto [ready, sort] = sorter.core().prepare_top_k(extent, element, k);

    wait_for(stream, wait_list);
    SortReport report = ready ? ready->selection.report() : sort ? detail::report_of(sort->plan) : SortReport{};
    std::list<PoolMemory> memory;
    const auto allocate = [&](std::size_t elements, std::size_t bytes) -> Array {
        report.device_bytes += elements * bytes;
        return {memory.emplace_back(host, stream, elements * bytes)};
    };
    if (ready) {
        const detail::Selection& selection = ready->selection;
        const auto left_over = detail::left_over_of<Arrays>(selection, ready->parameters, allocate);
        if (ready->parameters.stores_numbers() && !wants_indices)
            to.numbers = allocate(to.count, selection.bytes.number);
        enqueue_selection(host.program(ready->parameters), stream, selection, from, left_over, to);
    } else if (to.count > 0) {
        Arrays copy{allocate(keys.count, key_bytes), keys.count, from.coding};
        if (number_bytes > 0) copy.numbers = allocate(keys.count, number_bytes);
        LANESORT_CU(cuMemcpyDtoDAsync, copy.keys.memory, from.keys.memory + keys.offset * key_bytes,
                    keys.count * key_bytes, stream);
        if (sort) {
            StreamExecutor(host.program(sort->parameters), stream, copy).run(sort->plan);
        } else if (number_bytes > 0) {
            LANESORT_CU(cuMemsetD8Async, copy.numbers.memory, 0, keys.count * number_bytes, stream);
        }
        const auto take = [&](const Array& array, const Array& source, std::size_t bytes) {
            constexpr std::size_t most_pitch = (std::size_t{1} << 31) - 1;
            const CUdeviceptr first = array.memory + array.offset * bytes;
            const std::size_t pitch = extent.length() * bytes, width = k * bytes;
            if (pitch > most_pitch) {
                for (std::size_t row = 0; row < rows; ++row)
                    LANESORT_CU(cuMemcpyDtoDAsync, first + row * width, source.memory + row * pitch, width, stream);
                return;
            }
            CUDA_MEMCPY2D copy_of_rows{};
            copy_of_rows.srcMemoryType = copy_of_rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy_of_rows.srcDevice = source.memory;
            copy_of_rows.srcPitch = pitch;
            copy_of_rows.dstDevice = first;
            copy_of_rows.dstPitch = copy_of_rows.WidthInBytes = width;
            copy_of_rows.Height = rows;
            LANESORT_CU(cuMemcpy2DAsync, &copy_of_rows, stream);
        };
        take(to.keys, copy.keys, key_bytes);
        if (wants_indices) take(to.numbers, copy.numbers, number_bytes);
    }
    if (event) LANESORT_CU(cuEventRecord, event, stream);
    return report;
}

}  // namespace lanesort::cuda
