// SPDX-License-Identifier: MIT
// The devices of every backend behind one interface.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/key_order.hpp>
#include <lanesort/lanesort.hpp>

#include "bytes.hpp"
#include "core/backend.hpp"
#include "support.hpp"

namespace lanesort::test {

/// Stands for the memory of a call, whatever its backend knows that by.
inline int place_holder = 0;
inline constexpr void* here = &place_holder;

using KeyRange = KeyRangeIn<void*>;

/// A call that was recorded once, to be enqueued many times: an OpenCL command buffer or a CUDA graph.
class Recording {
public:
    virtual ~Recording() = default;

    /// Does not wait.
    virtual SortReport enqueue() = 0;
};

/// A call on arrays that all lie in one memory.
using Call = CallIn<void*>;

/// The same call on a backend's memory.
template <class Memory>
CallIn<Memory> call_in(void* memory, const Call& call) {
    CallIn<Memory> moved{call};
    for (Call::Place* place : {&moved.keys, &moved.values, &moved.second_keys, &moved.second_values, &moved.indices,
                               &moved.segments, &moved.results, &moved.result_values, &moved.lengths, &moved.answers,
                               &moved.limit, &moved.flags, &moved.parameter})
        if (place->memory) place->memory = memory;
    return moved;
}

/// Memory of a device, and a queue or stream of its own that keeps in order what happens to it.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;

    /// Puts so many bytes into it, from its start.
    virtual void write(const Bytes& bytes) = 0;
    /// All of it, after everything that was enqueued.
    virtual Bytes read() = 0;
    /// A call on arrays that are `here`. Does not wait.
    virtual SortReport enqueue(Sorter& sorter, const Call& call) = 0;
    /// Must not outlive the memory and the sorter.
    virtual std::unique_ptr<Recording> record(Sorter& sorter, const Call& call) = 0;
};

/// Runs a plan with kernels of these parameters on the keys at that offset in a device's memory of these bytes; gives
/// all of it after each pass.
std::vector<Bytes> states_of(Sorter& sorter, const lanesort::detail::KernelParameters& parameters, const Plan& plan,
                             const Request& request, std::size_t offset, Bytes memory);

/// A sorter on the same device, for which works are made as for another one, with 64-bit indices if they are wanted.
Sorter sorter_as(Sorter& real, const DeviceInfo& other, bool wide_positions = false);

/// A device of one backend, opened, with a sorter for each shape that a case asked for: compiling takes seconds, so
/// cases share them.
class Target {
public:
    explicit Target(DeviceInfo described)
        : info(std::move(described)), name(info.backend + ": " + info.name + " (" + info.platform + ")") {}
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// The sorter of the shape that the library chooses.
    Sorter& sorter() { return shared_sorter({}); }
    Sorter& sorter(const Shape& shape) { return shared_sorter(shape); }
    /// A sorter that no other case has.
    virtual Sorter new_sorter(SorterOptions options = {}) const = 0;
    Sorter new_sorter(const Shape& shape) const;

    virtual std::unique_ptr<DeviceMemory> memory(const Bytes& bytes) const = 0;

    /// The rows of the statistics table that this device can run, in work-groups of at most so many work-items.
    std::vector<Variant> variants(std::size_t key_bytes, unsigned work_items = 256) const;
    bool can_run(const Shape& shape, std::size_t key_bytes) const;
    /// What a quicksort takes of the device's memory, at most; nothing where there is none.
    std::uint64_t most_quicksort_bytes() const;

    const DeviceInfo info;
    const std::string name;  ///< with its backend

private:
    Sorter& shared_sorter(const std::optional<Shape>& shape);

    std::list<std::pair<std::optional<Shape>, Sorter>> sorters_;
};

using Targets = std::vector<std::reference_wrapper<Target>>;

/// The devices of all backends, in the order of devices(), each opened once. Without any, counts the case as skipped,
/// or fails it where the environment variable LANESORT_REQUIRE_DEVICE is 1.
Targets targets();

/// Those of one backend, which may be none.
Targets opencl_targets();
Targets cuda_targets();

/// Counts the case as skipped for want of a device of that kind, or fails it as above.
void skip_without(const std::string& kind);

/// main() prints at the end that cases ran on that device in that way, e.g. "CUDA graph".
void note_run(const std::string& way, const DeviceInfo& device);

/// With the tests' seed where they have none, so that a run can be repeated.
SorterOptions with_seed(SorterOptions options);

}  // namespace lanesort::test
