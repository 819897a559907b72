// A pass as a kernel launch: what every backend has to enqueue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <lanesort/plan.hpp>

#include "backend.hpp"
#include "kernel_argument.hpp"
#include "key_order.hpp"

namespace lanesort::detail {

/// The array of the keys, as a launch sees it.
struct KeyArray {
    std::uint64_t offset = 0;  ///< keys before the first one
    std::uint64_t count = 0;   ///< keys of all rows or segments
    KeyCoding coding;
};

/// One launch, without the keys themselves, which are the kernel's first argument, and what follows the rest: values,
/// numbers and offsets of segments, as far as the kernel has them, each with the number of those before the first one
/// (8 bytes), and the counters, if it counts.
struct Launch {
    std::size_t kernel = 0;  ///< index into kernel_names()
    std::uint64_t groups = 0;
    std::size_t argument_count = 0;
    KernelArgument arguments[12] = {};

    /// The low `bytes` of an integer as the next argument.
    void add(std::uint64_t value, std::size_t bytes) noexcept { arguments[argument_count++] = {value, bytes}; }
    std::span<const KernelArgument> rest() const noexcept { return {arguments, argument_count}; }
};

/// The kernel of a pass, as an index into kernel_names().
std::size_t kernel_of(const Pass& pass, const KernelParameters& parameters) noexcept;

/// The launch of one pass of the plan.
Launch launch_of(const Pass& pass, const Plan& plan, const KernelParameters& parameters, const KeyArray& keys);

/// The launch of one pass of a selection, up to the argument before the array of what it leaves.
Launch launch_of(const SelectionPass& pass, const Selection& selection, const KernelParameters& parameters,
                 const KeyArray& keys);

/// The arrays of what the passes of a selection leave for each other; `allocate(elements, bytes)` makes one.
template <class Arrays, class Allocate>
Arrays left_over_of(const Selection& selection, const KernelParameters& parameters, Allocate allocate) {
    Arrays left_over{};
    if (selection.left_over() > 0) {
        left_over.keys = allocate(selection.left_over(), parameters.bytes.key);
        if (parameters.stores_numbers()) left_over.numbers = allocate(selection.left_over(), parameters.bytes.number);
    }
    return left_over;
}

}  // namespace lanesort::detail
