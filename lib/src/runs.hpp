// The schedules on sorted ranges: how far they are in order, and their runs of equal keys (kernels/runs.cl). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

#include "kernel_argument.hpp"
#include "key_order.hpp"

namespace lanesort::detail {

/// What is to be found out.
enum class RunsTask : std::uint8_t {
    is_sorted,        ///< of each row: 1 or 0
    is_sorted_until,  ///< of each row: how many keys are in order
    unique,           ///< the first key of each run
    run_lengths,      ///< these keys and how many there are of each
};

/// Blocks of consecutive keys, one for each work-group: `parts` of them in each row.
struct RunsSchedule {
    RunsTask task = RunsTask::unique;
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< keys of a row
    std::uint64_t block = 0;  ///< keys of a block
    std::uint64_t parts = 1;
    Shape shape;  ///< a work-item takes `vectors` keys of a tile

    /// It only looks whether the keys are in order.
    bool tests_order() const noexcept { return task <= RunsTask::is_sorted_until; }
    /// 64-bit integers that the work-groups leave for the later launches; 0 where there are none.
    std::uint64_t left_over() const noexcept { return !tests_order() ? 2 * parts : parts > 1 ? rows * parts : 0; }
};

/// Rows are for the order only.
RunsSchedule make_runs_schedule(const DeviceInfo& device, std::size_t key_bytes, RunsTask task, std::uint64_t rows,
                                std::uint64_t count);

/// Bytes of local memory that a work-group takes.
std::size_t runs_local_bytes(const Shape& shape) noexcept;

/// The arrays of these launches. A kernel takes the memory of one and, as an integer of 8 bytes, the number of elements
/// before its first.
enum class RunsArray : std::uint8_t {
    keys,
    blocks,    ///< RunsSchedule::left_over() integers of 64 bits
    result,    ///< one integer of 64 bits a row: the number of keys in order, or of runs
    distinct,  ///< the first key of each run
    lengths,   ///< of the runs
};
inline constexpr std::size_t runs_arrays = 5;

/// An array, or else an integer.
struct RunsArgument {
    std::optional<RunsArray> array = {};
    KernelArgument integer = {};
};

struct RunsLaunch {
    std::size_t kernel = 0;  ///< index into kernel_names()
    std::uint64_t groups = 1;
    std::vector<RunsArgument> arguments;
};

/// All launches, one after the other.
std::vector<RunsLaunch> runs_launches(const RunsSchedule& schedule, ElementBytes bytes, bool wide_index,
                                      KeyCoding coding);

}  // namespace lanesort::detail
