// SPDX-License-Identifier: MIT
// lanesort/lanesort.h: requests on CUDA memory.
#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

lanesort_status lanesort_cuda_create(lanesort_sorter** sorter, int device, const lanesort_options* options) {
    return created(sorter, [&] { return cu::make_sorter(device, options_of(options)); });
}

lanesort_status lanesort_cuda_enqueue(lanesort_sorter* sorter, CUstream_st* stream, const lanesort_request* request,
                                      size_t waits, CUevent_st* const* wait_list, CUevent_st* event) {
    return guarded([&] {
        cu::enqueue(sorter_of(sorter), stream, CallOf(request).in<void*>(), events_of(wait_list, waits), event);
    });
}

lanesort_status lanesort_cuda_record(lanesort_recorded** recorded, lanesort_sorter* sorter, CUstream_st* stream,
                                     const lanesort_request* request) {
    return created(recorded, [&] { return cu::Recorded(sorter_of(sorter), stream, CallOf(request).in<void*>()); });
}

lanesort_status lanesort_cuda_enqueue_recorded(lanesort_recorded* recorded, size_t waits, CUevent_st* const* wait_list,
                                               CUevent_st* event) {
    return replayed<cu::Recorded>(recorded, waits, wait_list, event);
}
