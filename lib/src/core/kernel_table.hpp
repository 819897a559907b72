// SPDX-License-Identifier: MIT
// The rows of the kernel table: each kernel file, its kernels and their arguments. The rows are in
// ops/FAMILY/kernels.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace lanesort::inline v0_1::detail {

struct KernelParameters;

/// The type of an argument. An array is two arguments: its memory, and an offset_t.
enum class ArgumentType : std::uint8_t {
    keys,
    values,
    indices,
    segments,
    u8s,
    u16s,
    u32s,
    u64s,
    status,    ///< what work-groups tell each other while they run
    partials,  ///< these have types that their kernel file defines
    results,
    numbers,
    parts,
    position,  ///< integers from here on
    u32,
    u64,
    flip,
    count,  ///< a position; if a count is 0, the kernel finds nothing to do
    count32,
    count64,
};

constexpr bool is_array(ArgumentType type) noexcept { return type < ArgumentType::position; }
constexpr bool is_count(ArgumentType type) noexcept { return type >= ArgumentType::count; }

/// The type's name in the kernels, without GLOBAL and const.
std::string_view name(ArgumentType type) noexcept;

/// Bytes of the integer, or of an array's element; 0 if they are not known.
std::size_t bytes_of(ArgumentType type, const KernelParameters& parameters) noexcept;

/// The types of a kernel's arguments, in order.
class ArgumentTypes {
public:
    static constexpr std::size_t most = 23;

    constexpr ArgumentTypes() = default;
    constexpr ArgumentTypes(std::initializer_list<ArgumentType> types) {
        for (const ArgumentType type : types) types_[size_++] = type;
    }
    constexpr const ArgumentType* begin() const noexcept { return types_.data(); }
    constexpr const ArgumentType* end() const noexcept { return types_.data() + size_; }

private:
    std::array<ArgumentType, most> types_ = {};
    std::size_t size_ = 0;
};

/// A kernel, and when it is in a program.
struct KernelRow {
    const char* name;
    ArgumentTypes arguments;
    bool awaits = false;   ///< it begins with AWAIT_LAST_LAUNCH: it may be launched before the last launch has ended
    bool is_pass = false;  ///< its integers may be one argument (kernels/sort/pass_arguments.h)
    bool (*applies)(const KernelParameters& parameters) = nullptr;  ///< null: it is in every program of its file
    ArgumentTypes of_apart = {};                                    ///< further arguments, if the program is APART
};

/// The types of its arguments in a program, in order.
std::vector<ArgumentType> argument_types(const KernelRow& kernel, const KernelParameters& parameters);

/// What kernels combine, scan or count: NUMBERS of kernels/common/parameters.h, in its order.
enum class Numbers : std::uint8_t { none, integer, floating, min_max, min_max_place, by_operator, by_bounds };

/// A kernel file, as it is compiled for one task.
struct Family {
    const char* file;
    std::span<const KernelRow> kernels;
    std::size_t (*local_bytes)(const KernelParameters& parameters) = nullptr;  ///< null: no local memory
    const char* file_in_cache = nullptr;  ///< the file for shapes whose tiles are walked in the cache
    const char* definition = nullptr;     ///< "NAME=value", which tells the task
    Numbers numbers = Numbers::none;
    bool has_runs = false;                  ///< runs are scanned, each by itself
    bool compares = true;                   ///< records are compared, and not only moved
    bool has_conditional_barriers = false;  ///< work in front of a barrier and behind it depends on the same condition
};

}  // namespace lanesort::inline v0_1::detail
