// SPDX-License-Identifier: MIT
/// @file
/// Calls on the memory of a device: enqueued on the caller's queue or stream, or recorded. opencl.hpp and cuda.hpp have
/// the names for their memory.
#pragma once

#include <lanesort/calls.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::inline v0_1 {

/// The backend of a kind of memory: its Queue, WaitList and EndEvent, and its `name`, which is DeviceInfo::backend.
template <class Memory>
struct BackendOf;

/// Enqueues a call. It starts after the queue's earlier work, if the queue is in-order, and after all events of
/// `wait_list`. Elements outside the ranges are neither read nor written. The report has no times.
///
/// Result and order: as Sorter's function of the call's name says.
/// Memory: what that function says a call takes. All of it is freed in the order of the queue, by OpenCL when the
/// sorter is called next.
/// Cost: neither blocks nor flushes, except to compile where the sorter was not prepared for such a call
/// (Sorter::prepare). A prepared call may be enqueued while a CUDA stream is captured.
/// Errors, before anything is enqueued: Error(invalid_argument) for what the operation cannot do, for memory that is
/// not the device's, and for arrays that overlap though one of them is written; Error(wrong_context) for a queue,
/// memory or event of another context or device; Error(out_of_range) for arrays that reach past the end of their
/// memory; Error(not_writable) for a read-only buffer; Error(too_large) where the call takes more memory than the
/// device can allocate at once; Error(unsupported) for a sorter of another backend; and Error(build_failed). After
/// Error(device_failed) in the middle of the enqueueing, the commands before it still run, and what the call writes is
/// unspecified.
template <class Memory>
SortReport enqueue(Sorter& sorter, typename BackendOf<Memory>::Queue queue, const CallIn<Memory>& call,
                   const typename BackendOf<Memory>::WaitList& wait_list = {},
                   typename BackendOf<Memory>::EndEvent event = {}) {
    return event.after([&](void** end) {
        return detail::enqueue(sorter, BackendOf<Memory>::name, {queue, detail::handles_of(wait_list)}, call, end);
    });
}

/// A call that is recorded once, on one place in memory, and enqueued many times for less than its launches would cost.
/// On CUDA it is a graph. On an OpenCL device that has cl_khr_command_buffer it is a command buffer, unless the call
/// copies arrays; else it is the same commands one by one. It must not outlive the sorter, and serves the same thread.
/// OpenCL's queue and buffers are retained, and the destructor waits for the last replay; CUDA's memory and stream must
/// outlive what is enqueued. One that was moved from may only be assigned to or destroyed.
///
/// Memory: keeps what the call takes, as long as it lives.
template <class Memory>
class RecordedIn {
public:
    /// Records for that queue; enqueues nothing.
    ///
    /// Errors: as enqueue().
    RecordedIn(Sorter& sorter, typename BackendOf<Memory>::Queue queue, const CallIn<Memory>& call)
        : call_(sorter, BackendOf<Memory>::name, queue, call) {}

    /// Enqueues the call for what its arrays hold then. Wait list, event and order are as in lanesort::enqueue().
    SortReport enqueue(const typename BackendOf<Memory>::WaitList& wait_list = {},
                       typename BackendOf<Memory>::EndEvent event = {}) {
        return event.after([&](void** end) { return call_.enqueue(detail::handles_of(wait_list), end); });
    }

    /// Returns whether the device replays what was recorded; if not, the same commands are enqueued one by one.
    bool is_replayed() const noexcept { return call_.is_replayed(); }

private:
    detail::RecordedCall call_;
};

}  // namespace lanesort::inline v0_1
