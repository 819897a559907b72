// SPDX-License-Identifier: MIT
// lanesort/lanesort.h: requests on OpenCL buffers.
#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

lanesort_status lanesort_opencl_create(lanesort_sorter** sorter, cl_context context, cl_device_id device,
                                       const lanesort_options* options) {
    return created(sorter, [&] { return opencl::make_sorter(context, device, options_of(options)); });
}

lanesort_status lanesort_opencl_enqueue(lanesort_sorter* sorter, cl_command_queue queue,
                                        const lanesort_request* request, size_t waits, const cl_event* wait_list,
                                        cl_event* event) {
    return guarded([&] {
        opencl::enqueue(sorter_of(sorter), queue, CallOf(request).in<opencl::Memory>(), events_of(wait_list, waits),
                        event);
    });
}

lanesort_status lanesort_opencl_record(lanesort_recorded** recorded, lanesort_sorter* sorter, cl_command_queue queue,
                                       const lanesort_request* request) {
    return created(recorded,
                   [&] { return opencl::Recorded(sorter_of(sorter), queue, CallOf(request).in<opencl::Memory>()); });
}

lanesort_status lanesort_opencl_enqueue_recorded(lanesort_recorded* recorded, size_t waits, const cl_event* wait_list,
                                                 cl_event* event) {
    return replayed<opencl::Recorded>(recorded, waits, wait_list, event);
}
