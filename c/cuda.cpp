// lanesort/lanesort.h: calls on CUDA memory.
#include <lanesort/cuda.hpp>

#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

namespace {

cuda::KeyRange range_of(const Keys& keys) {
    const lanesort_key_range& range = keys.range();
    const lanesort_segments& segments = range.segments;
    return {.keys = range.memory,
            .offset = range.offset,
            .count = range.count,
            .type = keys.kind(),
            .order = keys.order(),
            .row_length = range.row_length,
            .segments = {segments.memory, segments.offset, segments.count, segments.longest, keys.offset_bytes()},
            .stable = keys.stable(),
            .first = keys.first()};
}

using Places = PlacesOf<void*, cuda::ValueRange, cuda::Integers, cuda::Selected, cuda::Distinct>;

}  // namespace

lanesort_status lanesort_cuda_create(lanesort_sorter** sorter, int device, const lanesort_options* options) {
    return created(sorter, [&] { return cuda::make_sorter(device, options_of(options)); });
}

lanesort_status lanesort_cuda_enqueue_sort(lanesort_sorter* sorter, CUstream_st* stream, const lanesort_key_range* keys,
                                           size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_sort(on, stream, range_of(ranged), events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_sort_by_key(lanesort_sorter* sorter, CUstream_st* stream,
                                                  const lanesort_key_range* keys, const lanesort_values* values,
                                                  size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_sort_by_key(on, stream, range_of(ranged), Places::values(values, "the values"),
                                         events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_merge(lanesort_sorter* sorter, CUstream_st* stream,
                                            const lanesort_key_range* keys, size_t middle, size_t waits,
                                            CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_merge(on, stream, range_of(ranged), middle, events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_merge_by_key(lanesort_sorter* sorter, CUstream_st* stream,
                                                   const lanesort_key_range* keys, const lanesort_values* values,
                                                   size_t middle, size_t waits, CUevent_st* const* wait_list,
                                                   CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_merge_by_key(on, stream, range_of(ranged), Places::values(values, "the values"), middle,
                                          events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_argsort(lanesort_sorter* sorter, CUstream_st* stream,
                                              const lanesort_key_range* keys, const lanesort_values* indices,
                                              size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_argsort(on, stream, range_of(ranged), Places::values(indices, "the indices"),
                                     events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_top_k(lanesort_sorter* sorter, CUstream_st* stream,
                                            const lanesort_key_range* keys, size_t k, const lanesort_selected* selected,
                                            size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_top_k(on, stream, range_of(ranged), k, Places::selected(selected),
                                   events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_is_sorted(lanesort_sorter* sorter, CUstream_st* stream,
                                                const lanesort_key_range* keys, const lanesort_integers* sorted,
                                                size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_is_sorted(on, stream, range_of(ranged), Places::result(sorted),
                                       events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_is_sorted_until(lanesort_sorter* sorter, CUstream_st* stream,
                                                      const lanesort_key_range* keys, const lanesort_integers* in_order,
                                                      size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_is_sorted_until(on, stream, range_of(ranged), Places::result(in_order),
                                             events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_unique(lanesort_sorter* sorter, CUstream_st* stream,
                                             const lanesort_key_range* keys, const lanesort_distinct* distinct,
                                             size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_unique(on, stream, range_of(ranged), Places::distinct(distinct),
                                    events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_enqueue_run_lengths(lanesort_sorter* sorter, CUstream_st* stream,
                                                  const lanesort_key_range* keys, const lanesort_distinct* distinct,
                                                  const lanesort_values* lengths, size_t waits,
                                                  CUevent_st* const* wait_list, CUevent_st* event) {
    return reported(sorter, keys, [&](Sorter& on, const Keys& ranged) {
        return cuda::enqueue_run_lengths(on, stream, range_of(ranged), Places::distinct(distinct),
                                         Places::values(lengths, "the lengths"), events_of(wait_list, waits), event);
    });
}

struct lanesort_cuda_recorded_sort {
    cuda::RecordedSort sort;
    lanesort_sorter* sorter;
};

lanesort_status lanesort_cuda_record_sort(lanesort_cuda_recorded_sort** recorded, lanesort_sorter* sorter,
                                          const lanesort_key_range* keys, const lanesort_values* values) {
    return created(recorded, [&]() -> lanesort_cuda_recorded_sort {
        Sorter& on = sorter_of(sorter);
        const Keys ranged(keys);
        if (!values) return {cuda::RecordedSort(on, range_of(ranged)), sorter};
        return {cuda::RecordedSort(on, range_of(ranged), Places::values(*values)), sorter};
    });
}

lanesort_status lanesort_cuda_enqueue_recorded_sort(lanesort_cuda_recorded_sort* recorded, CUstream_st* stream) {
    return guarded([&] {
        given(recorded, "the recorded sort");
        recorded->sorter->report = recorded->sort.enqueue(stream);
    });
}

void lanesort_cuda_destroy_recorded_sort(lanesort_cuda_recorded_sort* recorded) { delete recorded; }
