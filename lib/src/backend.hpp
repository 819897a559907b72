// What a device host (host/opencl, ...) offers to the device-free core.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/statistics.hpp>

#include "element_type.hpp"
#include "key_order.hpp"
#include "runs.hpp"
#include "selection.hpp"

namespace lanesort::detail {

/// What the kernels of a program do.
enum class Operation : std::uint8_t {
    sort,        ///< all keys
    sort_first,  ///< the first keys of the order, over the heads of sorted runs
    merge,       ///< two sorted ranges
    select,      ///< the first keys, into an array of their own
    runs,        ///< order and runs of equal keys are looked for
};

/// What a tile holds.
enum class Layout : std::uint8_t {
    range,       ///< a part of one range
    rows,        ///< a part of one row or segment, or all of it
    short_rows,  ///< several rows, whose length is a power of two, in one tile
};

/// Everything that a kernel is compiled for. Strides, counts and offsets are arguments instead.
struct KernelParameters {
    Operation operation = Operation::sort;
    ElementBytes bytes = {};
    bool wide_index = false;     ///< 64-bit indices: for 2^31 keys and more
    bool count_sync = false;     ///< the kernels count their hand-overs and barriers
    bool unroll_rounds = false;  ///< constant local-memory addresses, for longer compilation
    Shape shape;
    std::optional<Comparator> comparator = {};  ///< where keys are records
    Layout layout = Layout::range;
    std::size_t offset_bytes = 0;  ///< of the offsets of segments, where rows are those
    unsigned tiles_per_group = 1;

    /// Work-items of a work-group, and its bytes of local memory.
    unsigned work_items() const noexcept { return shape.work_items * tiles_per_group; }
    std::size_t local_bytes() const noexcept;
    /// The numbers of the elements are kept in an array.
    bool stores_numbers() const noexcept { return bytes.number > 1; }

    friend bool operator==(const KernelParameters&, const KernelParameters&) = default;
};

/// The kernel file for these parameters.
std::string kernel_file(const KernelParameters& parameters);

/// The kernels in it, in the order of Launch::kernel.
std::span<const char* const> kernel_names(const KernelParameters& parameters) noexcept;

/// The parameters as preprocessor definitions, "NAME=value"; the same in every dialect.
std::vector<std::string> definitions(const KernelParameters& parameters);

/// The text of that kernel file with everything that it includes, the definitions and the comparator too.
std::string source(const KernelParameters& parameters);

/// Arrays in host memory.
struct HostArrays {
    void* keys = nullptr;
    void* values = nullptr;                  ///< where there are any
    void* numbers = nullptr;                 ///< where they are wanted: the indices of an argsort
    bool keys_stay = false;                  ///< the keys are to be left as they are
    const std::uint64_t* offsets = nullptr;  ///< of segments, and one more
};

/// Where in host memory goes what is found of sorted ranges.
struct HostRuns {
    std::uint64_t* result = nullptr;  ///< one integer a row: the keys in order, or the runs
    void* distinct = nullptr;         ///< room for as many as there are keys; where they are asked for
    void* lengths = nullptr;          ///< the same
};

/// An opened device: the context, queue and programs of one sorter.
class Backend {
public:
    virtual ~Backend() = default;
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    virtual const DeviceInfo& info() const noexcept = 0;

    /// Compiles the kernels unless that was done before; returns the largest work-group that they may run in.
    virtual unsigned prepare(const KernelParameters& parameters) = 0;

    /// Where the device's compiler leaves work for the first launch of a kernel, has it done: launches each prepared
    /// kernel that is to be used over no elements, unless that was done before, and waits.
    virtual void rehearse(const KernelParameters&, const Plan&) {}
    virtual void rehearse(const KernelParameters&, const Selection&) {}
    virtual void rehearse(const KernelParameters&, const RunsSchedule&) {}

    /// Frees all programs but those that recorded sorts hold, once nothing that was enqueued can use them.
    virtual void release() = 0;

    /// Uploads the arrays of `count` elements, runs the plan and downloads them.
    virtual SortReport sort_host(const HostArrays& arrays, std::uint64_t count, const Plan& plan,
                                 const KernelParameters& parameters, KeyCoding coding,
                                 const std::function<void(std::size_t, std::size_t)>& progress) = 0;

    /// Uploads the keys, runs the selection and downloads what it selected. `selected.numbers` may be null.
    virtual SortReport select_host(const void* keys, const HostArrays& selected, const Selection& selection,
                                   const KernelParameters& parameters, KeyCoding coding) = 0;

    /// Uploads the keys, looks at them as the schedule says and downloads what it found.
    virtual void runs_host(const void* keys, const HostRuns& found, const RunsSchedule& schedule,
                           const KernelParameters& parameters, KeyCoding coding) = 0;

    /// The same as sort_host with kernels that count; `parameters.count_sync` is set.
    virtual SyncCounts count_host(void* keys, const Plan& plan, const KernelParameters& parameters,
                                  KeyCoding coding) = 0;
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

}  // namespace lanesort::detail
