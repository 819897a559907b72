// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "host.hpp"
#include "table.hpp"

namespace lanesort::inline v0_1::cpu {
namespace {

/// Whether they are the same kernels. What else a program is compiled for, these look at when they run.
bool serves(const Compiled& compiled, const detail::KernelParameters& parameters) {
    const ElementBytes& bytes = parameters.bytes;
    const Shape& shape = parameters.shape;
    // Indices of fewer than 2^31 elements fit into 4 bytes, whatever their array has.
    const std::size_t index_bytes =
        compiled.any_width && !parameters.wide_positions ? std::min<std::size_t>(bytes.index, 4) : bytes.index;
    const auto has = [&](std::size_t compiled_bytes, std::size_t wanted) {
        return compiled.any_width ? wanted <= compiled_bytes : wanted == compiled_bytes;
    };
    const bool has_widths = compiled.values_are_indices
                                ? has(compiled.index_bytes, bytes.value + index_bytes)
                                : has(compiled.value_bytes, bytes.value) && has(compiled.index_bytes, index_bytes);
    return has_widths && compiled.file == detail::kernel_file(parameters) && compiled.key_bytes == bytes.key &&
           compiled.numbers == static_cast<unsigned>(parameters.family->numbers) &&
           compiled.has_runs == parameters.family->has_runs && compiled.lanes == shape.lanes &&
           compiled.least_vectors <= shape.vectors && shape.vectors <= compiled.most_vectors &&
           compiled.register_vectors == shape.register_vectors;
}

/// What was compiled with the caller's function, or with the library.
const Compiled* find(const detail::KernelParameters& parameters, Instructions most) {
    if (const detail::CompiledOrder* const order = parameters.compiled_order) {
        const Compiled* const end = order->first + order->count;
        const Compiled* const found =
            std::find_if(order->first, end, [&](const Compiled& compiled) { return serves(compiled, parameters); });
        return found == end ? nullptr : found;
    }
    const Compiled* best = nullptr;
    if (parameters.predicate || parameters.orders_records()) return best;
    for (const CompiledFile* const file : all_compiled())
        for (const Compiled* const compiled : std::span(file->programs, file->count))
            if (compiled->instructions <= most && serves(*compiled, parameters) &&
                (!best || best->instructions < compiled->instructions))
                best = compiled;
    return best;
}

Error unsupported(const detail::KernelParameters& parameters) {
    if (parameters.predicate)
        return Error(
            ErrorCode::unsupported,
            "the built-in device has no compiler for the text of a predicate: give it flags, or take an OpenCL or "
            "CUDA device");
    if (parameters.binary_operator)
        return Error(ErrorCode::unsupported,
                     "the built-in device has no compiler for the text of an operator: take an OpenCL or CUDA device");
    if (parameters.comparator)
        return Error(
            ErrorCode::unsupported,
            "the built-in device has no compiler for the text of a comparator: sort on an OpenCL or CUDA device, or "
            "in C++ include lanesort/cpu.hpp and give it a function");
    return Error(
        ErrorCode::unsupported,
        fmt::format("the built-in device has no kernels of shape {} for keys of {} bytes, values of {} and "
                    "indices of {}; it has those of the shapes that the library chooses",
                    to_string(parameters.shape), parameters.bytes.key, parameters.bytes.value, parameters.bytes.index));
}

}  // namespace

Program::Program(const detail::KernelParameters& wanted, Instructions instructions) : detail::Program(wanted) {
    max_work_items = 1;
    const Compiled* const compiled = find(parameters, instructions);
    if (!compiled) throw unsupported(parameters);
    for (const std::string_view name : detail::kernel_names(parameters))
        kernels.push_back(std::ranges::find(compiled->kernels, name, &detail::NamedKernel::name)->run);
    detail::KernelParameters held = parameters;
    // A key that is packed with its value or index has 8 bytes.
    if (compiled->any_width) {
        held.bytes.key = std::max<std::size_t>(held.bytes.key, 8);
        held.bytes.value = compiled->value_bytes;
        held.bytes.index = compiled->index_bytes;
    }
    local_bytes = held.local_bytes();
}

}  // namespace lanesort::inline v0_1::cpu
