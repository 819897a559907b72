/// @file
/// Sorting in the caller's own OpenCL buffers, on the caller's own queue.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/sorter.hpp>

// OpenCL's handles, as CL/cl.h declares them: including it here would fix the version for everyone who includes us.
typedef struct _cl_context* cl_context;              ///< an OpenCL context
typedef struct _cl_device_id* cl_device_id;          ///< a device
typedef struct _cl_command_queue* cl_command_queue;  ///< a queue
typedef struct _cl_mem* cl_mem;                      ///< a buffer
typedef struct _cl_event* cl_event;                  ///< an event

/// Sorting in the caller's own buffers, on the caller's own queue. Enqueues, and neither blocks nor flushes.
namespace lanesort::opencl {

/// Returns a sorter in the caller's context, for that device of it. Retains the context.
///
/// Errors: as Sorter's constructor; Error(invalid_argument) also for a null context or device; Error(wrong_context) if
/// the context does not hold the device.
Sorter make_sorter(cl_context context, cl_device_id device, SorterOptions options = {});

using Memory = cl_mem;                       ///< what OpenCL knows memory by
using Queue = cl_command_queue;              ///< in-order or out-of-order
using WaitList = std::span<const cl_event>;  ///< events that a call waits for
/// Where the event of a call's end goes, which the caller releases; null: it is not asked for.
using EndEvent = cl_event*;

#include <lanesort/device_calls.inc>

/// enqueue_sort() for the C++ wrappers of CL/opencl.hpp, which this header need not include: for anything whose call
/// operator gives the OpenCL handle. `event`, if given, is overwritten.
template <class Queue, class Event>
requires requires(const Queue& queue, Event& event) {
    { queue() } -> std::convertible_to<cl_command_queue>;
    { event() } -> std::convertible_to<cl_event>;
}
SortReport enqueue_sort(Sorter& sorter, const Queue& queue, const KeyRange& keys, const std::vector<Event>* wait_list,
                        Event* event = nullptr) {
    std::vector<cl_event> handles;
    if (wait_list)
        for (const Event& waited : *wait_list) handles.push_back(waited());
    cl_event finished = nullptr;
    const SortReport report = enqueue_sort(sorter, queue(), keys, handles, event ? &finished : nullptr);
    if (event) *event = Event(finished);
    return report;
}

}  // namespace lanesort::opencl
