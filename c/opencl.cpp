// lanesort/lanesort.h: calls on OpenCL buffers.
#include <lanesort/opencl.hpp>

#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

namespace {

opencl::KeyRange range_of(const Keys& keys) {
    const lanesort_key_range& range = keys.range();
    const lanesort_segments& segments = range.segments;
    return {.buffer = static_cast<cl_mem>(range.memory),
            .offset = range.offset,
            .count = range.count,
            .type = keys.kind(),
            .order = keys.order(),
            .row_length = range.row_length,
            .segments = {static_cast<cl_mem>(const_cast<void*>(segments.memory)), segments.offset, segments.count,
                         segments.longest, keys.offset_bytes()},
            .stable = keys.stable(),
            .first = keys.first()};
}

using Places = PlacesOf<cl_mem, opencl::ValueRange, opencl::Integers, opencl::Selected, opencl::Distinct>;

}  // namespace

lanesort_status lanesort_opencl_create(lanesort_sorter** sorter, cl_context context, cl_device_id device,
                                       const lanesort_options* options) {
    return created(sorter, [&] { return opencl::make_sorter(context, device, options_of(options)); });
}

lanesort_status lanesort_opencl_enqueue_sort(lanesort_sorter* sorter, cl_command_queue queue,
                                             const lanesort_key_range* keys, size_t waits, const cl_event* wait_list,
                                             cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_sort(on, queue, range_of(ranged), events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_sort_by_key(lanesort_sorter* sorter, cl_command_queue queue,
                                                    const lanesort_key_range* keys, const lanesort_values* values,
                                                    size_t waits, const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_sort_by_key(on, queue, range_of(ranged), Places::values(values, "the values"),
                                           events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_merge(lanesort_sorter* sorter, cl_command_queue queue,
                                              const lanesort_key_range* keys, size_t middle, size_t waits,
                                              const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_merge(on, queue, range_of(ranged), middle, events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_merge_by_key(lanesort_sorter* sorter, cl_command_queue queue,
                                                     const lanesort_key_range* keys, const lanesort_values* values,
                                                     size_t middle, size_t waits, const cl_event* wait_list,
                                                     cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_merge_by_key(on, queue, range_of(ranged), Places::values(values, "the values"), middle,
                                            events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_argsort(lanesort_sorter* sorter, cl_command_queue queue,
                                                const lanesort_key_range* keys, const lanesort_values* indices,
                                                size_t waits, const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_argsort(on, queue, range_of(ranged), Places::values(indices, "the indices"),
                                       events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_top_k(lanesort_sorter* sorter, cl_command_queue queue,
                                              const lanesort_key_range* keys, size_t k,
                                              const lanesort_selected* selected, size_t waits,
                                              const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_top_k(on, queue, range_of(ranged), k, Places::selected(selected),
                                     events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_is_sorted(lanesort_sorter* sorter, cl_command_queue queue,
                                                  const lanesort_key_range* keys, const lanesort_integers* sorted,
                                                  size_t waits, const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_is_sorted(on, queue, range_of(ranged), Places::result(sorted),
                                         events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_is_sorted_until(lanesort_sorter* sorter, cl_command_queue queue,
                                                        const lanesort_key_range* keys,
                                                        const lanesort_integers* in_order, size_t waits,
                                                        const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_is_sorted_until(on, queue, range_of(ranged), Places::result(in_order),
                                               events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_unique(lanesort_sorter* sorter, cl_command_queue queue,
                                               const lanesort_key_range* keys, const lanesort_distinct* distinct,
                                               size_t waits, const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_unique(on, queue, range_of(ranged), Places::distinct(distinct),
                                      events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_opencl_enqueue_run_lengths(lanesort_sorter* sorter, cl_command_queue queue,
                                                    const lanesort_key_range* keys, const lanesort_distinct* distinct,
                                                    const lanesort_values* lengths, size_t waits,
                                                    const cl_event* wait_list, cl_event* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return opencl::enqueue_run_lengths(on, queue, range_of(ranged), Places::distinct(distinct),
                                           Places::values(lengths, "the lengths"), events_of(wait_list, waits), event);
    });
}

struct lanesort_opencl_recorded_sort {
    opencl::RecordedSort sort;
    lanesort_sorter* sorter;
};

lanesort_status lanesort_opencl_record_sort(lanesort_opencl_recorded_sort** recorded, lanesort_sorter* sorter,
                                            cl_command_queue queue, const lanesort_key_range* keys,
                                            const lanesort_values* values) {
    return created(recorded, [&]() -> lanesort_opencl_recorded_sort {
        Sorter& on = sorter_of(sorter);
        const Keys ranged(keys);
        if (!values) return {opencl::RecordedSort(on, queue, range_of(ranged)), sorter};
        return {opencl::RecordedSort(on, queue, range_of(ranged), Places::values(*values)), sorter};
    });
}

lanesort_status lanesort_opencl_enqueue_recorded_sort(lanesort_opencl_recorded_sort* recorded, size_t waits,
                                                      const cl_event* wait_list, cl_event* event) {
    return guarded([&] {
        given(recorded, "the recorded sort");
        recorded->sorter->report = recorded->sort.enqueue(events_of(wait_list, waits), event);
    });
}

void lanesort_opencl_destroy_recorded_sort(lanesort_opencl_recorded_sort* recorded) { delete recorded; }
