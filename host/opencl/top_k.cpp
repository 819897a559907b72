// lanesort/opencl.hpp: the first k keys.
#include "../../lib/src/launch.hpp"
#include "../../lib/src/sorter_core.hpp"
#include "arguments.hpp"
#include "checked.hpp"
#include "host.hpp"

namespace lanesort::opencl {

SortReport enqueue_top_k(Sorter& sorter, cl_command_queue on, const KeyRange& keys, std::size_t k,
                         const Selected& selected, std::span<const cl_event> wait_list, cl_event* event) {
    return checked([&] {
        Host& host = host_of(sorter);
        const cl::CommandQueue queue(on, on != nullptr);
        check_queue(host, queue);
        const detail::Extent extent = detail::extent_of(keys, keys.segments.buffer != nullptr);
        const bool wants_indices = selected.indices.buffer != nullptr;
        if (wants_indices) check_index(extent, selected.indices.bytes);
        const std::size_t key_bytes = keys.type.bytes(), rows = extent.row_count();
        const std::size_t number_bytes =
            selected_number_bytes(extent, keys.type, wants_indices ? selected.indices.bytes : 0);
        const detail::ElementType element{keys.type, 0, number_bytes};
        const Arrays from{{retained(keys.buffer), keys.offset}, keys.count, coding_of(keys.type, keys.order)};
        Arrays to{{retained(selected.buffer), selected.offset}, rows * k, from.coding};
        using enum detail::Access;
        const KeyRange results{selected.buffer, selected.offset, to.count, keys.type};
        std::vector<detail::MemoryUse> uses{check_keys(host, from.keys.buffer, keys, read),
                                            check_keys(host, to.keys.buffer, results, write, "selected keys")};
        if (wants_indices) {
            to.numbers = {retained(selected.indices.buffer), selected.indices.offset};
            uses.push_back(check_values(host, to.numbers.buffer, selected.indices, to.count, "indices", write));
        }
        check(uses);
        std::vector<cl::Event> waits = check_events(host, wait_list);
        const auto [ready, sort] = sorter.core().prepare_top_k(extent, element, k);

        SortReport report = ready ? ready->selection.report() : sort ? detail::report_of(sort->plan) : SortReport{};
        const auto allocate = [&](std::size_t elements, std::size_t bytes) -> Array {
            report.device_bytes += elements * bytes;
            return {cl::Buffer(host.context(), CL_MEM_READ_WRITE, elements * bytes)};
        };
        cl::Event finished;
        if (ready) {
            const detail::Selection& selection = ready->selection;
            const auto left_over = detail::left_over_of<Arrays>(selection, ready->parameters, allocate);
            if (ready->parameters.stores_numbers() && !wants_indices)
                to.numbers = allocate(to.count, selection.bytes.number);
            finished = enqueue_selection(host.program(ready->parameters), queue, selection, from, left_over, to,
                                         std::move(waits));
        } else if (to.count == 0) {
            queue.enqueueMarkerWithWaitList(&waits, &finished);
        } else {
            Arrays copy{allocate(keys.count, key_bytes), keys.count, from.coding};
            if (number_bytes > 0) copy.numbers = allocate(keys.count, number_bytes);
            std::vector<cl::Event> copied(1);
            queue.enqueueCopyBuffer(from.keys.buffer, copy.keys.buffer, keys.offset * key_bytes, 0,
                                    keys.count * key_bytes, &waits, &copied[0]);
            if (sort) {
                QueueExecutor executor(host.program(sort->parameters), queue, copy, std::move(copied));
                executor.run(sort->plan);
                copied = std::vector{executor.finished()};
            } else if (number_bytes > 0) {
                queue.enqueueFillBuffer(copy.numbers.buffer, cl_uchar{0}, 0, keys.count * number_bytes, &waits,
                                        &copied.emplace_back());
            }
            std::vector<cl::Event> taken;
            const auto take = [&](const Array& array, const Array& source, std::size_t bytes) {
                cl::Event& event_of_copy = taken.emplace_back();
                if (rows == 1)
                    queue.enqueueCopyBuffer(source.buffer, array.buffer, 0, array.offset * bytes, k * bytes, &copied,
                                            &event_of_copy);
                else
                    queue.enqueueCopyBufferRect(source.buffer, array.buffer, {0, 0, 0}, {array.offset * bytes, 0, 0},
                                                {k * bytes, rows, 1}, extent.length() * bytes, 0, k * bytes, 0, &copied,
                                                &event_of_copy);
            };
            take(to.keys, copy.keys, key_bytes);
            if (wants_indices) take(to.numbers, copy.numbers, number_bytes);
            queue.enqueueMarkerWithWaitList(&taken, &finished);
        }
        give(finished, event);
        return report;
    });
}

}  // namespace lanesort::opencl
