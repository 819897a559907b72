// What a device host (host/opencl, ...) offers to the device-free core. It names no operation.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/report.hpp>

#include "../parts.hpp"
#include "work.hpp"

namespace lanesort::detail {

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

/// A part of the caller's arrays, and what is done with its elements as if they were all.
struct PartOfWork {
    Part part;
    std::shared_ptr<const Work> work;
};

/// So many parts at once have memory of the device: while one is sorted, another comes and a third goes.
inline constexpr std::size_t parts_at_once = 3;

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

/// Memory that works of several devices use, or other libraries. allocate_shared() says when it is freed.
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

    /// run_in_parts() is there.
    virtual bool can_run_in_parts() const noexcept { return false; }

    /// Copies parts of arrays in host memory to the device, runs their works there and copies them back; blocks. The
    /// parts of a pass lie apart; a pass begins when the one before it has ended. The works only change the caller's
    /// arrays. Throws NoMemoryForWork where memory is lacking before anything was done. `progress` may be empty.
    virtual SortReport run_in_parts(const std::vector<std::vector<PartOfWork>>& /*passes*/, const Bindings&,
                                    const std::function<void(std::size_t, std::size_t)>& /*progress*/) {
        refuse_queues();
    }

    /// Throws Error for memory that is none of this device's.
    virtual MemoryFacts inspect(void*) const { refuse_queues(); }

    /// Throws Error for a queue or an event that is none of this device's context.
    virtual void check(const Queue&) const { refuse_queues(); }

    /// Enqueues the work on a queue that was checked; does not wait. OpenCL gives a new event of its end unless `event`
    /// is null; CUDA records the event that `event` points to.
    virtual void enqueue(const Work&, const Bindings&, const Queue&, void** /*event*/) { refuse_queues(); }

    // Of devices that sort together with others of their backend.

    /// Takes back an event that enqueue() gave and nobody is to have.
    virtual void discard(void* /*event*/) noexcept {}

    /// Whether this device's kernels and copies may use that memory of the other device where it is. Else elements
    /// cross in memory of allocate_shared(), which both may use. Throws Error where they cannot work together.
    virtual bool reaches(Backend& /*other*/, void* /*memory*/) { refuse_queues(); }

    /// What is enqueued from here on begins when all that is on the other device's queue has ended, which may be the
    /// same queue.
    virtual void await(void* /*queue*/, Backend& /*other*/, void* /*other_queue*/) { refuse_queues(); }

    /// Freed in the order of the queue.
    virtual std::unique_ptr<SharedMemory> allocate_shared(void* /*queue*/, std::uint64_t /*bytes*/) { refuse_queues(); }

    /// Enqueues a copy; offsets are in bytes.
    virtual void copy(void* /*queue*/, const Binding& /*from*/, const Binding& /*to*/, std::uint64_t /*bytes*/) {
        refuse_queues();
    }

    // Of devices whose elements go to other processes.

    /// Device memory that every library may take, freed at once; or host memory that is fast to copy to and from.
    virtual std::unique_ptr<SharedMemory> allocate_plain(std::uint64_t /*bytes*/, bool /*on_host*/) { refuse_queues(); }

    /// Copies behind all that is on the queue; returns when it is done. Offsets are in bytes.
    virtual void upload(void* /*queue*/, const void* /*from*/, const Binding& /*to*/, std::uint64_t /*bytes*/) {
        refuse_queues();
    }
    virtual void download(void* /*queue*/, const Binding& /*from*/, void* /*to*/, std::uint64_t /*bytes*/) {
        refuse_queues();
    }

    /// Returns when all that is on the queue has ended.
    virtual void wait(void* /*queue*/) { refuse_queues(); }

    /// Records the work for that queue, which was checked.
    virtual std::unique_ptr<Recording> record(std::shared_ptr<const Work>, const Bindings&, void* /*queue*/) {
        refuse_queues();
    }

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

}  // namespace lanesort::detail
