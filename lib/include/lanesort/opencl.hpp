// SPDX-License-Identifier: MIT
/// @file
/// Sorting in the caller's own OpenCL buffers, on the caller's own queue.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <vector>

#include <lanesort/across.hpp>
#include <lanesort/calls.hpp>
#include <lanesort/sorter.hpp>

// OpenCL's handles, as CL/cl.h declares them: including it here would fix the version for everyone who includes us.
typedef struct _cl_context* cl_context;              ///< an OpenCL context
typedef struct _cl_device_id* cl_device_id;          ///< a device
typedef struct _cl_command_queue* cl_command_queue;  ///< a queue
typedef struct _cl_mem* cl_mem;                      ///< a buffer
typedef struct _cl_event* cl_event;                  ///< an event

/// Sorting in the caller's own buffers, on the caller's own queue. Enqueues, and neither blocks nor flushes. All of it
/// takes OpenCL's handles and the wrappers of CL/opencl.hpp alike.
namespace lanesort::inline v0_1::opencl {

/// What a wrapper of CL/opencl.hpp is, which this header need not include: its call operator gives the handle.
template <class W, class H>
concept WrapperOf = requires(const W& wrapper) {
    { wrapper() } -> std::convertible_to<H>;
};

/// A handle of OpenCL's: cl_mem, say, or cl::Buffer. It is not retained.
template <class H>
class Handle {
public:
    /// The handle itself.
    Handle(H handle = nullptr) noexcept : handle_(handle) {}
    /// That of a wrapper.
    template <WrapperOf<H> W>
    Handle(const W& wrapper) : handle_(wrapper()) {}

    /// The handle itself.
    operator H() const noexcept { return handle_; }

private:
    H handle_;
};

using Memory = Handle<cl_mem>;           ///< a cl_mem, or a cl::Buffer
using Queue = Handle<cl_command_queue>;  ///< in-order or out-of-order

/// Events that a call waits for: any range of cl_event or of cl::Event, or a pointer to one; null: none.
class WaitList {
public:
    WaitList() = default;
    /// None.
    WaitList(std::nullptr_t) {}
    /// So many handles.
    WaitList(const cl_event* handles, std::size_t count) : handles_(handles, handles + count) {}
    /// A range of handles or of wrappers.
    template <std::ranges::input_range R>
    requires std::convertible_to<std::ranges::range_reference_t<const R&>, Handle<cl_event>> WaitList(const R& events) {
        for (const Handle<cl_event> event : events) handles_.push_back(event);
    }
    /// The same; null: none.
    template <std::ranges::input_range R>
    WaitList(const R* events) : WaitList(events ? WaitList(*events) : WaitList()) {}

    const cl_event* data() const noexcept { return handles_.data(); }  ///< the first one
    std::size_t size() const noexcept { return handles_.size(); }      ///< events

private:
    std::vector<cl_event> handles_;
};

/// Where the event of a call's end goes: a cl_event, which the caller releases, or a cl::Event; null: it is not asked
/// for. Overwritten when the call succeeds.
class EndEvent {
public:
    /// A handle.
    EndEvent(cl_event* handle = nullptr) noexcept : EndEvent(handle, handle) {}
    /// A wrapper, which takes the event over.
    template <WrapperOf<cl_event> E>
    EndEvent(E* wrapper) noexcept : EndEvent(wrapper, wrapper) {}

    /// Calls with the place of a handle, and gives the event to the caller.
    template <class Enqueue>
    SortReport after(const Enqueue& enqueue) const {
        if (!to_) return enqueue(nullptr);
        void* end = nullptr;
        const SortReport report = enqueue(&end);
        give_(to_, static_cast<cl_event>(end));
        return report;
    }

private:
    template <class E>
    EndEvent(void* to, E*) noexcept
        : to_(to), give_([](void* place, cl_event event) { *static_cast<E*>(place) = E(event); }) {}

    void* to_;
    void (*give_)(void*, cl_event);
};

/// Returns a sorter in the caller's context, for that device of it. Retains the context.
///
/// Memory: keeps what the last call took on the device for the next one, which frees all but 64 MiB of what is used no
/// more.
/// Errors: as Sorter's constructor; Error(invalid_argument) also for a null context or device; Error(wrong_context) if
/// the context does not hold the device; Error(no_platform) where no libOpenCL is found.
Sorter make_sorter(Handle<cl_context> context, Handle<cl_device_id> device, SorterOptions options = {});

/// DeviceInfo::backend of this backend's devices.
inline constexpr const char* backend_name = "OpenCL";

}  // namespace lanesort::inline v0_1::opencl

/// @cond
template <>
struct lanesort::BackendOf<lanesort::opencl::Memory> {
    using Queue = opencl::Queue;
    using WaitList = opencl::WaitList;
    using EndEvent = opencl::EndEvent;
    static constexpr const char* name = opencl::backend_name;
};
/// @endcond

namespace lanesort::inline v0_1::opencl {

using Segments = SegmentRange<Memory>;    ///< where segments begin and end
using KeyRange = KeyRangeIn<Memory>;      ///< keys
using ValueRange = ValueRangeIn<Memory>;  ///< values, indices, lengths or results
using Selected = SelectedIn<Memory>;      ///< where the first k keys go
using Distinct = DistinctIn<Memory>;      ///< where distinct keys go
using FlagRange = FlagRangeIn<Memory>;    ///< flags of elements
using Counts = CountsIn<Memory>;          ///< where counts of bins go
using Call = CallIn<Memory>;              ///< of calls.hpp
using Recorded = RecordedIn<Memory>;      ///< a call, recorded once
using DevicePart = DevicePartIn<Memory>;  ///< of a sort across devices

using lanesort::enqueue;
using lanesort::enqueue_sort_across;
using lanesort::enqueue_sort_by_key_across;

}  // namespace lanesort::inline v0_1::opencl
