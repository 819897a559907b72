// SPDX-License-Identifier: MIT
/// @file
/// What a C++ compiler makes of the kernels, for lanesort/cpu.hpp and the library itself. It is compiled for one
/// instruction set beside others, so it uses no function of the standard library.
#pragma once

#include <cstddef>
#include <utility>

namespace lanesort::inline v0_1::detail {

/// Instructions beyond those that every processor of its kind has.
enum class Instructions : unsigned char { baseline, avx2, avx512 };

/// What kernels are told besides their arguments, and those for one kind of elements need not ask.
struct Context {
    const void* order;        ///< the function object that orders records
    std::size_t value_bytes;  ///< of a value; 0: there are none
    std::size_t index_bytes;  ///< of an index in its array; 0: there is no array
    unsigned tile_bits;       ///< lg of the vectors of a tile, where the kernels walk one
};

/// Work-groups first .. end - 1 of a launch of so many, which run one after the other, with memory for one of them.
struct WorkGroups {
    unsigned long first, end, all;
    void* local_memory;
};

/// The work-group that a thread runs.
struct Group {
    const Context* context;
    unsigned long group_id, groups;
    unsigned char* local_memory;
};

/// Arguments are addresses and integers, each in 8 bytes.
using Kernel = void (*)(const unsigned long* arguments, const WorkGroups& groups, const Context& context);

struct NamedKernel {
    const char* name;
    Kernel run;
};

/// A kernel file, compiled for some elements, and in which shape (kernels/common/parameters.h has the words).
struct Compiled {
    Instructions instructions;
    const char* file;
    unsigned key_bytes, value_bytes, index_bytes;
    bool any_width = false;           ///< of values and indices: these are the most bytes, in registers
    bool values_are_indices = false;  ///< keys have one of the two, of index_bytes
    unsigned numbers = 0;             ///< NUMBERS there
    bool has_runs = false;
    unsigned lanes = 1, least_vectors, most_vectors, register_vectors;
    NamedKernel kernels[11];
};

/// The programs of one source file.
struct CompiledFile {
    const Compiled* const* programs;
    std::size_t count;
};

/// What was compiled for one type of records and one function that orders them.
struct CompiledOrder {
    std::size_t bytes;  ///< of a record
    const Compiled* first;
    std::size_t count;
};

/// @cond
template <auto kernel, class Signature = decltype(kernel)>
struct Launched;
/// A kernel with its arguments taken from integers of 8 bytes. What an order throws ends the program: the other threads
/// of a launch could not be told.
template <auto kernel, class Kernels, class... Argument>
struct Launched<kernel, void (Kernels::*)(Argument...)> {
    template <std::size_t... i>
    static inline __attribute__((always_inline)) void run_group(Kernels& kernels, const unsigned long* arguments,
                                                                std::index_sequence<i...>) {
        (kernels.*kernel)((Argument)arguments[i]...);
    }
    static void run(const unsigned long* arguments, const WorkGroups& groups, const Context& context) noexcept {
        Kernels kernels{{&context, groups.first, groups.all, static_cast<unsigned char*>(groups.local_memory)}};
        for (; kernels.group_id < groups.end; ++kernels.group_id)
            run_group(kernels, arguments, std::index_sequence_for<Argument...>());
    }
};
/// @endcond

}  // namespace lanesort::inline v0_1::detail
