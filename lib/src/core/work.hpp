// SPDX-License-Identifier: MIT
// What a call does, as a list of commands: made by a planner, run by an executor, which knows no operation.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <lanesort/report.hpp>

#include "program.hpp"

namespace lanesort::inline v0_1::detail {

/// The arrays of a call: first those of the caller, then those that the work takes for itself.
enum class Slot : std::uint8_t {
    keys,
    values,
    second_keys,  ///< the second range; or what is looked for, or bounds bins
    second_values,
    indices,
    segments,
    results,        ///< keys that were found: the first k, or the distinct ones; or merged ones
    result_values,  ///< that belong to them
    lengths,        ///< of runs, or counts of bins
    answers,        ///< integers of 64 bits: keys in order, or the number of results
    limit,          ///< an integer of 64 bits: how many of the first k are wanted
    counters,
    flags,      ///< bytes that say which elements are selected
    parameter,  ///< of a predicate that says it
    order,      ///< the C++ function that orders records, which is no array
    own_keys,
    own_values,
    own_indices,
    own_results,   ///< indices of results that nobody asked for
    own_integers,  ///< what work-groups leave for later launches
    own_status,    ///< what they tell each other while they run
    own_begins,    ///< bits: where runs begin
    own_bases,     ///< how many begin in front of each tile, or which keys runs have
    own_partials,  ///< of runs that lie in several tiles
    pool_keys,     ///< elements that wait for their places
    pool_values,
    pool_indices,
};
inline constexpr std::size_t slots = 27;

constexpr bool is_own(Slot slot) noexcept { return slot >= Slot::own_keys; }

/// What happens to the caller's array.
enum class Access : std::uint8_t {
    read,     ///< it stays as it is
    write,    ///< what was in it is not read
    change,   ///< both
    consume,  ///< it stays as it is, but the kernels change it: they get a copy
};

/// The array of a slot.
struct Array {
    std::uint64_t count = 0;  ///< elements; 0: the slot is not used
    std::size_t bytes = 0;    ///< of an element
    Access access = Access::change;
    const char* name = "elements";     ///< "keys", "values", .. in messages
    bool as_many_as_answered = false;  ///< the first answer tells how many elements were written
    bool is_reread = false;            ///< kernels read what they wrote

    std::uint64_t size() const noexcept { return count * bytes; }
    bool is_read() const noexcept { return access != Access::write; }
    bool is_written() const noexcept { return access == Access::write || access == Access::change; }
};

class Arrays : public std::array<Array, slots> {
public:
    using std::array<Array, slots>::operator[];
    Array& operator[](Slot slot) noexcept { return (*this)[static_cast<std::size_t>(slot)]; }
    const Array& operator[](Slot slot) const noexcept { return (*this)[static_cast<std::size_t>(slot)]; }
};

/// What a kernel takes: the memory of an array, null where nothing is bound to its slot, and, as an integer of 8 bytes,
/// the elements before its first; or the low bytes of an integer.
struct Argument {
    Argument() = default;
    Argument(Slot array, std::uint64_t from = 0) : value(from), slot(array) {}
    Argument(std::integral auto integer) : value(static_cast<std::uint64_t>(integer)), bytes(sizeof value) {}

    std::uint64_t value = 0;  ///< the integer, or elements from the array's first one on
    std::uint8_t bytes = 0;   ///< of the integer, as the kernel's row has it; 0: it is an array
    Slot slot = Slot::keys;
    bool is_count = false;  ///< with 0 in its place, the kernel finds nothing to do
};

/// A kernel's launch.
struct Launch {
    std::uint8_t program = 0;  ///< index into Work::programs
    std::uint8_t kernel = 0;   ///< index into kernel_names() of that program
    std::uint8_t argument_count = 0;
    bool awaits = true;    ///< KernelRow::awaits
    bool is_pass = false;  ///< KernelRow::is_pass
    std::uint64_t groups = 0;
    std::array<Argument, ArgumentTypes::most> arguments = {};

    std::span<const Argument> all_arguments() const noexcept { return {arguments.data(), argument_count}; }
};

/// Copies rows of bytes from one array to another, which has no room between them.
struct Copy {
    Slot from, to;
    std::uint64_t width = 0;   ///< bytes of a row
    std::uint64_t height = 1;  ///< rows
    std::uint64_t pitch = 0;   ///< bytes from row to row in `from`
    std::uint64_t front = 0;   ///< bytes of `to` in front of the copy
};

/// Zeroes all of an array.
struct Zero {
    Slot array;
};

using Command = std::variant<Launch, Copy, Zero>;

/// Commands, each of which begins when the one before it has ended. Stays valid whatever else its planner makes.
struct Work {
    std::vector<std::shared_ptr<const Program>> programs;
    std::vector<Command> commands;
    Arrays arrays = {};
    SortReport report;  ///< launches, hand-overs and barriers, and the bytes of its own arrays on a device
    Plan plan;          ///< what it was made from, where it sorts or merges
};

/// Adds a launch of a kernel of one of the work's programs, and counts it. Throws Error(invalid_argument) for arguments
/// that are not those of the kernel's row.
void add_launch(Work& work, std::size_t program, std::string_view kernel, std::uint64_t groups,
                std::span<const Argument> arguments);

/// Arguments, each given by itself or in a range.
template <class... Part>
std::vector<Argument> joined(const Part&... parts) {
    std::vector<Argument> arguments;
    [[maybe_unused]] const auto append = [&](const auto& part) {
        if constexpr (std::is_convertible_v<decltype(part), Argument>) arguments.push_back(part);
        else arguments.insert(arguments.end(), std::begin(part), std::end(part));
    };
    (append(parts), ...);
    return arguments;
}

/// The same of the work's last program.
template <class... Part>
void add_launch(Work& work, std::string_view kernel, std::uint64_t groups, const Part&... parts) {
    add_launch(work, work.programs.size() - 1, kernel, groups, joined(parts...));
}

/// Where an array lies: a pointer to host memory, a cl_mem or a CUdeviceptr, and the elements before its first.
struct Binding {
    void* memory = nullptr;
    std::uint64_t offset = 0;
};

class Bindings : public std::array<Binding, slots> {
public:
    using std::array<Binding, slots>::operator[];
    Binding& operator[](Slot slot) noexcept { return (*this)[static_cast<std::size_t>(slot)]; }
    const Binding& operator[](Slot slot) const noexcept { return (*this)[static_cast<std::size_t>(slot)]; }
};

}  // namespace lanesort::inline v0_1::detail
