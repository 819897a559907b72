// SPDX-License-Identifier: MIT
// What a device host (host/opencl, ...) offers to the device-free core. It names no operation.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/report.hpp>

#include "work.hpp"

namespace lanesort::inline v0_1::detail {

/// What is known of a caller's memory on the device.
struct MemoryFacts {
    std::uint64_t bytes = 0;     ///< from the given place on
    std::uintptr_t area = 0;     ///< what it is a part of: only memory of one area can overlap
    std::uint64_t begin = 0;     ///< bytes before it in that area
    bool readable = true;        ///< by kernels
    bool writable = true;        ///< by kernels
    std::size_t alignment = 16;  ///< bytes, as far as elements need it
};

/// There is no memory for the work's own arrays; nothing was done yet.
class NoMemoryForWork : public Error {
public:
    explicit NoMemoryForWork(const Error& error) : Error(error) {}
};

/// Rows of bytes in host memory and on the device: of which one begins every `pitch` here, every `device_pitch` there.
/// Of several slices of such rows, one begins every `slice_pitch` here, every `device_slice_pitch` there.
struct Rows {
    void* host;
    std::uint64_t width, height, pitch, device_pitch;
    std::uint64_t depth = 1, slice_pitch = 0, device_slice_pitch = 0;

    std::uint64_t bytes() const noexcept { return width * height * depth; }
    /// On the device they lie one behind another: the first of each slice, then the second of each.
    bool are_dealt() const noexcept {
        return depth > 1 && device_slice_pitch == width && device_pitch == depth * width;
    }
};

/// All of an array in one row.
inline Rows one_row(void* host, std::uint64_t bytes) { return {host, bytes, 1, bytes, bytes}; }

/// Calls copy(rows, there) for each slice.
template <class Copy>
void each_slice(const Rows& rows, const Binding& there, const Copy& copy) {
    for (std::uint64_t i = 0; i < rows.depth; ++i)
        copy(Rows{static_cast<std::byte*>(rows.host) + i * rows.slice_pitch, rows.width, rows.height, rows.pitch,
                  rows.device_pitch},
             Binding{there.memory, there.offset + i * rows.device_slice_pitch});
}

/// Bytes of host memory that lie one behind another.
struct HostExtent {
    std::byte* host;
    std::uint64_t bytes;
};

/// When all has ended that a queue had been given.
class QueueEnd {
public:
    virtual ~QueueEnd() = default;
    QueueEnd() = default;
    QueueEnd(const QueueEnd&) = delete;
    QueueEnd& operator=(const QueueEnd&) = delete;

    /// Blocks. Throws what failed.
    virtual void wait() const = 0;
    /// Whether wait() would not block. Throws what failed.
    virtual bool has_come() const = 0;
};

/// A queue of a device, with memory: one of its own, which is in order and beside other queues of the device, or the
/// caller's. The destructor frees the memory: of an own queue when all has ended, of the caller's in its order, without
/// waiting. Offsets of bindings are in bytes for copies.
class DeviceQueue {
public:
    virtual ~DeviceQueue() = default;
    DeviceQueue() = default;
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;

    /// Memory as bindings have it. Throws NoMemoryForWork.
    virtual void* allocate(std::uint64_t bytes) = 0;
    /// May block until what is in the rows is read, but not until the device has it.
    virtual void upload(const Rows& from, const Binding& to) = 0;
    /// May block until the rows are there.
    virtual void download(const Binding& from, const Rows& to) = 0;
    /// The same of extents, which lie one behind another on the device.
    virtual void upload_extents(std::span<const HostExtent> from, Binding to) {
        for (const auto& [host, bytes] : from) {
            upload(one_row(host, bytes), to);
            to.offset += bytes;
        }
    }
    virtual void download_extents(Binding from, std::span<const HostExtent> to) {
        for (const auto& [host, bytes] : to) {
            download(from, one_row(host, bytes));
            from.offset += bytes;
        }
    }
    virtual void copy(const Binding& from, const Binding& to, std::uint64_t bytes) = 0;
    /// All arrays are bound, on the caller's queue but for the work's own.
    virtual void run(const Work& work, const Bindings& bindings) = 0;
    virtual std::shared_ptr<const QueueEnd> end() = 0;
    /// Returns when all has ended.
    virtual void wait() { end()->wait(); }
    /// What comes next begins on the device after that end of another queue, and after that queue has read what it
    /// uploads. What it downloads may come to host memory later.
    virtual void await(std::shared_ptr<const QueueEnd> end) = 0;
    /// What comes next begins after what is there, also on a caller's queue that is out of order.
    virtual void settle() {}
};

/// A work that is recorded once on arrays and enqueued many times.
class Recording {
public:
    virtual ~Recording() = default;
    Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Enqueues it; what is given back, and what `event` is, Backend::enqueue says.
    virtual void enqueue(const Queue& queue, void** event) = 0;
    /// The device replays what was recorded; else it is enqueued command by command.
    virtual bool is_replayed() const noexcept = 0;
};

/// Memory for other libraries.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    void* handle = nullptr;  ///< as in bindings
};

