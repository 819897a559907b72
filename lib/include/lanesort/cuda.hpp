// SPDX-License-Identifier: MIT
/// @file
/// Sorting in the caller's own CUDA memory, on the caller's own stream. Needs no CUDA header: the types of the driver
/// and of the runtime API are pointers to the same structures.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

#include <lanesort/across.hpp>
#include <lanesort/calls.hpp>
#include <lanesort/sorter.hpp>

struct CUstream_st;
struct CUevent_st;

/// Sorting in the caller's own device memory, on the caller's own stream. Enqueues, and does not block. Named as the
/// driver's functions begin, since libcu++ has a namespace cuda: after `using namespace lanesort`
/// both would be meant.
namespace lanesort::inline v0_1::cu {

using Stream = CUstream_st*;  ///< a CUstream or a cudaStream_t; null is the default stream
using Event = CUevent_st*;    ///< a CUevent or a cudaEvent_t

/// What of CUDA this machine has. Versions are 1000 * major + 10 * minor, and 0 where they cannot be asked for.
struct Installation {
    std::string driver_absence;    ///< why no driver can be used, with the driver's own name for it; empty if one can
    std::string compiler_absence;  ///< the same for NVRTC
    int driver_version = 0;        ///< the newest CUDA that the driver knows
    int compiler_version = 0;      ///< NVRTC's
    bool is_built_in = true;       ///< the library was built with CUDA's headers
};

/// Looks for the driver and NVRTC, as devices() does, and returns what there is. Throws nothing but std::bad_alloc.
Installation installation();

/// Returns a sorter for the device of that number, in its primary context, which is the one that the CUDA runtime API
/// uses.
///
/// Memory: its calls take what they need from a pool of the sorter's, which keeps up to 64 MiB for the next call.
/// Errors: as Sorter's constructor; Error(no_device) where there is no driver or no such device.
Sorter make_sorter(int device = 0, SorterOptions options = {});

/// Returns the number of the device that the memory is on, for make_sorter().
///
/// Errors: Error(invalid_argument) for what is no CUDA memory; Error(no_device) where there is no driver or no device.
int device_of(const void* memory);

/// A device pointer (cudaMalloc, cuMemAlloc or managed memory), aligned to its elements; records to the largest power
/// of two up to 16 that divides their bytes.
using Memory = void*;
using Queue = Stream;                     ///< null is the default stream
using WaitList = std::span<const Event>;  ///< events that a call waits for

/// Recorded at a call's end; null: none is.
class EndEvent {
public:
    /// None.
    EndEvent() = default;
    /// An event of the caller's, or what converts to one.
    template <std::convertible_to<Event> E>
    EndEvent(const E& event) : event_(event) {}

    /// Calls with the place of the event.
    template <class Enqueue>
    SortReport after(const Enqueue& enqueue) const {
        void* end = event_;
        return enqueue(&end);
    }

private:
    Event event_ = nullptr;
};

/// DeviceInfo::backend of this backend's devices.
inline constexpr const char* backend_name = "CUDA";

}  // namespace lanesort::inline v0_1::cu

/// @cond
template <>
struct lanesort::BackendOf<lanesort::cu::Memory> {
    using Queue = cu::Queue;
    using WaitList = cu::WaitList;
    using EndEvent = cu::EndEvent;
    static constexpr const char* name = cu::backend_name;
};
/// @endcond

namespace lanesort::inline v0_1::cu {

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

}  // namespace lanesort::inline v0_1::cu
