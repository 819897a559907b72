// SPDX-License-Identifier: MIT
#include "kernel_table.hpp"

#include "program.hpp"

namespace lanesort::inline v0_1::detail {

std::string_view name(ArgumentType type) noexcept {
    static constexpr std::string_view names[] = {
        "key_t*",    "value_argument_t*", "index_t*",  "segment_t*", "uchar*",  "ushort*",    "uint*", "ulong*",
        "status_t*", "partial_t*",        "result_t*", "number_t*",  "part_t*", "position_t", "uint",  "ulong",
        "flip_t",    "position_t",        "uint",      "ulong"};
    return names[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(ArgumentType type, const KernelParameters& parameters) noexcept {
    const ElementBytes& bytes = parameters.bytes;
    switch (type) {
        case ArgumentType::keys: return bytes.key;
        case ArgumentType::values: return bytes.value;
        case ArgumentType::indices: return bytes.index;
        case ArgumentType::segments: return parameters.offset_bytes;
        case ArgumentType::u32s:
        case ArgumentType::u32:
        case ArgumentType::count32: return 4;
        case ArgumentType::u64s:
        case ArgumentType::u64:
        case ArgumentType::count64: return 8;
        case ArgumentType::position:
        case ArgumentType::count: return parameters.wide_positions ? 8 : 4;
        case ArgumentType::flip: return bytes.is_record ? 4 : bytes.key;
        default: return 0;
    }
}

std::vector<ArgumentType> argument_types(const KernelRow& kernel, const KernelParameters& parameters) {
    std::vector<ArgumentType> types(kernel.arguments.begin(), kernel.arguments.end());
    if (parameters.apart) types.insert(types.end(), kernel.of_apart.begin(), kernel.of_apart.end());
    return types;
}

}  // namespace lanesort::inline v0_1::detail