/// An opened device: the context, queue and programs of one sorter.
class Backend {
public:
    virtual ~Backend() = default;
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    virtual const DeviceInfo& info() const noexcept = 0;

    /// The kernels of these parameters, compiled by the first call.
    virtual std::shared_ptr<const Program> compile(const KernelParameters& parameters) = 0;

    /// Where the device's compiler leaves work for the first launch of a kernel, has it done: launches each kernel of
    /// the work over no elements, unless that was done before, and waits.
    virtual void rehearse(const Work&) {}

    /// Forgets all programs; those that a work or a recording holds stay. Waits until nothing that was enqueued can use
    /// the others.
    virtual void release() = 0;

    // These three throw NoMemoryForWork where memory is lacking before anything was done.

    /// Uploads arrays from host memory, runs the work and downloads them; blocks. `progress` may be empty.
    virtual SortReport run_on_host_memory(const Work& work, const Bindings& bindings,
                                          const std::function<void(std::size_t, std::size_t)>& progress) = 0;

    // Of devices that have queues and memory of their own. The others throw Error(unsupported).

    /// open_queue() is there.
    virtual bool has_queues() const noexcept { return false; }
    virtual std::unique_ptr<DeviceQueue> open_queue() { refuse_queues(); }

    /// Pins that host memory as long as what it returns lives, where that is the fastest way to copy to and from it
    /// several times; after a call that writes it, since memory that was not there takes several times as long.
    virtual std::shared_ptr<void> pin(void* /*memory*/, std::uint64_t /*bytes*/,
                                      const std::function<void()>& /*write_first*/) {
        return nullptr;
    }

    /// Takes a queue of the caller's, which was checked.
    virtual std::unique_ptr<DeviceQueue> use_queue(void* /*callers*/) { refuse_queues(); }

    /// Throws Error for memory that is none of this device's.
    virtual MemoryFacts inspect(void*) const { refuse_queues(); }

    /// Throws Error for a queue or an event that is none of this device's context.
    virtual void check(const Queue&) const { refuse_queues(); }

    /// Enqueues the work on a queue that was checked; does not wait. OpenCL gives a new event of its end unless `event`
    /// is null; CUDA records the event that `event` points to.
    virtual void enqueue(const Work&, const Bindings&, const Queue&, void** /*event*/) { refuse_queues(); }
    /// Takes back an event that enqueue() gave and nobody is to have.
    virtual void discard(void* /*event*/) noexcept {}

    /// Records the work for that queue, which was checked.
    virtual std::unique_ptr<Recording> record(std::shared_ptr<const Work>, const Bindings&, void* /*queue*/) {
        refuse_queues();
    }

    /// Whether this device's kernels and copies may use that memory of another device of the backend where it is. Else
    /// elements cross in memory of a queue, which both may use. Throws Error where the two cannot work together.
    virtual bool reaches(Backend& /*other*/, void* /*memory*/) { refuse_queues(); }

    /// Device memory that every library may take, freed at once; or host memory that is fast to copy to and from.
    virtual std::unique_ptr<SharedMemory> allocate(std::uint64_t /*bytes*/, bool /*on_host*/) { refuse_queues(); }

private:
    [[noreturn]] void refuse_queues() const { throw Error(ErrorCode::unsupported, info().name + " has no queues"); }
};

/// A device that has not been opened.
class DeviceHandle {
public:
    virtual ~DeviceHandle() = default;
    DeviceHandle() = default;
    DeviceHandle(const DeviceHandle&) = delete;
    DeviceHandle& operator=(const DeviceHandle&) = delete;

    virtual const DeviceInfo& info() const noexcept = 0;
    virtual std::unique_ptr<Backend> open() const = 0;
};

/// What a backend finds on this machine.
Discovery discover_opencl();
Discovery discover_cuda();
Discovery discover_cpu();

/// As lanesort::find_device(), among what is discovered so; not called for the built-in device by its name.
Device find_device(std::string_view selector, Discovery (*discover)());

}  // namespace lanesort::inline v0_1::detail
